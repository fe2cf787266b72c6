/**
 * Which environments a dataset needs, and which instance uses which: for example 130 environments for 50,000
 * instances. Two instances share one if the built part of their recipes is the same, and the commit at which the
 * project is installed.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { once } from '../../contract/once.ts';
import { answerDigest } from '../../contract/question.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { type BuildDeployment, WORK_DEPLOYMENTS } from '../../contract/work-deployments.ts';
import { isManifestOf } from '../../ecosystems/after-patch.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { ownChanges } from '../../patches/manifest-diff.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import {
  type BuildRecipe,
  buildPart,
  DEFAULT_ECOSYSTEM,
  type PartialRecipe,
  type TestRecipe,
  testPart,
} from '../../schemas/recipe.ts';
import { imageOf } from '../../tasks/images/instance-image.ts';
import type { Catalogue, CatalogueRow } from '../dataset/blocks/catalogue.ts';
import { ENVIRONMENT_BASE, type EnvironmentBase } from './environment-base.ts';
import { RECIPES } from './freeze.ts';
import { looksAtInstances, type ReadRule, resolveRecipe } from './recipe.ts';
import { readsRepository } from './requirement-files.ts';

export interface EnvironmentPlan {
  /** The item's name: the group's own name, with a mark when several recipes share it. */
  name: string;
  repo: string;
  recipe: BuildRecipe;
  /** The instances' own code, at which the project is installed. If nothing is installed, the code of one of them. */
  source: PinnedSource;
  /** The code whose requirements files are read; null when none are read. */
  requirements: PinnedSource | null;
  /** The image that its rows name, if environments are built on images. */
  image?: string;
  /** What its instances' own patches change of the manifests, as a diff; absent: nothing. */
  afterPatch?: string;
  /** How many instances use it. */
  instances: number;
  /** Where it is built. */
  deployment: string;
}

/** The questions that a stage asks when it reads an assignment. */
export const ASSIGNMENT_ASKS = [RECIPES, ENVIRONMENT_BASE, WORK_DEPLOYMENTS];

/** An instance's environment, as an index in `environments`, and how its tests are run. */
interface RowAssignment {
  environment: number;
  tests: TestRecipe;
}

type Unplaced = Omit<EnvironmentPlan, 'deployment'>;

export interface Assignment {
  environments: EnvironmentPlan[];
  assignmentOf(row: Pick<CatalogueRow, 'id' | 'group'>): RowAssignment;
}

/** The assignment of a dataset to the environments built on one deployment, as the plan of a stage reads it. */
export async function readAssignment(
  reader: Pick<PlanReader, 'ask' | 'dataset'>,
  catalogue: Catalogue,
  builtOn: BuildDeployment,
): Attempt<Assignment> {
  const recipes = await reader.ask(RECIPES, null);
  if (!recipes.ok) return recipes;
  const asked = await reader.ask(ENVIRONMENT_BASE, {
    deployment: builtOn.deployment,
    dataset: reader.dataset,
  });
  if (!asked.ok) return asked;
  const { rules } = recipes.value;
  const base = asked.value;
  const { deployment, suffix } = builtOn;
  const make = async (): Promise<Assignment> => {
    const root = base.kind === 'host' ? undefined : { images: rowImages(catalogue, base) };
    const { environments, assignmentOf } = assign(catalogue, rules, root, manifestChanges(catalogue, rules));
    const built = environments.map((plan) => ({ ...plan, name: `${plan.name}${suffix}`, deployment }));
    return { environments: built, assignmentOf };
  };
  // Several stages read it, so it is made once.
  const name = `assignment ${answerDigest(recipes.value)} ${answerDigest(asked.value)} ${deployment} ${suffix}`;
  return success(await once(catalogue, name, make));
}

/** What rows' own patches change of manifests that the recipe fetches packages for, by their ids. */
function manifestChanges(catalogue: Catalogue, rules: readonly ReadRule[]): Map<string, string> {
  const found = new Map<string, string>();
  const builds = (recipe: PartialRecipe) => ecosystemNamed(recipe.ecosystem ?? DEFAULT_ECOSYSTEM).build;
  // Rows are only read where some have an ecosystem that can fetch for them.
  const given = [...rules, ...catalogue.groups.map(({ recipe }) => recipe)];
  if (!given.some((recipe) => builds(recipe)?.afterPatch !== undefined)) return found;
  const rows = catalogue.plannedRows;
  let at = 0;
  for (const instance of catalogue.read(rows)) {
    const { id, group } = rows[at++]!;
    const recipe = resolveRecipe(catalogue.groups[group]!, id, rules);
    const build = builds(recipe);
    if (!recipe.install_after_patch || build?.afterPatch === undefined) continue;
    const diff = ownChanges(instance, (path) => isManifestOf(build, recipe.packages, path));
    if (diff !== '') found.set(id, diff);
  }
  return found;
}

