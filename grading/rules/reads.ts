/**
 * What tests read beside code, by the gold runs: expected outputs, snapshots and programs, wherever they lie. What tests
 * open themselves is part of them, and a patch cannot change it. What they hand to a program or to the code under test
 * may be the product's own, so a change of it is only a doubt.
 */
import { baseName, folderOf, repositoryPath } from '../../basics/repository-path.ts';
import type { TaskFiles } from './task-files.ts';
import { isTestModule, isUsedByCode } from './test-folders.ts';
import type { WitnessRecord } from './witness.ts';

/** Paths relative to the repository, and names of programs; each sorted. */
export interface GoldReads {
  /** Files that code of tests opens and nothing else does. They may be missing: tests look for them. */
  data: string[];
  /** Files that code under test opens, or that tests hand to programs. */
  given: string[];
  /** Names of programs that tests start. */
  programs: string[];
}

/** What every gold run read and none wrote: names with a number of a process are another one each time. */
export function goldReads(gold: readonly { witness: Pick<WitnessRecord, 'reads'> }[]): GoldReads {
  const runs = gold.map(({ witness }) => new Set(witness.reads));
  const steady = [...(runs[0] ?? [])].filter((entry) => runs.every((run) => run.has(entry)));
  const all = new Set(runs.flatMap((run) => [...run]));
  const named = (kind: string) =>
    steady.filter((entry) => entry.startsWith(`${kind} `)).map((entry) => entry.slice(kind.length + 1));
  const isPlain = (path: string) => !all.has(`written ${path}`);
  return {
    data: named('data')
      .filter((path) => isPlain(path) && !all.has(`given ${path}`))
      .sort(),
    given: [...new Set([...named('given'), ...named('handed')])].filter(isPlain).sort(),
    programs: named('program').sort(),
  };
}

const WORDS = /[\w@%+.][\w@%+./-]*/g;
/** Of what a script names. */
const MAX_NAMED = 200;

/**
 * Those of `given` that are not the product's own: data outside of its packages whose name a test module has, programs and
 * scripts that no code imports, and what these name in turn: what tests start is not watched.
 */
export function givenByTests(given: readonly string[], tests: readonly string[], files: TaskFiles): string[] {
  const outside = given.filter((path) => files.paths.has(path) && !isInPackage(path, files));
  if (outside.length === 0) return [];
  const texts = tests.map((path) => files.read(path) ?? '');
  const isNamed = (path: string) => texts.some((text) => text.includes(baseName(path)));
  const own = outside.filter(
    (path) => isNamed(path) && (!path.endsWith('.py') || isScript(path, texts, files)),
  );
  for (let at = 0; at < own.length && own.length < MAX_NAMED; at += 1)
    if (isProgram(own[at]!, files))
      own.push(...namedBy(own[at]!, files).filter((path) => !own.includes(path)));
  return own;
}

function isProgram(path: string, files: TaskFiles): boolean {
  return /\.(?:py|sh|bash)$/.test(path) || /^#!/.test(files.read(path) ?? '');
}

/** Files outside of packages that a script names, from the root or its own folder, and modules beside it. */
function namedBy(script: string, files: TaskFiles): string[] {
  const words = (files.read(script) ?? '').match(WORDS) ?? [];
  const folder = folderOf(script);
  const places = words.flatMap((word) => [
    ...(/[./]/.test(word) ? [word, repositoryPath(folder, word)] : []),
    ...(script.endsWith('.py') && folder !== '' ? [`${folder}/${word}.py`] : []),
  ]);
  return [...new Set(places)].filter(
    (path): path is string =>
      path !== null && files.paths.has(path) && !isInPackage(path, files) && !isTestModule(path),
  );
}

/** A Python file that is run, and that no other file imports. */
function isScript(path: string, tests: readonly string[], files: TaskFiles): boolean {
  const name = baseName(path).slice(0, -'.py'.length);
  const imports = new RegExp(`^[ \\t]*(?:from|import)\\b[^\\n]*\\b${name}\\b`, 'm');
  if (folderOf(path) === '') return false;
  return /^\w+$/.test(name) && !tests.some((text) => imports.test(text)) && !isUsedByCode(path, files);
}

/** Whether it lies in a package, or in a folder of its data. */
function isInPackage(path: string, { paths }: TaskFiles): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (paths.has(`${folder}/__init__.py`)) return true;
  return false;
}
