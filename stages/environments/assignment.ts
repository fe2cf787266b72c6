/**
 * Which environments a dataset needs and which instance uses which: some 130 environments for 50,000 instances.
 * Two instances share one when their source, and the part of their recipe that is built, are the same.
 */
import { canonicalJson } from '../../cache/canonical.ts';
import { digestOf } from '../../schemas/digest.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import type { RecipeRule, ResolvedConfig } from '../config.ts';
import type { Catalogue, CatalogueRow } from '../dataset/catalogue.ts';
import type { Services } from '../stage.ts';
import {
  type BuildRecipe,
  buildPart,
  looksAtInstances,
  resolveRecipe,
  type TestRecipe,
  testPart,
} from './recipe.ts';

export interface EnvironmentPlan {
  /** The item's name: the group's own name, with a mark when several recipes share it. */
  name: string;
  repo: string;
  recipe: BuildRecipe;
  source: PinnedSource;
  /** How many instances use it. */
  instances: number;
}

export interface Assignment {
  environments: EnvironmentPlan[];
  /** For each row of the catalogue: index in `environments`, and how its tests are run. */
  rows: { environment: number; tests: TestRecipe }[];
}

/** The assignment of a dataset, computed once per run. */
export function assignmentOf(dataset: string, catalogue: Catalogue, services: Services): Assignment {
  const name = `assignment ${dataset}`;
  const known = services.shared.get(name) as Assignment | undefined;
  if (known !== undefined) return known;
  const made = assign(catalogue, services.config.environments.recipes);
  services.shared.set(name, made);
  return made;
}

/** Pure: groups rows by source and built recipe, in the order of the rows. */
export function assign(catalogue: Catalogue, rules: readonly RecipeRule[]): Assignment {
  const environments: EnvironmentPlan[] = [];
  const index = new Map<string, number>();
  const perGroup = new Map<number, Assignment['rows'][number]>();
  const individually = looksAtInstances(rules);
  const place = (row: CatalogueRow): Assignment['rows'][number] => {
    const group = catalogue.groups[row.group]!;
    const recipe = resolveRecipe(group, row.id, rules);
    const build = buildPart(recipe);
    const identity = canonicalJson([group.environment_name, group.environment_source, build]);
    let environment = index.get(identity);
    if (environment === undefined) {
      const plan = {
        name: group.environment_name,
        repo: group.repo,
        recipe: build,
        source: group.environment_source,
      };
      environment = environments.push({ ...plan, instances: 0 }) - 1;
      index.set(identity, environment);
    }
    return { environment, tests: testPart(recipe) };
  };
  const rows = catalogue.rows.map((row) => {
    const known = individually ? undefined : perGroup.get(row.group);
    const placed = known ?? place(row);
    perGroup.set(row.group, placed);
    environments[placed.environment]!.instances += 1;
    return placed;
  });
  return { environments: withUniqueNames(environments), rows };
}

function withUniqueNames(environments: EnvironmentPlan[]): EnvironmentPlan[] {
  const count = new Map<string, number>();
  for (const { name } of environments) count.set(name, (count.get(name) ?? 0) + 1);
  return environments.map((plan) => {
    if (count.get(plan.name) === 1) return plan;
    const mark = digestOf(canonicalJson([plan.recipe, plan.source])).slice(0, 6);
    return { ...plan, name: `${plan.name}~${mark}` };
  });
}

/** The slice of the project that decides an assignment. */
export function recipeSlice(config: ResolvedConfig): RecipeRule[] {
  return config.environments.recipes;
}
