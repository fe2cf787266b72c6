/** Cases that CI leaves out at one commit are tried at another. */
import { expect, test } from 'vitest';
import { filesLeftOutAt, isTriedAt } from './sampled.ts';
import { SLOW_DEEP } from './slow-files.ts';

const names = Array.from({ length: 300 }, (_, number) => `attack ${number}`);
const triedAt = (commit: string) => names.filter((name) => isTriedAt(commit, name));

test('each commit tries a third, and always the same one', () => {
  for (const commit of ['a', 'b', 'c']) {
    expect(triedAt(commit).length).toBeGreaterThan(70);
    expect(triedAt(commit).length).toBeLessThan(130);
    expect(triedAt(commit)).toEqual(triedAt(commit));
  }
});

test('each commit runs one of two halves of the slow deep files, of which each runs again and again', () => {
  const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`);
  const halves = new Set(commits.map((commit) => filesLeftOutAt(commit).join()));
  expect(halves.size).toBe(2);
  const [one = '', other = ''] = halves;
  expect([...one.split(','), ...other.split(',')].sort()).toEqual([...SLOW_DEEP].sort());
});

test('each case is tried within a few dozen commits', () => {
  const commits = Array.from({ length: 40 }, (_, number) => `commit ${number}`);
  expect(new Set(commits.flatMap(triedAt)).size).toBe(names.length);
});
