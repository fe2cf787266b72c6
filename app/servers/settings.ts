/** Settings of the servers: the words of a command line, else the variables that the original servers read, else a default. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { makeToken } from '../../basics/server-token.ts';
import { parseDuration, parseSize } from '../../basics/units.ts';
import { type Address, isReachable, parseAddress } from '../../servers/http/listen.ts';
import type { CommandIo } from '../io.ts';

/** What is wrong with a setting, and what to write. */
export interface WrongSetting {
  message: string;
  remedy: string;
}

export interface ServeValues {
  listen: string | undefined;
  'token-file': string | undefined;
  'no-token': boolean;
  'tls-certificate': string | undefined;
  'tls-key': string | undefined;
  folder: string | undefined;
}

/**
 * What lets clients in: a token that was given, one that was made for this start, a socket that belongs to one user, or
 * nothing but being on this machine.
 */
type Entry = 'given' | 'made' | 'socket' | 'none';

export interface ServeSettings {
  address: Address;
  /** Null for the entry `none`, and for a socket without a given token. */
  token: string | null;
  entry: Entry;
  tls: { certificate: string; key: string } | null;
  folder: string;
}

/** The token is in a file or in this variable, and never on a command line, where every user of the machine sees it. */
const TOKEN_VARIABLE = 'SWEMAKE_SERVER_TOKEN';
/** Of the servers behind a pool or a router, where that is another one; empty: none is known. */
const NODE_TOKEN_VARIABLE = 'SWEMAKE_NODE_TOKEN';

export function serveSettings(
  name: string,
  port: number,
  values: ServeValues,
  { env, cwd }: CommandIo,
): Result<ServeSettings, WrongSetting> {
  const parsed = parseAddress(values.listen ?? String(port));
  if (parsed === null)
    return wrong(
      `--listen is not an address: "${values.listen}"`,
      `for example: --listen 127.0.0.1:${port}, or --listen unix:./server.sock`,
    );
  const address = 'path' in parsed ? { path: resolve(cwd, parsed.path) } : parsed;
  const entry = entryOf(address, values, { env, cwd });
  if (!entry.ok) return entry;
  const [certificate, key] = [values['tls-certificate'], values['tls-key']];
  if ((certificate === undefined) !== (key === undefined))
    return wrong('TLS needs a certificate and its key', 'give --tls-certificate FILE and --tls-key FILE');
  if (certificate !== undefined && 'path' in address)
    return wrong('a socket has no TLS', 'leave out --tls-certificate and --tls-key');
  const tls =
    certificate === undefined || key === undefined
      ? null
      : { certificate: resolve(cwd, certificate), key: resolve(cwd, key) };
  const place = 'path' in address ? address.path.replaceAll(/[^\w.-]+/g, '-') : `-${address.port}`;
  const folder =
    values.folder === undefined ? join(dataFolder(env), `${name}${place}`) : resolve(cwd, values.folder);
  return success({ address, ...entry.value, tls, folder });
}

function entryOf(
  address: Address,
  values: Pick<ServeValues, 'token-file' | 'no-token'>,
  { env, cwd }: Pick<CommandIo, 'env' | 'cwd'>,
): Result<Pick<ServeSettings, 'token' | 'entry'>, WrongSetting> {
  if (values['no-token']) {
    if (values['token-file'] !== undefined)
      return wrong('--no-token contradicts --token-file', 'leave one of them out');
    if (isReachable(address))
      return wrong(
        '--no-token is for addresses that only this machine reaches',
        'leave it out and give --token-file FILE, or listen on 127.0.0.1',
      );
    return success({ token: null, entry: 'none' });
  }
  const token = tokenOf(values['token-file'], env, cwd);
  if (!token.ok) return token;
  if (token.value !== null) return success({ token: token.value, entry: 'given' });
  if ('path' in address) return success({ token: null, entry: 'socket' });
  // Other machines could not find it.
  return isReachable(address)
    ? success({ token: null, entry: 'given' })
    : success({ token: makeToken(), entry: 'made' });
}

/** Made for its owner alone: what lies in it is what containers are made of. */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  // Workspaces of another user look through it.
  chmodSync(folder, 0o711);
}

/** Of the servers that are named; null: each is asked with the one that is found for its address. */
export function nodeTokenOf(
  values: { 'node-token-file': string | undefined; 'token-file': string | undefined },
  { env, cwd }: Pick<CommandIo, 'env' | 'cwd'>,
): Result<string | null, WrongSetting> {
  const file = values['node-token-file'] ?? values['token-file'];
  return tokenOf(
    file,
    env,
    cwd,
    env[NODE_TOKEN_VARIABLE] === undefined ? TOKEN_VARIABLE : NODE_TOKEN_VARIABLE,
  );
}

export function tokenOf(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
  cwd: string,
  variable = TOKEN_VARIABLE,
): Result<string | null, WrongSetting> {
  try {
    const token =
      file === undefined ? env[variable] || null : readFileSync(resolve(cwd, file), 'utf8').trim();
    // It is sent in a header, where nothing else arrives as it was written.
    if (token !== null && !/^[!-~]+$/.test(token))
      return wrong(
        `the token in ${file ?? variable} is empty, or holds more than letters, digits and signs`,
        'for example: openssl rand -hex 32',
      );
    return success(token);
  } catch (error) {
    return wrong(`the token cannot be read: ${(error as Error).message}`, 'write it into a file of your own');
  }
}

function dataFolder(env: NodeJS.ProcessEnv): string {
  const { XDG_DATA_HOME: named = '', HOME: home = '' } = env;
  const root = isAbsolute(named) ? named : join(home === '' ? homedir() : home, '.local/share');
  return join(root, 'swemake');
}

/** A whole number above zero. */
export function countOf(
  name: string,
  text: string | undefined,
  otherwise: number,
): Result<number, WrongSetting> {
  if (text === undefined || text === '') return success(otherwise);
  const value = Number(text);
  return Number.isInteger(value) && value > 0
    ? success(value)
    : wrong(`${name} must be a whole number above zero, not "${text}"`, `for example: ${otherwise || 1}`);
}

export function sizeOf(
  name: string,
  text: string | undefined,
  otherwise: number,
): Result<number, WrongSetting> {
  if (text === undefined || text === '') return success(otherwise);
  // As engines write it: 4g.
  const value = parseSize(text.replace(/[kmgt]b?$/, (unit) => `${unit[0]!.toUpperCase()}iB`));
  return value === null ? wrong(`${name} is not a size: "${text}"`, 'for example: 4GiB') : success(value);
}

export function secondsOf(
  name: string,
  text: string | undefined,
  otherwise: number,
): Result<number, WrongSetting> {
  if (text === undefined || text === '') return success(otherwise);
  const value = parseDuration(text);
  return value === null ? wrong(`${name} is not a time: "${text}"`, 'for example: 30m') : success(value);
}

export function wrong(message: string, remedy: string): { ok: false; fault: WrongSetting } {
  return fault({ message, remedy });
}
