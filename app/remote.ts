/** The remote cache of a project: opened for a run that makes something, closed when the run ends. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cache } from '../cache/cache.ts';
import type { RemoteCache, RemoteReport } from '../cache/remote/remote.ts';
import { createSigner, isPublicKey, type Signer, type Trust } from '../cache/remote/signature.ts';
import type { RemoteStore } from '../cache/remote/store.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { Secrets } from '../contract/secrets.ts';
import { rememberAdopted } from './adopted.ts';

/** Milliseconds that a run which is stopped waits for answers that are being written. */
const STOPPED_WAIT = 1000;

export type OpenedStore = { store: RemoteStore } | { problem: string };

/** Whose entries a host takes, and how it signs its own. */
export type RemoteKeys = { signer: Signer | null; trust: Trust | null } | { problem: string };

/** Where a project says that the remote cache is, and the folder that its relative paths mean. */
export interface StoreProject {
  config: { cache: Pick<ResolvedProject['config']['cache'], 'remote'> };
  folder: string;
}

/** The store that the project names; null when it names none. */
export async function openRemoteStore(
  { config, folder }: StoreProject,
  secrets: Secrets,
): Promise<OpenedStore | null> {
  const { remote } = config.cache;
  if (remote === undefined) return null;
  if (remote.path !== undefined) {
    const { folderStore } = await import('../cache/remote/folder-store.ts');
    return { store: folderStore(resolve(folder, remote.path)) };
  }
  const { ca, certificate, key } = remote.tls;
  try {
    const revealed = secrets.reveal({ token: remote.token ?? '' });
    if (!revealed.ok) return { problem: revealed.fault.detail };
    const { httpStore } = await import('../cache/remote/http-store.ts');
    const store = httpStore({
      url: remote.url!,
      token: revealed.value.token === '' ? null : revealed.value.token!,
      ca: textOf(ca, folder),
      certificate: textOf(certificate, folder),
      key: textOf(key, folder),
      timeout: remote.timeout * 1000,
      connections: remote.concurrency,
    });
    return { store };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The keys of the project, and the trusted ones of the user's settings. */
export function remoteKeys(
  { config, folder }: StoreProject,
  secrets: Secrets,
  env: NodeJS.ProcessEnv = process.env,
): RemoteKeys {
  const { sign, trusted = [] } = config.cache.remote ?? {};
  const own = trustedOfUser(env);
  const wrong = own.find((key) => !isPublicKey(key));
  if (wrong !== undefined) return { problem: `${userKeys(env)}: "${wrong}" is no public key` };
  const all = [...trusted, ...own];
  const trust = all.length === 0 ? null : new Set(all);
  if (sign === undefined) return { signer: null, trust };
  const revealed = secrets.reveal({ sign });
  if (!revealed.ok) return { problem: revealed.fault.detail };
  const value = revealed.value.sign!;
  // A secret holds the key itself, anything else names its file.
  const path = resolve(folder, value);
  try {
    const signer = createSigner(value === sign ? readFileSync(path, 'utf8') : value);
    if (!signer.ok) return { problem: `cache.remote.sign: ${signer.fault}; make one with swemake keygen` };
    return { signer: signer.value, trust };
  } catch (error) {
    return { problem: `cache.remote.sign: ${(error as Error).message}` };
  }
}

/** The file with the public keys that this user trusts in all projects, one a line. */
function userKeys(env: NodeJS.ProcessEnv): string {
  const settings = env.XDG_CONFIG_HOME || join(env.HOME ?? homedir(), '.config');
  return join(settings, 'swemake', 'trusted-keys');
}

function trustedOfUser(env: NodeJS.ProcessEnv): string[] {
  const path = userKeys(env);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '');
}

/** Bytes of a unit of `tar_io`. */
export const UNIT = 50_000_000;

/** What may be under way in one direction; undefined where the project says nothing. */
function bytesOf(units: number | undefined): number | undefined {
  return units === undefined ? undefined : units * UNIT;
}

/** The store as a machine of a cluster uses it: while somebody waits for what it makes, and within its share. */
export interface WorkerRemote {
  store: RemoteStore;
  bytesAtOnce: number;
}

export interface RemoteRun {
  /** Null when it cannot be used; `problem` says why. */
  readonly cache: RemoteCache | null;
  readonly problem: string;
  /** Waits for what is still being written, closes it and returns its report. */
  end(drain: AbortSignal): Promise<RemoteReport>;
}

/** Gives the cache its remote one, for a run; null when the project names none. */
export async function openRemote(
  project: ResolvedProject,
  cache: Cache,
  secrets: Secrets,
  worker?: WorkerRemote,
): Promise<RemoteRun | null> {
  const own = worker === undefined ? await openRemoteStore(project, secrets) : { store: worker.store };
  if (own === null) return null;
  const keys = remoteKeys(project, secrets);
  const problem = 'problem' in own ? own.problem : 'problem' in keys ? keys.problem : null;
  if (problem !== null || 'problem' in own || 'problem' in keys)
    return { cache: null, problem: problem ?? '', end: async () => unusable(problem ?? '') };
  const { read, write, concurrency, upload_wait: wait } = project.config.cache.remote!;
  const { createRemoteCache } = await import('../cache/remote/remote-cache.ts');
  const holdsSecret = (bytes: Uint8Array) => secrets.holds(bytes);
  const bytesAtOnce = worker?.bytesAtOnce ?? bytesOf(project.config.resources.tar_io);
  const options = {
    read,
    write,
    concurrency,
    holdsSecret,
    ...keys,
    ...(bytesAtOnce === undefined ? {} : { bytesAtOnce }),
  };
  const remote = createRemoteCache(cache, own.store, options);
  cache.remote = remote;
  return {
    cache: remote,
    problem: '',
    end: async (drain) => {
      const report = await settled(remote, wait * 1000, drain);
      cache.remote = null;
      await remote.close();
      const { name } = project.config;
      for (const [address, key] of report.adopted)
        await rememberAdopted(cache.database, name, address.slice(name.length + 1), key);
      return report;
    },
  };
}

function settled(remote: RemoteCache, wait: number, drain: AbortSignal): Promise<RemoteReport> {
  return remote.settle(
    drain.aborted ? Math.min(wait, STOPPED_WAIT) : wait,
    drain.aborted ? new AbortController().signal : drain,
  );
}

function unusable(problem: string): RemoteReport {
  const traffic = { up: 0, down: 0, requests: 0, bad: 0, faults: 0 };
  const warnings = [`the remote cache cannot be used, this build continues without it: ${problem}`];
  return { name: '', traffic, taken: 0, given: 0, left: 0, warnings, adopted: [] };
}

function textOf(path: string | undefined, folder: string): string | null {
  return path === undefined ? null : readFileSync(resolve(folder, path), 'utf8');
}
