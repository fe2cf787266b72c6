/**
 * environments: what instances run in, without their own code. An environment holds `/opt/env` and what the
 * installation added below `/testbed`. Instances of one commit share one, and all instances of a version share the
 * packages that the recipe names.
 */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { environmentDatasets, rowsAddress } from '../../contract/config.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES, type HostServices, inside } from '../../contract/machine.ts';
import type { PlanReader } from '../../contract/reader.ts';
import type { ActionResult, Item } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type Attempt, type Infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { BASE, type Base, type BaseAnswer, isMissing } from '../../tasks/base/base.ts';
import { interpreterFor, PYTHON } from '../../tasks/environment/interpreter.ts';
import { momentOf } from '../../tasks/index/as-of.ts';
import type { Interpreter } from '../../tasks/python/interpreter.ts';
import { toolVersions } from '../../tasks/python/pins.ts';
import { HISTORY, type HistorySeen } from '../../tasks/source/history-seen.ts';
import { parseSpec } from '../../tasks/source/spec.ts';
import { type Ecosystem, ecosystemOf, STEPS } from '../../tasks/toolchains/prepare.ts';
import { TOOLCHAINS } from '../../tasks/toolchains/toolchain.ts';
import { readCatalogue } from '../dataset/blocks/catalogue.ts';
import {
  ASSIGNMENT_ASKS,
  type EnvironmentPlan,
  installsProject,
  isOfCommit,
  readAssignment,
} from './assignment.ts';
import { type Build, CONSTRAINTS, type Histories } from './build-step.ts';
import { type CreationInputs, prepareCreation } from './creation.ts';
import { missingPackages } from './debian.ts';
import { viewIndex } from './index-view.ts';
import { openTaken, type PreparedRoot, prepareRoot, takeEnvironment } from './on-base.ts';

/** Environments for which questions about repositories and images are asked at the same time. */
const AT_ONCE = 8;

export const environmentsStage = defineStage({
  name: 'environments',
  version: 12,
  uses: HOST_SERVICES,
  exports: false,
  mayBeGivenUp: true,
  asks: [...ASSIGNMENT_ASKS, PYTHON, TOOLCHAINS, STEPS, WORK, BASE, HISTORY],
  comparedNotes: ['pip freeze'],

  nodes: (config) =>
    environmentDatasets(config).map((dataset) => ({
      dataset,
      inputs: { dataset: rowsAddress(config, dataset) },
    })),

  async plan(reader, machine) {
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const catalogue = await readCatalogue(rows.value, machine);
    const items = [];
    for (const builtOn of (await readWorkDeployments(reader)).buildDeployments) {
      const { deployment } = builtOn;
      const assignment = await readAssignment(reader, catalogue, builtOn);
      if (!assignment.ok) return assignment;
      const work = await readWork(reader, deployment, 'build');
      if (!work.ok) return work;
      const plans = assignment.value.environments;
      // All questions of one kind, then those of the next, so that the order is always the same.
      const bases = await mapLimit(plans, AT_ONCE, ({ image = null }) =>
        reader.ask(BASE, { deployment, image }),
      );
      const pythons = await mapLimit(plans, AT_ONCE, ({ recipe }, index) =>
        readPython(reader, bases[index]!, recipe),
      );
      const steps = await mapLimit(plans, AT_ONCE, async ({ recipe }) =>
        ecosystemOf(recipe) === null ? success(null) : reader.ask(STEPS, recipe),
      );
      const seen = await mapLimit(plans, AT_ONCE, (plan) => readSeen(reader, plan));
      for (const [index, plan] of plans.entries()) {
        const { name } = plan;
        const asked = {
          ...{ base: bases[index]!, python: pythons[index]!, seen: seen[index]! },
          steps: steps[index]!,
        };
        const data = { plan, ...asked, work: work.value, address: `environments.${reader.dataset}@${name}` };
        items.push({ name, needs: {}, resources: { sandbox: 1, cpu: 1 }, deployment, data });
      }
    }
    return success(items);
  },

  inputs(item, { plan, base, python, steps, seen, work, address }) {
    if (!base.ok) return base as Result<never, Infra>;
    if (!python.ok) return python as Result<never, Infra>;
    if (!seen.ok) return seen as Result<never, Infra>;
    if (!steps.ok) return steps as Result<never, Infra>;
    const { recipe, source } = plan;
    const { histories, requirements, lost } = seen.value;
    const [own, missing] = isMissing(base.value) ? [null, base.value.missing] : [base.value, null];
    return success({
      work,
      recipe: item.value(recipe),
      source: item.value(isOfCommit(recipe) || own !== null ? source.digest : null),
      requirements: item.value(requirements?.digest ?? null),
      python: item.value(python.value),
      // That of Python is in the part above.
      ...(base.value === null || ecosystemOf(recipe) === null
        ? {}
        : { root: item.value(missing ?? own!.digest) }),
      // What runs for another ecosystem, and what it places, is code of ours.
      ...(steps.value === null ? {} : { steps: item.value(steps.value) }),
      // A source without a history has no such part in its key.
      ...(Object.keys(histories).length === 0
        ? {}
        : { history: item.value(histories as Record<string, Json>) }),
      // Where the sources are, and what a lock file calls the environment.
      place: item.unkeyed({
        ...{ source, requirements, lost, histories, address, base: own, missing },
        // The recipe has its digest.
        afterPatch: plan.afterPatch ?? null,
      }),
    });
  },

  async run(inputs, tools) {
    const { work, recipe, place } = inputs;
    const root = await rootOf(inputs, tools);
    if (!root.ok) return { outcome: root.fault, outputs: {} };
    if (root.value !== null && root.value.built.place !== null)
      return takeEnvironment(root.value, recipe, place.source, work, tools);
    const prepared = await prepareBuild(inputs, root.value, tools);
    if (!prepared.ok) return { outcome: prepared.fault, outputs: {} };
    const { job, log, noted } = prepared.value;
    if (place.lost !== null)
      log(`== note: there is no ${place.lost}; requirements files are those of ${place.source.spec}\n`);
    const { build } = await import('./build.ts');
    return noted(await build(job, { ...tools, log }));
  },

  async open(inputs, tools) {
    const root = await rootOf(inputs, tools);
    if (!root.ok) return root;
    if (root.value !== null && root.value.built.place !== null)
      return openTaken(root.value, inputs.recipe, inputs.work, tools);
    const prepared = await prepareBuild(inputs, root.value, tools);
    if (!prepared.ok) return prepared;
    const { job, log } = prepared.value;
    const { openAfterSteps } = await import('./build.ts');
    return openAfterSteps(job, { ...tools, log });
  },
});

