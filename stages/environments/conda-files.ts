/** Reads conda files among the requirements files of a recipe, for pip. */
import { posix } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { type CondaFile, type LocalProject, readCondaFile } from '../../tasks/python/conda-file.ts';

/** By the path that the recipe names; includes and projects are relative to the repository. */
export type CondaFiles = ReadonlyMap<string, CondaFile>;

/** `read` gives a file's text, or null when it is not there. A fault is the recipe's answer. */
export function readCondaFiles(
  paths: readonly string[],
  read: (path: string) => string | null,
): Result<CondaFiles, Outcome> {
  const files = new Map<string, CondaFile>();
  for (const [index, path] of paths.entries()) {
    if (!isCondaFile(path)) continue;
    const text = read(path);
    const file = text === null ? fault('it is not in the repository') : readCondaFile(text);
    if (!file.ok) {
      const detail = `packages[${index}]: ${path}: ${file.fault}`;
      return fault({ status: 'failed', reason: 'install-failed', detail });
    }
    const within = (include: string) => posix.normalize(posix.join(posix.dirname(path), include));
    const { includes, projects } = file.value;
    files.set(path, {
      ...file.value,
      includes: includes.map(within),
      projects: projects.map((one) => ({ ...one, folder: within(one.folder) })),
    });
  }
  return success(files);
}

/**
 * The projects of a file that are installed with its packages. The repository's own without extras is left to the commands of
 * the recipe that install it, so that commits can share the packages.
 */
export function installedProjects(
  { projects }: Pick<CondaFile, 'projects'>,
  { install }: Pick<BuildRecipe, 'install'>,
): LocalProject[] {
  return projects.filter(({ folder, extras }) => folder !== '.' || extras !== '' || install.length === 0);
}

function isCondaFile(path: string): boolean {
  return /\.ya?ml$/.test(path);
}
