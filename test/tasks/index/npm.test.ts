/** npm’s registry as builds see it: the real npm, and a registry of the test behind the local index. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { npmEcosystem } from '../../../ecosystems/npm/kind.ts';
import type { BuildRecipe } from '../../../schemas/recipe.ts';
import { npmVariables, type TestRegistry, TOKEN, testRegistry } from '../npm/registry-rig.ts';
import { clientHome, type Door, openDoor } from './door.ts';

const SHORT = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*';
const AS_OF = '2022-07-01';

let npm: TestRegistry;
let doors: Door[];
beforeEach(async () => {
  npm = await testRegistry();
  doors = [];
  const one = (version: string, day: string, manifest = {}) => ({
    version,
    day,
    manifest,
    files: { 'index.js': `module.exports = '${version}';` },
  });
  npm.packages.set('left', [
    one('1.0.0', '2020-01-01'),
    one('2.0.0-beta.1', '2021-05-01'),
    one('1.1.0', '2021-06-01', { deprecated: 'use right', dependencies: { '@scope/part': '^1.0.0' } }),
    one('2.0.0', '2023-01-01', { scripts: { postinstall: 'true' } }),
  ]);
  npm.packages.set('@scope/part', [one('1.0.0', '2019-01-01'), one('1.5.0', '2024-01-01')]);
});
afterEach(async () => {
  for (const door of doors) await door.close();
  await npm.close();
});

async function open(options: Parameters<typeof openDoor>[1] = {}): Promise<Door> {
  const door = await openDoor({ HOME: '/nowhere', ...npmVariables(npm) }, options);
  doors.push(door);
  return door;
}

interface Document {
  version: string;
  'dist-tags': Record<string, string>;
  time: Record<string, string>;
  versions: Record<
    string,
    { scripts?: object; deprecated?: string; dist: { tarball: string; integrity: string } }
  >;
}

const json = async (got: Response | Promise<Response>) => (await (await got).json()) as Document;

test('the real npm installs what there was on a day, and what there is today', async () => {
  const { registry, index } = await open();
  const versionIn = (folder: string, name: string) =>
    JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  const dated = clientHome(registry('npm', AS_OF));
  const ran = await dated.run('npm', ['install', 'left@^1.1.0']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.output).toContain('use right');
  expect(versionIn(dated.project, 'left')).toBe('1.1.0');
  expect(versionIn(dated.project, '@scope/part')).toBe('1.0.0');
  const today = clientHome(registry('npm'));
  expect(await today.run('npm', ['install', 'left', '@scope/part'])).toMatchObject({ code: 0 });
  expect(versionIn(today.project, 'left')).toBe('2.0.0');
  expect(versionIn(today.project, '@scope/part')).toBe('1.5.0');
  expect(index.missing(AS_OF, 0)).toEqual([]);
  expect(npm.strangers).toBe(0);
});

test('a version of later is told by name, also where a lock file of another registry pins it', async () => {
  const { registry, index } = await open();
  const client = clientHome(registry('npm', AS_OF));
  const asked = await client.run('npm', ['install', 'left@2.0.0']);
  expect(asked.code).not.toBe(0);
  expect(asked.output).toContain('ETARGET');
  const resolved = 'https://registry.elsewhere.example/left/-/left-2.0.0.tgz';
  const integrity = (await json(fetch(`${registry('npm').url}/left`))).versions['2.0.0']!.dist.integrity;
  const lock = {
    name: 'p',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'p', version: '1.0.0', dependencies: { left: '2.0.0' } },
      'node_modules/left': { version: '2.0.0', resolved, integrity },
    },
  };
  const project = {
    'package.json': '{"name":"p","version":"1.0.0","dependencies":{"left":"2.0.0"}}',
    'package-lock.json': JSON.stringify(lock),
  };
  const locked = await clientHome(registry('npm', AS_OF), project).run('npm', ['ci']);
  expect(locked.output).toContain('E404');
  expect(index.missing(AS_OF, 0)).toEqual([
    { dialect: 'npm', name: 'left', version: '2.0.0', why: 'left@2.0.0 is of 2023-01-01, after 2022-07-01' },
  ]);
  expect(await clientHome(registry('npm'), project).run('npm', ['ci'])).toMatchObject({ code: 0 });
});

test('tags are computed at the date', async () => {
  const { get } = await open();
  const tagsOf = async (asOf: string) => (await json(get('npm', asOf, 'left', SHORT)))['dist-tags'];
  expect(await tagsOf('2024-01-01')).toEqual({ latest: '2.0.0' });
  expect(await tagsOf('2022-01-01')).toEqual({ latest: '1.1.0' });
  expect(await tagsOf('2021-05-15')).toEqual({ latest: '1.0.0' });
  expect(await tagsOf('2021-05-01T00:00:00Z')).toEqual({ latest: '1.0.0' });
});

test('both forms, one version, and names with a scope', async () => {
  const { get, registry } = await open();
  const whole = await json(get('npm', '2023-06-01', 'left'));
  expect(Object.keys(whole.versions)).toEqual(['1.0.0', '2.0.0-beta.1', '1.1.0', '2.0.0']);
  expect(whole.time.modified).toBe('2023-01-01T00:00:00.000Z');
  const short = await json(get('npm', '2023-06-01', 'left', SHORT));
  expect(short.versions['2.0.0']).toMatchObject({ version: '2.0.0', hasInstallScript: true });
  expect(short.versions['2.0.0']!.scripts).toBeUndefined();
  expect(short.versions['1.1.0']!.deprecated).toBe('use right');
  for (const path of ['@scope%2fpart', '@scope/part']) {
    const part = await json(get('npm', AS_OF, path));
    const { url } = registry('npm', AS_OF);
    expect(part.versions['1.0.0']!.dist.tarball).toBe(`${url}/@scope/part/-/part-1.0.0.tgz`);
  }
  expect((await json(get('npm', AS_OF, 'left/latest'))).version).toBe('1.1.0');
  expect((await json(get('npm', AS_OF, '@scope/part/1.0.0'))).version).toBe('1.0.0');
  expect((await get('npm', AS_OF, 'left/2.0.0')).status).toBe(404);
});

test('an archive is found where npm puts the path of its address behind that of the registry', async () => {
  const { registry } = await open();
  const { url } = registry('npm', AS_OF);
  const { pathname } = new URL(url);
  for (const path of ['left/-/left-1.0.0.tgz', '@scope/part/-/part-1.0.0.tgz'])
    expect((await fetch(`${url}${pathname}/${path}`)).status).toBe(200);
  expect((await fetch(`${url}${pathname}/left`)).status).toBe(404);
});

test('an archive is brought once by builds that want it at the same time, and by further processes not at all', async () => {
  const first = await open();
  const path = 'left/-/left-1.0.0.tgz';
  const all = await Promise.all(
    [1, 2, 3].map(async () => (await first.get('npm', AS_OF, path)).arrayBuffer()),
  );
  const sha = (bytes: ArrayBuffer) => createHash('sha256').update(Buffer.from(bytes)).digest('hex');
  expect(new Set(all.map(sha)).size).toBe(1);
  expect(readdirSync(first.store)).toContain(sha(all[0]!));
  const second = await open({ store: first.store });
  expect(sha(await (await second.get('npm', null, path)).arrayBuffer())).toBe(sha(all[0]!));
  expect(npm.asked.filter((one) => one.endsWith('.tgz'))).toHaveLength(1);
});

test('what is not there is an answer; what the registry cannot say is a fault, and never kept', async () => {
  const { get, seen, index } = await open();
  expect((await get('npm', AS_OF, 'nothing')).status).toBe(404);
  expect(seen.at(-1)!.lost).toBeNull();
  expect(index.missing(AS_OF, 0)).toMatchObject([{ name: 'nothing', version: null }]);
  const answers: [number, string][] = [
    [503, 'no'],
    [429, 'slowly'],
    [403, 'not you'],
    [401, 'who are you'],
    [200, '<html>Welcome</html>'],
    [200, '{"versions":{"1.0.0":{}}}'],
  ];
  for (const [status, body] of answers) {
    npm.intercept = (_, response) => {
      response.writeHead(status).end(body);
      return true;
    };
    const got = await get('npm', AS_OF, 'left');
    expect([status, got.ok]).toEqual([status, false]);
    expect(seen.at(-1)!.lost).toContain('the npm registry:');
    expect(await index.versions('npm', 'left', AS_OF)).toMatchObject({ ok: false });
  }
  npm.intercept = null;
  expect((await get('npm', AS_OF, 'left')).status).toBe(200);
  expect(await index.versions('npm', 'left', AS_OF)).toEqual({
    ok: true,
    value: ['1.0.0', '2.0.0-beta.1', '1.1.0'],
  });
  expect(await index.versions('npm', 'nothing', AS_OF)).toEqual({ ok: true, value: [] });
});

test('a file that breaks off, or is another than the registry says, never gets a name in the store', async () => {
  const { get, seen, store } = await open();
  const begun: string[] = [];
  const breakOff: TestRegistry['intercept'] = (message, response) => {
    if (!message.url!.endsWith('.tgz')) return false;
    begun.push(message.url!);
    response.writeHead(200, { 'content-length': 1_000_000 });
    response.write(Buffer.alloc(1000), () => response.destroy());
    return true;
  };
  const other: TestRegistry['intercept'] = (message, response) => {
    if (!message.url!.endsWith('.tgz')) return false;
    response.end('something else');
    return true;
  };
  for (const intercept of [breakOff, other]) {
    npm.intercept = intercept;
    expect((await get('npm', AS_OF, 'left/-/left-1.0.0.tgz')).status).toBe(502);
    expect(seen.at(-1)!.lost).toContain('the npm registry:');
    expect(existsSync(store) ? readdirSync(store) : []).toEqual([]);
  }
  expect(begun).toHaveLength(2);
  npm.intercept = null;
  expect((await get('npm', AS_OF, 'left/-/left-1.0.0.tgz')).status).toBe(200);
});

test('an answer without an end is given up', async () => {
  const { get, seen, store } = await open({ maxBytes: 100_000 });
  let sent = 0;
  npm.intercept = (message, response) => {
    if (!message.url!.includes('left')) return false;
    const more = (): void => {
      if (response.destroyed) return;
      sent += 10_000;
      response.write(Buffer.alloc(10_000, ' '), more);
    };
    more();
    return true;
  };
  const got = await get('npm', AS_OF, 'left');
  expect(await got.text()).toContain('more than 100000 bytes');
  expect(got.status).toBe(502);
  expect(seen.at(-1)!.lost).toContain('package index’s answer');
  expect(sent).toBeLessThan(20_000_000);
  expect(existsSync(store)).toBe(true);
});

test('a mirror that tells its own times is known by versions that everybody knows, and told', async () => {
  npm.packages.set('inherits', [
    { version: '1.0.0', day: '2026-03-29', files: {} },
    { version: '2.0.0', day: '2026-03-29', files: {} },
  ]);
  const { get, index } = await open();
  expect(Object.keys((await json(get('npm', AS_OF, 'left'))).versions)).toHaveLength(4);
  expect(index.notes(AS_OF, 0)).toEqual([
    {
      project: 'left (npm)',
      text: 'the registry’s times are its own (it says that inherits 1.0.0 is of 2026-03-29), so no date is applied',
    },
  ]);
});

test('what a build with the host’s network installs has neither the credential nor the address of that run', async () => {
  const { index } = await open();
  const recipe = { packages: ['package.json'], pre_install: [], install: ['npm install none'] };
  const steps = npmEcosystem.build!.steps(recipe as unknown as BuildRecipe);
  const commandOf = (name: string) => steps.find((step) => step.name === name)!.command;
  const registry = index.registry('npm', await index.listen(), AS_OF);
  const manifest = JSON.stringify({ name: 'own', version: '1.0.0', dependencies: { left: '^1.0.0' } });
  const client = clientHome(registry, { 'package.json': manifest });
  expect(await client.run('bash', ['-c', commandOf('packages[0]')])).toMatchObject({ code: 0 });
  const noted = readFileSync(join(client.project, 'node_modules/.package-lock.json'), 'utf8');
  expect(noted).toContain(`"http://index.swemake/npm/${AS_OF}/left/-/left-1.`);
  expect(noted).not.toContain('127.0.0.1');
  expect((await client.run('bash', ['-c', commandOf('install[0]')])).code).toBe(1);
});

test('builds with the host’s network have the credential in the path, and nobody else gets in', async () => {
  const { index } = await open();
  const { url, origin } = index.registry('npm', await index.listen(), AS_OF);
  const { password } = new URL(origin);
  expect(url).toContain(`/${password}/npm/`);
  const got = await json(fetch(`${url}/left`));
  expect(got.versions['1.0.0']!.dist.tarball).toBe(`${url}/left/-/left-1.0.0.tgz`);
  expect((await fetch(got.versions['1.0.0']!.dist.tarball)).status).toBe(200);
  expect((await fetch(`${url.replace(password, 'x'.repeat(password.length))}/left`)).status).toBe(401);
  expect(JSON.stringify(got)).not.toContain(TOKEN);
});
