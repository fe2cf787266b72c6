/**
 * Builds an environment in two layers. The lower one holds what the recipe names and is shared by all instances of a
 * version. The upper one holds the project, installed at the instance's own commit as in the official harness.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, success } from '../../basics/result.ts';
import { LostOutput } from '../../cache/cache.ts';
import type { LayerEntry } from '../../cache/layer-manifest.ts';
import { showLayers } from '../../cache/shown-layers.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { Tools } from '../../contract/tools.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import { type Checkout, checkoutOf } from '../../tasks/source/history.ts';
import { fetchInstanceSource, fetchTree, sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { type Build, openBuild, runStep, type StepJob } from './build-step.ts';
import { type BuildTree, EMPTY_TREE, over } from './build-tree.ts';
import { type CondaFiles, installedProjects, readCondaFiles } from './conda-files.ts';
import { environmentLayer, withFolders } from './environment-layer.ts';
import { isLocal, presentFiles, requirementFiles } from './requirement-files.ts';
import { type StepBench, stepOver } from './step-layers.ts';
import { type BuildStep, buildSteps, isOurs, type Phase } from './steps.ts';
import { hasSecret, writtenSecret } from './written-secrets.ts';

/** Seconds for one of swemake's own steps. The recipe's limit is for the steps of the recipe. */
const CREATE_TIMEOUT = 1800;

/** A tree between two steps, and the seconds that are left for the steps after it. */
interface Progress {
  tree: BuildTree;
  left: number;
}

type StepsJob = StepJob & Pick<Build, 'recipe' | 'python' | 'bare' | 'basis' | 'asOf' | 'stopped'>;

export interface Dependencies extends Progress {
  layer: Digest;
}

/** An environment without packages, which is the same for all recipes with one Python. */
export function makeEmpty(job: StepsJob, tools: Tools): Attempt<Progress> {
  const start = { tree: EMPTY_TREE, left: job.recipe.timeout };
  return runSteps(start, ofPhase(buildSteps(job.recipe, job.python), 'create'), job, tools);
}

/** The layer that all instances of a version share. */
export async function makeDependencies(job: Build, tools: Tools): Attempt<Dependencies> {
  const created = await makeEmpty(job, tools);
  if (!created.ok) return created;
  const read = await readRequirements(job, tools);
  if (!read.ok) return read;
  const { checkout, packages, condaFiles } = read.value;
  const tree = over(created.value.tree, checkout);
  const steps = ofPhase(buildSteps({ ...job.recipe, packages }, job.python, condaFiles), 'dependencies');
  const named = await runSteps({ ...created.value, tree }, steps, job, tools);
  if (!named.ok) return named;
  const { layers } = inside(tools.machine, 'cache').cache;
  const layer = await layers.compose(environmentLayer(checkout.entries, named.value.tree.entries).entries);
  const shown = layer === null ? null : await showLayers([layer.digest], layers);
  if (layer === null || shown === null) throw new LostOutput('a file of an environment');
  return success({ tree: over(EMPTY_TREE, shown), left: named.value.left, layer: layer.digest });
}

export interface Installation {
  tree: BuildTree;
  /** The repository as it was before. */
  repository: readonly LayerEntry[];
}

/** The project itself, at its instance's own commit. */
export async function makeInstallation(
  job: Build,
  { tree, left }: Dependencies,
  tools: Tools,
): Attempt<Installation> {
  const steps = ofPhase(buildSteps(job.recipe, job.python), 'installation');
  if (steps.length === 0) return success({ tree, repository: [] });
  const deps = sourceDepsOf(inside(tools.machine, ...HOST_SERVICES));
  const checkout = await checkoutOf(job.source, deps, job.histories.source, job.recipe.submodules);
  if (!checkout.ok) return checkout;
  const ended = await runSteps({ tree: over(tree, checkout.value), left }, steps, job, tools);
  if (!ended.ok) return ended;
  return success({ tree: ended.value.tree, repository: checkout.value.entries });
}

interface Requirements {
  /** The files of the repository that they read: only those, or all of them if a requirement is a path in it. */
  checkout: Checkout;
  /** The recipe's own, without those that may be missing and are. */
  packages: string[];
  condaFiles: CondaFiles;
}

