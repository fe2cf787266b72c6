/** The recipe that a repository's files propose, at the commit that is mutated. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result } from '../../basics/result.ts';
import { withLocks } from '../../cache/key-lock.ts';
import type { Mutated } from '../../tasks/mutation/mutated.ts';
import { type FetchOptions, fetchMutated } from '../../tasks/mutation/package-source.ts';
import { type NoProposal, proposeRecipe, type RecipeProposal } from './propose-recipe.ts';

/** Why there is none, with the exit code of the command that asks. */
export interface NoRecipe extends NoProposal {
  code: 1 | 3;
}

export async function proposeFor(
  mutated: Mutated,
  shared: Omit<FetchOptions, 'sourcesFolder' | 'locks'>,
): Promise<Result<RecipeProposal, NoRecipe>> {
  const work = mkdtempSync(join(tmpdir(), 'swemake-init-'));
  try {
    const sourcesFolder = join(work, 'mirrors');
    const source = await withLocks(join(work, 'locks'), (locks) =>
      fetchMutated(mutated, work, { ...shared, sourcesFolder, locks }),
    );
    if (!source.ok)
      return fault({ code: 3, message: source.fault.detail, remedy: 'check the address of the repository' });
    const proposed = await proposeRecipe(source.value.folder, shared);
    if (proposed.ok) return proposed;
    if ('remedy' in proposed.fault) return fault({ code: 1, ...proposed.fault });
    return fault({ code: 3, message: proposed.fault.detail, remedy: 'run the command again' });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