/** The image of each row by its id; null if environments are not built on images. */
function rowImages(catalogue: Catalogue, base: EnvironmentBase): ReadonlyMap<string, string> | null {
  if (base.kind !== 'row') return null;
  const images = new Map<string, string>();
  for (const { instance_id, raw } of catalogue.read(catalogue.plannedRows)) {
    const image = imageOf({ instance_id, raw }, base);
    if (image !== null) images.set(instance_id, image);
  }
  return images;
}

/**
 * True when each commit has an environment of its own: the project itself is installed, or the package index is that
 * of the commit's day.
 */
export function isOfCommit(recipe: BuildRecipe): boolean {
  return installsProject(recipe) || recipe.as_of === 'commit';
}

/** True when steps are run at the instance's own commit. */
export function installsProject({ submodules = [], pre_install, install }: BuildRecipe): boolean {
  return submodules.length + pre_install.length + install.length > 0;
}

/**
 * Groups rows by source and built recipe, in the order of the rows. Single rows are read only where rules name them.
 * `base` is given when environments are built on another root than the machine's: a root may bring its own
 * repository. It holds the images by the rows' ids.
 */
export function assign(
  catalogue: Pick<Catalogue, 'groups' | 'plannedRows'>,
  rules: readonly ReadRule[],
  base?: { images: ReadonlyMap<string, string> | null },
  changes: ReadonlyMap<string, string> = new Map(),
): { environments: Unplaced[]; assignmentOf: Assignment['assignmentOf'] } {
  const environments: Unplaced[] = [];
  const index = new Map<string, number>();
  const assigned = (id: string, groupIndex: number): RowAssignment => {
    const group = catalogue.groups[groupIndex]!;
    const recipe = resolveRecipe(group, id, rules);
    const afterPatch = changes.get(id);
    const build = {
      ...buildPart(recipe),
      ...(afterPatch === undefined ? {} : { after_patch: digestOf(afterPatch) }),
    };
    const { environment_name: name, source, repo } = group;
    const requirements = readsRepository(build) ? group.environment_source : null;
    const image = base?.images?.get(id);
    const point = isOfCommit(build) || base !== undefined ? source : null;
    const identity = canonicalJson([
      name,
      point,
      requirements,
      build,
      ...(image === undefined ? [] : [image]),
    ]);
    const known = index.get(identity);
    const plan: Unplaced = { name, repo, recipe: build, source, requirements, instances: 0 };
    if (image !== undefined) plan.image = image;
    if (afterPatch !== undefined) plan.afterPatch = afterPatch;
    const environment = known ?? environments.push(plan) - 1;
    index.set(identity, environment);
    return { environment, tests: testPart(recipe) };
  };
  const byRow = new Map<string, RowAssignment>();
  const byGroup: RowAssignment[] = [];
  if (looksAtInstances(rules) || base?.images || changes.size > 0) {
    for (const row of catalogue.plannedRows) {
      const found = assigned(row.id, row.group);
      byRow.set(row.id, found);
      environments[found.environment]!.instances += 1;
    }
  } else {
    for (const [group, { rows }] of catalogue.groups.entries()) {
      byGroup[group] = assigned('', group);
      environments[byGroup[group].environment]!.instances += rows;
    }
  }
  return {
    environments: withUniqueNames(environments),
    assignmentOf: (row) => byRow.get(row.id) ?? byGroup[row.group]!,
  };
}

/** If several have the same name, the commit is added to it, and a digest if that is not enough. */
function withUniqueNames(environments: Unplaced[]): Unplaced[] {
  const isAlone = counter(environments.map(({ name }) => name));
  const byCommit = environments.map(({ name, source }) => `${name}~${commitMark(source)}`);
  const isUnique = counter(byCommit);
  return environments.map((plan, index) => {
    if (isAlone(plan.name)) return plan;
    if (isUnique(byCommit[index]!)) return { ...plan, name: byCommit[index]! };
    const mark = digestOf(
      canonicalJson([
        plan.recipe,
        plan.source,
        plan.requirements,
        ...(plan.image === undefined ? [] : [plan.image]),
      ]),
    ).slice(0, 6);
    return { ...plan, name: `${byCommit[index]}.${mark}` };
  });
}

function commitMark({ digest }: PinnedSource): string {
  return digest.replace(/^\w+:/, '').slice(0, 8);
}

/** Says whether a name occurs once. */
function counter(names: readonly string[]): (name: string) => boolean {
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return (name) => count.get(name) === 1;
}
