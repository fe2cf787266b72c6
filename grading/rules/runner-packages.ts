/**
 * Packages that run tests. Python would load a copy in a folder that comes first in its search path, so a patch
 * cannot add or change such a package. A package of the project that has the same name as a tool belongs to the
 * project.
 */
import type { IntegrityBaseline } from './integrity.ts';
import { type TaskFiles, topName } from './task-files.ts';

/** Imported by every runner that is based on them. */
const RUNNERS = /^(?:pytest|_pytest|pluggy|iniconfig|unittest|doctest)$/;
/** Imported when the command, an option or a plugin asks for them. */
const TOOLS = /^(?:py|xdist|execnet|coverage|nose2?|tox|nox|flaky|trial|_hypothesis_\w+|pytest_\w+)$/;
/** Dependencies of pytest. */
const LIBRARIES =
  /^(?:packaging|tomli|exceptiongroup|pygments|attr|more_itertools|wcwidth|atomicwrites|importlib_metadata)$/;

/** Words in a command or a configuration that start workers of xdist: `-n 2`, `-nauto`, `"-n", "2"`. */
export const WORKERS = /(?:^|[\s"'=[,])(?:-n(?=\d|auto|logical|\W|$)|--(?:numprocesses|dist|tx)\b)/;

/** Words in a command or a configuration that load a tool. */
const ASKED: readonly [asks: RegExp, tools: readonly string[]][] = [
  [/\b(?:pytest|py\.test)\b/, ['py']],
  [WORKERS, ['xdist', 'execnet']],
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

/** A module that a command runs. */
const RUN = /\s-m\s+(\w+)/g;

export interface RunnerContext {
  /** Texts of the commands, and options of pytest's settings. */
  commands: readonly string[];
  /** Texts of files with pytest's settings. */
  settings: readonly string[];
  /** Packages of the plugins that the gold runs have; null when it is not known. */
  plugins: readonly string[] | null;
  /** Top names of modules that are installed; none where that is not known. */
  installed: readonly string[];
  files: TaskFiles;
  /** Files that the solution changes. A project may itself be a runner or a plugin. */
  solution: readonly string[];
}

/** Installed packages whose hooks the gold runs call; null where no witness saw them. */
export function pluginPackages({
  witness,
  observed,
}: Pick<IntegrityBaseline, 'witness' | 'observed'>): string[] | null {
  if (witness === 'none') return null;
  return Object.keys(observed.plugins ?? {}).flatMap((place) => /^installed:(\w+)/.exec(place)?.[1] ?? []);
}

/** Tells the files that belong to the package of a runner, or of an installed program that the commands start. */
export function runnerPackages({
  commands,
  plugins,
  installed,
  files,
  solution,
}: RunnerContext): (path: string) => boolean {
  const own = new Set(solution.map(topName));
  const there = new Set([...files.paths].map(topName));
  const asked = ASKED.filter(([asks]) => commands.some((text) => asks.test(text))).flatMap(
    ([, tools]) => tools,
  );
  const imported = new Set([
    ...asked,
    ...(plugins ?? []).flatMap((name) => [name, ...(IMPORTS[name] ?? [])]),
  ]);
  const run = new Set(commands.flatMap((text) => [...text.matchAll(RUN)].map(([, name]) => name!)));
  return (path) => {
    const name = topName(path);
    if (own.has(name)) return false;
    if (RUNNERS.test(name)) return true;
    const mayBeThere = installed.length === 0 || installed.includes(name);
    if (TOOLS.test(name)) return imported.has(name) || (plugins === null && !there.has(name) && mayBeThere);
    if (there.has(name)) return false;
    return (LIBRARIES.test(name) && asked.includes('py')) || (run.has(name) && mayBeThere);
  };
}
