/** What an installation sees of a repository's history: `git describe` as it was at the commit. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { fetchSource } from '../../../tasks/source/fetch.ts';
import { checkoutOf } from '../../../tasks/source/history.ts';
import { type HistorySeen, historyOf, seenOf } from '../../../tasks/source/history-seen.ts';
import { git, makeDeps, temporaryFolder } from './helpers.ts';

let root: string;
let deps: SourceDeps;

beforeEach(() => {
  root = temporaryFolder();
  deps = makeDeps(root);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Commits an hour apart: v1 (annotated) at the first, two more, v2 at the last; `late` was put on the first in the end. */
function repository(): string[] {
  const repo = join(root, 'repo');
  mkdirSync(repo);
  git(repo, 'init', '-q', '-b', 'trunk');
  const at = (hour: number, ...args: string[]) => {
    const date = `2020-01-01T${String(hour).padStart(2, '0')}:00:00Z`;
    const env = {
      PATH: process.env.PATH,
      HOME: '/nonexistent',
      GIT_COMMITTER_DATE: date,
      GIT_AUTHOR_DATE: date,
    };
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
    execFileSync('git', [...who, ...args], { cwd: repo, env });
  };
  const commits = [1, 2, 3, 4].map((hour) => {
    writeFileSync(join(repo, 'a.py'), `VALUE = ${hour}\n`);
    at(hour, 'add', '-A');
    at(hour, 'commit', '-qm', `commit ${hour}`);
    if (hour === 1) at(hour, 'tag', '-a', 'v1', '-m', 'one');
    if (hour === 4) at(hour, 'tag', 'v2');
    return git(repo, 'rev-parse', 'HEAD');
  });
  at(5, 'tag', '-a', 'late', '-m', 'late', commits[0]!);
  return commits;
}

