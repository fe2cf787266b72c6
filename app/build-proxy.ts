/** The proxy that builds reach the package index through, with its allow-list and its log of downloads. */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../basics/folder.ts';
import { freshFolder, freshFoldersIn, privacyProblem } from '../basics/private-folder.ts';
import { isAlive, thisProcess } from '../basics/process-identity.ts';
import type { Cache } from '../cache/cache.ts';
import type { DeploymentConfig } from '../contract/config.ts';
import type { ProxyAccess } from '../executors/kind.ts';
import type { OwnHost } from '../executors/proxy/exchange.ts';

export interface BuildProxy extends ProxyAccess {
  close(): Promise<void>;
}

/** Begins the name of a folder for a proxy's socket; the owner's pid, start time and PID namespace follow. */
const SOCKETS = 'swemake-proxy-';

/** Removes the folders of this user's commands that were killed. */
function sweepSockets(): void {
  const parent = freshFoldersIn();
  for (const name of namesIn(parent)) {
    if (!name.startsWith(SOCKETS)) continue;
    const [, pid, start, space] = /^(\d+)-(\d+)-n(\d+)\./.exec(name.slice(SOCKETS.length)) ?? [];
    // The boot id would make the path too long for a socket; the rest tells enough.
    if (pid === undefined) continue;
    if (isAlive({ ...thisProcess(), pid: Number(pid), start: start!, space: space! })) continue;
    // Other users may make such names, also as links.
    if (privacyProblem(join(parent, name), process.getuid?.() ?? 0) !== null) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/**
 * Starts the proxy when some stage of the deployment wants one; `tcp` for workspaces that reach it through a port, `own` is
 * a host that it serves itself.
 */
export async function openBuildProxy(
  config: DeploymentConfig,
  cache: Cache,
  run: string,
  env: NodeJS.ProcessEnv,
  options: { tcp: boolean; own?: OwnHost },
): Promise<BuildProxy | null> {
  if (!Object.values(config.network).includes('proxy')) return null;
  const { buildAllowList } = await import('../executors/proxy/allow-list.ts');
  const { buildSettings } = await import('../tasks/python/settings.ts');
  const { proxyFor } = await import('../tasks/source/proxy.ts');
  const { startProxy } = await import('../executors/proxy/proxy.ts');
  const { PACKAGE_HOSTS } = await import('../tasks/base/debian.ts');
  // System packages are installed on a root of its own alone.
  const packageHosts = config.base === 'host' ? [] : PACKAGE_HOSTS;
  const folder = join(cache.folder.runs, run);
  mkdirSync(folder, { recursive: true });
  // Socket paths are limited to some hundred bytes, and the cache may lie deep.
  sweepSockets();
  const { pid, start, space } = thisProcess();
  const sockets = freshFolder(`${SOCKETS}${pid}-${start}-n${space}.`);
  const proxy = await startProxy({
    allow: buildAllowList(buildSettings(env, 'proxy').hosts, [...config.allow_hosts, ...packageHosts]),
    log: (entry) => appendFileSync(join(folder, 'downloads.jsonl'), `${JSON.stringify(entry)}\n`),
    socketPath: join(sockets, 'proxy.sock'),
    ...options,
    upstream: (url) => proxyFor(url, env),
  });
  return {
    socketPath: proxy.socketPath,
    url: proxy.url,
    connections: proxy.connections,
    async close() {
      await proxy.close();
      rmSync(sockets, { recursive: true, force: true });
    },
  };
}
