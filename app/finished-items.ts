/** How items ended in earlier runs, as their journals have it, without reading what the answers were. */

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { jsonObject } from '../basics/json.ts';
import { type Infra, type InfraReason, isFault } from '../schemas/outcome.ts';
import { projectOf, runIds } from './run-history.ts';

/** Ends that say nothing of the item: another item's fault, and the user's stop. */
export const FOREIGN: readonly InfraReason[] = ['upstream-infra', 'cancelled'];

/** Runs of the project, the newest first; `before`: only those before this run. */
export async function* newestFirst(
  runs: string,
  project: string,
  before: string | null = null,
): AsyncGenerator<string> {
  for (const run of runIds(runs))
    if ((before === null || run < before) && (await projectOf(runs, run)) === project) yield run;
}

/**
 * Wanted items that ended in the run, each with its last fault there; null for an answer. A journal has a line of some
 * thousand bytes for each of maybe 100,000 items, so only the beginnings of lines are read, and faults that are wanted.
 */
export async function finishedItems(
  runs: string,
  run: string,
  wanted: ReadonlySet<string>,
): Promise<Map<string, Infra | null>> {
  const found = new Map<string, Infra | null>();
  const input = createReadStream(join(runs, run, 'events.jsonl'));
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const end = endIn(line);
    if (end === null || !wanted.has(end.item)) continue;
    if (!isFault({ status: end.status })) found.set(end.item, null);
    else if (!FOREIGN.includes(end.reason)) found.set(end.item, faultIn(line));
  }
  return found;
}

const HEAD =
  /^\{"seq":\d+,"at":"[^"]*","type":"item-finished","stage":"([^"]*)","item":("(?:[^"\\]|\\.)*"),"outcome":\{"status":"(\w+)"(?:,"reason":"([\w-]+)")?/;
/** The longest name of an item, and what is around it. */
const MAX_NAME = 4096;

interface End {
  /** Its address. */
  item: string;
  status: string;
  reason: InfraReason;
}

function endIn(line: string): End | null {
  const [, stage, quoted = '""', status = '', reason] = HEAD.exec(line.slice(0, MAX_NAME)) ?? [];
  if (stage === undefined) return null;
  const name = JSON.parse(quoted) as string;
  return { item: name === '' ? stage : `${stage}@${name}`, status, reason: reason as InfraReason };
}

/** null for a line that a kill cut short. */
function faultIn(line: string): Infra | null {
  return jsonObject<{ outcome: Infra }>(line)?.outcome ?? null;
}

/** The last end of each item in the project's runs, for those of which it is a fault. */
export async function lastFaults(
  runs: string,
  project: string,
  items: readonly string[],
): Promise<Map<string, Infra>> {
  const faults = new Map<string, Infra>();
  const open = new Set(items);
  for await (const run of newestFirst(runs, project)) {
    if (open.size === 0) break;
    for (const [item, fault] of await finishedItems(runs, run, open)) {
      open.delete(item);
      if (fault !== null) faults.set(item, fault);
    }
  }
  return faults;
}
