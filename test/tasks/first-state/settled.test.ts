/** A new first state is used in a later second than that in which its files were written. */
import { expect, test } from 'vitest';
import { settled, untilSettled } from '../../../tasks/first-state/settled.ts';

test.each([
  ['at once', 5_000, 5_000, 1_020],
  ['in the middle of the second', 5_400, 5_600, 420],
  ['when the second is over, and the clock of files may be behind', 5_999, 6_000, 20],
  ['later', 5_400, 6_020, 0],
  ['long after', 0, 1_800_000_000_000, -1_799_999_998_980],
])('%s', (_when, writtenAt, now, left) => expect(untilSettled(writtenAt, now)).toBe(left));

test('a clock that was set back costs no more than a second', () => {
  expect(untilSettled(1_800_000_000_000, 1_700_000_000_000)).toBe(1_020);
});

test('a new one is waited for, while others may work, and an old one is not', async () => {
  let rests = 0;
  const rest = <T>(wait: () => Promise<T>) => {
    rests += 1;
    return wait();
  };
  const writtenAt = Date.now();
  await settled({ writtenAt }, rest);
  expect([untilSettled(writtenAt) <= 0, rests]).toEqual([true, 1]);
  await settled({ writtenAt }, rest);
  await settled({}, rest);
  expect(rests).toBe(1);
});
