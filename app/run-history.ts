/** Reads the journals of earlier runs; a line that a kill cut short is passed over. */

import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jsonObject } from '../basics/json.ts';
import type { RunEvent } from '../engine/events.ts';

export type StoredEvent = RunEvent & { seq: number; at: string };

/** Runs that did something, newest first. */
export function runIds(runs: string): string[] {
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => existsSync(join(runs, name, 'events.jsonl')))
    .sort()
    .reverse();
}

/** The run of this name, or the only one whose name begins so; null when there is none, or several. */
export function knownRun(runs: string, name: string): string | null {
  const known = runIds(runs);
  if (known.includes(name)) return name;
  const begun = known.filter((run) => name !== '' && run.startsWith(name));
  return begun.length === 1 ? begun[0]! : null;
}

/** The newest run of a project; others may share its cache. */
export async function newestRun(runs: string, project: string): Promise<string | null> {
  for (const run of runIds(runs)) if ((await projectOf(runs, run)) === project) return run;
  return null;
}

/** The first event says whose run it is. */
export async function projectOf(runs: string, run: string): Promise<string | null> {
  for await (const event of readJournal(runs, run))
    return event.type === 'run-started' ? event.project : null;
  return null;
}

/** The events of a run in order. */
export async function* readJournal(runs: string, run: string): AsyncGenerator<StoredEvent> {
  const lines = createInterface({
    input: createReadStream(join(runs, run, 'events.jsonl')),
    crlfDelay: Infinity,
  });
  for await (const line of lines) {
    const event = jsonObject<StoredEvent>(line);
    if (event !== null) yield event;
  }
}
