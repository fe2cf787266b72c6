/**
 * Commands that apply a patch in /testbed. Attempts go from exact to lenient. A failed attempt leaves the files as
 * they were, since the state of the task (a bug, hidden tests) is uncommitted and must not be reset.
 */

import { shellWord } from '../basics/shell.ts';
import type { FilePatch } from './patch.ts';
import { placeSections } from './place.ts';
import { readPatch } from './read.ts';
import { invertPatch, writePatch } from './write.ts';

/** reverse: the patch is undone, which solves a task whose patch adds the bug. */
export type ApplyRole = 'apply' | 'reverse';

/** The role in which a row's patch solves the task. */
export function goldRole(patchRole: 'fix' | 'bug'): ApplyRole {
  return patchRole === 'fix' ? 'apply' : 'reverse';
}

export interface Attempts {
  exact: string[];
  /** Commands that accept hunks whose context differs. */
  lenient: string[];
}

/**
 * Commands to try in order until one exits with 0. Two of upstream's attempts are left out: `git apply --reject`
 * succeeds only when plain `git apply` does, and `--3way` leaves conflict markers. Hunks without context are placed
 * by line numbers only.
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

/** A command that succeeds when a patch is already applied; `inverse` is the path of the patch that undoes it. */
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

/** The diff in git's form, or the diff that undoes it. Names are read from the diff alone. null: it has no such form. */
export function canonicalDiff(diff: string, role: ApplyRole): string | null {
  const { sections, strange } = readPatch(diff);
  const { files, unclear } = placeSections(sections, null);
  if (strange.length > 0 || unclear.length > 0 || files.length === 0) return null;
  const wanted = role === 'reverse' ? invertPatch(files) : files;
  return wanted === null ? null : writePatch(wanted);
}
