/**
 * An environment on another root file system than the machine's. If an image brings an environment, that one is used,
 * with the files of its repository that are not the instance's own. On any other root the environment is built as on
 * the machine's own system.
 */

import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../basics/canonical.ts';
import { plural } from '../../basics/plural.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { LayerEntry } from '../../cache/layer-manifest.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { ActionResult, OpenedItem } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import type { Work } from '../../contract/work.ts';
import type { BaseView, Workspace } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type Base, movedFrom } from '../../tasks/base/base.ts';
import type { BuiltBase } from '../../tasks/base/built.ts';
import { type BaseFacts, inspectBase, rootPath, rootVariables } from '../../tasks/base/inspect.ts';
import { openRoot, type Root } from '../../tasks/base/root.ts';
import { systemLayer } from '../../tasks/base/system.ts';
import { type BuiltEnvironment, startOf } from '../../tasks/environment/view.ts';
import { hostPython } from '../../tasks/images/host-python.ts';
import type { Interpreter } from '../../tasks/python/interpreter.ts';
import { fetchTree } from '../../tasks/source/instance-source.ts';
import { ecosystemOf } from '../../tasks/toolchains/prepare.ts';
import { environmentLayer } from './environment-layer.ts';
import { listPackages } from './list-packages.ts';

type Fault = Outcome;

/** A root that is ready for an environment. */
export interface PreparedRoot {
  built: BuiltBase;
  view: BaseView;
  /** The Python that environments are built with on it; null if the root brings its own environment, and for other ecosystems. */
  interpreter: Interpreter | null;
}

/** A place outside of the folders that each workspace has for itself. */
const OUT = '/opt/swemake-testbed';
const COPY = `mkdir -p ${OUT}/testbed; [ ! -d /testbed ] || find /testbed -mindepth 1 -maxdepth 1 ! -name .git -exec cp -dR --preserve=mode,links -t ${OUT}/testbed {} +`;
/** For environments that have no pip. */
const FREEZE =
  "python -m pip freeze --all 2> /dev/null || python -c \"import importlib.metadata as m; print(*sorted({d.metadata['Name'] + '==' + d.version for d in m.distributions()}), sep=chr(10))\"";
const COPY_TIMEOUT = 1800;

/** Opens the root, installs the recipe's Debian packages on it, and looks what it holds. */
export async function prepareRoot(
  base: Base,
  recipe: BuildRecipe,
  work: Work,
  tools: Tools,
): Promise<Result<PreparedRoot, Fault>> {
  const services = inside(tools.machine, ...HOST_SERVICES);
  const root = await openRoot(base, services, services.config.deployments[work.deployment]!.pull);
  if (!root.ok) return root;
  tellRoot(base, root.value, tools);
  const layers = root.value.layers.map(({ folder }) => folder);
  const below: BaseView = { layers, testbed: true, place: null };
  const system = await addSystem(base, below, recipe.system, work, tools);
  if (!system.ok) return system;
  const shown = { ...below, layers: [...layers, ...system.value.layers] };
  const { config } = root.value;
  const look = await inWorkspace(shown, work, tools, (workspace) =>
    inspectBase(workspace, recipe.python, rootPath(config), tools.signal),
  );
  if (!look.ok) return look;
  // An environment that the root brings is Python's.
  const isPython = ecosystemOf(recipe) === null;
  const place = isPython ? look.value.place : null;
  const interpreter =
    isPython && place === null ? interpreterOf(look.value, base, recipe.python) : success(null);
  if (!interpreter.ok) return interpreter;
  const built = { ...base, system: system.value.packages, place, variables: rootVariables(config, place) };
  return success({ built, view: { ...shown, testbed: false, place }, interpreter: interpreter.value });
}

function tellRoot(base: Base, { layers, config }: Root, tools: Tools): void {
  const bytes = layers.reduce((sum, { facts }) => sum + facts.bytes, 0);
  const devices = layers.reduce((sum, { facts }) => sum + facts.devices, 0);
  const foreign = layers.reduce((sum, { facts }) => sum + facts.foreign, 0);
  const before = movedFrom(base, inside(tools.machine, ...HOST_SERVICES));
  tools.log(
    [
      `== base ${base.name} · ${base.digest} · ${plural(layers.length, 'layer')}, ${Math.round(bytes / 1e6)} MB`,
      ...(before === null ? [] : [`== note: its name meant ${before} before`]),
      ...(devices === 0 ? [] : [`== note: ${devices} devices and pipes were left out`]),
      ...(foreign === 0 ? [] : [`== note: ${foreign} entries belong to another user than the image says`]),
      ...(config.user === '' || /^(?:root|0)(?::|$)/.test(config.user)
        ? []
        : [
            `== note: the image asks for user ${config.user}; commands run as root, as in the official harness`,
          ]),
      '',
    ].join('\n'),
  );
}

async function addSystem(
  base: Base,
  view: BaseView,
  packages: readonly string[],
  work: Work,
  tools: Tools,
): Promise<Result<{ layers: string[]; packages: BuiltBase['system'] }, Fault>> {
  if (packages.length === 0) return success({ layers: [], packages: null });
  tools.log(`== system: ${packages.join(' ')}\n`);
  const request = { base, view, packages, deployment: work.deployment, log: tools.log };
  const made = await systemLayer(request, inside(tools.machine, ...HOST_SERVICES));
  if (!made.ok) return made;
  const { folder, digest } = made.value;
  return success({ layers: [folder], packages: { packages, digest } });
}

