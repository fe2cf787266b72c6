/**
 * The run's journal: one JSON object a line, with a sequence number and a time. It is the history that `status`
 * and `logs` read, and what the database is made again from.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { faultPoint } from '../basics/fault-point.ts';
import type { RunEvent } from './events.ts';

export interface Journal {
  write(event: RunEvent): void;
  close(): void;
}

/**
 * Name of a run: its start in UTC, the pid and random characters. Names sort by time, also of runs in one second. The pid is
 * for people: processes in two containers may have the same one.
 */
export function newRunId(now: Date, pid: number): string {
  const start = now.toISOString().replace(/[-:]/g, '');
  return `${start}-${pid}-${randomBytes(4).toString('hex')}`;
}

/**
 * Opens `<runs>/<run>/events.jsonl`. Lines are written whole, in one call each. A line that the disk has no room
 * for is left out: the journal is a history and a spare copy, and answers do not depend on it.
 */
export function openJournal(runs: string, run: string): Journal {
  const folder = join(runs, run);
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, 'events.jsonl'), 'a');
  let sequence = 0;
  let torn = false;
  return {
    write: (event) => {
      sequence += 1;
      const line = `${JSON.stringify({ seq: sequence, at: new Date().toISOString(), ...event })}\n`;
      faultPoint('journal-before');
      torn = !append(file, torn ? `\n${line}` : line);
      faultPoint('journal-after');
    },
    close: () => closeSync(file),
  };
}

/** False when nothing or only a part was written. */
function append(file: number, text: string): boolean {
  const bytes = Buffer.from(text);
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') return false;
    throw error;
  }
}
