/** A build that waits says so: once, and then now and then, however many items wait. */
import { expect, test } from 'vitest';
import type { CommandIo } from '../../app/io.ts';
import { createProgress } from '../../cli/progress.ts';
import type { RunEvent } from '../../engine/events.ts';

test('what a stage waits for is told once in half a minute', () => {
  let text = '';
  let now = 0;
  const stderr = { write: (piece: string) => (text += piece) };
  const progress = createProgress({ stderr, env: {}, isTTY: false } as unknown as CommandIo, () => now);
  const waits = (item: string, at: number) => {
    now = at;
    progress.show({
      type: 'item-waits',
      stage: 'rollouts.train',
      item,
      detail: 'http://x: refused; again in 2 s',
    });
  };
  waits('a#0', 1000);
  waits('b#0', 1010);
  waits('a#0', 30_000);
  waits('a#0', 31_001);
  progress.stop();
  expect(text).toBe('rollouts.train       waits: http://x: refused; again in 2 s\n'.repeat(2));
});

test('the time of a stage that waited for another process is the time that it worked', () => {
  let text = '';
  let now = 0;
  const stderr = { write: (piece: string) => (text += piece) };
  const progress = createProgress({ stderr, env: {}, isTTY: false } as unknown as CommandIo, () => now);
  const at = (time: number, event: object) => {
    now = time;
    progress.show({ stage: 'validate.train', item: 'a', ...event } as RunEvent);
  };
  const counts = { ok: 1, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 0, config: 0 };
  const end = { items: 1, cached: 0, executed: 1, counts, durationMs: 8000 };
  at(0, { type: 'stage-opened', items: 1 });
  at(0, { type: 'item-started', attempt: 1 });
  at(1000, { type: 'lock-waits', lock: 'k', pid: 1, host: null, since: '' });
  at(6000, { type: 'lock-ended', lock: 'k' });
  at(6000, { type: 'item-started', attempt: 1 });
  at(8000, { type: 'item-finished', outcome: { status: 'ok' } });
  at(8000, { type: 'stage-finished', ...end });
  progress.stop();
  expect(text).toMatch(/validate.train\s+1 · 0 cached · 1 run {2}3\.0 s\n/);
});

test('a wait for another process names it, its host and since when it works', () => {
  let text = '';
  const stderr = { write: (piece: string) => (text += piece) };
  const progress = createProgress({ stderr, env: {}, isTTY: false } as unknown as CommandIo, () => 0);
  const since = '2026-11-24T10:00:00.000Z';
  const holder = { pid: 123, host: 'x\u001b[2J', since };
  progress.show({ type: 'lock-waits', stage: 'validate.train', item: 'a', lock: 'k', ...holder });
  progress.show({ type: 'lock-waits', stage: '', item: '', lock: 'source-repo.git', ...holder, host: null });
  progress.stop();
  expect(text).toBe(
    `validate.train       a waits for process 123 of host x\u241b[2J, since ${since}\n` +
      `waits for process 123, which fetches the same source, since ${since}\n`,
  );
});
