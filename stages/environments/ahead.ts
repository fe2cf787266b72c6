/** Makes the environment without packages, with which builds begin, while the rows of their dataset are still being read. */
import { type Services, SITE } from '../../contract/machine.ts';
import { toolsOf } from '../../contract/tools.ts';
import { WORK, type WorkIdentity } from '../../contract/work.ts';
import { workDeployments } from '../../contract/work-deployments.ts';
import { interpreterFor, PYTHON } from '../../tasks/environment/interpreter.ts';
import { prepareCreation } from './creation.ts';
import { makeEmpty } from './phases.ts';
import { DEFAULT_RECIPE } from './recipe.ts';
import { hasSteps } from './step-layers.ts';

/** Formats whose rows seldom name a Python. */
const PLAIN: readonly string[] = ['custom', 'mutation'];

/**
 * Makes the environment without packages in a cache that has none, where it is known which one the dataset's builds begin
 * with: no recipe and no format names a Python, and they are built on this machine's own system. Builds take it from the
 * cache, or wait for it. A fault is left for them to meet.
 */
export async function createAhead(dataset: string, services: Services): Promise<void> {
  const { cache, config } = services;
  if (hasSteps(cache)) return;
  const [built] = workDeployments(config, dataset).buildDeployments;
  const { format } = config.dataset[dataset]!;
  const { recipes, python: settings } = config.environments;
  if (built === undefined || config.deployments[built.deployment]!.base !== 'host') return;
  if (!PLAIN.includes(format) || settings.channels.length > 0) return;
  if (recipes.some(({ python }) => python !== undefined)) return;
  const { deployment } = built;
  const recipe = DEFAULT_RECIPE;
  const [rules, python, interpreter] = await Promise.all([
    WORK.answer({ deployment, kind: 'build' }, services),
    PYTHON.answer(recipe.python, services),
    interpreterFor(recipe.python, services),
  ]);
  if (!rules.ok || !python.ok || !interpreter.ok) return;
  const work = { ...(rules.value as unknown as WorkIdentity), deployment };
  const silent = { log: () => undefined, waits: () => undefined };
  const tools = toolsOf({ ...services, ...silent }, 'environments', SITE);
  const creation = await prepareCreation({ work, python: python.value }, interpreter.value, null, [], tools);
  if (!creation.ok) return;
  const { view, basisOf } = creation.value;
  const bare = { view, packages: null, basis: basisOf({}, null) };
  await makeEmpty({ ...bare, bare, work, recipe, asOf: null, python: creation.value.python }, tools);
}
