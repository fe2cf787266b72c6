/**
 * The run's journal: one JSON object a line, with a sequence number and a time. It is the history that `status`
 * and `logs` read, and what the database is made again from.
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from './events.ts';

export interface Journal {
  write(event: RunEvent): void;
  close(): void;
}

/** Name of a run: its start in UTC and the pid, so that names sort by time and never clash on a host. */
export function newRunId(now: Date, pid: number): string {
  return `${now
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z')}-${pid}`;
}

/** Opens `<runs>/<run>/events.jsonl`. Lines are written whole, in one call each. */
export function openJournal(runs: string, run: string): Journal {
  const folder = join(runs, run);
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'events.jsonl'), 'a');
  let sequence = 0;
  return {
    write: (event) => {
      sequence += 1;
      writeSync(file, `${JSON.stringify({ seq: sequence, at: new Date().toISOString(), ...event })}\n`);
    },
    close: () => closeSync(file),
  };
}
