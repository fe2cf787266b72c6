import { expect, test } from 'vitest';
import { matchesGlob } from '../../basics/glob.ts';
import { numberGlob } from '../../stages/environments/number-glob.ts';

test.each<[[number, number | null][]]>([
  [[[1, 1]]],
  [[[1, null]]],
  [[[7, 1234]]],
  [[[3043, 3442]]],
  [
    [
      [100, 199],
      [5, 9],
      [200, 203],
    ],
  ],
  [
    [
      [1, 1229],
      [1749, 1830],
      [2704, null],
    ],
  ],
])('%j matches its numbers and no other', (ranges) => {
  const glob = numberGlob(ranges);
  for (let number = 1; number < 4000; number += 1)
    expect([number, matchesGlob(glob, `${number}`)]).toEqual([
      number,
      ranges.some(([first, last]) => first <= number && number <= (last ?? number)),
    ]);
  expect(matchesGlob(glob, '12345x')).toBe(false);
});
