/** Where interpreters are looked for on a host, in the order in which they are tried. Reads folders, runs nothing. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { namesIn } from '../../basics/folder.ts';
import { readableText } from '../../basics/readable.ts';

export interface SearchFolders {
  env: NodeJS.ProcessEnv;
  /** Folder of conda trees, `<trees>/<version>/miniconda3`; tried first. */
  trees?: string | undefined;
  /** Nothing but the trees counts. */
  treesOnly?: boolean;
}

/** Paths that may hold the wanted version ("3.11", "3.11.7", null for any); not all of them need exist. */
export function candidatePaths(version: string | null, places: SearchFolders): string[] {
  const minor = version?.split('.').slice(0, 2).join('.') ?? null;
  const names = [...(minor === null ? [] : [`python${minor}`]), 'python3', 'python'];
  const inTrees = treePaths(version, minor, places.trees);
  if (places.treesOnly === true) return inTrees;
  const found = [
    ...inTrees,
    ...onPath(names, places.env),
    ...['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].flatMap((folder) =>
      names.map((name) => join(folder, name)),
    ),
    ...versionFolders(pyenvVersions(places.env), minor).map((folder) => join(folder, 'bin', 'python3')),
    ...versionFolders(uvVersions(places.env), minor).map((folder) => join(folder, 'bin', 'python3')),
  ];
  return [...new Set(found)];
}

/** True when pyenv manages versions here. */
export function hasPyenv(env: NodeJS.ProcessEnv): boolean {
  return namesIn(join(pyenvRoot(env), 'versions')).length > 0;
}

/** True when a program called `name` is in a folder of PATH. */
export function isOnPath(name: string, env: NodeJS.ProcessEnv): boolean {
  return pathFolders(env).some((folder) => namesIn(folder).includes(name));
}

function treePaths(version: string | null, minor: string | null, trees: string | undefined): string[] {
  if (trees === undefined) return [];
  const wanted = version === null ? namesIn(trees).sort(newestFirst) : [...new Set([version, minor!])];
  return wanted.map((name) => join(trees, name, 'miniconda3', 'bin', 'python'));
}

/**
 * A pyenv shim is a script that starts another script to find the interpreter of the current folder. It is
 * replaced by what it would find outside of any project, which needs no process and can be remembered.
 */
function onPath(names: string[], env: NodeJS.ProcessEnv): string[] {
  const shims = join(pyenvRoot(env), 'shims');
  return pathFolders(env).flatMap((folder) => {
    const folders = folder === shims ? pyenvDefaults(env) : [folder];
    return folders.flatMap((real) => names.map((name) => join(real, name)));
  });
}

function pyenvDefaults(env: NodeJS.ProcessEnv): string[] {
  const text = env.PYENV_VERSION ?? readableText(join(pyenvRoot(env), 'version'));
  const names = text.split(/[\s:]+/).filter((name) => name !== '' && name !== 'system');
  return names.map((name) => join(pyenvRoot(env), 'versions', name, 'bin'));
}

function pyenvVersions(env: NodeJS.ProcessEnv): string {
  return join(pyenvRoot(env), 'versions');
}

function pyenvRoot(env: NodeJS.ProcessEnv): string {
  return env.PYENV_ROOT || join(env.HOME ?? homedir(), '.pyenv');
}

function uvVersions(env: NodeJS.ProcessEnv): string {
  const data = env.XDG_DATA_HOME || join(env.HOME ?? homedir(), '.local', 'share');
  return env.UV_PYTHON_INSTALL_DIR || join(data, 'uv', 'python');
}

/** Folders named `3.11.7` or `cpython-3.11.7-...`, of the wanted minor version, newest first. */
function versionFolders(root: string, minor: string | null): string[] {
  const versionOf = (name: string) => /^(?:cpython-)?(\d+\.\d+)(?:\.|-|$)/.exec(name)?.[1];
  const names = namesIn(root).filter((name) => {
    const found = versionOf(name);
    return found !== undefined && (minor === null || found === minor);
  });
  return names.sort(newestFirst).map((name) => join(root, name));
}

/** By the numbers in their names. A collator would do it in one call, and take 6 ms to be made. */
function newestFirst(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => (name.match(/\d+/g) ?? []).map(Number)) as [number[], number[]];
  const at = left.findIndex((number, index) => number !== right[index]);
  if (at === -1) return right.length - left.length || (a < b ? 1 : -1);
  return (right[at] ?? -1) - left[at]!;
}

function pathFolders(env: NodeJS.ProcessEnv): string[] {
  return (env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
}