interface BuildInputs extends CreationInputs {
  recipe: BuildRecipe;
  place: Pick<EnvironmentPlan, 'source'> &
    WholeHistory & {
      /** What the task's own patches change of the manifests; null: nothing. */
      afterPatch: string | null;
      address: string;
      base: Base | null;
      /** What the registry says that lacks its image; null: none does. */
      missing: string | null;
    };
}

interface PreparedBuild {
  job: Build;
  /** Appends to the item's log, without the passwords of addresses. */
  log(text: string): void;
  /** Adds notes about the index to a result. */
  noted(result: ActionResult): ActionResult;
}

/** The root that the environment is built on; null: the machine's own system. */
async function rootOf(
  { work, recipe, place: { base, missing } }: BuildInputs,
  tools: Tools,
): Attempt<PreparedRoot | null> {
  if (missing !== null) {
    const detail = `${missing}; each build asks for it again`;
    return fault({ status: 'failed', reason: 'invalid-row', detail });
  }
  return base === null ? success(null) : prepareRoot(base, recipe, work, tools);
}

/** Prepares the build of an item's inputs on this machine. */
async function prepareBuild(
  { work, recipe, python, place: { base: _base, missing: _missing, ...place } }: BuildInputs,
  root: PreparedRoot | null,
  tools: Tools,
): Attempt<PreparedBuild> {
  const lack = root === null ? await missingPackages(recipe.system) : null;
  if (lack !== null) return fault(lack);
  const services = inside(tools.machine, ...HOST_SERVICES);
  const maker = await makerOf(recipe, root?.interpreter ?? null, services);
  if (!maker.ok) return maker;
  const revealed = tools.secrets.reveal(recipe.env);
  if (!revealed.ok) return revealed;
  const index = await viewIndex(recipe, place.source, work.network, tools);
  if (!index.ok) return index;
  const created = await prepareCreation({ work, python }, maker.value, root, index.value, tools);
  if (!created.ok) return created;
  const { view: bare, basisOf, redact } = created.value;
  const packages = services.pins?.packages?.[place.address] ?? null;
  const constrained = packages === null ? {} : { PIP_CONSTRAINT: CONSTRAINTS, UV_CONSTRAINT: CONSTRAINTS };
  const added = {
    ...(created.value.python.solve === undefined ? {} : condaMoment(index.value.asOf)),
    ...root?.built.variables,
    // The path of its toolchains comes before that of the root.
    ...('ecosystem' in maker.value ? created.value.python.variables : {}),
  };
  const view: EnvironmentView = { ...bare, variables: { ...bare.variables, ...added } };
  const job: Build = {
    work,
    recipe,
    ...place,
    packages,
    view: { ...view, variables: { ...view.variables, ...constrained, ...revealed.value } },
    bare: { view, packages: null, basis: basisOf({}, null) },
    python: created.value.python,
    interpreter: 'ecosystem' in maker.value ? '' : maker.value.identity,
    toolchains: 'ecosystem' in maker.value ? (python as Record<string, Digest>) : {},
    asOf: index.value.asOf,
    ...(root === null ? {} : { base: root.built }),
    basis: basisOf(recipe.env, packages),
  };
  const log = (text: string) => tools.log(redact(text));
  return success({ job, log, noted: index.value.noted });
}

