/**
 * Marks that answers were removed. What was found complete is remembered under the mark (see engine/chunk-cache.ts),
 * so that nothing rests on answers that are gone.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

const MARK = 'removals';

/** The mark of the last removal. */
export function removalsOf({ memos }: Pick<Database, 'memos'>): string {
  return (memos.get(MARK) as string | undefined) ?? '';
}

/** To be called by whoever removes records. What rested on the earlier mark is dropped. */
export async function noteRemovals({ memos }: Pick<Database, 'memos'>): Promise<void> {
  for (const key of memos.getKeys({ start: 'chunk ', end: 'chunk ~' })) void memos.remove(key);
  await memos.put(MARK, randomUUID());
}