/** The root's own Python, in the form that the providers of environments take. */
function interpreterOf(
  { python }: BaseFacts,
  { name, digest }: Base,
  wanted: string | null,
): Result<Interpreter, Infra> {
  if (python === null) {
    const what = wanted === null ? 'Python 3' : `Python ${wanted}`;
    return fault(
      infra('python-missing', `base ${name} has no ${what}; choose one that has, or another version`),
    );
  }
  const { version, executable, hasVenv } = python;
  return success({
    version,
    executable: hostPython(),
    prefix: executable.replace(/\/bin\/[^/]*$/, ''),
    identity: `${digest} ${version}`,
    mounts: [],
    links: {},
    insideExecutable: executable,
    hasVenv,
    library: '/nonexistent',
  });
}

async function inWorkspace<T>(
  base: BaseView,
  work: Work,
  tools: Tools,
  use: (workspace: Workspace) => Promise<Result<T, Fault>>,
  variables: Record<string, string> = {},
): Promise<Result<T, Fault>> {
  const deployment = await inside(tools.machine, 'deployment').deployment(work.deployment);
  if (!deployment.ok) return deployment;
  const { limits } = work;
  const view = { base, layers: [], mounts: [], links: {}, variables };
  const options = { limits, network: 'off', storage: 'disk', signal: tools.signal } as const;
  const opened = await deployment.value.open(view, null, options);
  if (!opened.ok) return opened;
  try {
    return await use(opened.value);
  } finally {
    await opened.value.close();
  }
}

/** The environment that the root brings. */
export async function takeEnvironment(
  { built, view }: PreparedRoot,
  recipe: BuildRecipe,
  source: PinnedSource,
  work: Work,
  tools: Tools,
): Promise<ActionResult> {
  const taken = await takeRepository(view, built.variables, work, tools);
  if (!taken.ok) return { outcome: taken.fault, outputs: {} };
  const services = inside(tools.machine, ...HOST_SERVICES);
  const { layers } = services.cache;
  const tree = await fetchTree(source, services);
  if (!tree.ok) return { outcome: tree.fault, outputs: {} };
  const repository = (await layers.entries(tree.value.layer)) ?? [];
  const { entries, changed } = environmentLayer(repository, taken.value.entries);
  if (changed.length > 0)
    tools.log(
      `== note: the image's repository differs in ${plural(changed.length, 'file')}, shown by instances as they are in their own source: ${changed.slice(0, 20).join(', ')}\n`,
    );
  const layer = await layers.compose(entries);
  if (layer === null) throw new LostOutput('a file of an environment');
  tools.log(`== the environment of the image, at ${built.place}; nothing is installed\n`);
  const environment: BuiltEnvironment = {
    layer: layer.digest,
    python: recipe.python,
    interpreter: built.digest,
    variables: recipe.env,
    ...startOf(recipe),
    base: built,
  };
  return {
    outcome: { status: 'ok' },
    outputs: {
      environment: tools.store(canonicalJson(environment)),
      layer: { kind: 'layer', digest: layer.digest },
    },
    notes: {
      'pip freeze': tools.store(taken.value.packages),
      size: tools.store(canonicalJson({ files: layer.files, bytes: layer.bytes })),
    },
  };
}

/** Takes the files of the image's repository, and the packages of its environment. */
function takeRepository(
  view: BaseView,
  variables: Record<string, string>,
  work: Work,
  tools: Tools,
): Promise<Result<{ entries: LayerEntry[]; packages: string }, Fault>> {
  const { cache } = inside(tools.machine, 'cache');
  const { signal } = tools;
  return inWorkspace(
    { ...view, testbed: true },
    work,
    tools,
    async (workspace) => {
      const packages = await listPackages(workspace, FREEZE, { cwd: '/', signal });
      if (!packages.ok) return packages;
      const copied = await workspace.exec(COPY, { cwd: '/', timeout: COPY_TIMEOUT, signal });
      if (!copied.ok) return copied;
      // A limit of the workspace that was reached is the answer. A repository that cannot be read says nothing about
      // the recipe.
      const met = helperFault('copying the repository of the image', copied.value);
      if (met !== null) return fault(met);
      if (copied.value.exitCode !== 0)
        return fault(
          infra(
            'helper',
            `the image's repository cannot be read: ${copied.value.output.trim().slice(0, 300)}`,
          ),
        );
      const changes = await workspace.changes();
      if (!changes.ok) return changes;
      const into = temporaryPath(cache.folder);
      await mkdir(into);
      await rename(join(changes.value.folder, OUT, 'testbed'), join(into, 'testbed'));
      const entries = await cache.layers.take(into, (path) =>
        tools.log(`== note: ${path} is left out: its name is not UTF-8\n`),
      );
      return success({ entries, packages: packages.value });
    },
    variables,
  );
}

/** A workspace on the environment that the root brings, with the root's own repository visible. */
export async function openTaken(
  { built, view }: PreparedRoot,
  recipe: BuildRecipe,
  work: Work,
  tools: Tools,
): Attempt<OpenedItem> {
  const deployment = await inside(tools.machine, 'deployment').deployment(work.deployment);
  if (!deployment.ok) return deployment;
  const { limits, network } = work;
  const variables = { ...built.variables, ...recipe.env };
  const shown = { base: { ...view, testbed: true }, layers: [], mounts: [], links: {}, variables };
  const options = { limits, network, storage: 'disk', signal: tools.signal } as const;
  const opened = await deployment.value.open(shown, null, options);
  if (!opened.ok) return opened;
  return success({
    workspace: opened.value,
    about: [`The environment of ${built.name}, as the image has it.`],
  });
}
