/**
 * How patches are applied, as commands to run in /testbed, and what is looked at before a patch that a model wrote
 * is applied at all. Attempts go from exact to lenient; none leaves a half-applied tree, or it says how to undo it.
 */

import { touchedFiles } from './patch.ts';
import { shellWord } from './shell.ts';

/** forward: apply. reverse: take back, as the gold of a task whose patch makes the bug. */
export type Direction = 'forward' | 'reverse';

/** What a patch is used as. */
export type PatchUse = 'gold' | 'bug' | 'submission' | 'tests';

export interface ApplyAttempt {
  name: 'git-apply' | 'git-apply-3way' | 'patch';
  command: string;
  /** To run after a failure, before the next attempt; null when a failure leaves nothing behind. */
  undo: string | null;
}

/** The direction in which a row's patch makes the gold state (`gold`), or the broken one (`bug`). */
export function patchDirection(use: PatchUse, patchRole: 'fix' | 'bug'): Direction {
  if (use === 'gold') return patchRole === 'fix' ? 'forward' : 'reverse';
  if (use === 'bug') return patchRole === 'bug' ? 'forward' : 'reverse';
  return 'forward';
}

/**
 * Attempts for the patch file at `path`, in order. The tree must be committed: undoing resets to HEAD. Upstream's
 * `git apply --reject` is left out, since it ends well exactly when plain `git apply` does.
 */
export function applyAttempts(path: string, direction: Direction): ApplyAttempt[] {
  const file = shellWord(path);
  const reverse = direction === 'reverse' ? ' --reverse' : '';
  const patch = `patch --batch ${direction === 'reverse' ? '--reverse' : '--forward'} --fuzz=5 -p1 -i ${file}`;
  return [
    { name: 'git-apply', command: `git apply --verbose${reverse} ${file}`, undo: null },
    {
      name: 'git-apply-3way',
      command: `git apply --verbose --3way${reverse} ${file}`,
      undo: 'git reset -q --hard HEAD',
    },
    { name: 'patch', command: `${patch} --dry-run && ${patch} --no-backup-if-mismatch`, undo: null },
  ];
}

/** Succeeds when the patch is in the tree already. */
export function alreadyApplied(path: string, direction: Direction): string {
  const reverse = direction === 'reverse' ? '' : ' --reverse';
  return `git apply --check${reverse} ${shellWord(path)}`;
}

export interface PatchInspection {
  /** Files that the patch touches, old and new names, without duplicates. */
  files: string[];
  binary: string[];
  /** Files that are, or become, symbolic links or submodules. */
  symlinks: string[];
  /** Names that point out of the repository or into `.git`. */
  outside: string[];
  /** Bytes of the patch as UTF-8. */
  size: number;
}

/** What a patch would touch. Nothing is applied, nothing throws. */
export function inspectPatch(diff: string): PatchInspection {
  const touched = touchedFiles(diff);
  const names = touched.flatMap((file) => (file.oldPath === null ? [file.path] : [file.oldPath, file.path]));
  const files = [...new Set(names)];
  return {
    files,
    binary: touched.filter((file) => file.binary).map((file) => file.path),
    symlinks: touched
      .filter((file) => file.mode === '120000' || file.mode === '160000')
      .map((file) => file.path),
    outside: files.filter(isOutside),
    size: Buffer.byteLength(diff),
  };
}

function isOutside(path: string): boolean {
  if (path.startsWith('/') || path.includes('\0')) return true;
  const parts = path.split('/');
  return parts.includes('..') || parts.some((part) => part.toLowerCase() === '.git');
}
