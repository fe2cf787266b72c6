/**
 * Which weights a server reported last, for commands that only read: they tell how things stand by what the last build
 * learned, and neither ask the server nor start it.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import { memoName } from '../../cache/cache.ts';
import type { Services } from '../../contract/machine.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

export async function noteIdentity(model: ModelConfig, identity: string, { cache }: Services): Promise<void> {
  const name = nameOf(model);
  if (cache.database.memos.get(name) !== identity) await cache.database.memos.put(name, identity);
}

export function knownIdentity(model: ModelConfig, { cache }: Services): Result<string, Infra> {
  const known = cache.database.memos.get(nameOf(model));
  if (typeof known === 'string') return success(known);
  return fault(
    infra('endpoint', `which weights ${model.name ?? 'the model'} has is not known before a build asks`),
  );
}

function nameOf(model: ModelConfig): string {
  return memoName('model identity', model);
}
