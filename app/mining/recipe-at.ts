/** The recipe that the files of a commit propose, and what they say of packages that are missing and of files with tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { type Infra, isFault } from '../../schemas/outcome.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { findInterpreter } from '../../tasks/python/interpreter.ts';
import type { SourceFault } from '../../tasks/source/fault.ts';
import { exportCommit, type GitDeps } from '../../tasks/source/git-mirror.ts';
import { type Lacking, lackingIn } from '../init/lacking.ts';
import { type NoProposal, proposeRecipe } from '../init/propose-recipe.ts';
import { recipeOf } from '../mutation/tests.ts';
import { type Collects, collectsIn } from './collects.ts';

export interface RecipeAt {
  recipe: PartialRecipe;
  lacking: Lacking;
  collects: Collects;
}

export interface RecipeOptions {
  url: string;
  repo: string;
  /** What rows say of the recipe; null: what the files propose. */
  recipe: PartialRecipe | null;
  project: ResolvedProject;
}

export async function recipeAt(
  commit: string,
  { url, repo, recipe, project }: RecipeOptions,
  deps: GitDeps,
): Promise<Result<RecipeAt, Infra | SourceFault | NoProposal>> {
  const { env, signal } = deps;
  const python = await findInterpreter(null, { env });
  if (!python.ok) return python;
  const work = await mkdtemp(join(tmpdir(), 'swemake-mine-'));
  try {
    const folder = join(work, 'source');
    const exported = await exportCommit(url, commit, folder, deps);
    if (!exported.ok) return exported;
    const proposed = recipe === null ? await proposeRecipe(folder, { env, signal }) : success({ recipe });
    if (!proposed.ok) return proposed;
    const own = proposed.value.recipe;
    const whole = recipeOf({ repo, version: '', recipe: own }, project);
    const lacking = await lackingIn(folder, { recipe: whole, python: python.value.executable, signal });
    if (!lacking.ok) return lacking;
    const collects = await collectsIn(folder, { recipe: whole, python: python.value.executable, signal });
    if (!collects.ok) return collects;
    return success({ recipe: own, lacking: lacking.value, collects: collects.value });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The same for an older commit: `newest` where its files propose nothing, another language, or no packages for tests. */
export async function olderRecipeAt(
  commit: string,
  newest: RecipeAt,
  options: RecipeOptions,
  deps: GitDeps,
): Promise<Result<RecipeAt, Infra>> {
  const older = await recipeAt(commit, options, deps);
  // What the machine could not read says nothing of the files.
  if (!older.ok && 'status' in older.fault && isFault(older.fault)) return fault(older.fault);
  if (!older.ok || older.value.recipe.ecosystem !== newest.recipe.ecosystem) return success(newest);
  const { ecosystem, packages, install, pip = [] } = older.value.recipe;
  const says = ecosystem !== undefined || packages !== undefined || install !== undefined || pip.length > 1;
  return success(says ? older.value : newest);
}
