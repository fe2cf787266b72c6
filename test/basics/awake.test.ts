/** The clock of time limits counts no time in which the process could not run, and asks no calendar. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { AwakeClock, afterAwake, awakeNow } from '../../basics/awake.ts';
import { buildWorker } from '../faults/program.ts';
import { pause } from '../rig/pausing.ts';

/** A clock, and what advances it: time passes, of which the process works some. */
function clockOf() {
  const ticks = { at: 0, worked: 0 };
  const clock = new AwakeClock({ now: () => ticks.at, worked: () => ticks.worked });
  const pass = (milliseconds: number, worked = 0) => {
    ticks.at += milliseconds;
    ticks.worked += worked;
    clock.beat();
  };
  return { clock, pass };
}

describe('a clock', () => {
  test('counts time between beats, also late ones', () => {
    const { clock, pass } = clockOf();
    for (let beat = 0; beat < 40; beat += 1) pass(250);
    pass(600);
    expect(clock.now()).toBe(10_600);
    expect(clock.paused()).toBe(0);
  });

  test('does not count a pause', () => {
    const { clock, pass } = clockOf();
    pass(250);
    pass(12_250);
    pass(250);
    expect(clock.now()).toBe(750);
    expect(clock.paused()).toBe(12_000);
  });

  test('counts time in which the process worked and did not beat', () => {
    const { clock, pass } = clockOf();
    pass(3000, 2900);
    expect(clock.now()).toBe(3000);
  });
});

describe('a limit', () => {
  afterEach(() => vi.restoreAllMocks());

  test('does not come nearer when the wall clock is set forward or back', async () => {
    const real = Date.now;
    const since = awakeNow();
    let isOver = false;
    afterAwake(300, () => {
      isOver = true;
    });
    for (const step of [1e9, -1e9]) {
      vi.spyOn(Date, 'now').mockImplementation(() => real() + step);
      await new Promise((resolve) => setTimeout(resolve, 50));
      // On a busy machine its timer comes later than the limit.
      expect(isOver && awakeNow() - since < 300).toBe(false);
    }
    await vi.waitFor(() => expect(isOver).toBe(true), 10_000);
    expect(awakeNow() - since).toBeGreaterThanOrEqual(300);
  });

  test('is stopped', async () => {
    const done = vi.fn();
    afterAwake(20, done)();
    await new Promise<void>((resolve) => void afterAwake(60, resolve));
    expect(done).not.toHaveBeenCalled();
  });

  test('longer than timers take is waited for', async () => {
    const done = vi.fn();
    const stop = afterAwake(2 ** 40, done);
    await new Promise<void>((resolve) => void afterAwake(20, resolve));
    expect(done).not.toHaveBeenCalled();
    stop();
  });
});

describe('a process that is stopped', () => {
  const program = buildWorker('test/basics/awake-program.ts');
  afterAll(() => rmSync(program, { force: true }));

  test('comes no nearer to its limit', async () => {
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    await pause([child.pid!], 3000);
    await ended;
    const { took, awake } = JSON.parse(said.split('\n')[1]!) as { took: number; awake: number };
    // It would have taken 1000 ms, and 3000 if the pause had used up its limit.
    expect(took).toBeGreaterThan(3300);
    expect(awake).toBeLessThan(took - 2000);
  });
});
