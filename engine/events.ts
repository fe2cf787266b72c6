/**
 * Everything that a run reports. The progress display, plain lines, `--json` and the run's journal are all made from
 * these events. If the database is lost, records are made again from the journal.
 */

import type { ActionKey, Digest } from '../basics/digest.ts';
import type { Preimage } from '../cache/key.ts';
import type { Waiting } from '../cache/key-lock.ts';
import { FAULT_STATUSES, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';

export type Counts = Record<Outcome['status'], number>;

/** How far a stage is at the moment; journals leave it out, being a function. */
export interface StageProgress {
  cached: number;
  executed: number;
  /** Answered or left out, in whatever way. */
  done: number;
  counts: Counts;
}

export type RunEvent =
  /** `process`: the tag of the process that runs it, by which it is known to be alive. */
  | { type: 'run-started'; run: string; project: string; targets: string[]; process?: string }
  | { type: 'stage-opened'; stage: string; items: number; now?: () => StageProgress }
  /** `manifest`: the blob that lists the stage's answers. */
  | { type: 'stage-fresh'; stage: string; items: number; counts: Counts; manifest: Digest }
  /** `log`: where a bug of ours happened. */
  | { type: 'stage-blocked'; stage: string; outcome: Outcome; log?: string }
  | { type: 'item-started'; stage: string; item: string; attempt: number }
  | { type: 'item-retried'; stage: string; item: string; attempt: number; outcome: Outcome }
  | { type: 'item-log'; stage: string; item: string; text: string }
  /** It waits for something outside, such as an endpoint that is down. */
  | { type: 'item-waits'; stage: string; item: string; detail: string }
  /** How far one item is that takes long by itself, such as a training. */
  | { type: 'item-progress'; stage: string; item: string; detail: string }
  /** Another process works on the same. `item`: '' where it is no item, such as a mirror of a repository. */
  | {
      type: 'lock-waits';
      stage: string;
      item: string;
      lock: string;
      pid: number;
      host: string | null;
      since: string;
    }
  /** The wait for `lock` is over: it was taken, the other process has answered, or the run was stopped. */
  | { type: 'lock-ended'; stage: string; item: string; lock: string }
  | {
      type: 'item-finished';
      stage: string;
      item: string;
      outcome: Outcome;
      durationMs: number;
      /** Absent for faults, which have no record. */
      key?: ActionKey;
      record?: ActionRecord;
      preimage?: Preimage;
      /** Only for faults: the end of the item's log, which no record keeps. */
      log?: string;
    }
  | {
      type: 'stage-finished';
      stage: string;
      items: number;
      cached: number;
      executed: number;
      counts: Counts;
      durationMs: number;
      /** The blob that lists the stage's answers; null where some are missing. */
      manifest: Digest | null;
    }
  | { type: 'run-finished'; executed: number; cached: number; counts: Counts; durationMs: number };

/** The event for a wait that begins, or, with null, ends. */
export function waitEvent(
  place: { stage: string; item: string; lock: string },
  waiting: Waiting | null,
): RunEvent {
  if (waiting === null) return { type: 'lock-ended', ...place };
  const { pid, host, since } = waiting;
  return { type: 'lock-waits', ...place, pid, host, since: since.toISOString() };
}

/** `waits for process 123 of host x, since …`. */
export function waitText({ lock, pid, host, since }: LockWait): string {
  const what = lock.startsWith('state-')
    ? ', which makes the same first state or layer'
    : lock.startsWith('source-')
      ? ', which fetches the same source'
      : '';
  return `waits for process ${pid}${host === null ? '' : ` of host ${host}`}${what}, since ${since}`;
}

export type LockWait = Extract<RunEvent, { type: 'lock-waits' }>;

export type EventSink = (event: RunEvent) => void;

export function noCounts(): Counts {
  return { ok: 0, failed: 0, flaky: 0, timeout: 0, infra: 0, stopped: 0, config: 0 };
}

/** How many ended without an answer. */
export function faultsIn(counts: Counts): number {
  return FAULT_STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}