/** What makes the environment: an interpreter, or the tools of another ecosystem. */
async function makerOf(
  recipe: BuildRecipe,
  own: Interpreter | null,
  services: HostServices,
): Promise<Result<Interpreter | Ecosystem, Infra>> {
  const ecosystem = ecosystemOf(recipe);
  if (ecosystem !== null) return success(ecosystem);
  return own === null ? interpreterFor(recipe.python, services) : success(own);
}

/** The moment that limits which packages of conda are seen. */
function condaMoment(asOf: string | null): Record<string, string> {
  const moment = asOf === null ? null : momentOf(asOf);
  return moment === null ? {} : { SWEMAKE_CONDA_AS_OF: String(moment) };
}

/** What its steps see of the repository. */
interface WholeHistory {
  histories: Histories;
  /** The code whose requirements files are read; null when none are read. */
  requirements: PinnedSource | null;
  /** The source that the row names for them and that the repository lacks: the instance's own code is read instead. */
  lost: string | null;
}

async function readSeen(
  reader: PlanReader,
  { recipe, source, requirements }: EnvironmentPlan,
): Attempt<WholeHistory> {
  const installs = installsProject(recipe);
  const look = (seen: PinnedSource | null) =>
    seen === null ? success(null) : reader.ask(HISTORY, { spec: seen.spec, digest: seen.digest });
  const [own, wanted] = await Promise.all([look(installs ? source : null), look(requirements)]);
  if (!own.ok && isFault(own.fault)) return own;
  if (!wanted.ok && isFault(wanted.fault)) return wanted;
  // A clone without the branch of a release lacks the commits that rows name there.
  if (!wanted.ok && own.ok && requirements !== null && isOfOne(source, requirements)) {
    const found = await look(source);
    if (found.ok) return success(seenOf(own.value, found.value, source, requirements.spec));
    if (isFault(found.fault)) return found;
  }
  // A commit that is not there has no history; the build says so, and a repository that gets it gives another key.
  return success(seenOf(own.ok ? own.value : null, wanted.ok ? wanted.value : null, requirements, null));
}

function seenOf(
  own: HistorySeen | null,
  wanted: HistorySeen | null,
  requirements: PinnedSource | null,
  lost: string | null,
): WholeHistory {
  const histories = {
    ...(own === null ? {} : { source: own }),
    ...(wanted === null ? {} : { requirements: wanted }),
  };
  return { histories, requirements, lost };
}

/** True for two commits of one repository. */
function isOfOne(one: PinnedSource, other: PinnedSource): boolean {
  const [first, second] = [parseSpec(one.spec), parseSpec(other.spec)];
  if (!first.ok || !second.ok || first.value.kind !== 'git' || second.value.kind !== 'git') return false;
  return first.value.url === second.value.url;
}

/** What makes environments: the machine's Python and its tools, Python on another root, or toolchains. */
async function readPython(
  reader: PlanReader,
  base: Result<BaseAnswer, Outcome>,
  recipe: BuildRecipe,
): Attempt<Record<string, string>> {
  if (!base.ok) return base;
  const ecosystem = ecosystemOf(recipe);
  if (ecosystem !== null) return reader.ask(TOOLCHAINS, ecosystem);
  const version = recipe.python;
  if (base.value === null) return reader.ask(PYTHON, version);
  // It is in the key, so that an image that comes gives another one.
  if (isMissing(base.value)) return success(base.value);
  const { digest } = base.value;
  const provider = await reader.config('environments', 'python', 'provider');
  return success({ base: digest, provider, tools: digestOf(canonicalJson(toolVersions())) });
}

/** A root that is not the machine's own, and where it is shown. */
export interface StandsOn {
  base: Base;
  deployment: string;
}

/** The root that an item of this stage is built on, to fetch it in advance; null: there is nothing to fetch. */
export function rootOfItem({ data }: Item): StandsOn | null {
  const planned = data as PlannedItem<{ base: Result<BaseAnswer, Infra>; deployment: string }>;
  const { base } = planned.data;
  if (!base.ok || base.value === null || planned.deployment === undefined) return null;
  return isMissing(base.value) ? null : { base: base.value, deployment: planned.deployment };
}

/** What an item of this stage is, for adopting an environment in place of building it. */
export interface Planned {
  plan: EnvironmentPlan;
  work: Work;
  base: Result<BaseAnswer, Infra>;
}

export function plannedOf({ data }: Item): Planned {
  const { plan, work, base } = (data as PlannedItem<Omit<Planned, 'work'> & { work: Input<Work> }>).data;
  return { plan, work: work.open(), base };
}
