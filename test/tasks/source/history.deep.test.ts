/** What an installation sees of a repository's history: `git describe` as it was at the commit. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { fetchSource } from '../../../tasks/source/fetch.ts';
import { checkoutOf } from '../../../tasks/source/history.ts';
import { type HistorySeen, historyOf, seenOf } from '../../../tasks/source/history-seen.ts';
import { git, gitKilledAt, makeDeps, temporaryFolder } from './helpers.ts';

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
async function shown(commit: string, submodules: string[] = []): Promise<string> {
  const pinned = { spec: `git+repo@${commit}`, digest: `git:${commit}` };
  const checkout = await checkoutOf(pinned, deps, null, submodules);
  if (!checkout.ok) throw new Error(checkout.fault.detail);
  const folder = join(root, `shown-${commit}`);
  for (const layer of checkout.value.layers)
    cpSync(layer, folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const testbed = join(folder, 'testbed');
  const [mount, ...others] = checkout.value.mounts;
  link('.git', mount!.from);
  for (const [index, { from, to }] of others.entries()) {
    expect(to).toBe(`/opt/swemake/submodules/${index}`);
    link(`.git/modules/${submodules[index]}`, from);
  }
  return testbed;

  function link(repository: string, objects: string) {
    const file = join(testbed, repository, 'objects/info/alternates');
    rmSync(file);
    writeFileSync(file, `${objects}\n`);
  }
}

/** Commits `repo` with submodules at these paths, all of the repository `lib` at the given commits. */
function withSubmodules(url: string, links: Record<string, string>): string {
  const repo = join(root, 'repo');
  const named = Object.keys(links).map((path) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`);
  writeFileSync(join(repo, '.gitmodules'), named.join(''));
  git(repo, 'add', '.gitmodules');
  for (const [path, commit] of Object.entries(links))
    git(repo, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  git(repo, 'commit', '-qm', 'with submodules');
  return git(repo, 'rev-parse', 'HEAD');
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

describe('submodules', () => {
  /** Two commits of `lib`; the first one is not the last of its branch. */
  function library(): string {
    const lib = join(root, 'lib');
    mkdirSync(lib);
    git(lib, 'init', '-q', '-b', 'trunk');
    for (const text of ['one', 'two']) {
      writeFileSync(join(lib, 'file'), text);
      git(lib, 'add', '-A');
      git(lib, 'commit', '-qm', text);
    }
    return git(lib, 'rev-parse', 'HEAD~1');
  }

  test.for(['../lib', './../lib'])('git checks out those that are named and asks nobody: %s', async (url) => {
    repository();
    const first = library();
    const commit = withSubmodules(url, { 'ext/lib': first, other: first });
    await shown(commit, ['ext/lib']);
    rmSync(join(root, 'lib'), { recursive: true });
    rmSync(join(root, `shown-${commit}`), { recursive: true });
    const folder = await shown(commit, ['ext/lib']);
    expect(git(folder, 'submodule', 'status').split('\n')).toEqual([`-${first} ext/lib`, `-${first} other`]);
    git(folder, 'submodule', 'update', '--quiet', '--init', '--', 'ext/lib');
    expect(readFileSync(join(folder, 'ext/lib/file'), 'utf8')).toBe('one');
    expect(git(folder, 'submodule', 'status', 'ext/lib')).toContain(first);
    expect(git(folder, 'status', '--porcelain')).toBe('');
    expect(readdirSync(join(folder, 'other'))).toEqual([]);
  });

  test('one that cannot be had is a fault; a path that is none is left to git', async () => {
    repository();
    const commit = withSubmodules('../gone', { lib: 'a'.repeat(40) });
    const pinned = { spec: `git+repo@${commit}`, digest: `git:${commit}` };
    expect(await checkoutOf(pinned, deps, null, ['lib'])).toMatchObject({
      ok: false,
      fault: { detail: expect.stringContaining('gone') },
    });
    const folder = await shown(commit, []);
    expect(existsSync(join(folder, '.git/modules'))).toBe(false);
    expect((await checkoutOf(pinned, deps, null, ['a.py'])).ok).toBe(true);
  });

  test('an address of this machine, and one by which git runs programs, is refused', async () => {
    repository();
    const first = library();
    const secret = pathToFileURL(join(root, 'lib')).href;
    const ran = join(root, 'ran');
    for (const url of [
      secret,
      join(root, 'lib'),
      `ext::sh -c "touch ${ran}"`,
      '../../lib',
      'http://127.0.0.1:9/lib',
    ]) {
      const commit = withSubmodules(JSON.stringify(url), { lib: first });
      const pinned = { spec: `git+repo@${commit}`, digest: `git:${commit}` };
      expect(await checkoutOf(pinned, deps, null, ['lib']), url).toMatchObject({
        ok: false,
        fault: {
          status: 'failed',
          reason: 'invalid-row',
          detail: expect.stringMatching(/^submodule lib: .*; write https/),
        },
      });
    }
    expect(existsSync(ran)).toBe(false);
    expect(readdirSync(join(deps.sourcesFolder, 'git')).filter((name) => name.endsWith('.git'))).toHaveLength(
      1,
    );
  });

  test('a rewritten address does not come to this machine either', async () => {
    repository();
    const first = library();
    const settings = join(root, 'gitconfig');
    writeFileSync(settings, `[url "file://${root}/"]\n\tinsteadOf = https://mirror.invalid/\n`);
    const commit = withSubmodules('https://mirror.invalid/lib', { lib: first });
    const pinned = { spec: `git+repo@${commit}`, digest: `git:${commit}` };
    const own = { ...deps, env: { ...deps.env, GIT_CONFIG_GLOBAL: settings } };
    expect(await checkoutOf(pinned, own, null, ['lib'])).toMatchObject({
      ok: false,
      fault: { status: 'infra', detail: expect.stringContaining('by "file", which is not allowed here') },
    });
  });

  test('a name that leads out of git’s folder is refused', async () => {
    repository();
    const first = library();
    const commit = withSubmodules('../lib', { lib: first });
    writeFileSync(join(root, 'repo/.gitmodules'), '[submodule "../../x"]\n\tpath = lib\n\turl = ../lib\n');
    git(join(root, 'repo'), 'add', '.gitmodules');
    git(join(root, 'repo'), 'commit', '-qm', 'renamed');
    const renamed = git(join(root, 'repo'), 'rev-parse', 'HEAD');
    expect(renamed).not.toBe(commit);
    const pinned = { spec: `git+repo@${renamed}`, digest: `git:${renamed}` };
    const checkout = await checkoutOf(pinned, deps, null, ['lib']);
    expect(checkout).toMatchObject({
      ok: false,
      fault: { detail: expect.stringContaining('submodule lib') },
    });
  });
});

test.each(['config', 'ls-tree'])(
  'a git that is killed at %s does not say that there is no submodule',
  async (command) => {
    const [first] = repository();
    const lib = join(root, 'lib');
    cpSync(join(root, 'repo'), lib, { recursive: true });
    const commit = withSubmodules(pathToFileURL(lib).href, { vendored: first! });
    deps = { ...deps, env: gitKilledAt(command, root) };
    await expect(shown(commit, ['vendored'])).rejects.toThrow(/killed|SIGKILL/);
  },
);
