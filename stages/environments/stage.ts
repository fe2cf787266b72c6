/**
 * environments: one dependency layer per distinct recipe and source. The layer holds `/opt/env` and what the
 * installation added under `/testbed`; the repository itself is not in it, since every instance brings its own.
 */
import { mkdirSync } from 'node:fs';
import { canonicalJson } from '../../basics/canonical.ts';
import { type Result, success } from '../../basics/result.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { environmentDatasets } from '../../contract/config.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import type { ActionResult, Item } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { mountsOf, readWork, WORK, type Work } from '../../contract/work.ts';
import type { EnvironmentView, ExecResult, NetworkSeen, Workspace } from '../../executors/deployment.ts';
import { killedFault } from '../../grading/helper.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { interpreterFor, PYTHON, providerFor } from '../../tasks/environment/interpreter.ts';
import { type BuiltEnvironment, ENVIRONMENT_VARIABLES } from '../../tasks/environment/view.ts';
import { constraints, packageLines } from '../../tasks/pins.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';
import { buildSettings as packageSettings } from '../../tasks/python/settings.ts';
import { fetchTree, sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { readCatalogue } from '../dataset/catalogue.ts';
import { type EnvironmentPlan, readAssignment } from './assignment.ts';
import { collectLayer } from './collect.ts';
import { missingPackages } from './debian.ts';
import { RECIPES } from './freeze.ts';
import { recipeHint } from './hints.ts';
import { isOwnLimit, memoryFault, networkFault, networkStall } from './outside.ts';
import { type BuildStep, buildSteps, tellingLine } from './steps.ts';

/** Inside, for builds that must come to what a lock file says. */
const CONSTRAINTS = '/tmp/swemake-constraints.txt';
/** Seconds for a step of ours; the recipe's limit is for what the recipe says. */
const CREATE_TIMEOUT = 1800;

export const environmentsStage = defineStage({
  name: 'environments',
  version: 2,
  exports: false,
  asks: [RECIPES, PYTHON, WORK],
  tellingNotes: ['pip freeze'],

  nodes: (config) =>
    environmentDatasets(config).map((dataset) => ({ dataset, inputs: { dataset: `dataset.${dataset}` } })),

  async plan(reader, machine) {
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const assignment = await readAssignment(reader, await readCatalogue(rows.value, machine));
    if (!assignment.ok) return assignment;
    const work = await readWork(reader, await reader.config('validation', 'deployment'), 'build');
    if (!work.ok) return work;
    const items = [];
    for (const plan of assignment.value.environments) {
      const python = await reader.ask(PYTHON, plan.recipe.python);
      const data = { plan, python, work: work.value, address: `environments.${reader.dataset}@${plan.name}` };
      items.push({ name: plan.name, needs: {}, resources: { sandbox: 1, cpu: 1 }, data });
    }
    return success(items);
  },

  inputs(item, { plan: { recipe, source }, python, work, address }) {
    if (!python.ok) return python as Result<never, Infra>;
    return success({
      work,
      recipe: item.value(recipe),
      source: item.value(source.digest),
      python: item.value(python.value),
      // Where the source is to be had, and what a lock file calls the environment.
      place: item.aside({ source, address }),
    });
  },

  async run({ work, recipe, place }, tools) {
    const lack = await missingPackages(recipe.system);
    if (lack !== null) return { outcome: lack, outputs: {} };
    const services = inside(tools.machine);
    const interpreter = await interpreterFor(recipe.python, services);
    if (!interpreter.ok) return { outcome: interpreter.fault, outputs: {} };
    const tree = await fetchTree(place.source, services);
    if (!tree.ok) return { outcome: tree.fault, outputs: {} };
    const sourceLayer = await services.cache.layers.open(tree.value.layer);
    if (sourceLayer === null)
      return { outcome: infra('source-fetch', `${place.source.spec}: its layer is damaged`), outputs: {} };
    const prepared = await providerFor(services).prepare(interpreter.value);
    if (!prepared.ok) return { outcome: prepared.fault, outputs: {} };
    const own = tools.secrets.reveal(recipe.env);
    if (!own.ok) return { outcome: own.fault, outputs: {} };
    const { mounts, links, variables } = prepared.value;
    const indexes = await services.packageIndex?.urls(work.network, null);
    const host = packageSettings(services.env, work.network, indexes);
    const packages = services.pins?.packages?.[place.address] ?? null;
    const constrained = packages === null ? {} : { PIP_CONSTRAINT: CONSTRAINTS, UV_CONSTRAINT: CONSTRAINTS };
    const view: EnvironmentView = {
      layers: [],
      mounts: [...mounts, ...host.mounts, ...mountsOf(work, tools.machine)],
      links,
      variables: { ...ENVIRONMENT_VARIABLES, ...host.variables, ...variables, ...constrained, ...own.value },
    };
    const log = (text: string) => tools.log(host.redact(text));
    const job = {
      work,
      recipe,
      packages,
      view,
      sourceLayer,
      python: prepared.value,
      interpreter: interpreter.value.identity,
    };
    return build(job, { ...tools, log });
  },
});

/** The plan behind an item of this stage, for who takes an environment over in place of building it. */
export function environmentPlanOf({ data }: Item): EnvironmentPlan {
  return (data as PlannedItem<{ plan: EnvironmentPlan }>).data.plan;
}

interface Build {
  work: Work;
  recipe: BuildRecipe;
  /** What a lock file says that the environment must hold. */
  packages: readonly string[] | null;
  view: EnvironmentView;
  sourceLayer: string;
  python: PreparedPython;
  interpreter: string;
}

async function build(job: Build, tools: Tools): Promise<ActionResult> {
  const { limits, network } = job.work;
  const deployment = await inside(tools.machine).deployment(job.work.deployment);
  if (!deployment.ok) return { outcome: deployment.fault, outputs: {} };
  const options = { limits, network, storage: 'disk', signal: tools.signal } as const;
  const opened = await deployment.value.open(job.view, { layer: job.sourceLayer }, options);
  if (!opened.ok) return { outcome: opened.fault, outputs: {} };
  const workspace = opened.value;
  try {
    if (job.packages !== null) await workspace.write(CONSTRAINTS, constraints(job.packages));
    const installed = await install(workspace, job, tools);
    if (installed !== null) return { outcome: underLock(installed, job.packages), outputs: {} };
    return await keep(workspace, job, tools);
  } finally {
    await workspace.close();
  }
}

/** Runs the steps; the outcome of the first that does not end well, or null. */
async function install(workspace: Workspace, job: Build, tools: Tools): Promise<Outcome | null> {
  const { timeout } = job.recipe;
  let left = timeout;
  for (const step of buildSteps(job.recipe, job.python)) {
    const since = performance.now();
    const limit = step.isOurs ? CREATE_TIMEOUT : left;
    const ran = await workspace.exec(step.command, { timeout: limit, signal: tools.signal });
    if (!ran.ok) return ran.fault;
    const { value } = ran;
    tools.log(stepLog(step, value));
    if (!step.isOurs) left = Math.max(1, left - value.durationMs / 1000);
    if (!value.timedOut && value.exitCode === 0) continue;
    const seen = workspace.network(since);
    return (await outsideFault({ step, ran: value, seen }, job, tools)) ?? failure(step, value, timeout);
  }
  return null;
}

function failure(step: BuildStep, ran: ExecResult, timeout: number): Outcome {
  if (ran.timedOut) {
    const detail = `${step.name} ran into the recipe’s limit of ${timeout} s`;
    return { status: 'timeout', reason: 'time-limit', detail };
  }
  const detail = `${step.name}: ${tellingLine(ran.output)}${recipeHint(ran.output)}`;
  return { status: 'failed', reason: 'install-failed', detail };
}

interface FailedStep {
  step: BuildStep;
  ran: ExecResult;
  seen: NetworkSeen | null;
}

/** Why a step did not end well that is no answer of the recipe; null when it is one. */
async function outsideFault(
  failed: FailedStep,
  { work, python }: Build,
  tools: Tools,
): Promise<Infra | null> {
  const { step, ran } = failed;
  const killed = killedFault(step.name, ran);
  if (killed !== null) return killed;
  const short = ran.timedOut ? null : memoryFault(ran, work.limits.memory);
  if (short !== null) return infra('out-of-memory', `${step.name}: ${short}`);
  if (/No space left on device|Disk quota exceeded/.test(ran.output) && !ran.timedOut)
    return infra('disk-full', `${step.name}: ${tellingLine(ran.output)}`);
  if (step.isOurs && !isOwnLimit(ran, work.limits.memory)) {
    const damage = await python.mend();
    const how = ran.timedOut ? 'it took too long' : tellingLine(ran.output);
    return infra('executor', `${step.name}: ${damage ?? how}`);
  }
  return lostNetwork(failed, work, tools);
}

/**
 * The fault when the way to packages is broken: it was while the step ran, or the index does not answer now. A package
 * manager that got no answer may just say that there is no such package.
 */
async function lostNetwork(
  { step, ran, seen }: FailedStep,
  { network }: Work,
  tools: Tools,
): Promise<Infra | null> {
  if (network === 'off') return null;
  const shown = ran.timedOut ? networkStall(ran.output, seen) : networkFault(ran.output, seen);
  if (shown !== null) return infra('network', `${step.name}: ${shown}`);
  const asked = await sourceDepsOf(inside(tools.machine)).index.files('pip', tools.signal);
  if (asked.ok || asked.fault.status !== 'infra') return null;
  const detail = `${step.name} did not succeed while the index was out of reach: ${asked.fault.detail}`;
  return infra('package-index', detail);
}

function stepLog(step: BuildStep, ran: ExecResult): string {
  const end = ran.timedOut ? 'time limit' : `exit code ${ran.exitCode ?? ran.exitSignal}`;
  return `== ${step.name} · ${end} · ${(ran.durationMs / 1000).toFixed(1)} s\n$ ${step.command}\n${ran.output}\n`;
}

/** Turns what the installation wrote into the environment's layer, and notes what is in it. */
async function keep(workspace: Workspace, job: Build, tools: Tools): Promise<ActionResult> {
  const list = await note(workspace, job.python.freezeCommand, tools);
  if (!list.ok) return { outcome: list.fault, outputs: {} };
  const drift = packageDrift(job.packages, list.value);
  if (drift !== null) return { outcome: drift, outputs: {} };
  const check = await note(workspace, 'python -m pip check', tools);
  if (!check.ok) return { outcome: check.fault, outputs: {} };
  tools.log(`== pip check\n${check.value}\n`);
  const { cache } = inside(tools.machine);
  const folder = temporaryPath(cache.folder);
  mkdirSync(folder);
  const changed = await collectLayer(await workspace.changes(), job.sourceLayer, folder);
  if (changed.length > 0) {
    tools.log(
      `== note: the installation changed files of the repository, which instances will not see: ${changed.join(', ')}\n`,
    );
  }
  const layer = await cache.layers.add(folder);
  const built: BuiltEnvironment = {
    layer: layer.digest,
    python: job.recipe.python,
    interpreter: job.interpreter,
    variables: job.recipe.env,
  };
  return {
    outcome: { status: 'ok' },
    outputs: {
      environment: tools.store(canonicalJson(built)),
      layer: { kind: 'layer', digest: layer.digest },
    },
    notes: {
      'pip freeze': tools.store(list.value),
      'pip check': tools.store(check.value),
      size: tools.store(canonicalJson({ files: layer.files, bytes: layer.bytes })),
    },
  };
}

/** What fails with the lock's packages might not fail without them, so it is no answer of the recipe. */
function underLock(outcome: Outcome, locked: readonly string[] | null): Outcome {
  if (locked === null || outcome.status !== 'failed') return outcome;
  const detail = `it was built when it was locked, and now it cannot be: ${outcome.detail}`;
  return infra('lock-drift', `${detail}; to go on with what there is now, lock again`);
}

/** A fault when the environment does not hold what the lock file says. */
function packageDrift(locked: readonly string[] | null, freeze: string): Infra | null {
  if (locked === null) return null;
  const built = packageLines(freeze);
  const gone = locked.filter((line) => !built.includes(line)).map((line) => `- ${line}`);
  const come = built.filter((line) => !locked.includes(line)).map((line) => `+ ${line}`);
  if (gone.length + come.length === 0) return null;
  const detail = [...gone, ...come].join(', ');
  return infra('lock-drift', `its packages are not those of the lock file: ${detail}`);
}

async function note(
  workspace: Workspace,
  command: string,
  tools: Tools,
): Promise<Result<string, Infra | Outcome>> {
  const ran = await workspace.exec(command, { timeout: 60, signal: tools.signal });
  return ran.ok ? success(ran.value.output) : ran;
}
