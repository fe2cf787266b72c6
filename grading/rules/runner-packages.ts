/**
 * Packages that run tests. Python would load a copy in a folder that comes first in its search path, so a patch cannot add
 * one. A package of the project that has the same name as a tool belongs to the project.
 */
import { type TaskFiles, topName } from './task-files.ts';

/** Imported by every runner that is based on them: also one that the repository has is protected. */
const RUNNERS = /^(?:pytest|_pytest|pluggy|iniconfig|unittest|doctest)$/;
/** Tools that runners load, and dependencies of pytest. */
const TOOLS =
  /^(?:py|xdist|execnet|coverage|nose2?|tox|nox|flaky|trial|_hypothesis_\w+|pytest_\w+|packaging|tomli|exceptiongroup|pygments|attr|more_itertools|wcwidth|atomicwrites|importlib_metadata)$/;

/** A module that a command runs. */
const RUN = /\s-m\s+(\w+)/g;

export interface RunnerContext {
  /** Texts of the commands. */
  commands: readonly string[];
  /** Top names of modules that are installed; none where that is not known. */
  installed: readonly string[];
  files: TaskFiles;
  /** Files that the solution changes. A project may itself be a runner or a plugin. */
  solution: readonly string[];
}

/** Tells the files that belong to the package of a runner, or of a program that the commands start. A tool that is not installed cannot be replaced. */
export function runnerPackages({
  commands,
  installed,
  files,
  solution,
}: RunnerContext): (path: string) => boolean {
  const own = new Set(solution.map(topName));
  const run = new Set(commands.flatMap((text) => [...text.matchAll(RUN)].map(([, name]) => name!)));
  const there = new Set([...files.paths].map(topName));
  return (path) => {
    const name = topName(path);
    if (own.has(name)) return false;
    if (RUNNERS.test(name)) return true;
    return (
      (TOOLS.test(name) || run.has(name)) &&
      !there.has(name) &&
      (installed.length === 0 || installed.includes(name))
    );
  };
}
