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

/** For {@link KeepAdded}: keeps all files but leftovers, which are added to `left`. */
export function withoutLeftovers(left: Set<string>): KeepAdded {
  return (added, known, sizeOf) => {
    const folders = new Set(known.flatMap((path) => ancestors(path).slice(0, -1)));
    const { names, has } = leftoversIn(added, (folder) => folders.has(folder));
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

/** Leftovers among the files that were added. `isKnown`: whether the repository itself has files there. */
export function leftoversIn(added: readonly string[], isKnown: (folder: string) => boolean): Leftovers {
  const environments = added
    .filter((path) => path.endsWith(`/${VENV}`))
    .map((path) => path.slice(0, -VENV.length));
  const folders = new Map<string, string | null>();
  for (const path of added) folders.set(path, leftoverOf(path, environments, isKnown));
  const names = new Set([...folders.values()].filter((name) => name !== null));
  return { names: [...names].sort(), has: (path) => (folders.get(path) ?? null) !== null };
}

function leftoverOf(
  path: string,
  environments: readonly string[],
  isKnown: (folder: string) => boolean,
): string | null {
  if (WHEELS.test(path) && !isKnown('dist')) return path;
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
    const folder = path.slice(0, end);
    const name = folder.slice(folder.lastIndexOf('/') + 1);
    const isLeft =
      NAMES.has(name) || METADATA.test(name) || BUILD.test(folder) || environments.includes(`${folder}/`);
    if (isLeft && !isKnown(folder)) return `${folder}/`;
  }
  return null;
}