/** A folder that shows the checkout, with the objects where the layer says that they are. */
async function shown(commit: string): Promise<string> {
  const pinned = { spec: `git+repo@${commit}`, digest: `git:${commit}` };
  const checkout = await checkoutOf(pinned, deps);
  if (!checkout.ok) throw new Error(checkout.fault.detail);
  const folder = join(root, `shown-${commit}`);
  for (const layer of checkout.value.layers)
    cpSync(layer, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const testbed = join(folder, 'testbed');
  const [mount] = checkout.value.mounts;
  rmSync(join(testbed, '.git/objects/info/alternates'));
  writeFileSync(join(testbed, '.git/objects/info/alternates'), `${mount!.from}\n`);
  return testbed;
}

test('tags up to the commit, none that is newer, and a clean tree', async () => {
  const commits = repository();
  const third = await shown(commits[2]!);
  expect(git(third, 'rev-parse', 'HEAD')).toBe(commits[2]);
  expect(git(third, 'describe', '--tags', '--long')).toBe(`v1-2-g${commits[2]!.slice(0, 7)}`);
  expect(git(third, 'tag')).toBe('v1');
  expect(git(third, 'status', '--porcelain')).toBe('');
  expect(git(third, 'log', '--format=%s').split('\n')).toEqual(['commit 3', 'commit 2', 'commit 1']);
  expect(git(third, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
    'refs/heads/main',
    'refs/tags/v1',
  ]);
  const last = await shown(commits[3]!);
  expect(git(last, 'describe', '--tags')).toBe('v2');
});

test('commits that were fetched without their history get it', async () => {
  const commits = repository();
  for (const commit of commits.slice(1)) {
    const tree = await fetchSource({ spec: `git+repo@${commit}`, digest: `git:${commit}` }, deps);
    expect(tree.ok).toBe(true);
  }
  expect(git(await shown(commits[1]!), 'describe', '--tags')).toBe(`v1-1-g${commits[1]!.slice(0, 7)}`);
});

test('a source that is a shallow clone has the history that it has', async () => {
  const commits = repository();
  const clone = join(root, 'clone');
  const from = `file://${join(root, 'repo')}`;
  git(root, 'clone', '-q', '--depth', '2', '--no-local', from, clone);
  git(clone, 'fetch', '-q', '--depth', '1', from, `${commits[0]}:refs/heads/first`);
  rmSync(join(root, 'repo'), { recursive: true });
  cpSync(clone, join(root, 'repo'), { recursive: true });
  for (const commit of [commits[3]!, commits[0]!, commits[3]!]) {
    const folder = await shown(commit);
    expect(git(folder, 'rev-list', '--count', 'HEAD')).toBe(commit === commits[0] ? '1' : '2');
    if (commit === commits[3]) expect(git(folder, 'describe', '--tags')).toBe('v2');
    expect(git(folder, 'status', '--porcelain')).toBe('');
    rmSync(folder, { recursive: true });
  }
});

test('programs that the settings of a repository on this machine name are not run', async () => {
  const [, second] = repository();
  const repo = join(root, 'repo');
  const program = join(root, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$@" >> ${join(root, 'ran')}\n`, { mode: 0o755 });
  mkdirSync(join(repo, 'hooks'));
  // Git looks at the index for a commit with submodules.
  writeFileSync(join(repo, '.gitmodules'), '[submodule "x"]\n\tpath = x\n\turl = ../x\n');
  git(repo, 'add', '.gitmodules');
  git(repo, 'update-index', '--add', '--cacheinfo', `160000,${second},x`);
  git(repo, 'commit', '-q', '-m', 'with a submodule');
  const last = git(repo, 'rev-parse', 'HEAD');
  for (const hook of ['post-index-change', 'post-checkout']) cpSync(program, join(repo, 'hooks', hook));
  for (const [key, value] of [
    ['core.fsmonitor', program],
    ['core.hooksPath', join(repo, 'hooks')],
    ['gpg.program', program],
    ['log.showSignature', 'true'],
  ] as const)
    git(repo, 'config', key, value);
  git(repo, 'update-index', '--fsmonitor');
  rmSync(join(root, 'ran'), { force: true });
  const seen = await historyOf('repo', last, deps);
  expect(seen.ok).toBe(true);
  expect(existsSync(join(root, 'ran'))).toBe(false);
});

test('a commit that no branch has any more', async () => {
  const commits = repository();
  git(join(root, 'repo'), 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  git(join(root, 'repo'), 'reset', '-q', '--hard', commits[2]!);
  git(join(root, 'repo'), 'tag', '-d', 'v2');
  expect(git(await shown(commits[3]!), 'describe', '--tags')).toBe(`v1-3-g${commits[3]!.slice(0, 7)}`);
});

test('a mirror that learned of tags before the commit was there', async () => {
  const commits = repository();
  await shown(commits[0]!);
  const repo = join(root, 'repo');
  git(repo, 'commit', '-q', '--allow-empty', '-m', 'later');
  git(repo, 'tag', 'v3');
  expect(git(await shown(git(repo, 'rev-parse', 'HEAD')), 'describe', '--tags')).toBe('v3');
});

test('the same commit and tags give the same layers on another machine', async () => {
  const [, second] = repository();
  const pinned = { spec: `git+repo@${second}`, digest: `git:${second}` };
  const names = async (using: SourceDeps) => {
    const checkout = await checkoutOf(pinned, using);
    return checkout.ok ? checkout.value.layers.map((folder) => folder.split('/').at(-1)) : null;
  };
  expect(await names(makeDeps(root))).toEqual(await names(deps));
});

/** What builds see in the repository at `root/name`. */
async function seen(name: string, commit: string): Promise<HistorySeen> {
  const found = await historyOf(name, commit, makeDeps(root));
  if (!found.ok) throw new Error(found.fault.detail);
  return seenOf(found.value);
}

test('the same history has one name in every clone, and a shallow one or other tags have another', async () => {
  const [, , third] = repository();
  const whole = await seen('repo', third!);
  expect(whole).toMatchObject({ tags: 1, cut: 0 });
  git(root, 'clone', '-q', '--bare', 'repo', 'bare');
  git(root, 'clone', '-q', '--no-local', '--depth', '2', `file://${join(root, 'repo')}`, 'shallow');
  git(join(root, 'repo'), 'worktree', 'add', '-q', '--detach', join(root, 'tree'), third!);
  for (const name of ['bare', 'tree']) expect(await seen(name, third!)).toEqual(whole);
  const cut = await seen('shallow', third!);
  expect(cut).toMatchObject({ tags: 0, cut: 1 });
  expect(cut.digest).not.toBe(whole.digest);
  git(join(root, 'shallow'), 'fetch', '-q', '--unshallow', '--tags');
  expect(await seen('shallow', third!)).toEqual(whole);
  // Neither a newer tag nor one of another branch is seen.
  git(join(root, 'bare'), 'tag', 'newest', 'trunk');
  expect(await seen('bare', third!)).toEqual(whole);
  git(join(root, 'bare'), 'tag', 'moved', `${third}~1`);
  expect((await seen('bare', third!)).digest).not.toBe(whole.digest);
});

test('a tag that came after the mirror was made is seen, and a build that was planned without it is a fault', async () => {
  const [, second, third] = repository();
  expect(git(await shown(third!), 'describe', '--tags')).toBe(`v1-2-g${third!.slice(0, 7)}`);
  rmSync(join(root, `shown-${third}`), { recursive: true });
  const planned = await seen('repo', third!);
  git(join(root, 'repo'), 'tag', 'v1.1', second!);
  expect(git(await shown(third!), 'describe', '--tags')).toBe(`v1.1-1-g${third!.slice(0, 7)}`);
  const pinned = { spec: `git+repo@${third}`, digest: `git:${third}` };
  const late = await checkoutOf(pinned, deps, planned);
  expect(late).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'source-fetch' } });
  expect((await checkoutOf(pinned, deps, await seen('repo', third!))).ok).toBe(true);
});
