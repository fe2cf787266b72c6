/** How much of each resource this host has, unless the project says otherwise. */
import { availableParallelism } from 'node:os';
import type { ResolvedConfig } from '../contract/config.ts';
import type { Resources } from '../contract/stage.ts';
import { deploymentKinds, outcomesOf } from '../executors/kind.ts';
import { KINDS } from '../executors/registry.ts';

/** Rollouts that run at the same time. They wait for the model most of their time. */
const ROLLOUTS = 64;

export function hostCapacity({
  deployments,
  resources,
}: Pick<ResolvedConfig, 'deployments' | 'resources'>): Resources {
  const given = Object.entries(resources).filter(
    (entry): entry is [string, number] => entry[1] !== undefined,
  );
  const kinds = deploymentKinds(KINDS);
  const used = Object.values(deployments).flatMap((one) => outcomesOf(kinds.get(one.type)!, one));
  const gpu = Math.max(0, ...Object.values(deployments).map((one) => one.resources?.gpu ?? 0));
  // Workspaces of all kinds are counted together, so the kind that holds fewest decides.
  const sandbox = Math.min(...used.map(({ capacity }) => capacity));
  return { cpu: availableParallelism(), sandbox, rollout: ROLLOUTS, gpu, ...Object.fromEntries(given) };
}
