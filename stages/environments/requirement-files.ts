/**
 * Which files of the repository a requirements file reads: itself, and those that it includes. Pure. A requirement
 * that is a path (`-e .`, `./vendored`) may read any file.
 */
import { posix } from 'node:path';
import type { BuildRecipe } from '../../schemas/recipe.ts';

const INCLUDE = /^(?:-r|--requirement|-c|--constraint)(?:\s+|=|(?<=^-[rc]))(\S.*)$/;

/**
 * Paths relative to the repository, in the order in which they are found; null: the whole repository. `read` gives a
 * file's text, or null when there is no such file, which pip will report.
 */
export function requirementFiles(
  files: readonly string[],
  read: (path: string) => string | null,
): string[] | null {
  const found = new Set<string>();
  const waiting = files.map((file) => posix.normalize(file));
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (file.startsWith('..') || file.startsWith('/')) return null;
    if (found.has(file)) continue;
    found.add(file);
    for (const line of logicalLines(read(file) ?? '')) {
      const included = INCLUDE.exec(line)?.[1];
      if (included !== undefined && /^[a-z]+:\/\//i.test(included)) continue;
      if (included !== undefined) waiting.push(posix.normalize(posix.join(posix.dirname(file), included)));
      else if (isLocal(line)) return null;
    }
  }
  return [...found];
}

/** Ends the name of a file that a commit may lack. */
const OPTIONAL = /\?$/;

/** Stands between files of which the first that the commit has is installed. */
const OR = /\s+\|\s+/;

/** The files of a recipe's `packages` that are to be installed, and those that may be missing and are. */
export function presentFiles(
  packages: readonly string[],
  read: (path: string) => string | null,
): { files: string[]; missing: string[] } {
  const named = packages.map((name) => {
    const choice = name.replace(OPTIONAL, '').split(OR);
    const file = choice.find((one) => read(one) !== null) ?? choice.at(-1)!;
    return { name: choice.join(' | '), file, isOptional: OPTIONAL.test(name) };
  });
  const isMissing = ({ file, isOptional }: (typeof named)[number]) => isOptional && read(file) === null;
  return {
    files: named.filter((one) => !isMissing(one)).map(({ file }) => file),
    missing: named.filter(isMissing).map(({ name }) => name),
  };
}

/** True when installing what the recipe names reads files of the repository. */
export function readsRepository({ packages, pip }: Pick<BuildRecipe, 'packages' | 'pip'>): boolean {
  return packages.length > 0 || pip.some(isLocal);
}

/** True for a requirement that is a path in the repository or on the machine, or a file of requirements there. */
export function isLocal(line: string): boolean {
  const option = /^(-[efrc]|--editable|--find-links|--requirement|--constraint)(?:\s+|=)(.*)$/.exec(line);
  if (option === null && line.startsWith('-')) return false;
  const [, named] = /^[\w.-]+(?:\[[^\]]*\])?\s*@\s*(.*)$/.exec(line) ?? [];
  const place = option?.[2] ?? named ?? line;
  if (/^file:/i.test(place)) return true;
  if (/^[a-z+]+:\/\//i.test(place)) return false;
  return option !== null || /^\.{1,2}(?:\/|\[|$)|\/|\.(?:whl|tar\.gz|zip)$/.test(place);
}

/** Logical lines: continued lines are joined, comments removed. */
function logicalLines(text: string): string[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
