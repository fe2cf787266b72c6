/** Without a terminal, a line now and then says what runs; commands that measure rows say which are finished. */
import { expect, test } from 'vitest';
import type { CommandIo } from '../../app/io.ts';
import { createProgress } from '../../cli/progress.ts';
import { candidateLines } from '../../cli/still-running.ts';
import { noCounts, type RunEvent } from '../../engine/events.ts';

/** A display with a clock that the test moves; `at` gives what is printed at that second. */
function displayed(make: typeof candidateLines | typeof createProgress) {
  let text = '';
  let now = 0;
  let tick = () => {};
  let isEnded = false;
  const stderr = { write: (piece: string) => (text += piece) };
  const io = { stderr, env: {}, isTTY: false } as unknown as CommandIo;
  const display = make(
    io,
    () => now,
    (ticked) => {
      tick = ticked;
      return () => {
        isEnded = true;
      };
    },
  );
  const at = (second: number, ...events: object[]): string => {
    now = second * 1000;
    text = '';
    for (const event of events) display.show(event as RunEvent);
    tick();
    return text;
  };
  return { at, stop: display.stop.bind(display), isEnded: () => isEnded };
}

const opened = (stage: string, items: number) => ({
  ...{ type: 'stage-opened', stage, items },
  now: () => ({ cached: 0, executed: 1, done: 1, counts: noCounts() }),
});
const started = (stage: string, item: string) => ({ type: 'item-started', stage, item, attempt: 1 });

test('what runs is told once a minute, and nothing while nothing runs', () => {
  const { at, stop, isEnded } = displayed(createProgress);
  expect(at(0, opened('validate.train', 3))).toBe('');
  expect(at(100)).toBe('');
  expect(at(110, started('validate.train', 'a'))).toBe('');
  expect(at(120, started('validate.train', 'b'))).toBe('');
  expect(at(169)).toBe('');
  expect(at(170)).toBe('still running: validate.train 1/3, 2 running, longest a 1:00\n');
  expect(at(171)).toBe('');
  expect(at(231, opened('environments.train', 2), started('environments.train', 'c'))).toBe(
    'still running: validate.train 1/3, 2 running, longest a 2:01 · environments.train 1/2, 1 running, longest c 0.00 s\n',
  );
  stop();
  expect(isEnded()).toBe(true);
});

test('a stage whose items all wait has no such line: what it waits for is told', () => {
  const { at } = displayed(createProgress);
  const wait = { type: 'item-waits', stage: 'rollouts.train', item: 'a', detail: 'http://x: refused' };
  at(0, opened('rollouts.train', 3), started('rollouts.train', 'a'), wait);
  expect(at(61, wait)).toBe('rollouts.train       waits: http://x: refused\n');
  at(62, started('rollouts.train', 'b'));
  expect(at(130, wait)).toContain(
    'still running: rollouts.train 1/3, 1 running, 1 waiting, longest b 1:08\n',
  );
});

test('each row that is finished has a line, once', () => {
  const { at } = displayed(candidateLines);
  const ended = (stage: string, item: string, status: string) => ({
    ...{ type: 'item-finished', stage, item },
    outcome: { status },
  });
  at(0, opened('discover.mutated', 2), started('discover.mutated', 'a'));
  expect(at(60)).toBe('still running: discover 1/2, 1 running, longest a 1:00\n');
  expect(at(61, ended('discover.mutated', 'a', 'ok'))).toBe('');
  expect(at(62, ended('validate.mutated', 'a', 'ok'))).toBe('  measured: a, ok\n');
  expect(at(63, ended('discover.mutated', 'b', 'failed'))).toBe('  measured: b, failed\n');
  expect(at(64, ended('validate.mutated', 'b', 'failed'))).toBe('');
  // What was stopped is not measured.
  expect(at(65, ended('discover.mutated', 'c', 'stopped'))).toBe('');
});

test('a command that counts what it finds says so', () => {
  const found = 1;
  const { at } = displayed((...[io, now, repeat]: Parameters<typeof candidateLines>) =>
    candidateLines(io, now, repeat, () => `${found} of 6 found`),
  );
  at(0, opened('discover.mutated', 2), started('discover.mutated', 'a'));
  expect(at(60)).toBe('still running: discover 1/2, 1 running, longest a 1:00; 1 of 6 found\n');
});
