/** Go’s module proxies as builds see them: the real go, and a proxy of the test behind the local index. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withContent, zipBytes } from '../../../tasks/first-state/zip.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { clientHome, type Door, openDoor } from './door.ts';
import { type StaticRegistry, staticRegistry } from './static-registry.ts';

const AS_OF = '2022-07-01';
const MODULE = 'example.com/!big/mod';

const EMPTY_MEMBER = {
  name: '',
  crc: 0,
  size: 0,
  method: 0,
  flags: 0,
  packed: Buffer.alloc(0),
  madeBy: 0x314,
  attributes: 0o100644 * 65536,
};

let proxy: StaticRegistry;
let doors: Door[];
beforeEach(async () => {
  proxy = await staticRegistry();
  doors = [];
  offerModule('v1.0.0', '2020-01-01');
  offerModule('v1.1.0', '2021-01-01');
  offerModule('v1.2.0-rc.1', '2022-01-01');
  offerModule('v1.2.0', '2023-01-01');
  proxy.offer(`${MODULE}/@v/list`, 'v1.0.0\nv1.2.0\nv1.1.0\nv1.2.0-rc.1\n');
  proxy.offer(`${MODULE}/@latest`, proxy.files.get(`${MODULE}/@v/v1.2.0.info`)!.body);
});
afterEach(async () => {
  for (const door of doors) await door.close();
  await proxy.close();
});

function offerModule(version: string, day: string) {
  const [name, path] = ['example.com/Big/mod', `${MODULE}/@v/${version}`];
  const mod = `module ${name}\n\ngo 1.18\n`;
  const file = (to: string, text: string) =>
    withContent(EMPTY_MEMBER, `${name}@${version}/${to}`, Buffer.from(text));
  const members = [file('go.mod', mod), file('mod.go', `package mod\n\nconst Version = "${version}"\n`)];
  proxy.offer(`${path}.info`, JSON.stringify({ Version: version, Time: `${day}T00:00:00Z` }));
  proxy.offer(`${path}.mod`, mod);
  proxy.offer(`${path}.zip`, zipBytes({ prefix: Buffer.alloc(0), members }));
}

async function open(options: Parameters<typeof openDoor>[1] = {}): Promise<Door> {
  const env = { HOME: '/nowhere', GOPROXY: `${proxy.url},direct`, GOENV: 'off' };
  const door = await openDoor(env, options);
  doors.push(door);
  return door;
}

const text = async (got: Promise<Response>) => (await got).text();

function hasGo(): boolean {
  try {
    execFileSync('go', ['version']);
    return true;
  } catch {
    return false;
  }
}

const GO = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod -modcacherw' };

test('the real go takes the newest version of a day, and of today', async ({ skip }) => {
  if (!hasGo()) skip('there is no go on this machine');
  const { registry } = await open();
  const project = {
    'go.mod': 'module example.com/own\n\ngo 1.18\n',
    'main.go': 'package main\n\nimport "example.com/Big/mod"\n\nfunc main() { println(mod.Version) }\n',
  };
  for (const [asOf, version] of [
    [AS_OF, 'v1.1.0'],
    [null, 'v1.2.0'],
  ] as const) {
    const client = clientHome(registry('go', asOf), project);
    expect(await client.run('go', ['get', 'example.com/Big/mod'], GO)).toMatchObject({ code: 0 });
    expect(readFileSync(join(client.project, 'go.mod'), 'utf8')).toContain(`example.com/Big/mod ${version}`);
    expect(readFileSync(join(client.project, 'go.sum'), 'utf8')).toContain(`${version} h1:`);
  }
  const later = await clientHome(registry('go', AS_OF), project).run(
    'go',
    ['get', 'example.com/Big/mod@v1.2.0'],
    GO,
  );
  expect(later.output).toContain('example.com/Big/mod@v1.2.0 is of 2023-01-01, after 2022-07-01');
});

test('a version that go.mod and go.sum pin is given on any day', async ({ skip }) => {
  if (!hasGo()) skip('there is no go on this machine');
  const { registry } = await open();
  const project = {
    'go.mod': 'module example.com/own\n\ngo 1.18\n\nrequire example.com/Big/mod v1.2.0\n',
    'main.go': 'package main\n\nimport "example.com/Big/mod"\n\nfunc main() { println(mod.Version) }\n',
  };
  const client = clientHome(registry('go', AS_OF), project);
  expect(await client.run('go', ['run', '.'], GO)).toMatchObject({
    code: 0,
    output: expect.stringContaining('v1.2.0'),
  });
});

test('lists, @latest and queries are cut at the day', async () => {
  const { get, index, seen } = await open();
  expect(await text(get('go', AS_OF, `${MODULE}/@v/list`))).toBe('v1.0.0\nv1.1.0\nv1.2.0-rc.1\n');
  expect(JSON.parse(await text(get('go', AS_OF, `${MODULE}/@latest`))).Version).toBe('v1.1.0');
  expect(JSON.parse(await text(get('go', null, `${MODULE}/@latest`))).Version).toBe('v1.2.0');
  expect((await get('go', AS_OF, `${MODULE}/@v/v1.2.0.info`)).status).toBe(404);
  expect((await get('go', '2019-01-01', `${MODULE}/@latest`)).status).toBe(404);
  expect(seen.every(({ lost }) => lost === null)).toBe(true);
  expect(index.missing(AS_OF, 0)).toEqual([
    {
      dialect: 'go',
      name: 'example.com/Big/mod',
      version: 'v1.2.0',
      why: 'example.com/Big/mod@v1.2.0 is of 2023-01-01, after 2022-07-01',
    },
  ]);
  expect(await index.versions('go', 'example.com/Big/mod', '2020-07-01')).toEqual({
    ok: true,
    value: ['v1.0.0'],
  });
});

test('a branch is what it was asked to be by then; a module without versions has none by then', async () => {
  const pseudo = { Version: 'v0.0.0-20230101000000-abcdefabcdef', Time: '2023-01-01T00:00:00Z' };
  proxy.offer(`${MODULE}/@v/main.info`, JSON.stringify(pseudo));
  proxy.offer('example.com/bare/@v/list', '');
  proxy.offer('example.com/bare/@latest', JSON.stringify(pseudo));
  const { get } = await open();
  expect((await get('go', AS_OF, `${MODULE}/@v/main.info`)).status).toBe(404);
  expect((await get('go', null, `${MODULE}/@v/main.info`)).status).toBe(200);
  expect(await text(get('go', AS_OF, 'example.com/bare/@latest'))).toContain(
    'example.com/bare had no version as of',
  );
  expect((await get('go', '2023-06-01', 'example.com/bare/@latest')).status).toBe(200);
});

test('checksum databases are passed on where the proxy does so', async () => {
  proxy.offer('sumdb/sum.golang.org/supported', '');
  proxy.offer('sumdb/sum.golang.org/latest', 'go.sum database tree\n1\n');
  const { get } = await open();
  expect((await get('go', AS_OF, 'sumdb/sum.golang.org/supported')).status).toBe(200);
  expect(await text(get('go', AS_OF, 'sumdb/sum.golang.org/latest'))).toContain('database tree');
  expect((await get('go', AS_OF, 'sumdb/other.example/supported')).status).toBe(404);
  expect((await get('go', AS_OF, 'sumdb/sum.golang.org/..%2f..%2fsecret')).status).toBe(404);
});

test('archives are brought once, by whichever process; what broke off or is no archive is not kept', async () => {
  const first = await open();
  const path = `${MODULE}/@v/v1.0.0.zip`;
  proxy.intercept = (message, response) => {
    if (!message.url!.endsWith('.zip')) return false;
    // Without a length nothing but the archive's own end shows that it is whole.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { connection: 'close' });
    response.end(Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(500)]));
    return true;
  };
  expect((await first.get('go', AS_OF, path)).status).toBe(502);
  expect(first.seen.at(-1)!.lost).toContain('not the whole file');
  proxy.intercept = (message, response) => {
    if (!message.url!.endsWith('.zip')) return false;
    response.writeHead(200, { 'content-length': 10_000 });
    response.write('PK', () => response.destroy());
    return true;
  };
  expect((await first.get('go', AS_OF, path)).status).toBe(502);
  expect(existsSync(first.store) ? readdirSync(first.store) : []).toEqual([]);
  proxy.intercept = null;
  proxy.asked.length = 0;
  await Promise.all([1, 2, 3].map(async () => (await first.get('go', AS_OF, path)).arrayBuffer()));
  const second = await open({ store: first.store });
  expect((await second.get('go', null, path)).status).toBe(200);
  expect(proxy.asked.filter((one) => one.endsWith('.zip'))).toHaveLength(1);
});

test('a login page in place of a go.mod is no answer, and is not kept', async () => {
  const { get, seen } = await open();
  const path = `${MODULE}/@v/v1.0.0.mod`;
  proxy.intercept = (_, response) => {
    response.end('<!DOCTYPE html><title>Log in</title>');
    return true;
  };
  expect((await get('go', AS_OF, path)).status).toBe(502);
  expect(seen.at(-1)!.lost).toContain('the go registry:');
  proxy.intercept = null;
  expect(await text(get('go', AS_OF, path))).toContain('module example.com/Big/mod');
});

test('faults of a proxy are no answers, also while a list is dated', async () => {
  const { get, seen, index } = await open();
  proxy.intercept = (message, response) => {
    if (!message.url!.endsWith('v1.1.0.info')) return false;
    response.writeHead(500).end();
    return true;
  };
  expect((await get('go', AS_OF, `${MODULE}/@v/list`)).status).toBe(502);
  expect(seen.at(-1)!.lost).toContain('the go registry:');
  expect(await index.versions('go', 'example.com/Big/mod', AS_OF)).toMatchObject({ ok: false });
  for (const body of ['<html>Welcome</html>', 'v1.0.0\nhello\n']) {
    proxy.intercept = (_, response) => {
      response.end(body);
      return true;
    };
    expect((await get('go', null, 'example.com/other/@v/list')).status).toBe(502);
  }
});

test('the settings of go are read: the variable before the file, proxies before direct', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, '.config/go'), { recursive: true });
  writeFileSync(join(home, '.config/go/env'), `GOPROXY=${proxy.url}/|direct\n`);
  const door = await openDoor({ HOME: home });
  doors.push(door);
  expect((await door.get('go', null, `${MODULE}/@latest`)).status).toBe(200);
});

test.each(['direct', 'off'])(
  'with GOPROXY=%s the index has no proxy to ask, which is a fault',
  async (GOPROXY) => {
    const door = await openDoor({ HOME: '/nowhere', GOENV: 'off', GOPROXY });
    doors.push(door);
    expect((await door.get('go', AS_OF, `${MODULE}/@v/v1.0.0.mod`)).status).toBe(502);
    expect(door.seen.at(-1)!.lost).toContain('GOPROXY names no module proxy');
    expect(await door.index.versions('go', 'example.com/Big/mod', AS_OF)).toMatchObject({ ok: false });
  },
);
