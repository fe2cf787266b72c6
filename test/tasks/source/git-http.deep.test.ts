import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCache } from '../../../cache/cache.ts';
import type { Services } from '../../../contract/machine.ts';
import { fetchSource } from '../../../tasks/source/fetch.ts';
import { HISTORY } from '../../../tasks/source/history-seen.ts';
import { pinSource } from '../../../tasks/source/pin.ts';
import { BACKEND, serveGit } from '../../rig/serve-git.ts';
import { git, makeDeps, makeRepository, QUIET_ENV, temporaryFolder } from './helpers.ts';

let root: string;
let server: Server;
let base: string;
let commits: string[];
let requests = 0;
/** Status with which the next requests are refused. */
let refusals: number[] = [];
/** Answers in place of git. */
let instead: ((request: IncomingMessage, response: ServerResponse) => void) | null = null;

beforeAll(async () => {
  root = temporaryFolder();
  commits = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  server = createServer((request, response) => {
    requests++;
    const refusal = refusals.shift();
    if (instead !== null) instead(request, response);
    else if (refusal === undefined) serveGit(root, request, response);
    else response.writeHead(refusal).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  await new Promise((done) => server.close(done));
  rmSync(root, { recursive: true, force: true });
});

test.skipIf(!existsSync(BACKEND))('pins and fetches over HTTP; a second fetch asks nobody', async () => {
  const deps = makeDeps(root);
  const pinned = await pinSource(`git+${base}/repo/.git@main`, deps);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  expect(pinned.value.digest).toBe(`git:${commits[1]}`);
  const tree = await fetchSource(pinned.value, deps);
  if (!tree.ok) throw new Error(tree.fault.detail);
  const layer = (await deps.layers.open(tree.value.layer))!;
  expect(readFileSync(join(layer, 'testbed/a'), 'utf8')).toBe('2');
  const before = requests;
  expect(await fetchSource(pinned.value, deps)).toEqual(tree);
  expect(requests).toBe(before);
});

test.skipIf(!existsSync(BACKEND))('a server that is down is infra', async () => {
  const deps = makeDeps(root);
  refusals = [503, 503, 503, 503, 503, 503];
  const pinned = await pinSource(`git+${base}/repo/.git@main`, deps);
  refusals = [];
  expect(pinned).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'network' } });
});

test.skipIf(!existsSync(BACKEND))(
  'a repository elsewhere is not asked for its history while planning; one on this machine is',
  async () => {
    const [first, second] = makeRepository(root, 'tagged', { a: '1' }, { a: '2' });
    git(join(root, 'tagged'), 'tag', 'v1', first!);
    const cache = await openCache(join(root, 'cache'));
    const services = {
      ...{ cache, projectFolder: root, env: QUIET_ENV, shared: {} },
      signal: new AbortController().signal,
    } as unknown as Services;
    const look = (spec: string) => HISTORY.answer({ spec, digest: `git:${second}` }, services);
    const asked = requests;
    expect(await look(`git+${base}/tagged/.git@${second}`)).toEqual({ ok: true, value: null });
    expect(requests).toBe(asked);
    expect(await look(`git+file://${root}/tagged@${second}`)).toMatchObject({
      ok: true,
      value: { tags: 1, cut: 0 },
    });
    await cache.close();
  },
);

const page =
  (status: number, body = '') =>
  (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  };

test.skipIf(!existsSync(BACKEND))(
  'a tag, a commit or a repository that is not there is kept as a question',
  async () => {
    const deps = makeDeps(root);
    const seek = async (url: string, ref: string) => {
      const pinned = await pinSource(`git+${url}@${ref}`, deps);
      const found = pinned.ok ? await fetchSource(pinned.value, deps) : pinned;
      expect(found).toMatchObject({
        fault: { reason: 'invalid-row', absent: [{ sought: { kind: 'git', url, ref }, answer: 'absent' }] },
      });
    };
    await seek(`${base}/repo/.git`, 'v9');
    await seek(`${base}/repo/.git`, '1234567');
    await seek(`${base}/repo/.git`, 'd'.repeat(40));
    await seek(`${base}/nothing`, 'main');
    await seek(`${base}/nothing`, 'd'.repeat(40));
  },
);

const LOGIN = '<html><title>Sign in</title><form></form></html>';
test.skipIf(!existsSync(BACKEND)).each([
  ['a login page', page(200, LOGIN)],
  ['an empty answer', page(200)],
  ['a question for a password', page(401)],
  ['a refusal', page(403)],
])('%s in place of a repository is a fault', async (_, answer) => {
  const commit = 'd'.repeat(40);
  const pin = await pinSource(`git+${base}/repo/.git@${commit}`, makeDeps(root));
  if (!pin.ok) throw new Error(pin.fault.detail);
  instead = answer;
  try {
    const faults = [
      await pinSource(`git+${base}/repo/.git@v9`, makeDeps(root)),
      await fetchSource(pin.value, makeDeps(root)),
    ];
    for (const found of faults) expect(found).toMatchObject({ ok: false, fault: { status: 'infra' } });
  } finally {
    instead = null;
  }
});

test.skipIf(!existsSync(BACKEND))('a host that lacks what it had before has no say', async () => {
  const deps = makeDeps(root);
  expect(await pinSource(`git+${base}/repo/.git@main`, deps)).toMatchObject({ ok: true });
  instead = page(404);
  try {
    expect(await pinSource(`git+${base}/other@main`, deps)).toMatchObject({
      fault: { status: 'infra', detail: expect.stringContaining('which was there before') },
    });
    // Nothing else is known of the host, so its word is all there is.
    expect(await pinSource(`git+${base}/repo/.git@main`, deps)).toMatchObject({
      fault: { reason: 'invalid-row', absent: [{ sought: { kind: 'git', ref: 'main' } }] },
    });
  } finally {
    instead = null;
  }
});

test.each([
  ['a login page', LOGIN],
  ['an empty answer', ''],
])('%s in place of an archive is a fault, and is not remembered', async (_, body) => {
  const deps = makeDeps(root);
  const spec = `archive:${base}/x-1.0.tar.gz`;
  instead = page(200, body);
  try {
    expect(await pinSource(spec, deps)).toMatchObject({ fault: { status: 'infra', reason: 'source-fetch' } });
    instead = page(404);
    expect(await pinSource(spec, deps)).toMatchObject({
      fault: { reason: 'invalid-row', absent: [{ sought: { kind: 'url', url: `${base}/x-1.0.tar.gz` } }] },
    });
    instead = page(200, 'an archive, for all that is known');
    expect(await pinSource(spec, deps)).toMatchObject({ ok: true });
  } finally {
    instead = null;
  }
});
