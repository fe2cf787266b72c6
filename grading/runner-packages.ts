/**
 * Packages that start tests. A copy of one in a folder that is searched first would be run in its place, so a patch
 * cannot bring or change one; a package of the project that only has the name of such a tool is the project's.
 */
import type { IntegrityBaseline } from './integrity.ts';
import { type TaskFiles, topName } from './task-files.ts';

/** Imported by every runner that is built on them. */
const RUNNERS = /^(?:pytest|_pytest|pluggy|iniconfig|unittest|doctest)$/;
/** Imported when the command, an option or a plugin asks for them. */
const TOOLS = /^(?:py|xdist|execnet|coverage|nose2?|tox|nox|flaky|trial|_hypothesis_\w+|pytest_\w+)$/;
/** What pytest is built on. */
const LIBRARIES =
  /^(?:packaging|tomli|exceptiongroup|pygments|attr|more_itertools|wcwidth|atomicwrites|importlib_metadata)$/;

/** What in a command or a configuration asks for a tool. */
const ASKED: readonly [asks: RegExp, tools: readonly string[]][] = [
  [/\b(?:pytest|py\.test)\b/, ['py']],
  [/(?:^|[\s"'=[,])(?:-n|--numprocesses|--dist|--tx)\b/, ['xdist', 'execnet']],
  [/--cov\b|\bcoverage\b/, ['coverage', 'pytest_cov']],
  [/\bnose2\b/, ['nose2']],
  [/\bnose(?:tests)?\b/, ['nose']],
  [/\btox\b/, ['tox']],
  [/\bnox\b/, ['nox']],
  [/\btrial\b/, ['trial']],
];
/** A plugin -> what it imports in turn. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  xdist: ['execnet'],
  pytest_cov: ['coverage'],
};

export interface RunnerContext {
  /** Texts of the commands and of what configures the runner. */
  texts: readonly string[];
  /** Packages of the plugins that the gold runs have; null when it is not known. */
  plugins: readonly string[] | null;
  files: TaskFiles;
  /** Files that the solution changes: a project may be a runner itself, or a plugin of one. */
  solution: readonly string[];
}

/** Installed packages whose hooks the gold runs call; null where no witness saw them. */
export function pluginPackages({
  witness,
  plugins,
}: Pick<IntegrityBaseline, 'witness' | 'plugins'>): string[] | null {
  if (witness === 'none') return null;
  return plugins.flatMap((place) => /^installed:(\w+)/.exec(place)?.[1] ?? []);
}

/** Tells the files that belong to a runner's package. */
export function runnerPackages({
  texts,
  plugins,
  files,
  solution,
}: RunnerContext): (path: string) => boolean {
  const own = new Set(solution.map(topName));
  const there = new Set([...files.paths].map(topName));
  const asked = ASKED.filter(([asks]) => texts.some((text) => asks.test(text))).flatMap(([, tools]) => tools);
  const imported = new Set([
    ...asked,
    ...(plugins ?? []).flatMap((name) => [name, ...(IMPORTS[name] ?? [])]),
  ]);
  return (path) => {
    const name = topName(path);
    if (own.has(name)) return false;
    if (RUNNERS.test(name)) return true;
    if (TOOLS.test(name)) return imported.has(name) || (plugins === null && !there.has(name));
    return LIBRARIES.test(name) && asked.includes('py') && !there.has(name);
  };
}
