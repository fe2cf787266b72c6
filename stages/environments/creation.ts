/** The tools and the view of the machine that all builds with one Python begin with, whatever their recipes. */
import { asJson, canonicalJson, type Json } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import type { Registry } from '../../contract/build-index.ts';
import { HOST_SERVICES, type HostServices, inside } from '../../contract/machine.ts';
import type { Tools } from '../../contract/tools.ts';
import { mountsOf, type Work } from '../../contract/work.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import { providerFor } from '../../tasks/environment/interpreter.ts';
import { ENVIRONMENT_VARIABLES } from '../../tasks/environment/view.ts';
import type { Interpreter } from '../../tasks/python/interpreter.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';
import { buildSettings } from '../../tasks/python/settings.ts';
import {
  buildOf,
  type Ecosystem,
  openToolchains,
  preparedEcosystem,
} from '../../tasks/toolchains/prepare.ts';
import type { Build } from './build-step.ts';
import type { IndexView } from './index-view.ts';
import type { PreparedRoot } from './on-base.ts';

/** What decides it. */
export interface CreationInputs {
  work: Work;
  /** The answer to the question about the interpreter, or about the toolchains of another ecosystem. */
  python: Json;
}

export interface Creation {
  python: PreparedPython;
  /** Without a recipe's variables. */
  view: EnvironmentView;
  /** Digest of all that decides a step, apart from its tree and its command; `env` and `locked` are the recipe's part. */
  basisOf(env: Json, locked: readonly string[] | null): Build['basis'];
  /** Hides passwords of addresses. */
  redact(text: string): string;
}

/** The registry of an ecosystem as a build reaches it; null: it has no network. */
async function registryOf(
  maker: Ecosystem,
  { network }: Work,
  asOf: string | null,
  { packageIndex }: HostServices,
): Promise<Registry | null> {
  const { dialect } = buildOf(maker);
  return dialect === null ? null : ((await packageIndex?.registry(dialect, network, asOf)) ?? null);
}

/** Prepares the tools for builds with this interpreter. The index stands in for the host's. */
export async function prepareCreation(
  { work, python }: CreationInputs,
  maker: Interpreter | Ecosystem,
  root: PreparedRoot | null,
  { urls, asOf }: Pick<IndexView, 'urls' | 'asOf'>,
  tools: Tools,
): Attempt<Creation> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const isPython = !('ecosystem' in maker);
  const registry = isPython ? null : await registryOf(maker, work, asOf, services);
  const prepared = isPython
    ? await providerFor(services).prepare(maker)
    : success(preparedEcosystem(maker, registry));
  if (!prepared.ok) return prepared;
  const layers = isPython
    ? success([])
    : await openToolchains(Object.values(python as Record<string, Digest>), services);
  if (!layers.ok) return layers;
  const { mounts, links, variables } = prepared.value;
  const host = buildSettings(
    services.env,
    work.network,
    registry === null ? urls : [...urls, registry.origin],
  );
  const view: EnvironmentView = {
    ...(root === null ? {} : { base: root.view }),
    layers: layers.value,
    mounts: [...mounts, ...host.mounts, ...mountsOf(work, tools.machine)],
    links,
    variables: { ...ENVIRONMENT_VARIABLES, ...host.variables, ...variables },
  };
  const { deployment: _, ...rules } = work;
  const built = root === null ? [] : [asJson(root.built)];
  return success({
    python: prepared.value,
    view,
    basisOf: (env, locked) => digestOf(canonicalJson([rules, python, env, locked as Json, ...built])),
    redact: host.redact,
  });
}
