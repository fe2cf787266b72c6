import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LAYER_MTIME } from '../../../cache/layers.ts';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { fetchSource, type SourceTree } from '../../../tasks/source/fetch.ts';
import { commitMirror, exportCommit, historyMirror, resolveRef } from '../../../tasks/source/git-mirror.ts';
import { pinSource } from '../../../tasks/source/pin.ts';
import { git, gitAt, gitKilledAt, makeDeps, makeRepository, QUIET_ENV, temporaryFolder } from './helpers.ts';

let root: string;
let deps: SourceDeps;

beforeEach(() => {
  root = temporaryFolder();
  deps = makeDeps(root);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function fetched(spec: string, using: SourceDeps = deps): Promise<SourceTree & { path: string }> {
  const pinned = await pinSource(spec, using);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  const tree = await fetchSource(pinned.value, using);
  if (!tree.ok) throw new Error(tree.fault.detail);
  return { ...tree.value, path: join((await using.layers.open(tree.value.layer))!, 'testbed') };
}

test('pins branches, tags, short names and commits of a path relative to the project', async () => {
  const [first, second] = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  git(join(root, 'repo'), 'tag', '--annotate', '--message=release', 'v1', first!);
  git(join(root, 'repo'), 'branch', 'feature/x@y', first!);
  const pin = async (ref: string) => {
    const pinned = await pinSource(`git+repo@${ref}`, deps);
    return pinned.ok ? pinned.value : pinned.fault.status;
  };
  expect(await pin('main')).toEqual({ spec: `git+repo@${second}`, digest: `git:${second}` });
  expect(await pin('v1')).toMatchObject({ digest: `git:${first}` });
  expect(await pin(first!.slice(0, 8))).toMatchObject({ digest: `git:${first}` });
  expect(await pin(first!)).toMatchObject({ digest: `git:${first}` });
  expect(await pin('nothing')).toBe('failed');
  expect(await pin('--upload-pack=touch')).toBe('failed');
});

test.each([
  ['a short name', 'rev-parse', (commit: string) => commit.slice(0, 8)],
  ['what is before a commit', 'rev-parse', (commit: string) => `${commit}^`],
])('%s: a git that is killed does not say that there is none', async (_, command, refOf) => {
  const [, second] = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  const killed = { ...deps, env: gitKilledAt(command, root) };
  const pinned = await pinSource(`git+repo@${refOf(second!)}`, killed);
  expect(pinned).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'killed' } });
});

test('a git that is killed as it looks for a commit does not say that there is none', async () => {
  makeRepository(root, 'repo', { a: '1' });
  const killed = { ...deps, env: gitKilledAt('cat-file', root) };
  // The repository does not give commits by their name, so that all of it is fetched and looked through.
  git(join(root, 'repo'), 'config', 'uploadpack.allowAnySHA1InWant', 'false');
  const commit = 'b'.repeat(40);
  const got = await fetchSource({ spec: `git+repo@${commit}`, digest: `git:${commit}` }, killed);
  expect(got).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'killed' } });
});

test('a full commit is its own pin: no repository is asked', async () => {
  const commit = 'a'.repeat(40);
  const pinned = await pinSource(`git+https://nowhere.invalid/o/r@${commit}`, deps);
  expect(pinned).toMatchObject({ ok: true, value: { digest: `git:${commit}` } });
});

test('a repository of another user: it says how to allow it', async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root gives folders away');
  const [commit] = makeRepository(root, 'repo', { a: '1' });
  for (const folder of ['repo', 'repo/.git']) chownSync(join(root, folder), 12345, 12345);
  const tree = await fetchSource({ spec: `git+repo@${commit}`, digest: `git:${commit}` }, deps);
  expect(tree).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'source-fetch' } });
  expect(tree.ok ? '' : tree.fault.detail).toMatch(
    /belongs to another user; .* git config --global --add safe\.directory \S+\/repo\/\.git$/,
  );
});

