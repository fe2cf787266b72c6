/** A built environment: the answer of the stage, and what a workspace shows of it. */
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { LostOutput, readText } from '../../cache/cache.ts';
import type { HostServices } from '../../contract/machine.ts';
import { mountsOf, type Work } from '../../contract/work.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { type Attempt, type Infra, infra } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { type BuiltBase, openBuiltBase } from '../base/built.ts';
import { layerDamage } from '../layer-damage.ts';
import { buildOf, type Ecosystem, ecosystemOf, openToolchains } from '../toolchains/prepare.ts';
import { interpreterFor } from './interpreter.ts';

/** The `environment` output of the stage. */
export interface BuiltEnvironment {
  /** The dependency layer. */
  layer: Digest;
  /** The Python version that the recipe asks for. */
  python: string | null;
  /** Identity of the interpreter that it was built with. */
  interpreter: string;
  /** Variables of the recipe. */
  variables: Record<string, string>;
  /** Commands that are run when a workspace is opened on it. */
  start?: string[];
  /** Absent: Python. */
  ecosystem?: Ecosystem;
  /** Layers of its toolchains. */
  toolchains?: Digest[];
  /** What it was built on; absent: the machine's own system. */
  base?: BuiltBase;
}

/**
 * Variables that every environment has: its own programs come first, and text is UTF-8. Only the kind of characters is
 * set, as Python does where nothing is: all else of `C.UTF-8` equals `C`, and costs every command twelve files to read.
 */
export const ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  PATH: '/opt/env/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  VIRTUAL_ENV: '/opt/env',
  LC_CTYPE: 'C.UTF-8',
};

/** What of a recipe is done when a workspace is opened. */
export function startOf(recipe: BuildRecipe): Pick<BuiltEnvironment, 'start'> {
  const wanted = ecosystemOf(recipe);
  const start = [...(wanted === null ? [] : buildOf(wanted).start), ...(recipe.start_commands ?? [])];
  return start.length === 0 ? {} : { start };
}

/** What the environment's record says. */
export async function readEnvironment(
  record: Pick<ActionRecord, 'outputs'>,
  services: HostServices,
): Promise<BuiltEnvironment> {
  const text = await readText(services.cache, record.outputs.environment);
  if (text === null) throw new LostOutput('the description of an environment');
  return JSON.parse(text) as BuiltEnvironment;
}

/** The view of a built environment, with the interpreter that it was built with. */
export async function environmentView(
  built: BuiltEnvironment,
  services: HostServices,
  work: Pick<Work, 'deployment'>,
): Attempt<EnvironmentView> {
  const layer = await openLayer(built, services);
  if (!layer.ok) return layer;
  const toolchains = await openToolchains(built.toolchains ?? [], services);
  if (!toolchains.ok) return toolchains;
  if (built.base !== undefined) {
    const base = await openBuiltBase(built.base, work.deployment, services);
    if (!base.ok) return base;
    return success({
      base: base.value,
      layers: [...toolchains.value, layer.value],
      mounts: mountsOf(work, services),
      links: {},
      variables: { ...ENVIRONMENT_VARIABLES, ...built.base.variables, ...built.variables },
    });
  }
  // An environment that was accepted may be of an older program, which knew the machine's own system alone.
  const { base = 'host' } = services.config.deployments[work.deployment]!;
  if (base !== 'host')
    return fault(
      infra('environment-broken', `it was not made for ${base}; build it with --force, or accept it again`),
    );
  if (built.ecosystem !== undefined)
    return success({
      layers: [...toolchains.value, layer.value],
      mounts: mountsOf(work, services),
      links: {},
      variables: { ...ENVIRONMENT_VARIABLES, ...built.variables },
    });
  const interpreter = await interpreterFor(built.python, services);
  if (!interpreter.ok) return interpreter;
  if (interpreter.value.identity !== built.interpreter) {
    return fault(
      infra('python-missing', 'the interpreter changed since the environment was built; build again'),
    );
  }
  const { mounts, links } = interpreter.value;
  return success({
    layers: [layer.value],
    mounts: [...mounts, ...mountsOf(work, services)],
    links,
    variables: { ...ENVIRONMENT_VARIABLES, ...built.variables },
  });
}

async function openLayer(
  { layer }: BuiltEnvironment,
  services: HostServices,
): Promise<Result<string, Infra>> {
  const folder = await services.cache.layers.open(layer);
  if (folder === null)
    return fault(infra('environment-broken', `layer ${layer} is gone or damaged; build again`));
  const problem = await layerDamage(layer, services);
  if (problem !== null) return fault(infra('environment-broken', `its layer is damaged: ${problem}`));
  return success(folder);
}
