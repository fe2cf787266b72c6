/**
 * Tokens of servers on loopback. Other users of the machine reach the same ports, so a server makes a token when it
 * starts and writes it into a file that only its user can read. Clients of the same user find the file by the
 * server's address. Python's `swemake_rollouts.tokens` finds the same files.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { whenUnreadable } from './absent.ts';
import { isLoopback } from './entry.ts';
import { privacyProblem, privateFolder, type Surroundings } from './private-folder.ts';
import { fault, type Result, success } from './result.ts';

/** Of a server that listens. */
export interface BoundAddress {
  /** An IP address. */
  host: string;
  port: number;
}

export interface PublishedToken {
  /** Path of the file. */
  file: string;
  /** Removes it, unless another server has written it since. */
  withdraw(): void;
}

const FOLDER = 'tokens';

/** 32 random bytes in hexadecimal digits. */
export function makeToken(): string {
  return randomBytes(32).toString('hex');
}

/** Writes the token of the server at `address`, with mode 0600; the fault says why it cannot be. */
export function publishToken(
  address: BoundAddress,
  token: string,
  env: NodeJS.ProcessEnv,
): Result<PublishedToken, string> {
  const folder = privateFolder(FOLDER, around(env));
  if (!folder.ok) return folder;
  const file = join(folder.value, nameOf(address));
  const making = `${file}.${process.pid}`;
  try {
    rmSync(making, { force: true });
    writeFileSync(making, `${token}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(making, file);
  } catch (error) {
    return fault((error as Error).message);
  }
  const withdraw = () => {
    if (readToken(file, env) === token) rmSync(file, { force: true });
  };
  return success({ file, withdraw });
}

/** Removes what a server at this address that was killed left behind. */
export function forgetToken(address: BoundAddress, env: NodeJS.ProcessEnv): void {
  for (const folder of foldersOf(env)) rmSync(join(folder, nameOf(address)), { force: true });
}

/** The token of this user's server at `url`; null: there is no file with one. Other hosts have none here. */
export function findToken(url: string | URL, env: NodeJS.ProcessEnv): string | null {
  const { hostname: name, port, protocol } = new URL(url);
  const host = boundHost(name.replace(/^\[|\]$/g, ''));
  if (!isLoopback(host)) return null;
  const address = { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
  for (const folder of foldersOf(env)) {
    const token = readToken(join(folder, nameOf(address)), env);
    if (token !== null) return token;
  }
  return null;
}

/**
 * What a server listens on and a client connects to when it is asked for `host`. `localhost` stands for two
 * addresses, of which another user may have the other one.
 */
export function boundHost(host: string): string {
  return host === 'localhost' ? '127.0.0.1' : host;
}

/** Home folders may be shared by machines. */
function nameOf({ host, port }: BoundAddress): string {
  return `${hostname().replaceAll('/', '_')}-${host}-${port}`;
}

/** Where tokens of this user may lie: processes of one user need not have the same variables. */
function foldersOf(env: NodeJS.ProcessEnv): string[] {
  const { home, user } = around(env);
  const { XDG_RUNTIME_DIR: runtime = '' } = env;
  const parents = [
    ...(isAbsolute(runtime) ? [runtime] : []),
    `/run/user/${user}`,
    join(home, '.local', 'state'),
  ];
  return parents
    .map((parent) => join(parent, 'swemake', FOLDER))
    .filter((folder) => privacyProblem(folder, user) === null);
}

/** Null: there is none, or others may have written it. */
function readToken(file: string, env: NodeJS.ProcessEnv): string | null {
  let handle: number;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return whenUnreadable(null)(error);
  }
  try {
    const { uid, mode } = fstatSync(handle);
    const isOwn =
      (mode & constants.S_IFMT) === constants.S_IFREG && uid === around(env).user && (mode & 0o077) === 0;
    const text = isOwn ? readFileSync(handle, 'utf8').trim() : '';
    return /^[!-~]+$/.test(text) ? text : null;
  } finally {
    closeSync(handle);
  }
}

function around(env: NodeJS.ProcessEnv): Surroundings {
  return { env, home: env.HOME || homedir(), user: process.getuid?.() ?? 0 };
}
