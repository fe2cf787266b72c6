/** The rollouts that may become training data, and whether all of them have an answer. */

import { fault } from '../../basics/result.ts';
import type { Collection } from '../../contract/stage.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { isNumbered, splitItem } from '../rollouts/item-name.ts';

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

function sampleOf(name: string): string {
  return splitItem(name).sample;
}

/**
 * A fault while anything that may become training data has no answer, so that nothing is lost. For example, the next
 * build may roll out an instance whose validation had a fault. Null when all answers are there.
 */
export function unanswered({
  validate,
  rollout,
  grade,
}: Record<'validate' | 'rollout' | 'grade', Collection>): { ok: false; fault: Infra } | null {
  const instances = namesOf(validate);
  const unknown = instances.filter((name) => isMissing(validate, name));
  if (unknown.length > 0) return waitsFor(unknown, instances, 'instances are not validated');
  const rollouts = namesOf(rollout).filter((name) => isNumbered(sampleOf(name)));
  const waiting = rollouts.filter((name) => isMissing(rollout, name) || isMissing(grade, name));
  return waiting.length === 0 ? null : waitsFor(waiting, rollouts, 'rollouts have no verdict');
}

function namesOf(collection: Collection): string[] {
  return collection.entries().map(({ name }) => name);
}

function isMissing(collection: Collection, name: string): boolean {
  const answer = collection.entry(name);
  return answer === null || isFault(answer.outcome);
}

function waitsFor(waiting: string[], all: string[], what: string): { ok: false; fault: Infra } {
  const some = waiting.slice(0, 3).join(', ') + (waiting.length > 3 ? ', …' : '');
  return fault(
    infra('upstream-infra', `${waiting.length} of ${all.length} ${what} yet (${some}); build again`),
  );
}
