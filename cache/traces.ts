/**
 * How a finished stage is found again: by its questions and their answers. A trace is a path: each step has a
 * question, and its present answer decides where the path goes on. At the end of the path is the finished stage.
 */

import { canonicalJson, type Json } from '../basics/canonical.ts';
import { type ActionKey, type Digest, digestOf } from '../basics/digest.ts';
import type { Database } from './database.ts';

export interface Question {
  kind: string;
  argument: Json;
}

/** A question and what its answer was. */
export interface Asked extends Question {
  answer: Digest;
}

type Memos = Pick<Database, 'memos'>;

/** What stands at the end of a path. */
const END = 'end';

/** The key at the end of a trace that begins at `base`. */
export function traceEnd(base: ActionKey, trace: readonly Asked[]): ActionKey {
  return pathOf(base, trace).at(-1)!;
}

/** Remembers a trace that begins at `base`. */
export async function keepTrace({ memos }: Memos, base: ActionKey, trace: readonly Asked[]): Promise<void> {
  const path = pathOf(base, trace);
  await Promise.all(
    path.map((key, step) => {
      const asked = trace[step];
      const next = asked === undefined ? END : { kind: asked.kind, argument: asked.argument };
      return memos.put(memoOf(key), next);
    }),
  );
}

/** Follows the path from `base` by the answers of now; null where the path ends before. */
export async function followTrace(
  { memos }: Memos,
  base: ActionKey,
  answer: (question: Question) => Promise<Digest | null>,
): Promise<ActionKey | null> {
  for (let key = base; ; ) {
    const next = memos.get(memoOf(key));
    if (next === END) return key;
    if (next === undefined) return null;
    const question = next as unknown as Question;
    const now = await answer(question);
    if (now === null) return null;
    key = step(key, { ...question, answer: now });
  }
}

/** Drops the paths that lead to none of the finished stages; `kept` has the traces of those. */
export async function dropTraces(
  { memos }: Memos,
  kept: readonly { base: ActionKey; trace: readonly Asked[] }[],
): Promise<void> {
  const used = new Set(kept.flatMap(({ base, trace }) => pathOf(base, trace).map(memoOf)));
  const names = [...memos.getKeys({ start: 'trace ', end: 'trace ~' })];
  await Promise.all(names.filter((name) => !used.has(name)).map((name) => memos.remove(name)));
}

/** The keys along a trace; the last one names the finished stage. */
function pathOf(base: ActionKey, trace: readonly Asked[]): ActionKey[] {
  const path = [base];
  for (const asked of trace) path.push(step(path.at(-1)!, asked));
  return path;
}

function step(key: ActionKey, { kind, argument, answer }: Asked): ActionKey {
  return digestOf(canonicalJson([key, kind, argument, answer])) as string as ActionKey;
}

function memoOf(key: ActionKey): string {
  return `trace ${key}`;
}
