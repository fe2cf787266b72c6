/**
 * The identity of a model, as keys hold it. A branch or tag of the hub means other weights tomorrow, so it is replaced by
 * its commit: the locked one, else the one that the hub names now, asked once per run.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import type { AgentServices } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import { hubModelOf, isFixed, modelName } from '../../tasks/pins.ts';
import { sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { hubRevision } from '../dataset/readers/hub-api.ts';

/** The identity without asking anyone; null: only the hub knows the commit. */
export function pinnedIdentity(identity: string, { pins }: Pick<AgentServices, 'pins'>): string | null {
  const model = hubModelOf(identity);
  if (model?.revision === undefined || isFixed(model.revision)) return identity;
  const commit = pins?.models?.[modelName(model)];
  return commit === undefined ? null : `${model.id}@${commit}`;
}

/** The identity with the commit that the hub names now. */
export async function fixedIdentity(
  identity: string,
  services: AgentServices,
): Promise<Result<string, Infra>> {
  const pinned = pinnedIdentity(identity, services);
  if (pinned !== null) return success(pinned);
  const { id, revision = '' } = hubModelOf(identity)!;
  const found = await once(
    services.cache,
    `hub model ${identity}`,
    () => hubRevision({ id, revision, kind: 'model' }, sourceDepsOf(services)),
    ({ ok }) => ok,
  );
  if (found.ok) return success(`${id}@${found.value.commit}`);
  const { status, detail } = found.fault;
  const known = `write its commit (${id}@COMMIT) into model.identity, or lock where the hub can be reached`;
  if (isFault(found.fault) && status === 'infra')
    return fault(infra(found.fault.reason, `${detail}; ${known}`));
  const own = `a model that is not on the hub has a name without OWNER/, such as ${id.split('/')[1]}@${revision}`;
  return fault(infra('identity-unknown', `model.identity: ${detail}; ${own}`));
}
