/** An item works alone where the others lose little by it: less than a tenth of the run's time, all in all. */
import { expect, test, vi } from 'vitest';
import { Alone } from '../../engine/alone.ts';

let now = 0;
vi.mock('../../basics/awake.ts', () => ({
  awakeNow: () => now,
  afterAwake: (milliseconds: number, done: () => void) => {
    const at = now + milliseconds;
    alarms.push({ at, done });
    return () => undefined;
  },
}));
const alarms: { at: number; done: () => void }[] = [];
function pass(milliseconds: number): void {
  now += milliseconds;
  for (const { at, done } of alarms) if (at <= now) done();
}

/** A run of that many items, of which some wait for their turn. */
function runOf(running: number, areWaiting = true) {
  const state = { running, areWaiting, gone: 0 };
  const alone = new Alone({
    running: () => state.running,
    areWaiting: () => state.areWaiting,
    go: () => {
      state.gone += 1;
    },
  });
  return { state, alone };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('it begins when the others have ended, and nothing new begins before it has', async () => {
  const { state, alone } = runOf(3);
  pass(100_000);
  let isDone = false;
  const work = vi.fn(async () => expect(alone.isHeld).toBe(true));
  const ran = alone.run(5, work).then(() => {
    isDone = true;
  });
  await turn();
  expect([alone.isHeld, work.mock.calls.length]).toEqual([true, 0]);
  state.running = 2;
  alone.ended();
  await turn();
  expect(isDone).toBe(false);
  state.running = 1;
  alone.ended();
  await ran;
  expect([alone.isHeld, state.gone, isDone]).toEqual([false, 1, true]);
});

test('without others it begins at once, however long it takes', async () => {
  const { alone } = runOf(1, false);
  const work = vi.fn(async () => alone.isHeld);
  expect(await alone.run(9999, work)).toBe(true);
  // It cost nothing.
  pass(100_000);
  const busy = runOf(1);
  pass(100_000);
  expect(await busy.alone.run(9, async () => busy.alone.isHeld)).toBe(true);
});

test('what would cost others a tenth of the time is done beside them', async () => {
  const { alone } = runOf(2);
  pass(100_000);
  expect(await alone.run(11, async () => alone.isHeld)).toBe(false);
});

test('what was spent counts, and so does waiting', async () => {
  const { state, alone } = runOf(2);
  pass(100_000);
  const first = alone.run(2, async () => pass(2000));
  await turn();
  pass(4000);
  state.running = 1;
  alone.ended();
  await first;
  state.running = 2;
  expect(await alone.run(5, async () => alone.isHeld)).toBe(false);
  pass(100_000);
  const later = alone.run(5, async () => alone.isHeld);
  state.running = 1;
  alone.ended();
  expect(await later).toBe(true);
});

test('it waits no longer than it may cost', async () => {
  const { alone } = runOf(2);
  pass(100_000);
  const work = vi.fn(async () => undefined);
  const ran = alone.run(5, work);
  await turn();
  expect(work).not.toHaveBeenCalled();
  pass(5000);
  await ran;
  expect(work).toHaveBeenCalledOnce();
});

test('a second one does not wait for the first', async () => {
  const { state, alone } = runOf(2);
  pass(100_000);
  const first = alone.run(5, async () => 'first');
  expect(await alone.run(5, async () => 'second')).toBe('second');
  state.running = 1;
  alone.ended();
  expect(await first).toBe('first');
});

test('a failure gives the others their turn', async () => {
  const { state, alone } = runOf(1);
  pass(100_000);
  await expect(alone.run(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([alone.isHeld, state.gone]).toEqual([false, 1]);
});
