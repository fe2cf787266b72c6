/** Where a server's token is kept, who can read it, and that clients in TypeScript and Python find the same. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { findToken, forgetToken, makeToken, publishToken } from '../../basics/server-token.ts';
import { temporaryFolder } from '../rig/folder.ts';

const PYTHON = [
  'import importlib.util, sys',
  "spec = importlib.util.spec_from_file_location('tokens', sys.argv[1])",
  'tokens = importlib.util.module_from_spec(spec); spec.loader.exec_module(tokens)',
  'print(tokens.find(sys.argv[2]))',
].join('\n');
const module = join(packageRoot(), 'python/swemake_rollouts/tokens.py');

function around() {
  const [home, runtime] = [temporaryFolder(), temporaryFolder()];
  chmodSync(runtime, 0o700);
  return { HOME: home, XDG_RUNTIME_DIR: runtime, PATH: process.env.PATH };
}

function byPython(url: string, env: NodeJS.ProcessEnv): string | null {
  const said = execFileSync('python3', ['-c', PYTHON, module, url], { env, encoding: 'utf8' }).trim();
  return said === 'None' ? null : said;
}

const ADDRESS = { host: '127.0.0.1', port: 5123 };
const URL_OF = 'http://127.0.0.1:5123';

function publish(env: NodeJS.ProcessEnv, token = makeToken()) {
  const published = publishToken(ADDRESS, token, env);
  if (!published.ok) throw new Error(published.fault);
  return { token, ...published.value };
}

test('a token is new each time, and long enough', () => {
  expect(makeToken()).toMatch(/^[0-9a-f]{64}$/);
  expect(makeToken()).not.toBe(makeToken());
});

test('its file is for its user alone, and is found by the names of the address in both languages', () => {
  const env = around();
  const { token, file } = publish(env);
  expect([statSync(file).mode & 0o7777, statSync(dirname(file)).mode & 0o7777]).toEqual([0o600, 0o700]);
  expect(file.startsWith(env.XDG_RUNTIME_DIR)).toBe(true);
  for (const url of [URL_OF, `${URL_OF}/`, 'http://localhost:5123', 'http://x:y@127.0.0.1:5123/run'])
    expect([url, findToken(url, env), byPython(url, env)]).toEqual([url, token, token]);
  for (const url of [
    'http://127.0.0.1:5124',
    'http://[::1]:5123',
    'http://10.0.0.1:5123',
    'http://127.0.0.1',
  ])
    expect([url, findToken(url, env), byPython(url, env)]).toEqual([url, null, null]);
});

test('it is found by processes with other variables, and lies below the home folder without a runtime folder', () => {
  const { HOME, PATH } = around();
  const { token, file } = publish({ HOME, PATH });
  expect(file.startsWith(join(HOME, '.local/state/swemake/tokens'))).toBe(true);
  for (const env of [
    { HOME, PATH },
    { HOME, PATH, XDG_RUNTIME_DIR: around().XDG_RUNTIME_DIR },
  ])
    expect([findToken(URL_OF, env), byPython(URL_OF, env)]).toEqual([token, token]);
});

test('a folder that others may read is not used, neither to write nor to read', () => {
  const env = around();
  const { file } = publish(env);
  chmodSync(dirname(file), 0o750);
  expect(publishToken(ADDRESS, makeToken(), env)).toMatchObject({ ok: false });
  expect([findToken(URL_OF, env), byPython(URL_OF, env)]).toEqual([null, null]);
});

test('files that are links, or that others may read, are no tokens', () => {
  const env = around();
  const { file } = publish(env);
  const elsewhere = join(env.HOME, 'elsewhere');
  writeFileSync(elsewhere, 'private-text\n', { mode: 0o600 });
  unlinkSync(file);
  symlinkSync(elsewhere, file);
  expect([findToken(URL_OF, env), byPython(URL_OF, env)]).toEqual([null, null]);
  unlinkSync(file);
  writeFileSync(file, 'x\n', { mode: 0o644 });
  expect([findToken(URL_OF, env), byPython(URL_OF, env)]).toEqual([null, null]);
  unlinkSync(file);
  mkdirSync(file);
  expect([findToken(URL_OF, env), byPython(URL_OF, env)]).toEqual([null, null]);
});

test('a server removes its own token and that of one before it, and not that of another', () => {
  const env = around();
  const first = publish(env);
  const second = publish(env);
  first.withdraw();
  expect(findToken(URL_OF, env)).toBe(second.token);
  second.withdraw();
  expect(readdirSync(dirname(second.file))).toEqual([]);
  publish(env);
  forgetToken(ADDRESS, env);
  expect(findToken(URL_OF, env)).toBeNull();
});

const isRoot = process.getuid!() === 0;
if (!isRoot) console.log('skipped: another user, whom only root can be');

test.skipIf(!isRoot)('another user cannot read it', () => {
  const env = around();
  const { file } = publish(env);
  const as = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  expect(spawnSync('setpriv', [...as, 'cat', file]).status).not.toBe(0);
  // What another user has made where it might be looked for is not used.
  const other = around();
  chmodSync(other.HOME, 0o777);
  spawnSync('setpriv', [...as, 'mkdir', '-p', '-m', '700', join(other.HOME, '.local/state/swemake/tokens')]);
  expect(publishToken(ADDRESS, makeToken(), { HOME: other.HOME })).toMatchObject({ ok: false });
});
