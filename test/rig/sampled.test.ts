/** Cases that CI leaves out at one commit are tried at another. */
import { expect, test } from 'vitest';
import { deepFiles, filesLeftOutAt, isTriedAt } from './sampled.ts';
import { EACH_COMMIT, SLOW_DEEP } from './slow-files.ts';

const names = Array.from({ length: 300 }, (_, number) => `attack ${number}`);
const triedAt = (commit: string) => names.filter((name) => isTriedAt(commit, name));

test('each commit tries a third, and always the same one', () => {
  for (const commit of ['a', 'b', 'c']) {
    expect(triedAt(commit).length).toBeGreaterThan(70);
    expect(triedAt(commit).length).toBeLessThan(130);
    expect(triedAt(commit)).toEqual(triedAt(commit));
  }
});

test('each commit leaves out deep files, and each of them is run again and again', () => {
  const all = deepFiles();
  expect(all).toEqual(expect.arrayContaining([...SLOW_DEEP, ...EACH_COMMIT]));
  const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`);
  const run = commits.map((commit) => {
    const left = filesLeftOutAt(commit, all);
    expect(left.length).toBeGreaterThan(all.length / 3);
    expect(left.filter((file) => EACH_COMMIT.includes(file))).toEqual([]);
    return all.filter((file) => !left.includes(file));
  });
  for (const file of all) expect(run.filter((files) => files.includes(file)).length, file).toBeGreaterThan(5);
});

test('each case is tried within a few dozen commits', () => {
  const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`);
  expect(new Set(commits.flatMap(triedAt)).size).toBe(names.length);
});
