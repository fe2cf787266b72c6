/** An environment that was built elsewhere, made into the answer that building it here would have given. */
import { existsSync, mkdirSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { storeText } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { HOST_SERVICES, type Services } from '../../contract/machine.ts';
import type { ActionResult } from '../../contract/stage.ts';
import { toolsOf } from '../../contract/tools.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { isMissing } from '../../tasks/base/base.ts';
import { interpreterFor } from '../../tasks/environment/interpreter.ts';
import { type BuiltEnvironment, environmentView, startOf } from '../../tasks/environment/view.ts';
import type { Interpreter } from '../../tasks/python/interpreter.ts';
import { fetchTree } from '../../tasks/source/instance-source.ts';
import { unpackArchive } from '../../tasks/source/unpack.ts';
import { ecosystemOf } from '../../tasks/toolchains/prepare.ts';
import { readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';
import type { EnvironmentPlan } from './assignment.ts';
import { environmentLayer } from './environment-layer.ts';
import { firstThere, type PathFacts, testbedPaths, venvPaths } from './minisandbox.ts';
import { type PreparedRoot, prepareRoot } from './on-base.ts';
import type { Planned } from './stage.ts';
import { findVenv, relocateVenv } from './venv-tree.ts';

/** Instances whose paths are tried. */
const TRIED = 200;

export interface AdoptRequest {
  /** The answered dataset. */
  record: ActionRecord;
  planned: Planned;
  /** Folders: a ready environment, or the roots of a SWE-MiniSandbox cache; or a `venv.tar.gz`. */
  from: readonly string[];
}

/** The answer, or why the tree cannot be taken. The source tree may be fetched. */
export async function adoptEnvironment(
  request: AdoptRequest,
  services: Services,
): Promise<Result<ActionResult, string>> {
  const { plan } = request.planned;
  if (ecosystemOf(plan.recipe) !== null)
    return fault(`--from takes environments of Python, and its recipe is of ${plan.recipe.ecosystem}`);
  let log = '';
  const ground = await groundOf(request.planned, services, (text) => {
    log += text;
  });
  if (!ground.ok) return ground;
  const { root, interpreter } = ground.value;
  const tree = await fetchTree(plan.source, services);
  if (!tree.ok) return fault(tree.fault.detail);
  const source = await services.cache.layers.open(tree.value.layer);
  if (source === null) return fault(`the layer of ${plan.source.spec} is damaged; build again`);
  const work = temporaryPath(services.cache.folder);
  mkdirSync(work);
  try {
    const placed = await placeTrees(request, work, services);
    if (!placed.ok) return placed;
    const moved = await relocateVenv(join(work, 'opt/env'), interpreter);
    if (!moved.ok) return moved;
    const { layers } = services.cache;
    const repository = (await layers.entries(tree.value.layer)) ?? [];
    const layer = await layers.compose(environmentLayer(repository, await layers.take(work)).entries);
    if (layer === null) return fault('the cache lost a file of it; try again');
    const built: BuiltEnvironment = {
      layer: layer.digest,
      python: plan.recipe.python,
      interpreter: interpreter.identity,
      variables: plan.recipe.env,
      ...startOf(plan.recipe),
      ...(root === null ? {} : { base: root.built }),
    };
    const packages = await packagesOf(built, plan, source, services);
    if (!packages.ok) return packages;
    const { cache } = services;
    log += `== adopted from ${placed.value.join(' and ')}; it was made for ${moved.value}\n`;
    return success({
      outcome: { status: 'ok' },
      outputs: {
        environment: storeText(cache, canonicalJson(built)),
        layer: { kind: 'layer', digest: layer.digest },
      },
      notes: {
        'pip freeze': storeText(cache, packages.value),
        size: storeText(cache, canonicalJson({ files: layer.files, bytes: layer.bytes })),
        log: storeText(cache, log),
      },
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Ground {
  /** Null: the machine's own system. */
  root: PreparedRoot | null;
  interpreter: Interpreter;
}

/** What the environment stands on: the root that a build of it would have, and the Python there. */
async function groundOf(
  { plan: { recipe }, work, base }: Planned,
  services: Services,
  log: (text: string) => void,
): Promise<Result<Ground, string>> {
  if (!base.ok) return fault(base.fault.detail);
  if (isMissing(base.value)) return fault(base.value.missing);
  if (base.value === null) {
    const interpreter = await interpreterFor(recipe.python, services);
    if (!interpreter.ok) return fault(interpreter.fault.detail);
    return success({ root: null, interpreter: interpreter.value });
  }
  const tools = toolsOf({ ...services, log, waits: log }, 'environments', HOST_SERVICES);
  const root = await prepareRoot(base.value, recipe, work, tools);
  if (!root.ok) return fault('detail' in root.fault ? root.fault.detail : root.fault.status);
  const { interpreter, built } = root.value;
  if (interpreter === null)
    return fault(`${built.name} has an environment of its own at ${built.place}, and that one is used`);
  return success({ root: root.value, interpreter });
}

/** Puts the environment to `opt/env` of `work` and a repository to `testbed`; the value is what was taken. */
async function placeTrees(
  request: AdoptRequest,
  work: string,
  services: Services,
): Promise<Result<string[], string>> {
  const { from } = request;
  const missing = from.find((path) => !existsSync(path));
  if (missing !== undefined) return fault(`${missing} does not exist`);
  const instances = await instancesOf(request, services);
  const tried = from.flatMap((root) => venvPaths(root, instances));
  const archive = from.find((path) => path.endsWith('.tar.gz')) ?? firstThere(tried);
  const place = join(work, 'opt/env');
  await mkdir(dirname(place), { recursive: true });
  const ready = archive === null ? await firstVenv(from) : null;
  if (archive === null && ready === null)
    return fault(
      `there is neither a virtual environment nor a venv.tar.gz in ${from.join(', ')}; looked for ${tried.slice(0, 3).join(', ')}`,
    );
  if (archive === null) {
    await cp(ready!, place, { recursive: true, verbatimSymlinks: true });
    return success([ready!]);
  }
  const unpacked = `${work}/unpacked`;
  const packed = await unpackArchive(archive, unpacked, archive);
  if (!packed.ok) return fault(packed.fault.detail);
  const venv = await findVenv(unpacked);
  if (venv === null) return fault(`${archive} holds no virtual environment (no pyvenv.cfg)`);
  await cp(venv, place, { recursive: true, verbatimSymlinks: true });
  await rm(unpacked, { recursive: true });
  const testbed = firstThere(from.flatMap((root) => testbedPaths(root, instances)));
  if (testbed === null) return success([archive]);
  const source = await unpackArchive(testbed, unpacked, testbed);
  if (!source.ok) return fault(source.fault.detail);
  const inner = join(unpacked, 'testbed');
  await cp(existsSync(inner) ? inner : unpacked, join(work, 'testbed'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await rm(unpacked, { recursive: true });
  return success([archive, testbed]);
}

async function firstVenv(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const found = await findVenv(folder);
    if (found !== null) return found;
  }
  return null;
}

/** Instances of the environment's group. SWE-MiniSandbox makes its paths from their names. */
async function instancesOf(
  { record, planned: { plan } }: AdoptRequest,
  services: Services,
): Promise<PathFacts[]> {
  const catalogue = await readCatalogue(record, services);
  const own = catalogue.groups.map(
    ({ environment_name: name, environment_source: source }) =>
      source.digest === plan.source.digest && (plan.name === name || plan.name.startsWith(`${name}~`)),
  );
  const rows = catalogue.rows.filter(({ group }) => own[group]).slice(0, TRIED);
  return Promise.all(rows.map((row) => readInstance(record, row, services)));
}

/** `pip freeze` inside. It also shows that the interpreter starts. */
async function packagesOf(
  built: BuiltEnvironment,
  { deployment: name }: EnvironmentPlan,
  source: string,
  services: Services,
): Promise<Result<string, string>> {
  const settings = services.config.deployments[name]!;
  const view = await environmentView(built, services, { deployment: name });
  if (!view.ok) return fault('detail' in view.fault ? view.fault.detail : view.fault.status);
  const deployment = await services.deployment(name);
  if (!deployment.ok) return fault(deployment.fault.detail);
  const options = {
    limits: settings.limits,
    network: 'off',
    storage: 'memory',
    signal: services.signal,
  } as const;
  const opened = await deployment.value.open(view.value, { layer: source }, options);
  if (!opened.ok) return fault(opened.fault.detail);
  try {
    const ran = await opened.value.exec('python -m pip freeze --all', {
      timeout: 60,
      signal: services.signal,
    });
    if (!ran.ok) return fault(ran.fault.detail);
    if (ran.value.exitCode === 0) return success(ran.value.stdout);
    return fault(`its python or pip does not run here: ${ran.value.output.trim().split('\n').at(-1)}`);
  } finally {
    await opened.value.close();
  }
}
