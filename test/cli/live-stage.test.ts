/** How long a stage still takes: by what its items took, less the time since the last one. */
import { expect, test } from 'vitest';
import { LiveStage } from '../../cli/live-stage.ts';
import { noCounts } from '../../engine/events.ts';

test('counts down between two answers, and is not known once the present items take longer', () => {
  let executed = 0;
  const stage = new LiveStage(8, () => ({ cached: 0, executed, done: executed, counts: noCounts() }));
  stage.start('a', 0);
  executed = 4;
  // Four items in 8 s: the other four take 8 s.
  expect(stage.left(8000)).toBe(8000);
  expect(stage.left(9000)).toBe(7000);
  expect(stage.left(12_000)).toBe(4000);
  executed = 5;
  expect(stage.left(12_500)).toBe(7500);
  expect(stage.left(19_000)).toBe(1000);
  expect(stage.left(25_000)).toBeNull();
  executed = 8;
  expect(stage.left(26_000)).toBe(0);
});
