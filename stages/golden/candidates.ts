/** The rollouts that may become training data, and whether all of them have an answer. */

import type { Collection } from '../../contract/stage.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { fault } from '../../schemas/result.ts';
import { isBaseline } from '../rollouts/datasets.ts';
import { splitItem } from '../rollouts/item-name.ts';

/** Names of items, by instance; samples in order. */
export function byInstance(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const { instance } = splitItem(name);
    const known = found.get(instance);
    if (known === undefined) found.set(instance, [name]);
    else known.push(name);
  }
  for (const own of found.values()) own.sort((a, b) => Number(sampleOf(a)) - Number(sampleOf(b)));
  return found;
}

export function sampleOf(name: string): string {
  return splitItem(name).sample;
}

/** A fault while a rollout or its verdict has no answer, so that none is lost; null when all are there. */
export function unanswered(rollout: Collection, grade: Collection): { ok: false; fault: Infra } | null {
  const names = rollout
    .entries()
    .map(({ name }) => name)
    .filter((name) => !isBaseline(sampleOf(name)));
  const isMissing = (collection: Collection, name: string) => {
    const answer = collection.entry(name);
    return answer === null || answer.outcome.status === 'infra';
  };
  const waiting = names.filter((name) => isMissing(rollout, name) || isMissing(grade, name));
  if (waiting.length === 0) return null;
  const some = waiting.slice(0, 3).join(', ') + (waiting.length > 3 ? ', …' : '');
  const detail = `${waiting.length} of ${names.length} rollouts have no verdict yet (${some}); build again`;
  return fault(infra('upstream-infra', detail));
}
