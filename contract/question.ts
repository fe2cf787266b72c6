/**
 * What a stage may ask of the world outside its inputs: a value of the project, the content of a file, an interpreter,
 * who a model is. A question is data, so that it can be asked again later; a finished stage is fresh when every
 * question that it asked has the answer that it had.
 */
import { canonicalJson } from '../basics/canonical.ts';
import { type Digest, digestOf } from '../basics/digest.ts';
import type { Attempt } from '../schemas/outcome.ts';
import type { Services } from './machine.ts';
import { forget, once } from './once.ts';

/**
 * One kind of question. Its answer is all that a stage learns from it, so all of it counts in keys. Argument and answer are values
 * that JSON has.
 */
export interface QuestionKind<A, V = unknown> {
  readonly name: string;
  /** What is asked about may change while something runs; it is then asked again after the run. */
  readonly changes: boolean;
  answer(argument: A, services: Services): Attempt<V>;
}

/** Name of the kind that asks for a stage's own tables. */
export const TABLE = 'table';

/** The answer, found once per run, so that all stages of a build see the same. A fault is not remembered. */
export function ask<A, V>(kind: QuestionKind<A, V>, argument: A, services: Services): Attempt<V> {
  const name = `${ASKED}${kind.name} ${canonicalJson(argument)}`;
  return once(
    services.cache,
    name,
    () => kind.answer(argument, services),
    ({ ok }) => ok,
  );
}

const ASKED = 'asked ';

/** Forgets all answers. Called where a walk over the graph begins. */
export function forgetAnswers({ cache }: Services): void {
  forget(cache, ASKED);
}

/** What an answer is called in a trace. An answer is found once per run and asked for by several stages. */
export function answerDigest(value: unknown): Digest {
  if (typeof value !== 'object' || value === null) return digestOf(canonicalJson(value));
  const known = DIGESTS.get(value);
  if (known !== undefined) return known;
  const digest = digestOf(canonicalJson(value));
  DIGESTS.set(value, digest);
  return digest;
}

const DIGESTS = new WeakMap<object, Digest>();
