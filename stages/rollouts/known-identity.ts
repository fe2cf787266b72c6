/**
 * What a server last reported about itself, for commands that only read: they use what the last build learned, and
 * neither ask the server nor start it.
 */
import type { Identified } from '../../agent/client/identity.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { memoName } from '../../cache/cache.ts';
import type { AgentServices } from '../../contract/machine.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

export async function noteIdentity(
  model: ModelConfig,
  { identity, context }: Identified,
  { cache }: AgentServices,
): Promise<void> {
  const name = nameOf(model);
  const memo = canonicalJson({ identity, context });
  if (cache.database.memos.get(name) !== memo) await cache.database.memos.put(name, memo);
}

export function knownIdentity(model: ModelConfig, { cache }: AgentServices): Result<Identified, Infra> {
  const known = cache.database.memos.get(nameOf(model));
  if (typeof known === 'string') return success(JSON.parse(known) as Identified);
  return fault(
    infra('endpoint', `which weights ${model.name ?? 'the model'} has is not known until a build asks`),
  );
}

function nameOf(model: ModelConfig): string {
  return memoName('model identity and context', model);
}
