/** Makes the environment without packages, with which builds begin, while the rows of their dataset are still being read. */
import type { ResolvedConfig } from '../../contract/config.ts';
import { HOST_SERVICES, type Services } from '../../contract/machine.ts';
import { toolsOf } from '../../contract/tools.ts';
import { WORK } from '../../contract/work.ts';
import { workDeployments } from '../../contract/work-deployments.ts';
import { formatNamed } from '../../formats/registry.ts';
import { interpreterFor, PYTHON } from '../../tasks/environment/interpreter.ts';
import { prepareCreation } from './creation.ts';
import { makeEmpty } from './phases.ts';
import { DEFAULT_RECIPE } from './recipe.ts';
import { hasSteps } from './step-layers.ts';

/**
 * The deployment on which the environment without packages may be made before the rows of `dataset` are read; null: a recipe
 * or the format may name a Python, the root is another one than this machine's, or nothing is built.
 */
export function deploymentAhead(config: ResolvedConfig, dataset: string): string | null {
  const [built] = workDeployments(config, dataset).buildDeployments;
  const { recipes, python } = config.environments;
  if (built === undefined || config.deployments[built.deployment]!.base !== 'host') return null;
  if (formatNamed(config.dataset[dataset]!.format).namesPython || python.channels.length > 0) return null;
  return recipes.some((recipe) => recipe.python !== undefined) ? null : built.deployment;
}

/**
 * Makes the environment without packages in a cache that has none, where {@link deploymentAhead} says so. Builds take it from
 * the cache, or wait for it; those whose row names another Python do neither. A fault is left for them to meet.
 */
export async function createAhead(dataset: string, services: Services): Promise<void> {
  const deployment = deploymentAhead(services.config, dataset);
  if (deployment === null || hasSteps(services.cache)) return;
  const recipe = DEFAULT_RECIPE;
  const [rules, python, interpreter] = await Promise.all([
    WORK.answer({ deployment, kind: 'build' }, services),
    PYTHON.answer(recipe.python, services),
    interpreterFor(recipe.python, services),
  ]);
  if (!rules.ok || !python.ok || !interpreter.ok) return;
  const work = { ...rules.value, deployment };
  const silent = { log: () => undefined, waits: () => undefined };
  const tools = toolsOf({ ...services, ...silent }, 'environments', HOST_SERVICES);
  const creation = await prepareCreation(
    { work, python: python.value },
    interpreter.value,
    null,
    { urls: [], asOf: null },
    tools,
  );
  if (!creation.ok) return;
  const { view, basisOf } = creation.value;
  const bare = { view, packages: null, basis: basisOf({}, null) };
  await makeEmpty({ ...bare, bare, work, recipe, asOf: null, python: creation.value.python }, tools);
}
