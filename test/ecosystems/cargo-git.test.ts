/** Crates from git: what is kept of cargo's clones is the same in each build, and holds no history. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepGitCrates } from '../../ecosystems/cargo/git-crates.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { git, makeRepository } from '../tasks/source/helpers.ts';

/** cargo's folder as `cargo fetch` leaves it. */
function fetched(root: string, name: string, from: string): string {
  const home = join(root, name);
  const [db, checkout] = [join(home, 'git/db/dep-1'), join(home, 'git/checkouts/dep-1/short')];
  git(root, 'init', '-q', '--bare', db);
  git(
    db,
    'fetch',
    '-q',
    from,
    '+refs/heads/*:refs/remotes/origin/*',
    '+refs/tags/*:refs/remotes/origin/tags/*',
  );
  git(root, 'clone', '-q', from, checkout);
  return home;
}

const files = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path.slice(folder.length), readFileSync(path).toString('base64')])
    .sort();

test('two builds leave equal bytes, in which a commit and its names are all that is left of its repository', () => {
  const root = temporaryFolder();
  const [, head] = makeRepository(root, 'dep', { 'src/lib.rs': 'one\n' }, { 'src/lib.rs': 'two\n' });
  const from = join(root, 'dep');
  git(from, 'tag', '-a', 'v2', '-m', 'v2');
  const [first, second] = [fetched(root, 'a', from), fetched(root, 'b', from)] as const;
  git(join(second, 'git/db/dep-1'), 'gc', '-q');
  for (const home of [first, second]) execFileSync('bash', ['-e', '-c', keepGitCrates(home)]);
  expect(files(first)).toEqual(files(second));

  const db = join(first, 'git/db/dep-1');
  const all = (folder: string) => git(folder, 'cat-file', '--batch-check', '--batch-all-objects');
  expect(all(db)).toMatch(new RegExp(`^${head} commit \\d+$`));
  for (const ref of ['refs/remotes/origin/main', 'refs/remotes/origin/tags/v2', head!.slice(0, 7)])
    expect(git(db, 'rev-parse', ref)).toBe(head);

  const checkout = join(first, 'git/checkouts/dep-1/short');
  expect(git(checkout, 'rev-parse', 'HEAD')).toBe(head);
  expect(all(join(checkout, '.git'))).toBe(all(db));
  expect(readFileSync(join(checkout, 'src/lib.rs'), 'utf8')).toBe('two\n');
});

test('without crates from git nothing is done', () => {
  const home = temporaryFolder();
  execFileSync('bash', ['-e', '-c', keepGitCrates(home)]);
  expect(readdirSync(home)).toEqual([]);
});
