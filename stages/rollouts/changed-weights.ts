/**
 * Remembers which weights are not those of an identity that the project writes. Without this the build after the one
 * that noticed a change would take the new weights for the old ones: it sees nothing else from its start on.
 */
import type { Change, SeenWeights } from '../../agent/client/seen-weights.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { memoName } from '../../cache/cache.ts';
import type { AgentServices } from '../../contract/machine.ts';

/** A folder may hold the same weights as another one, so it is held against nothing in later runs. */
const FOLDER = /^(?:[./~\\]|[A-Za-z]:)/;

export function rememberChanges(
  weights: SeenWeights,
  identity: string,
  { cache }: Pick<AgentServices, 'cache'>,
): void {
  const { memos } = cache.database;
  const name = memoName('weights that are not of an identity', identity);
  const read = (): Change[] => {
    const text = memos.get(name);
    return typeof text === 'string' ? (JSON.parse(text) as Change[]) : [];
  };
  for (const change of read()) weights.refuse(change);
  weights.onChange = (change) => {
    if (!FOLDER.test(change.now)) void memos.put(name, canonicalJson([...read(), { ...change }]));
  };
}
