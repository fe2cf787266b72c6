/** A pack of the same project in an environment is found by its index, also by one that is damaged. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LowerFiles } from '../../../tasks/first-state/lower.ts';
import { repositoriesWith } from '../../../tasks/first-state/repositories.ts';
import { folderOf } from '../../rig/folder.ts';

const folder = folderOf({ a: 'a\n', b: 'b\n' });
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();
git('init', '-q');
git('add', '.');
git('commit', '-qm', 'x');
git('gc', '-q');
const packs = join(folder, '.git/objects/pack');
const index = readFileSync(join(packs, readdirSync(packs).find((name) => name.endsWith('.idx'))!));
const blob = git('rev-parse', 'HEAD:b');

/** An environment with one repository whose pack has this index. */
function withIndex(bytes: Uint8Array): LowerFiles {
  const host = join(folder, 'index');
  writeFileSync(host, bytes);
  const entries = [
    { path: 'r/HEAD', type: 'file', host: '' },
    { path: 'r/objects', type: 'folder', host: '' },
    { path: 'r/objects/pack/p.idx', type: 'file', host },
  ];
  const get = (path: string) => entries.find((entry) => entry.path === path);
  const below = (path: string) => entries.filter((entry) => entry.path.startsWith(`${path}/`));
  return { entries, get, below } as unknown as LowerFiles;
}

test.each<[string, Uint8Array, string[]]>([
  ['whole', index, ['r']],
  ['empty', new Uint8Array(), []],
  ['cut in its head', index.subarray(0, 500), []],
  ['cut behind its names', index.subarray(0, 8 + 1024 + 20 * 4), ['r']],
  [
    'wrong about how many names it has',
    Buffer.concat([index.subarray(0, 1028), Buffer.from('ffffffff', 'hex'), index.subarray(1032)]),
    ['r'],
  ],
])('an index that is %s', (_, bytes, found) => {
  expect(repositoriesWith(() => new Set([blob]), withIndex(bytes))).toEqual(found);
  expect(repositoriesWith(() => new Set(['deadbeef'.repeat(5)]), withIndex(bytes))).toEqual([]);
});