test('a repository without a file’s object: it is named, and what brings it', async () => {
  const [commit] = makeRepository(root, 'repo', { a: 'lost' });
  const blob = git(join(root, 'repo'), 'rev-parse', 'HEAD:a');
  rmSync(join(root, 'repo/.git/objects', blob.slice(0, 2), blob.slice(2)));
  const tree = await fetchSource({ spec: `git+repo@${commit}`, digest: `git:${commit}` }, deps);
  expect(tree).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'source-fetch' } });
  expect(tree.ok ? '' : tree.fault.detail).toMatch(`lacks objects (unable to read ${blob}); `);
});

test('the layer is a clean repository with one commit and no way back', async () => {
  const [, second] = makeRepository(
    root,
    'repo',
    { 'old.txt': 'history' },
    { '.gitignore': '*.log\n', 'kept.log': 'tracked though ignored\n', 'pkg/deep/m.py': 'x = 1\n' },
  );
  const { path, commit, warnings } = await fetched(`git+repo@${second}`);
  expect(warnings).toEqual([]);
  expect(git(path, 'status', '--porcelain', '--ignored')).toBe('');
  expect(git(path, 'rev-parse', 'HEAD')).toBe(commit);
  expect(git(path, 'rev-parse', 'HEAD^{tree}')).toBe(git(join(root, 'repo'), 'rev-parse', 'HEAD^{tree}'));
  expect(git(path, 'log', '--all', '--format=%an <%ae> %at %s')).toBe(
    `swemake <swemake@localhost> ${LAYER_MTIME} Initial state`,
  );
  expect(git(path, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  expect(git(path, 'remote')).toBe('');
  expect(git(path, 'fsck', '--strict', '--no-dangling')).toBe('');
  expect((await readdir(join(path, '.git'))).sort()).toEqual([
    'HEAD',
    'config',
    'index',
    'info',
    'objects',
    'refs',
  ]);
});

test('git trusts the index as it is: no file is read again', async () => {
  makeRepository(root, 'repo', { 'a.py': 'x = 1\n', 'b.py': 'y = 1\n' });
  const { path } = await fetched('git+repo@main');
  const copy = join(root, 'copy');
  cpSync(path, copy, { recursive: true, preserveTimestamps: true });
  // A newer index than its files is not racy, so only time and size count: a change that keeps both goes unseen.
  writeFileSync(join(copy, '.git', 'index'), readFileSync(join(copy, '.git', 'index')));
  expect(git(copy, 'ls-files', '--debug', 'a.py')).toContain(`mtime: ${LAYER_MTIME}:0`);
  expect(git(copy, 'diff-files')).toBe('');
  writeFileSync(join(copy, 'a.py'), 'x = 22\n');
  expect(git(copy, 'diff', '--stat')).toContain('a.py | 2 +-');
});

test('the same commit gives the same layer on another machine with other settings', async () => {
  makeRepository(root, 'repo', {
    'a.txt': 'one\r\ntwo\n',
    '.gitattributes': '* text=auto eol=crlf\n*.c filter=f ident\n',
    'x.c': '$Id$\n',
  });
  const here = await fetched('git+repo@main');
  const config = join(root, 'gitconfig');
  writeFileSync(
    config,
    '[core]\n\tautocrlf = true\n[init]\n\tdefaultBranch = other\n[filter "f"]\n\tsmudge = tr a-z A-Z\n',
  );
  const there = makeDeps(root, {
    ...deps.env,
    GIT_CONFIG_GLOBAL: config,
    GIT_DIR: '/nowhere',
    LANG: 'de_DE',
  });
  const again = await fetched('git+repo@main', there);
  expect(again.layer).toBe(here.layer);
  expect(readFileSync(join(again.path, 'a.txt'), 'latin1')).toBe('one\ntwo\n');
  expect(readFileSync(join(again.path, 'x.c'), 'latin1')).toBe('$Id$\n');
  expect(git(again.path, 'status', '--porcelain')).toBe('');
});

test('these files are this commit and this layer, on every machine and in every version', async () => {
  makeRepository(root, 'repo', { 'b/z.txt': 'z\n', 'b.txt': 'b\n', 'b-c': 'c\n' });
  const { commit, layer } = await fetched('git+repo@main');
  expect({ commit, layer }).toMatchInlineSnapshot(`
    {
      "commit": "34c2269e480274ecd75c61cb54ddd1b2283359cf",
      "layer": "bcaab6c4e26a2573432b969aeac833b7df19eb8cfe3b685d07699db288fb9be3",
    }
  `);
});

test('modes are normal, links stay when they stay inside, other links are left out and named', async () => {
  const folder = join(root, 'repo');
  makeRepository(root, 'repo', { 'bin/tool': '#!/bin/sh\n', 'a.txt': 'a' });
  chmodSync(join(folder, 'bin/tool'), 0o775);
  symlinkSync('../a.txt', join(folder, 'bin', 'inside'));
  symlinkSync('/etc/passwd', join(folder, 'absolute'));
  symlinkSync('../../secret', join(folder, 'bin', 'above'));
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message=links');
  const { path, warnings } = await fetched('git+repo@main');
  expect(statSync(join(path, 'bin/tool')).mode & 0o7777).toBe(0o755);
  expect(statSync(join(path, 'a.txt')).mode & 0o7777).toBe(0o644);
  expect(readFileSync(join(path, 'bin/inside'), 'utf8')).toBe('a');
  expect(warnings.map((line) => line.split(':')[0])).toEqual(['left out absolute', 'left out bin/above']);
  expect(git(path, 'status', '--porcelain')).toBe('');
});

test('a submodule stays as an empty folder and is named', async () => {
  makeRepository(root, 'library', { 'l.py': '' });
  makeRepository(root, 'repo', { 'a.py': '' });
  git(
    join(root, 'repo'),
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(root, 'library'),
    'ext/lib',
  );
  git(join(root, 'repo'), 'commit', '--quiet', '--message=submodule');
  const { path, warnings } = await fetched('git+repo@main');
  expect(warnings).toEqual([expect.stringContaining('submodule ext/lib')]);
  expect(git(path, 'status', '--porcelain')).toBe('');
  expect(git(path, 'rev-parse', 'HEAD^{tree}')).toBe(git(join(root, 'repo'), 'rev-parse', 'HEAD^{tree}'));
});

test('a second commit of a repository is fetched into the same mirror; asked at once, once', async () => {
  const commits = makeRepository(root, 'repo', { a: '1' }, { a: '2' }, { a: '3' });
  const trees = await Promise.all([...commits, ...commits].map((commit) => fetched(`git+repo@${commit}`)));
  expect(new Set(trees.map((tree) => tree.layer)).size).toBe(3);
  expect(trees.map((tree) => readFileSync(join(tree.path, 'a'), 'utf8'))).toEqual([
    '1',
    '2',
    '3',
    '1',
    '2',
    '3',
  ]);
  expect(
    (await readdir(join(deps.sourcesFolder, 'git'))).filter((name) => name.endsWith('.git')),
  ).toHaveLength(1);
});

test('what says that files stay as they are is written once, since others read it', async () => {
  const files = { 'a.bat': 'one\ntwo\n', '.gitattributes': '*.bat text eol=crlf\n' };
  const [first, second] = makeRepository(root, 'repo', files, { b: '2' });
  await fetched(`git+repo@${first}`);
  const folder = join(deps.sourcesFolder, 'git');
  const [mirror] = (await readdir(folder)).filter((name) => name.endsWith('.git'));
  const path = join(folder, mirror!, 'info/attributes');
  const state = () => {
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    return { ino, mtimeNs };
  };
  const before = state();
  const { path: tree } = await fetched(`git+repo@${second}`);
  expect(state()).toEqual(before);
  expect(readFileSync(join(tree, 'a.bat'), 'latin1')).toBe('one\ntwo\n');
  // Another version wrote it: a reader has the old file or the new one.
  writeFileSync(path, '');
  const { ino } = state();
  const [third] = makeRepository(root, 'repo', { c: '3' });
  const again = await fetched(`git+repo@${third}`);
  expect(state().ino).not.toBe(ino);
  expect(readFileSync(join(again.path, 'a.bat'), 'latin1')).toBe('one\ntwo\n');
});

test('what was fetched needs its repository no more', async () => {
  const [commit] = makeRepository(root, 'repo', { a: '1' });
  const before = await fetched(`git+repo@${commit}`);
  rmSync(join(root, 'repo'), { recursive: true });
  expect(await fetched(`git+repo@${commit}`)).toEqual(before);
});

test('a server that gives no commit by name is asked for everything', async () => {
  const commits = makeRepository(root, 'repo', { a: '1' }, { a: '2' }, { a: '3' });
  const config = join(root, 'gitconfig');
  writeFileSync(config, '[protocol]\n\tversion = 0\n');
  const old = makeDeps(root, { ...deps.env, GIT_CONFIG_GLOBAL: config });
  // The tip may be named, and leaves a mirror without history behind; the first commit may not.
  for (const [commit, content] of [
    [commits[2], '3'],
    [commits[0], '1'],
  ]) {
    const { path } = await fetched(`git+repo@${commit}`, old);
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe(content);
  }
});

test('a mirror that broke is made anew at the next try', async () => {
  const commits = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  await fetched(`git+repo@${commits[0]}`);
  const folder = join(deps.sourcesFolder, 'git');
  const [mirror] = (await readdir(folder)).filter((name) => name.endsWith('.git'));
  rmSync(join(folder, mirror!, 'objects'), { recursive: true });
  mkdirSync(join(folder, mirror!, 'objects'));
  writeFileSync(join(folder, mirror!, 'shallow.lock'), '');
  const { path } = await fetched(`git+repo@${commits[1]}`);
  expect(readFileSync(join(path, 'a'), 'utf8')).toBe('2');
});

/** Names in the folder of the mirrors. */
const mirrors = async (ending = '') =>
  (await readdir(join(deps.sourcesFolder, 'git'))).filter((name) => name.includes(ending));

test.each<[string, (mirror: string) => void]>([
  ['an empty HEAD', (mirror) => writeFileSync(join(mirror, 'HEAD'), '')],
  ['no folder of objects', (mirror) => rmSync(join(mirror, 'objects'), { recursive: true })],
  [
    'objects that are cut off',
    (mirror) => {
      for (const name of readdirSync(join(mirror, 'objects'), { recursive: true, encoding: 'utf8' })) {
        const path = join(mirror, 'objects', name);
        if (!statSync(path).isFile()) continue;
        chmodSync(path, 0o644);
        truncateSync(path, 10);
      }
    },
  ],
])('a mirror with %s is set aside and made anew, whatever it is asked for', async (_, damage) => {
  const [first, second] = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  const url = join(root, 'repo');
  const asked: [string, () => Promise<unknown>][] = [
    ['a commit', () => commitMirror(url, second!, deps)],
    ['a history', () => historyMirror(url, second!, deps)],
    ['a short name', () => resolveRef(url, first!.slice(0, 8), deps)],
    ['what is before a commit', () => resolveRef(url, `${second}^`, deps)],
  ];
  await historyMirror(url, second!, deps);
  const [name] = await mirrors();
  for (const [index, [what, ask]] of asked.entries()) {
    damage(join(deps.sourcesFolder, 'git', name!));
    expect([what, await ask()]).toMatchObject([what, { ok: true }]);
    expect((await fetched(`git+repo@${second}`)).warnings).toEqual([]);
    expect(await mirrors('.git.broken-')).toHaveLength(index + 1);
  }
});

test('a mirror without a file’s object is set aside, and not removed, since others may read it', async () => {
  const [commit] = makeRepository(root, 'repo', { a: 'lost' });
  const blob = git(join(root, 'repo'), 'rev-parse', 'HEAD:a');
  const url = join(root, 'repo');
  const mirror = await commitMirror(url, commit!, deps);
  if (!mirror.ok) throw new Error(mirror.fault.detail);
  rmSync(join(mirror.value, 'objects', blob.slice(0, 2), blob.slice(2)));
  const { ino } = statSync(mirror.value);
  expect(await exportCommit(url, commit!, join(root, 'one'), deps)).toMatchObject({ ok: false });
  const [aside] = await mirrors('.git.broken-');
  expect(statSync(join(deps.sourcesFolder, 'git', aside!)).ino).toBe(ino);
  expect(await exportCommit(url, commit!, join(root, 'two'), deps)).toMatchObject({ ok: true });
});

test.each([
  'error: unable to create file a: File name too long',
  'fatal: unable to write file a: Input/output error',
  'fatal: cannot create directory at a: Permission denied',
])('a mirror stays where files cannot be written: %s', async (complaint) => {
  const [commit] = makeRepository(root, 'repo', { a: '1' });
  const url = join(root, 'repo');
  const mirror = await commitMirror(url, commit!, deps);
  if (!mirror.ok) throw new Error(mirror.fault.detail);
  const { ino } = statSync(mirror.value);
  const using = { ...deps, env: gitAt('checkout-index', `echo '${complaint}' >&2; exit 1`, root) };
  const exported = await exportCommit(url, commit!, join(root, 'one'), using);
  expect(exported).toMatchObject({ fault: { status: 'infra', reason: 'source-fetch' } });
  expect(statSync(mirror.value).ino).toBe(ino);
});

test('a mirror stays where the other side is damaged', async () => {
  const [first, second] = makeRepository(root, 'repo', { a: '1' }, { a: '2' });
  const url = join(root, 'repo');
  const mirror = await commitMirror(url, first!, deps);
  if (!mirror.ok) throw new Error(mirror.fault.detail);
  const { ino } = statSync(mirror.value);
  const tree = git(url, 'rev-parse', `${second}^{tree}`);
  rmSync(join(url, '.git/objects', tree.slice(0, 2), tree.slice(2)));
  expect(await commitMirror(url, second!, deps)).toMatchObject({ fault: { status: 'infra' } });
  expect(statSync(mirror.value).ino).toBe(ino);
});

test('a repository that is damaged is infra, whatever it says of the commit', async () => {
  const [commit] = makeRepository(root, 'repo', { big: randomBytes(300_000).toString('hex') });
  git(join(root, 'repo'), 'repack', '-adq');
  const packs = join(root, 'repo/.git/objects/pack');
  const pack = (await readdir(packs)).find((name) => name.endsWith('.pack'))!;
  chmodSync(join(packs, pack), 0o644);
  truncateSync(join(packs, pack), 100_000);
  const tree = await fetchSource({ spec: `git+repo@${commit}`, digest: `git:${commit}` }, deps);
  expect(tree).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'source-fetch' } });
});

