/**
 * Copies of the task's files inside other packages, for example `pip/_vendor/requests`. Such a package uses its copy,
 * in a version of its own. So only the solution is taken out, and the rest stays as it is.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgramNow } from '../../basics/program.ts';
import { MissingTool } from '../source/unpack-tar.ts';
import type { LowerFiles } from './lower.ts';

/** A file of the repository that the solution changes; null: it has none there. */
export interface SolvedFile {
  path: string;
  solved: Buffer | null;
  /** What the task's own state has there. */
  substitute: Buffer | null;
}

const INSIDE_PACKAGE = /\/(?:site|dist)-packages\/[^/]+\//;
/** Share of a copy's lines that the repository's file must have, so that both are versions of one file. */
export const ALIKE = 0.3;
/** The same for names without a folder, such as `utils.py`. */
const ALIKE_BY_NAME = 0.6;
/** Seconds. */
const TIMEOUT = 60;

/** Copies that hold a part of the solution, by path, and what they become; null: they are removed. */
export function vendoredCopies(
  lower: LowerFiles,
  solution: readonly SolvedFile[],
  work: string,
): Map<string, Buffer | null> {
  const wanted = solution.flatMap(({ path, solved, substitute }) =>
    solved === null ? [] : [{ name: importedPath(path), solved, substitute }],
  );
  const found = new Map<string, Buffer | null>();
  for (const entry of lower.entries) {
    if (entry.type !== 'file' || !INSIDE_PACKAGE.test(entry.path)) continue;
    const original = wanted.find(({ name }) => entry.path.endsWith(`/${name}`));
    if (original === undefined) continue;
    const copy = readFileSync(entry.host);
    const { name, solved, substitute } = original;
    if (similarity(copy, solved) < (name.includes('/') ? ALIKE : ALIKE_BY_NAME)) continue;
    const rest = substitute === null ? null : withoutSolution(copy, solved, substitute, work);
    if (rest === null || !rest.equals(copy)) found.set(entry.path, rest);
  }
  return found;
}

/** A file's path below the folder that Python imports from. */
export function importedPath(path: string): string {
  return path.replace(/^(?:src|lib)\//, '');
}

/** Share of `copy`'s lines that `own` has too. Comments and imports, which many projects share, count in files of nothing else. */
export function similarity(copy: Buffer, own: Buffer): number {
  const known = new Set(linesOf(own));
  const all = linesOf(copy);
  const telling = all.filter((line) => !SHARED.test(line));
  const lines = telling.length > 0 ? telling : all;
  return lines.length === 0 ? 0 : lines.filter((line) => known.has(line)).length / lines.length;
}

function linesOf(content: Buffer): string[] {
  return content
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const SHARED = /^(?:#|\/[/*]|\*|import\b|from\b)/;

/** The copy with the way from the solved state to the task's state applied to it. */
function withoutSolution(copy: Buffer, solved: Buffer, task: Buffer, work: string): Buffer {
  const folder = mkdtempSync(join(work, 'merge-'));
  try {
    for (const [name, bytes] of Object.entries({ copy, solved, task }))
      writeFileSync(join(folder, name), bytes);
    const argv = ['git', 'merge-file', '-p', '--diff3', `--marker-size=${MARK}`, 'copy', 'solved', 'task'];
    const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    const ran = runProgramNow({ argv, env, cwd: folder, timeout: TIMEOUT });
    if (ran.kind !== 'exited') throw new MissingTool('git merge-file cannot be run');
    // Else the number of conflicts. It does not merge binary files.
    if (ran.exitCode === REFUSED) return task;
    return Buffer.from(ran.stdout.toString('latin1').replace(CONFLICT, resolved), 'latin1');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The length of git's marks of conflicts. */
const MARK = 40;
const CONFLICT = new RegExp(
  `^<{${MARK}}.*\n((?:.*\n)*?)\\|{${MARK}}.*\n((?:.*\n)*?)={${MARK}}.*\n((?:.*\n)*?)>{${MARK}}.*(?:\n|$)`,
  'gm',
);
/** The exit status of git merge-file if it merges nothing. */
const REFUSED = 255;

/**
 * Where both changed the same lines, the task's state is taken. Of imports the package's own are taken, and those that
 * the task's state alone has.
 */
function resolved(_: string, copy: string, solved: string, task: string): string {
  const own = copy.match(IMPORTS) ?? [];
  const known = new Set([...own, ...(solved.match(IMPORTS) ?? [])]);
  return own.join('') + task.replace(IMPORTS, (line) => (known.has(line) ? '' : line));
}

const IMPORTS = /^(?:import .+|from \S+ import (?:\([^)]*\)|[^(\n]+))\n/gm;
