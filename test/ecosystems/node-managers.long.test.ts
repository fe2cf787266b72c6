/**
 * pnpm and Yarn themselves before a registry of the test: what is installed without a lock file and by one, as of a day, and for the
 * manifests that a task's patches change. The programs come from npm's registry.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { type Door, openDoor } from '../tasks/index/door.ts';
import { npmVariables, type TestRegistry, testRegistry } from '../tasks/npm/registry-rig.ts';
import { fetched } from './fetched.ts';

const MANAGERS = [
  {
    name: 'pnpm',
    version: '9.15.9',
    from: 'pnpm',
    lock: 'pnpm-lock.yaml',
    make: 'pnpm install --lockfile-only',
  },
  {
    name: 'yarn',
    version: '1.22.22',
    from: 'yarn',
    lock: 'yarn.lock',
    make: 'yarn install --ignore-scripts',
  },
  { name: 'yarn', version: '4.4.1', from: '@yarnpkg/cli-dist', lock: 'yarn.lock', make: 'yarn install' },
] as const;

const one = (version: string, day: string) => ({
  version,
  day,
  manifest: {},
  files: { 'index.js': `module.exports = '${version}';` },
});

describe.each(MANAGERS)('$from $version', { timeout: 300_000 }, ({ name, version, from, lock, make }) => {
  let npm: TestRegistry;
  let door: Door;
  let PATH = '';
  beforeAll(async () => {
    const place = temporaryFolder();
    execFileSync('npm', ['install', '--no-save', '--prefix', place, `${from}@${version}`], {
      stdio: 'ignore',
    });
    PATH = `${place}/node_modules/.bin:${process.env.PATH}`;
    npm = await testRegistry();
    npm.packages.set('left', [one('1.0.0', '2020-01-01'), one('1.1.0', '2024-01-01')]);
    npm.packages.set('@scope/new', [one('1.0.0', '2020-01-01')]);
    door = await openDoor({ HOME: '/nowhere', ...npmVariables(npm) });
  }, 300_000);
  afterAll(async () => {
    await door?.close();
    await npm?.close();
  });

  const manifest = (dependencies: Record<string, string>) =>
    JSON.stringify({ name: 'own', version: '1.0.0', dependencies });
  const LEFT = manifest({ left: '^1.0.0' });
  const install = (files: Record<string, string>, patch: string | null = null, asOf: string | null = null) =>
    fetched(name, door.registry('npm', asOf), files, patch, { PATH }, { node: '20.19.0', [name]: version });
  const versionOf = (project: string, module: string) =>
    JSON.parse(readFileSync(join(project, 'node_modules', module, 'package.json'), 'utf8')).version;

  test('the newest version, and that of a day', async () => {
    expect(versionOf((await install({ 'package.json': LEFT })).project, 'left')).toBe('1.1.0');
    const dated = await install({ 'package.json': LEFT }, null, '2022-01-01');
    expect(versionOf(dated.project, 'left')).toBe('1.0.0');
  });

  test('the version of a lock file, whatever is newer', async () => {
    const dated = await install({ 'package.json': LEFT }, null, '2022-01-01');
    const registry = door.registry('npm', '2022-01-01');
    const env = { ...dated.set, ...registry.variables, PATH, YARN_ENABLE_NETWORK: 'true', CI: 'true' };
    const yarn = { YARN_NPM_REGISTRY_SERVER: registry.url, YARN_UNSAFE_HTTP_WHITELIST: '*' };
    const more = {
      npm_config_offline: 'false',
      pnpm_config_offline: 'false',
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    };
    const ran = await dated.run('bash', ['-c', make], { ...env, ...yarn, ...more });
    expect(ran.code, ran.output).toBe(0);
    const locked = readFileSync(join(dated.project, lock), 'utf8');
    expect(locked).toContain('1.0.0');
    const again = await install({ 'package.json': LEFT, [lock]: locked });
    expect(versionOf(again.project, 'left')).toBe('1.0.0');
    // The repository's own files are as they were.
    expect(readFileSync(join(again.project, lock), 'utf8')).toBe(locked);
  });

  test('packages of both states of a task', async () => {
    const after = manifest({ '@scope/new': '^1.0.0' });
    const patch = `diff --git a/package.json b/package.json\n--- a/package.json\n+++ b/package.json\n@@ -1 +1 @@\n-${LEFT}\n+${after}\n`;
    const { project } = await install({ 'package.json': `${LEFT}\n` }, patch);
    expect([versionOf(project, 'left'), versionOf(project, '@scope/new')]).toEqual(['1.1.0', '1.0.0']);
    // Links lead to what is there, also elsewhere.
    const moved = join(temporaryFolder(), 'moved');
    cpSync(project, moved, { recursive: true, verbatimSymlinks: true });
    const script = "console.log(require('left'), require('@scope/new'))";
    expect(execFileSync('node', ['-e', script], { cwd: moved, encoding: 'utf8' }).trim()).toBe('1.1.0 1.0.0');
  });

  test('a registry that does not answer is told by the index', async () => {
    const since = performance.now();
    npm.intercept = (_message, response) => {
      response.writeHead(503).end();
      return true;
    };
    const fresh = await openDoor({ HOME: '/nowhere', ...npmVariables(npm) });
    try {
      const registry = fresh.registry('npm');
      const failing = fetched(
        name,
        registry,
        { 'package.json': LEFT },
        null,
        { PATH },
        { node: '20.19.0', [name]: version },
      );
      await expect(failing).rejects.toThrow();
      expect(fresh.index.lost('npm', since)).toContain('503');
    } finally {
      npm.intercept = null;
      await fresh.close();
    }
  });
});
