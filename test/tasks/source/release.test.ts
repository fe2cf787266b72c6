/** Releases on registries of Go, npm and crates, which a server of this test plays. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchMutated } from '../../../tasks/mutation/package-source.ts';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { fetchSource } from '../../../tasks/source/fetch.ts';
import { packageIndex } from '../../../tasks/source/package-index.ts';
import { pinSource } from '../../../tasks/source/pin.ts';
import { parseSpec } from '../../../tasks/source/spec.ts';
import { writeTree } from '../../rig/folder.ts';
import { makeDeps, QUIET_ENV, temporaryFolder } from './helpers.ts';

const root = temporaryFolder();
const served = new Map<string, Buffer>();
const asked: string[] = [];
let server: Server;
let deps: SourceDeps;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    const body = served.get(request.url!);
    response.writeHead(body === undefined ? 404 : 200).end(body ?? 'not found');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mkdirSync(join(root, 'cargo'));
  writeFileSync(
    join(root, 'cargo/config.toml'),
    `[source.crates-io]\nreplace-with = "here"\n[source.here]\nregistry = "sparse+${url}/crates/"\n`,
  );
  deps = makeDeps(root, {
    ...QUIET_ENV,
    ...{ GOPROXY: `${url}/go`, npm_config_registry: `${url}/npm`, CARGO_HOME: join(root, 'cargo') },
  });

  const module = zipOf({ 'example.org/Big/toml@v1.2.0/toml.go': 'package toml\n' });
  served.set('/go/example.org/!big/toml/@v/v1.2.0.zip', module);
  const tarball = tarOf('package', { 'index.js': '' });
  const dist = { tarball: `${url}/files/pkg-1.0.0.tgz` };
  served.set('/npm/@scope%2fpkg', Buffer.from(JSON.stringify({ versions: { '1.0.0': { dist } } })));
  served.set('/files/pkg-1.0.0.tgz', tarball);
  const crate = tarOf('tiny-0.1.0', { 'src/lib.rs': '' });
  const cksum = createHash('sha256').update(crate).digest('hex');
  served.set('/crates/config.json', Buffer.from(JSON.stringify({ dl: `${url}/dl` })));
  served.set(
    '/crates/ti/ny/tiny',
    Buffer.from(`${JSON.stringify({ name: 'tiny', vers: '0.1.0', cksum })}\n`),
  );
  served.set('/dl/tiny/0.1.0/download', crate);
});

afterAll(() => {
  server.close();
  rmSync(root, { recursive: true, force: true });
});

function zipOf(files: Record<string, string>): Buffer {
  const folder = join(root, 'to-zip');
  writeTree(folder, files);
  const names = Object.keys(files).map((name) => dirname(name).split('/')[0]!);
  execFileSync('python3', ['-m', 'zipfile', '-c', join(root, 'made.zip'), ...new Set(names)], {
    cwd: folder,
  });
  rmSync(folder, { recursive: true });
  return readFileSync(join(root, 'made.zip'));
}

function tarOf(top: string, files: Record<string, string>): Buffer {
  writeTree(join(root, top), files);
  return execFileSync('tar', ['-C', root, '-czf', '-', top]);
}

async function obtain(spec: string) {
  const pinned = await pinSource(spec, deps);
  return pinned.ok ? fetchSource(pinned.value, deps) : pinned;
}

test.for([
  ['go:example.org/Big/toml@v1.2.0', 'toml.go'],
  ['npm:@scope/pkg@1.0.0', 'index.js'],
  ['crate:tiny@0.1.0', 'src/lib.rs'],
] as const)(
  '%s is unpacked without the folders around its files, and asked for once',
  async ([spec, file]) => {
    const tree = await obtain(spec);
    if (!tree.ok) throw new Error(tree.fault.detail);
    const layer = (await deps.layers.open(tree.value.layer))!;
    expect(() => readFileSync(join(layer, 'testbed', file))).not.toThrow();
    const before = asked.length;
    expect(await obtain(spec)).toEqual(tree);
    expect(asked).toHaveLength(before);
  },
);

test.for([
  ['go:example.org/none@v1.0.0', '/go/example.org/none/@v/v1.0.0.zip'],
  ['npm:none@1.0.0', '/npm/none'],
  ['npm:@scope/pkg@2.0.0', 'npm’s registry has no @scope/pkg 2.0.0'],
  ['crate:none@1.0.0', '/crates/no/ne/none'],
  ['crate:tiny@9.0.0', 'the index of crates has no tiny 9.0.0'],
] as const)('%s is an invalid row', async ([spec, why]) => {
  const tree = await obtain(spec);
  expect(tree).toMatchObject({
    ok: false,
    fault: { reason: 'invalid-row', detail: expect.stringContaining(why) },
  });
});

test('a registry that answers with something else is a fault', async () => {
  served.set('/npm/odd', Buffer.from('<html>'));
  expect(await obtain('npm:odd@1.0.0')).toMatchObject({ ok: false, fault: { reason: 'source-fetch' } });
});

test('a login page in place of an archive is a fault of the network, for a build and for mutate', async () => {
  const release = { registry: 'go', name: 'example.org/page', version: 'v1.0.0' } as const;
  const page = '<!doctype html><title>Log in</title>';
  served.set('/go/example.org/page/@v/v1.0.0.zip', Buffer.from(page));
  const refused = {
    ok: false,
    fault: { reason: 'source-fetch', detail: expect.stringContaining('a web page') },
  };
  expect(await obtain('go:example.org/page@v1.0.0')).toMatchObject(refused);
  const { index, locks, sourcesFolder, env } = deps;
  const { signal } = new AbortController();
  const options = { index, locks, sourcesFolder, env, cwd: root, signal };
  const mutated = { kind: 'release', ...release } as const;
  expect(await fetchMutated(mutated, join(root, 'mutated'), options)).toMatchObject(refused);
  served.set(
    '/simple/pkg/',
    Buffer.from('<h1>Links for pkg</h1><a href="/pkg-1.0.tar.gz">pkg-1.0.tar.gz</a>'),
  );
  served.set('/pkg-1.0.tar.gz', Buffer.from(page));
  const python = packageIndex({ ...QUIET_ENV, PIP_NO_INDEX: '0', PIP_INDEX_URL: `${url}/simple` });
  const sdist = { kind: 'package', name: 'pkg', version: '1.0' } as const;
  expect(await fetchMutated(sdist, join(root, 'sdist'), { ...options, index: python })).toMatchObject(
    refused,
  );
});

test.for([
  'go:../x@v1.0.0',
  'go:a//b@v1.0.0',
  'npm:@scope/../x@1.0.0',
  'crate:tiny',
  'npm:x@latest',
  'gem:x@1.0.0',
])('%s is no source', (text) => {
  expect(parseSpec(text)).toMatchObject({ ok: false });
});
