/**
 * Folders that belong to this user alone, for sockets and secrets. A name in a folder that all users share, such as
 * /tmp, may have been made by somebody else, or be a link. So a folder is used only if it is a real folder, is owned by
 * this user, and is closed to all others.
 */
import { lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { fault, type Result, success } from './result.ts';

/** What the choice of a folder depends on. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Number of this user. */
  user: number;
}

/**
 * The folder `name` of this user, made with mode 0700 if it is missing. Other processes of the same user find the same
 * one: it lies in $XDG_RUNTIME_DIR if that belongs to this user alone, else in ~/.local/state/swemake.
 * @returns the path, or why there is none that can be trusted.
 */
export function privateFolder(
  name: string,
  { env, home, user }: Surroundings = surroundings(),
): Result<string, string> {
  const runtime = runtimeFolder(env, user);
  const parent = runtime === null ? join(home, '.local', 'state', 'swemake') : join(runtime, 'swemake');
  const path = join(parent, name);
  const problem = makeOwn(parent, user) ?? makePrivate(path, user);
  return problem === null ? success(path) : fault(problem);
}

/**
 * A new folder of mode 0700 whose name begins with `prefix`, for the sockets of one process. Its path is short, since
 * the path of a socket may have some hundred bytes only.
 */
export function freshFolder(prefix: string, around: Surroundings = surroundings()): string {
  return mkdtempSync(join(freshFoldersIn(around), prefix));
}

/** Where {@link freshFolder} makes folders. Other users may be able to write there. */
export function freshFoldersIn({ env, user }: Surroundings = surroundings()): string {
  return runtimeFolder(env, user) ?? tmpdir();
}

/** What speaks against `path` as a folder of the user `user` alone; null for nothing. */
export function privacyProblem(path: string, user: number): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return `${path} is missing`;
  if (found.isSymbolicLink()) return `${path} is a link`;
  if (!found.isDirectory()) return `${path} is no folder`;
  if (found.uid !== user) return `${path} belongs to the user ${found.uid}`;
  if ((found.mode & 0o077) !== 0) return `${path} is open to other users (mode ${modeOf(found.mode)})`;
  return null;
}

function runtimeFolder(env: Surroundings['env'], user: number): string | null {
  const path = env.XDG_RUNTIME_DIR;
  if (path === undefined || !isAbsolute(path)) return null;
  return privacyProblem(path, user) === null ? path : null;
}

/** What went wrong, or null. Others may look into it, as it may hold more than what is private, but not write. */
function makeOwn(path: string, user: number): string | null {
  const problem = make(path);
  if (problem !== null) return problem;
  const found = lstatSync(path);
  if (!found.isDirectory()) return `${path} is ${found.isSymbolicLink() ? 'a link' : 'no folder'}`;
  if (found.uid !== user) return `${path} belongs to the user ${found.uid}`;
  return (found.mode & 0o022) === 0 ? null : `other users may write in ${path} (mode ${modeOf(found.mode)})`;
}

/** What went wrong, or null. */
function makePrivate(path: string, user: number): string | null {
  return make(path) ?? privacyProblem(path, user);
}

function make(path: string): string | null {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function modeOf(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}

function surroundings(): Surroundings {
  return { env: process.env, home: homedir(), user: process.getuid?.() ?? 0 };
}
