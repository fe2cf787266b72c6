/** What a lack of processor time is worth: only the part of a run that worked takes longer on a busy machine. */
import { expect, test } from 'vitest';
import { hinderedBy } from '../../executors/hindrance.ts';

const ended = (seconds: number, used: number, wanted: number) =>
  hinderedBy({
    exitCode: null,
    timedOut: true,
    durationMs: seconds * 1000,
    hindrance: { pausedMs: 0, load: { used, wanted, stopped: 0 } },
  });

test('a run that worked all the time may take as much longer as it was slower', () => {
  expect(ended(20, 5, 20)).toMatchObject({ by: 'load', timedOut: true, stretch: 4 });
  expect(ended(20, 0, 20)).toMatchObject({ stretch: 8 });
});

test('a run that slept for most of the time may not', () => {
  const { stretch } = ended(20, 0.5, 2)!;
  expect(stretch).toBeCloseTo(1.3);
});

test('a lack of less than a second is none', () => {
  expect(ended(20, 0.3, 1.2)).toBeNull();
  expect(ended(20, 0, 0)).toBeNull();
});

test('a lack that does not decide whether the limit is met is none, such as that of a run that hung', () => {
  expect(ended(300, 2, 10)).toBeNull();
  expect(ended(300, 2, 18)).toMatchObject({ by: 'load' });
});

test('a run that got half of what it wanted was slow by itself', () => {
  expect(ended(20, 10, 20)).toBeNull();
});
