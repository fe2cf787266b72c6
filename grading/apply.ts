/**
 * How patches are applied, as commands to run in /testbed. Attempts go from exact to lenient, and a failed one leaves
 * the tree as it was: task state (a bug, hidden tests) lies there uncommitted and must not be reset away.
 */
import type { FilePatch } from './patch.ts';
import { placeSections } from './patch-place.ts';
import { readPatch } from './patch-read.ts';
import { invertPatch, writePatch } from './patch-write.ts';
import { shellWord } from './shell.ts';

/** reverse takes the patch back: the gold of a task whose own patch makes the bug. */
export type ApplyRole = 'apply' | 'reverse';

/** The role in which a row's patch solves the task. */
export function goldRole(patchRole: 'fix' | 'bug'): ApplyRole {
  return patchRole === 'fix' ? 'apply' : 'reverse';
}

export interface Attempts {
  exact: string[];
  /** Where the context of a hunk may differ. */
  lenient: string[];
}

/**
 * Commands to try in order until one exits with 0. Of upstream's attempts, `git apply --reject` is left out since
 * it ends well exactly when plain `git apply` does, and `--3way` since it leaves conflict markers behind. Line numbers
 * are all that places hunks without context.
 */
export function applyAttempts(path: string, { bare = false }: { bare?: boolean } = {}): Attempts {
  const file = shellWord(path);
  const git = 'git apply --verbose --whitespace=nowarn';
  const patch = `patch --unified --batch --silent --forward --fuzz=5 -p1 -i ${file}`;
  return {
    exact: [`${git} ${file}`, ...(bare ? [`${git} --unidiff-zero ${file}`] : [])],
    lenient: [`${patch} --dry-run && ${patch} --no-backup-if-mismatch`],
  };
}

/** Succeeds when a patch is in the tree already; `inverse` holds the one that takes it back. */
export function alreadyApplied(inverse: string): string {
  return `git apply --check --whitespace=nowarn ${shellWord(inverse)}`;
}

/** Whether one of its hunks has no line of context. */
export function hasBareHunks(files: readonly FilePatch[]): boolean {
  return files.some(
    ({ change, content }) =>
      change !== 'added' &&
      change !== 'deleted' &&
      content.kind === 'text' &&
      content.hunks.some((hunk) => !hunk.lines.some((line) => line.startsWith(' '))),
  );
}

/** The diff in git's own form, or the one that takes it back, with names as it alone tells them; null: it has none. */
export function canonicalDiff(diff: string, role: ApplyRole): string | null {
  const { sections, strange } = readPatch(diff);
  const { files, unclear } = placeSections(sections, null);
  if (strange.length > 0 || unclear.length > 0 || files.length === 0) return null;
  const wanted = role === 'reverse' ? invertPatch(files) : files;
  return wanted === null ? null : writePatch(wanted);
}
