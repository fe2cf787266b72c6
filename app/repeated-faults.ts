/**
 * Faults that come again in every build: an item without an answer is tried by each build, so one that can never end says
 * so after some builds, and what would end it. How often is read from the journals of earlier runs. They are read only
 * when a run has faults, and no further back than is needed.
 */
import { addressOf, type RunEnd } from '../engine/run.ts';
import { type Infra, type InfraReason, isFault } from '../schemas/outcome.ts';
import { FOREIGN, finishedItems, newestFirst } from './finished-items.ts';

/** Builds in a row after which a fault is reported as a repeated one. */
export const MANY = 3;
/** Runs that are looked through at most; those that did not try an item say nothing about it. */
const RUNS = 30;

export interface RepeatedFault {
  stage: string;
  /** Items that ended so, by their addresses. */
  items: string[];
  reason: InfraReason;
  /** Of one of them. */
  detail: string;
}

/** Faults that this run had in common with the runs of the project before it, by stage and reason. */
export async function repeatedFaults(
  runs: string,
  run: string,
  project: string,
  end: RunEnd,
): Promise<RepeatedFault[]> {
  const faults = faultsOf(end);
  const counts = new Map([...faults.keys()].map((item) => [item, 1]));
  const open = new Set(faults.keys());
  let looked = 0;
  for await (const earlier of newestFirst(runs, project, run)) {
    if (open.size === 0 || looked === RUNS) break;
    looked += 1;
    for (const [item, fault] of await finishedItems(runs, earlier, open)) {
      const count = fault?.reason === faults.get(item)!.reason ? counts.get(item)! + 1 : 0;
      counts.set(item, count);
      if (count === 0 || count === MANY) open.delete(item);
    }
  }
  const found = new Map<string, RepeatedFault>();
  for (const [item, { reason, detail }] of faults) {
    if (counts.get(item)! < MANY) continue;
    const stage = item.split('@')[0]!;
    const known = found.get(`${stage} ${reason}`);
    if (known === undefined) found.set(`${stage} ${reason}`, { stage, items: [item], reason, detail });
    else known.items.push(item);
  }
  return [...found.values()];
}

function faultsOf({ nodes }: RunEnd): Map<string, Infra> {
  const found = new Map<string, Infra>();
  for (const [address, { state, blocked }] of nodes) {
    if (blocked !== null) continue;
    for (const { name, outcome } of state.entries())
      if (isFault(outcome) && !FOREIGN.includes(outcome.reason)) found.set(addressOf(address, name), outcome);
  }
  return found;
}