test('a commit that is not there is the row’s fault, a repository that is not there is infra', async () => {
  makeRepository(root, 'repo', { a: '1' });
  const of = (url: string) => ({ spec: `git+${url}@${'b'.repeat(40)}`, digest: `git:${'b'.repeat(40)}` });
  expect(await fetchSource(of('repo'), deps)).toMatchObject({ ok: false, fault: { reason: 'invalid-row' } });
  expect(await fetchSource(of('gone'), deps)).toMatchObject({ ok: false, fault: { status: 'infra' } });
});

test('locks that cannot be taken are no cancelled fetch', async () => {
  makeRepository(root, 'repo', { a: '1' });
  const pinned = await pinSource('git+repo@main', deps);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  const [cache] = (await readdir(root)).filter((name) => name.startsWith('cache-'));
  rmSync(join(root, cache!, 'locks'), { recursive: true });
  await expect(fetchSource(pinned.value, deps)).rejects.toThrow(/ENOENT/);
});

test('a git that cannot list files is a fault, and not a repository without submodules', async () => {
  makeRepository(root, 'repo', { a: '1' });
  const programs = join(root, 'programs');
  mkdirSync(programs);
  writeFileSync(
    join(programs, 'git'),
    `#!/bin/sh\nPATH=\${PATH#*:}\ncase " $* " in *' ls-files '*) echo broken >&2; exit 1;; esac\nexec git "$@"\n`,
    { mode: 0o755 },
  );
  const using = makeDeps(root, { ...QUIET_ENV, PATH: `${programs}:${process.env.PATH}` });
  const pinned = await pinSource('git+repo@main', using);
  if (!pinned.ok) throw new Error(pinned.fault.detail);
  const tree = await fetchSource(pinned.value, using);
  expect(tree).toMatchObject({ ok: false, fault: { detail: expect.stringContaining('git ls-files') } });
});
