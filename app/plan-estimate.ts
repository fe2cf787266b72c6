/** How long a plan may take: what its stages' answers took in earlier runs, as many at a time as this host allows. */
import { binaryKey, type Database } from '../cache/database.ts';
import type { Resources } from '../contract/stage.ts';
import { INPUT_MAY_CHANGE, type NodeEnd, type RunEnd } from '../engine/run.ts';

/** Answers of a stage that are looked at. */
const SAMPLE = 200;

/** What is known of the time that a plan may take. */
export interface Estimate {
  /** Milliseconds of the stages that were run before; null: none of those that would run was. */
  known: number | null;
  /** Stages that would run and never were. */
  never: string[];
}

/** `counts`: only what surely runs, or also what runs where an input comes out different. */
export function estimate(
  end: RunEnd,
  { database, project, capacity }: { database: Database; project: string; capacity: Resources },
  counts: 'surely' | 'perhaps' = 'surely',
): Estimate {
  const found: Estimate = { known: null, never: [] };
  for (const [address, node] of end.nodes) {
    const possible = counts === 'surely' ? (node.reasons.get(INPUT_MAY_CHANGE) ?? 0) : 0;
    const count = node.state.planned - possible;
    if (count <= 0) continue;
    const mean = meanOf(database, `${project}/${address}`);
    if (mean === null) found.never.push(address);
    else found.known = (found.known ?? 0) + (mean * count) / Math.min(count, atOnce(node, capacity));
  }
  return found;
}

function meanOf({ latest, records }: Database, address: string): number | null {
  const times: number[] = [];
  for (const { key, value } of latest.getRange({ start: address, end: `${address}@\uffff`, limit: SAMPLE })) {
    if (key !== address && !key.startsWith(`${address}@`)) continue;
    const record = records.get(binaryKey(value.key));
    if (record !== undefined) times.push(record.durationMs);
  }
  return times.length === 0 ? null : times.reduce((sum, one) => sum + one, 0) / times.length;
}

/** How many of a stage's actions run at once. */
function atOnce({ state }: NodeEnd, capacity: Resources): number {
  const needs = Object.entries(state.stage.resources(state.items[0]!)).filter(([, amount]) => amount > 0);
  const limits = needs.map(([name, amount]) =>
    Math.floor((capacity[name] ?? Number.POSITIVE_INFINITY) / amount),
  );
  return Math.max(1, Math.min(...limits));
}

/** `40 s`, `3 min`, `5 h`. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
