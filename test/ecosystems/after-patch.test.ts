/**
 * Packages that a task's own patches add are fetched with the environment: the steps of several ecosystems with the real package
 * managers and registries of the test, and which instances have such steps.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { isManifestOf } from '../../ecosystems/after-patch.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { stepsOf } from '../../ecosystems/steps.ts';
import { ownChanges } from '../../patches/manifest-diff.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { withContent, zipBytes } from '../../tasks/first-state/zip.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { tarGzOf } from '../rig/tar.ts';
import { openDoor } from '../tasks/index/door.ts';
import { staticRegistry } from '../tasks/index/static-registry.ts';
import { npmVariables, testRegistry } from '../tasks/npm/registry-rig.ts';
import { fetched } from './fetched.ts';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0)) await one.close();
});
const closed = <T extends { close(): Promise<void> }>(one: T): T => {
  closing.unshift(one);
  return one;
};

function hasProgram(name: string): boolean {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return name === 'go' && existsSync('/usr/local/go/bin/go');
  }
}

const diff = (path: string, from: string, to: string) =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;

test('npm: both states of a package, and what only the first one has', async () => {
  const npm = closed(await testRegistry());
  const one = (version: string) => ({
    version,
    day: '2020-01-01',
    manifest: {},
    files: { 'index.js': `module.exports = '${version}';` },
  });
  npm.packages.set('kept', [one('1.0.0')]);
  npm.packages.set('gone', [one('1.0.0')]);
  npm.packages.set('@scope/gone', [one('1.0.0')]);
  npm.packages.set('@scope/new', [one('1.0.0')]);
  npm.packages.set('raised', [one('1.0.0'), one('2.0.0')]);
  const door = closed(await openDoor({ HOME: '/nowhere', ...npmVariables(npm) }));
  const [before, after] = [
    { kept: '1.0.0', gone: '1.0.0', raised: '1.0.0', '@scope/gone': '1.0.0' },
    { kept: '1.0.0', raised: '2.0.0', '@scope/new': '1.0.0' },
  ].map((dependencies) => JSON.stringify({ name: 'own', version: '1.0.0', dependencies }));
  const { project } = await fetched(
    'npm',
    door.registry('npm'),
    { 'package.json': `${before}\n` },
    diff('package.json', before!, after!),
  );
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')).version;
  expect(['kept', 'gone', 'raised', '@scope/gone', '@scope/new'].map(versionOf)).toEqual([
    '1.0.0',
    '1.0.0',
    '2.0.0',
    '1.0.0',
    '1.0.0',
  ]);
  // The repository's own manifest is as it was.
  expect(readFileSync(join(project, 'package.json'), 'utf8')).toBe(`${before}\n`);
});

const EMPTY_MEMBER = {
  ...{ name: '', crc: 0, size: 0, method: 0, flags: 0 },
  ...{ packed: Buffer.alloc(0), madeBy: 0x314, attributes: 0o100644 * 65536 },
};

test('go: modules of both states', async ({ skip }) => {
  if (!hasProgram('go')) skip('there is no go on this machine');
  const proxy = closed(await staticRegistry());
  for (const name of ['example.com/one', 'example.com/two']) {
    const mod = `module ${name}\n\ngo 1.18\n`;
    const file = (to: string, text: string) =>
      withContent(EMPTY_MEMBER, `${name}@v1.0.0/${to}`, Buffer.from(text));
    proxy.offer(
      `${name}/@v/v1.0.0.info`,
      JSON.stringify({ Version: 'v1.0.0', Time: '2020-01-01T00:00:00Z' }),
    );
    proxy.offer(`${name}/@v/v1.0.0.mod`, mod);
    const members = [file('go.mod', mod), file('a.go', 'package a\n')];
    proxy.offer(`${name}/@v/v1.0.0.zip`, zipBytes({ prefix: Buffer.alloc(0), members }));
  }
  const door = closed(await openDoor({ HOME: '/nowhere', GOPROXY: proxy.url, GOENV: 'off' }));
  const mod = (needs: string) => `module example.com/own\n\ngo 1.18\n\n${needs}`;
  const one = 'require example.com/one v1.0.0';
  const { project, run, set } = await fetched(
    'go',
    door.registry('go'),
    { 'go.mod': `${mod(one)}\n` },
    `diff --git a/go.mod b/go.mod\n--- a/go.mod\n+++ b/go.mod\n@@ -5 +5,2 @@\n ${one}\n+require example.com/two v1.0.0\n`,
  );
  // As tests find it: no proxy, and the manifest of the other state.
  writeFileSync(join(project, 'go.mod'), `${mod(one)}\nrequire example.com/two v1.0.0\n`);
  writeFileSync(
    join(project, 'own.go'),
    'package own\n\nimport _ "example.com/one"\nimport _ "example.com/two"\n',
  );
  const ran = await run('go', ['build', './...'], { ...set, GOPROXY: 'off' });
  expect(ran).toMatchObject({ code: 0 });
});

test('cargo: crates of both states', async ({ skip }) => {
  if (!hasProgram('cargo')) skip('there is no cargo on this machine');
  const crates = closed(await staticRegistry());
  crates.offer('config.json', JSON.stringify({ dl: `${crates.url}/api`, api: crates.url }));
  for (const [path, name] of [
    ['le/ft/left', 'left'],
    ['ri/gh/right', 'right'],
  ] as const) {
    const manifest = `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n`;
    const bytes = tarGzOf([
      { name: `${name}-1.0.0/Cargo.toml`, content: manifest },
      { name: `${name}-1.0.0/src/lib.rs`, content: '' },
    ]);
    crates.offer(`api/${name}/1.0.0/download`, bytes);
    const cksum = createHash('sha256').update(bytes).digest('hex');
    crates.offer(
      path,
      `${JSON.stringify({ name, vers: '1.0.0', deps: [], cksum, features: {}, yanked: false, pubtime: '2020-01-01T00:00:00Z' })}\n`,
    );
  }
  const home = temporaryFolder();
  mkdirSync(join(home, '.cargo'));
  writeFileSync(
    join(home, '.cargo/config.toml'),
    `[source.crates-io]\nreplace-with = 'near'\n\n[source.near]\nregistry = "sparse+${crates.url}/"\n`,
  );
  const door = closed(await openDoor({ HOME: home }));
  const head = '[package]\nname = "own"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n';
  const rustup = process.env.RUSTUP_HOME ?? join(homedir(), '.rustup');
  const {
    project,
    home: used,
    run,
    place,
    set,
  } = await fetched(
    'cargo',
    door.registry('crates'),
    { 'Cargo.toml': `${head}left = "1"\n` },
    'diff --git a/Cargo.toml b/Cargo.toml\n--- a/Cargo.toml\n+++ b/Cargo.toml\n@@ -7 +7 @@\n-left = "1"\n+right = "1"\n',
    { RUSTUP_HOME: rustup },
  );
  // Tests do not find what steps fetch with.
  rmSync(join(used, '.cargo'), { recursive: true });
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src/lib.rs'), '');
  const wrappers = { RUSTC_WRAPPER: '', RUSTC_WORKSPACE_WRAPPER: '', RUSTUP_HOME: rustup };
  const offline = { ...set, ...wrappers, CARGO_NET_OFFLINE: 'true', CARGO_HOME: place('/opt/env/cargo') };
  for (const needs of ['left = "1"', 'right = "1"', 'left = "1"\nright = "1"']) {
    writeFileSync(join(project, 'Cargo.toml'), `${head}${needs}\n`);
    const ran = await run('cargo', ['build'], offline);
    expect(ran.code, ran.output).toBe(0);
  }
});

test.each([
  ['that does not fit is told and fetches nothing', diff('go.mod', 'other', 'b'), '', 0, /do not fit/],
  ['that no git can read is one', 'no diff\n', '', 0, /do not fit/],
  [
    'whose git was killed is no answer',
    diff('go.mod', 'a', 'b'),
    'git() { bash -c "kill -9 \\$\\$"; }\n',
    137,
    /^$/,
  ],
  ['fits', diff('go.mod', 'a', 'b'), '', 0, /^fetched b$/],
])('a diff of manifests %s', (_, patch, before, code, said) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'testbed'));
  writeFileSync(join(folder, 'testbed/go.mod'), 'a\n');
  writeFileSync(join(folder, 'swemake-manifests.diff'), patch);
  const { build } = ecosystemNamed('go');
  const own = { ...build!, steps: () => [], afterPatch: () => 'echo fetched $(cat go.mod)' };
  const [step] = stepsOf(own, { after_patch: 'abc' } as unknown as BuildRecipe);
  const command = step!.command.replaceAll(/\/tmp(?=\/)|(?=\/testbed)/g, folder);
  const ran = spawnSync('bash', ['-c', `${before}${command}`], { encoding: 'utf8' });
  expect([ran.status, ran.stdout.trim()]).toEqual([code, expect.stringMatching(said)]);
});

test('a step is added where the patches change manifests that the ecosystem reads', () => {
  const { build, recipe } = ecosystemNamed('npm');
  const reads = (path: string) => isManifestOf(build!, recipe.packages!, path);
  const patch = `${diff('src/a.js', 'a', 'b')}${diff('package-lock.json', '1', '2')}`;
  const test_patch = diff('test/package.json', '1', '2');
  const row = { patch, patch_role: 'fix', test_patch } as const;
  expect(ownChanges(row, reads)).toBe(`${diff('package-lock.json', '1', '2')}${test_patch}`);
  // A patch that makes the bug is undone by the solution.
  const bug = { patch: diff('package.json', '1', '2'), patch_role: 'bug', test_patch: '' } as const;
  expect(ownChanges(bug, reads)).toBe(diff('package.json', '2', '1'));
  expect(ownChanges({ ...row, test_patch: '', patch: diff('README.md', '1', '2') }, reads)).toBe('');
  const plain = { ...recipe, pre_install: [], toolchain: {} } as unknown as BuildRecipe;
  expect(stepsOf(build!, plain).map(({ name }) => name)).not.toContain('install_after_patch');
  const cmake = ecosystemNamed('cmake').build!;
  expect(stepsOf(cmake, { ...plain, after_patch: 'a' })).toEqual(cmake.steps(plain));
});
