/** The steps that make an environment: an ecosystem's own, and those that are the same for all ecosystems. */
import type { BuildRecipe } from '../schemas/recipe.ts';
import { patchedCommand } from './after-patch.ts';
import type { EcosystemBuild, EcosystemStep } from './kind.ts';

/** Git finds the submodule's commit in the checkout, so it asks no other machine. */
export function submoduleCommand(path: string): string {
  return `git submodule update --quiet --init -- '${path.replaceAll("'", `'\\''`)}'`;
}

/**
 * The steps of an ecosystem, with those that are the same for all behind the ones of dependencies: for the manifests that a task's patches
 * change, and for the submodules that the recipe names.
 */
export function stepsOf(build: EcosystemBuild, recipe: BuildRecipe): EcosystemStep[] {
  const steps = build.steps(recipe);
  const { after_patch: digest, submodules = [] } = recipe;
  const common: EcosystemStep[] = submodules.map((path, index) => ({
    name: `submodules[${index}]`,
    command: submoduleCommand(path),
    phase: 'installation',
  }));
  if (digest !== undefined && build.afterPatch !== undefined) {
    const command = patchedCommand(digest, build.afterPatch(recipe));
    common.unshift({ name: 'install_after_patch', phase: 'dependencies', command });
  }
  return steps.toSpliced(steps.findLastIndex(({ phase }) => phase !== 'installation') + 1, 0, ...common);
}
