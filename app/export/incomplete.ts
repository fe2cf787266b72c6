/**
 * Faults keep some items from an answer. A stage that only reads answers then has results of the others, which people
 * want to see. They go into a folder apart, with a list of what is missing, so that nothing that reads the stage's own
 * folder takes them for all.
 */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestOf } from '../../basics/digest.ts';
import { faultsIn } from '../../engine/events.ts';
import type { RunEnd } from '../../engine/run.ts';
import { addressOf } from '../../engine/run.ts';
import { isFault } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';

/** Beside the folders of the stages: a folder for each stage that has results of some items. */
export const INCOMPLETE = 'incomplete';
/** In each of them: what is missing. */
export const MISSING = 'missing.json';

/** An item without an answer, which the results do not count. */
export interface MissingItem {
  /** `stage.dataset@item`. */
  item: string;
  status: string;
  reason: string;
  detail: string;
}

/** Stages whose items are instances. */
const SINGLE = ['discover', 'validate'];
/** Stages whose items are rollouts. */
const SAMPLED = ['rollouts', 'predict', 'grade'];

/** The inputs of a stage, and the stages `discover` of its datasets: a fault of discover leaves a row out of its dataset. */
export function readBy({ nodes }: RunEnd, address: string): string[] {
  const inputs = Object.values(nodes.get(address)?.state.node.inputs ?? {});
  const discovered = inputs.flatMap((input) => nodes.get(input)?.state.node.inputs.discover ?? []);
  return [...new Set([...inputs, ...discovered])];
}

export function hasFaults(end: RunEnd, address: string): boolean {
  const node = end.nodes.get(address);
  return node !== undefined && faultsIn(node.state.counts) > 0;
}

/** Items of `inputs` that ended with a fault, in the order of their stages. */
export function missingItems({ nodes }: RunEnd, inputs: readonly string[]): MissingItem[] {
  return inputs.flatMap((input) => {
    const entries = nodes.get(input)?.state.entries() ?? [];
    return entries.flatMap(({ name, outcome }) => {
      if (!isFault(outcome)) return [];
      const { status, reason, detail } = outcome;
      return [{ item: addressOf(input, name), status, reason, detail }];
    });
  });
}

/** Instances with a fault among their measurements, validations, rollouts or verdicts, and how many instances there are. */
export function faultyInstances(
  { nodes }: RunEnd,
  inputs: readonly string[],
): { faulty: string[]; all: number } {
  const [all, faulty] = [new Set<string>(), new Set<string>()];
  for (const state of inputs.flatMap((input) => nodes.get(input)?.state ?? [])) {
    const { stage } = state.node;
    if (!SINGLE.includes(stage) && !SAMPLED.includes(stage)) continue;
    for (const { name, outcome } of state.entries()) {
      const instance = SINGLE.includes(stage) ? name : splitItem(name).instance;
      all.add(instance);
      if (isFault(outcome)) faulty.add(instance);
    }
  }
  return { faulty: [...faulty], all: all.size };
}

/** The file {@link MISSING}. */
export function missingFile(stage: string, missing: readonly MissingItem[]): Output {
  const text = `${JSON.stringify({ stage, incomplete: true, missing }, null, 1)}\n`;
  return { kind: 'inline', digest: digestOf(text), text };
}

/** Removes what an earlier build wrote there, once the stage has the results of all items. */
export function removeIncomplete(folder: string): void {
  if (!existsSync(folder)) return;
  rmSync(folder, { recursive: true });
  const above = dirname(folder);
  if (readdirSync(above).length === 0) rmdirSync(above);
}