async function readRequirements(job: Build, tools: Tools): Attempt<Requirements> {
  const { recipe, requirements, histories, python } = job;
  const nothing: Checkout = { layers: [], entries: [], mounts: [] };
  if (requirements === null) return success({ checkout: nothing, packages: [], condaFiles: new Map() });
  const services = inside(tools.machine, ...HOST_SERVICES);
  const deps = sourceDepsOf(services);
  const folder = await fetchInstanceSource(requirements, services);
  if (!folder.ok) return folder;
  const read = (path: string) => textOf(join(folder.value, 'testbed', path));
  const { files: packages, missing } = presentFiles(recipe.packages, read);
  if (missing.length > 0)
    tools.log(`== note: not in ${requirements.spec}, so left out of packages: ${missing.join(', ')}\n`);
  // In files of other ecosystems YAML is something else.
  const conda = python.steps === undefined ? readCondaFiles(packages, read) : success<CondaFiles>(new Map());
  if (!conda.ok) return conda;
  const condaFiles = conda.value;
  for (const [path, { left: unknown, specs }] of condaFiles) {
    const left = python.solve === undefined ? unknown : unknown.filter((one) => !specs.includes(one));
    if (left.length > 0) tools.log(`== note: of ${path} nothing is installed for: ${left.join(', ')}\n`);
  }
  const named = packages.flatMap((path) => condaFiles.get(path)?.includes ?? [path]);
  const hasProjects = [...condaFiles.values()].some((file) => installedProjects(file, recipe).length > 0);
  const files = hasProjects ? null : filesRead(named, job, read);
  if (files === null) {
    const all = await checkoutOf(requirements, deps, histories.requirements);
    return all.ok ? success({ checkout: all.value, packages, condaFiles }) : all;
  }
  const tree = await fetchTree(requirements, services);
  if (!tree.ok) return tree;
  const { layers } = services.cache;
  const all = (await layers.entries(tree.value.layer)) ?? [];
  const names = new Set(files.map((file) => `testbed/${file}`));
  const isRead = (path: string) =>
    names.has(path) || (/^testbed\//.test(path) && python.reads?.(path.slice('testbed/'.length)) === true);
  const layer = await layers.compose(withFolders(all.filter(({ path }) => isRead(path))));
  const shown = layer === null ? null : await showLayers([layer.digest], layers);
  return shown === null
    ? fault(infra('source-fetch', `${requirements.spec}: its layer is damaged`))
    : success({ checkout: { ...shown, mounts: [] }, packages, condaFiles });
}

/** The files of the repository that the steps of its dependencies see; null: all of them. */
function filesRead(
  named: readonly string[],
  { recipe, python }: Pick<Build, 'recipe' | 'python'>,
  read: (path: string) => string | null,
): readonly string[] | null {
  // Only pip's files name further ones.
  if (python.steps !== undefined) return named;
  return recipe.pip.some(isLocal) ? null : requirementFiles(named, read);
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return whenAbsent(null)(error);
  }
}

function ofPhase(steps: readonly BuildStep[], phase: Phase): BuildStep[] {
  return steps.filter((step) => step.phase === phase);
}

/** Runs the steps one after the other. The fault is the outcome of the first step that failed. */
async function runSteps(
  { tree, left }: Progress,
  steps: readonly BuildStep[],
  job: StepsJob,
  tools: Tools,
): Attempt<Progress> {
  const { secrets } = tools;
  const isSecret = hasSecret(job.recipe.env, secrets);
  const benchFor = (build: StepJob): Omit<StepBench, 'basis'> => ({
    open: (shown) => openBuild(shown, build, tools),
    run: (workspace, step, limit) => runStep(workspace, step, limit, build, tools),
    ...(isSecret ? { refuses: (step, folder) => writtenSecret(step, folder, secrets) } : {}),
  });
  const progress = { tree, left };
  for (const step of steps) {
    const build = isOurs(step) ? { ...job, ...job.bare } : job;
    // swemake's own steps do not use the index.
    const isUndated = isOurs(step) || job.asOf === null;
    const dated = isUndated ? build.basis : digestOf(canonicalJson([build.basis, job.asOf]));
    // Steps that were kept before their files were looked at are made again.
    const basis = isSecret ? digestOf(canonicalJson([dated, 'without secrets'])) : dated;
    const limit = isOurs(step) ? CREATE_TIMEOUT : progress.left;
    const end = await stepOver(progress.tree, step, limit, { ...benchFor(build), basis }, tools);
    if (!end.ok) {
      job.stopped?.(step, progress.tree);
      return end;
    }
    progress.tree = end.value.tree;
    if (!isOurs(step)) progress.left = Math.max(1, progress.left - end.value.durationMs / 1000);
  }
  return success(progress);
}
