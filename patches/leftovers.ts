/**
 * Finds files that agents leave behind by accident: virtual environments, installed packages, caches, build output, and
 * large files where there are more than a patch can hold.
 * Only added files count, and never a folder in which the repository has files of its own.
 */
import { type KeepAdded, LARGE_FILE, MAX_BYTES } from '../executors/deployment.ts';
import { ancestors, unsafeName } from './names.ts';

/** Names of folders that tools fill. */
const NAMES = new Set([
  'node_modules',
  '.tox',
  '.nox',
  '.eggs',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.hypothesis',
  '.ipynb_checkpoints',
  '__pycache__',
  '.cache',
]);
/** Output of setuptools, which it makes beside setup.py. */
const BUILD = /^build\/(?:lib|temp|bdist)(?:\.[^/]*)?$/;
const WHEELS = /^dist\/[^/]+\.(?:whl|egg|tar\.gz|zip)$/;
const METADATA = /\.(?:egg-info|dist-info)$/;
/** The file by which Python knows a virtual environment. */
const VENV = 'pyvenv.cfg';

/** What builds of a language leave in a repository. */
export interface BuildOutput {
  /** Names of folders that nothing else has. */
  folders?: readonly string[];
  /** Matches names of files that only programs write. */
  files?: RegExp;
  /** Names of files that tell the folder in which they are. */
  marks?: readonly string[];
  /** A folder that is output where one of these files lies beside it. */
  beside?: { folder: string; files: readonly string[] };
}

/** For {@link KeepAdded}: keeps all files but leftovers, which are added to `left`. */
export function withoutLeftovers(left: Set<string>, outputs: readonly BuildOutput[]): KeepAdded {
  return (added, known, sizeOf) => {
    const paths = new Set(known.flatMap((path) => ancestors(path)));
    const { names, has } = leftoversIn(added, (path) => paths.has(path), outputs);
    for (const name of names) left.add(name);
    const isFile = (path: string) => !path.endsWith('/') && unsafeName(path) === null;
    const rest = added.filter((path) => !has(path));
    const files = rest.filter(isFile);
    const bytes = files.reduce((sum, path) => sum + sizeOf(path), 0);
    const kept = new Set(bytes <= MAX_BYTES ? files : files.filter((path) => sizeOf(path) <= LARGE_FILE));
    for (const path of rest) if (!kept.has(path)) left.add(path);
    return [...kept];
  };
}

export interface Leftovers {
  /** Folders end in a slash. */
  names: string[];
  has(path: string): boolean;
}

/** Leftovers among the files that were added. `isKnown`: whether the repository itself has this file, or files in this folder. */
export function leftoversIn(
  added: readonly string[],
  isKnown: (path: string) => boolean,
  outputs: readonly BuildOutput[],
): Leftovers {
  const marks = new Set([VENV, ...outputs.flatMap((one) => one.marks ?? [])]);
  const told = added.filter((path) => marks.has(nameOf(path)) && path.includes('/'));
  const marked = new Set(told.map((path) => path.slice(0, path.lastIndexOf('/'))));
  const names = new Set([...NAMES, ...outputs.flatMap((one) => one.folders ?? [])]);
  const here = new Set(added);
  const isBeside = (folder: string) =>
    outputs.some(({ beside }) => {
      if (beside === undefined || nameOf(folder) !== beside.folder) return false;
      const above = folder.slice(0, -beside.folder.length);
      return beside.files.some((file) => isKnown(`${above}${file}`) || here.has(`${above}${file}`));
    });
  const isOutput = (folder: string) =>
    names.has(nameOf(folder)) ||
    METADATA.test(nameOf(folder)) ||
    BUILD.test(folder) ||
    marked.has(folder) ||
    isBeside(folder);
  const isFile = (path: string) =>
    (WHEELS.test(path) && !isKnown('dist')) ||
    outputs.some(({ files }) => files?.test(nameOf(path)) === true);
  const folders = new Map<string, string | null>();
  for (const path of added)
    folders.set(path, folderOf(path, isOutput, isKnown) ?? (isFile(path) ? path : null));
  const left = new Set([...folders.values()].filter((name) => name !== null));
  return { names: [...left].sort(), has: (path) => (folders.get(path) ?? null) !== null };
}

/** The highest folder of a path that is output, and in which the repository has nothing; with a slash. */
function folderOf(
  path: string,
  isOutput: (folder: string) => boolean,
  isKnown: (path: string) => boolean,
): string | null {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end);
    if (isOutput(folder) && !isKnown(folder)) return `${folder}/`;
  }
  return null;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
