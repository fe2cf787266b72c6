/** Rows whose tests take far longer than those of others are ended, by a clock that counts neither waits nor tries that the stage gave more time. */
import { expect, test } from 'vitest';
import { limitFor, RunLimit } from '../../app/discover/run-limit.ts';
import type { RunEvent } from '../../engine/events.ts';

const STAGE = 'discover.mutated';
const heading = (seconds: number) => `== untouched, run 1 of 2 · exit code 1 · ${seconds}.0 s\nF\n`;

function limited() {
  let now = 0;
  let tick: () => void = () => undefined;
  const limit = new RunLimit(
    [STAGE],
    () => now,
    (next) => {
      tick = next;
      return () => undefined;
    },
  );
  const signals = new Map<string, AbortSignal | null>();
  const of = (item: string, event: object) => limit.follow({ stage: STAGE, item, ...event } as RunEvent);
  return {
    limit,
    of,
    begin(item: string) {
      signals.set(item, limit.signalOf(STAGE, item));
      of(item, { type: 'item-started', attempt: 1 });
    },
    log: (item: string, text: string) => of(item, { type: 'item-log', text }),
    /** Each second until then, and which rows are ended by then. */
    at(second: number) {
      while (now < second * 1000) {
        now += 1000;
        tick();
      }
      return [...signals].filter(([, signal]) => signal!.aborted).map(([item]) => item);
    },
  };
}

test('ten times the longest run of others, twice and a minute for long ones, and half a minute at least', () => {
  expect([0.2, 3, 5, 7.5, 100].map(limitFor)).toEqual([30, 30, 50, 75, 260]);
});

test('a run that takes longer than that is ended, and those that go on are not', () => {
  const { limit, begin, log, at } = limited();
  for (const item of ['a', 'b', 'c']) begin(item);
  expect(at(100)).toEqual([]);
  log('a', heading(99));
  // b and c have taken as long as a.
  expect(at(250)).toEqual([]);
  log('c', heading(249));
  expect(at(400)).toEqual([]);
  expect(at(560)).toEqual([]);
  expect(at(562)).toEqual(['b']);
  expect(limit.ended).toEqual(new Map([['b', { limit: 560, longest: 250 }]]));
  expect(at(1000)).toEqual(['a', 'b', 'c']);
});

test('nothing is ended before a run has ended, or one of an earlier command is read', () => {
  const { limit, begin, at } = limited();
  begin('a');
  expect(at(5000)).toEqual([]);
  limit.learn(`${heading(2)}== lists · 1 FAIL_TO_PASS\n`);
  expect(at(5001)).toEqual(['a']);
});

test('before any run has ended, a row gives its place to others that wait, once', () => {
  const { limit, begin, log, at } = limited();
  limit.expect(['a', 'b', 'c']);
  begin('a');
  begin('b');
  expect(at(120)).toEqual([]);
  log('b', 'a line of a build\n');
  expect(at(121)).toEqual(['a', 'b']);
  expect(limit.postponed).toEqual(new Set(['a', 'b']));
  expect(limit.ended.size).toBe(0);
  begin('c');
  // Nothing waits any more.
  expect(at(1000)).toEqual(['a', 'b']);
  limit.expect(['a', 'd']);
  begin('a');
  expect(at(2000)).toEqual(['b', 'c']);
});

test('waits do not count, nor a run that was hindered', () => {
  const { limit, begin, log, of, at } = limited();
  limit.learn(heading(1));
  begin('waits');
  begin('again');
  begin('locked');
  of('waits', { type: 'item-waits', detail: 'no place is free' });
  of('locked', { type: 'lock-waits', lock: 'l', pid: 1, host: null, since: '' });
  log('again', '== untouched, run 1 of 2 · time limit · 9.0 s\n');
  log(
    'again',
    '== untouched, run 1 of 2 got 10 % of the time, and is run once more, with 8.0 times its time limit\n',
  );
  expect(at(60)).toEqual([]);
  // It has said nothing for 45 seconds, so it has worked for 15.
  expect(at(74)).toEqual([]);
  expect(at(77)).toEqual(['waits']);
  log('again', heading(77));
  of('locked', { type: 'lock-ended', lock: 'l' });
  expect(at(106)).toEqual(['waits']);
  expect(at(110)).toEqual(['waits', 'again', 'locked']);
});

test('a wait that belongs to no row stops the clock of all', () => {
  const { limit, begin, at } = limited();
  limit.learn(heading(1));
  begin('a');
  const lock = { stage: '', item: '', lock: 'mirror' };
  limit.follow({ type: 'lock-waits', ...lock, pid: 1, host: null, since: '' });
  expect(at(100)).toEqual([]);
  limit.follow({ type: 'lock-ended', ...lock });
  expect(at(130)).toEqual([]);
  expect(at(131)).toEqual(['a']);
});

test('items of other stages have no limit', () => {
  expect(limited().limit.signalOf('environments.mutated', 'e')).toBeNull();
});
