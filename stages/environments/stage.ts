/**
 * environments: what instances run in, without their own code. An environment holds `/opt/env` and what the installation
 * added under `/testbed`; instances of one commit share one, and those of one version what the recipe names.
 */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { environmentDatasets } from '../../contract/config.ts';
import { defineStage, type PlannedItem } from '../../contract/define.ts';
import { inside } from '../../contract/machine.ts';
import type { ActionResult, Item } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { mountsOf, readWork, WORK, type Work } from '../../contract/work.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { interpreterFor, PYTHON, providerFor } from '../../tasks/environment/interpreter.ts';
import { ENVIRONMENT_VARIABLES } from '../../tasks/environment/view.ts';
import { buildSettings as packageSettings } from '../../tasks/python/settings.ts';
import { readCatalogue } from '../dataset/catalogue.ts';
import { type EnvironmentPlan, isOfCommit, readAssignment } from './assignment.ts';
import { build, openAfterSteps } from './build.ts';
import { type Build, CONSTRAINTS } from './build-step.ts';
import { missingPackages } from './debian.ts';
import { RECIPES } from './freeze.ts';
import { viewIndex } from './index-view.ts';

export const environmentsStage = defineStage({
  name: 'environments',
  version: 3,
  exports: false,
  asks: [RECIPES, PYTHON, WORK],
  comparedNotes: ['pip freeze'],

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

  inputs(item, { plan, python, work, address }) {
    if (!python.ok) return python as Result<never, Infra>;
    const { recipe, source, requirements } = plan;
    return success({
      work,
      recipe: item.value(recipe),
      source: item.value(isOfCommit(recipe) ? source.digest : null),
      requirements: item.value(requirements?.digest ?? null),
      python: item.value(python.value),
      // Where the sources are to be had, and what a lock file calls the environment.
      place: item.aside({ source, requirements, address }),
    });
  },

  async run(inputs, tools) {
    const prepared = await prepareBuild(inputs, tools);
    if (!prepared.ok) return { outcome: prepared.fault, outputs: {} };
    const { job, log, noted } = prepared.value;
    return noted(await build(job, { ...tools, log }));
  },

  async open(inputs, tools) {
    const prepared = await prepareBuild(inputs, tools);
    if (!prepared.ok) return prepared;
    const { job, log } = prepared.value;
    return openAfterSteps(job, { ...tools, log });
  },
});

interface BuildInputs {
  work: Work;
  recipe: BuildRecipe;
  /** What the interpreter's question was answered. */
  python: Json;
  place: Pick<EnvironmentPlan, 'source' | 'requirements'> & { address: string };
}

interface PreparedBuild {
  job: Build;
  /** Appends to the item's log, without the passwords of addresses. */
  log(text: string): void;
  /** Adds to a result what the index has to say. */
  noted(result: ActionResult): ActionResult;
}

/** What an item's inputs come to on this machine. */
async function prepareBuild(
  { work, recipe, python, place }: BuildInputs,
  tools: Tools,
): Promise<Result<PreparedBuild, Outcome>> {
  const lack = await missingPackages(recipe.system);
  if (lack !== null) return fault(lack);
  const services = inside(tools.machine);
  const interpreter = await interpreterFor(recipe.python, services);
  if (!interpreter.ok) return interpreter;
  const prepared = await providerFor(services).prepare(interpreter.value);
  if (!prepared.ok) return prepared;
  const own = tools.secrets.reveal(recipe.env);
  if (!own.ok) return own;
  const { mounts, links, variables } = prepared.value;
  const index = await viewIndex(recipe, place.source, work.network, tools);
  if (!index.ok) return index;
  const host = packageSettings(services.env, work.network, index.value.urls);
  const packages = services.pins?.packages?.[place.address] ?? null;
  const constrained = packages === null ? {} : { PIP_CONSTRAINT: CONSTRAINTS, UV_CONSTRAINT: CONSTRAINTS };
  const view: EnvironmentView = {
    layers: [],
    mounts: [...mounts, ...host.mounts, ...mountsOf(work, tools.machine)],
    links,
    variables: { ...ENVIRONMENT_VARIABLES, ...host.variables, ...variables, ...constrained, ...own.value },
  };
  const { deployment: _, ...rules } = work;
  const job: Build = {
    work,
    recipe,
    ...place,
    packages,
    view,
    python: prepared.value,
    interpreter: interpreter.value.identity,
    asOf: index.value.asOf,
    basis: digestOf(canonicalJson([rules, python, recipe.env, packages])),
  };
  const log = (text: string) => tools.log(host.redact(text));
  return success({ job, log, noted: index.value.noted });
}

/** The plan behind an item of this stage, for who takes an environment over in place of building it. */
export function environmentPlanOf({ data }: Item): EnvironmentPlan {
  return (data as PlannedItem<{ plan: EnvironmentPlan }>).data.plan;
}
