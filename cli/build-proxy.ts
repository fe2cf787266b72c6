/** The proxy that builds reach the package index through, with its allow-list and its log of downloads. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cache } from '../cache/cache.ts';
import type { DeploymentConfig } from '../stages/config.ts';

export interface BuildProxy {
  socketPath: string;
  /** For processes outside of a sandbox. */
  url: string | null;
  close(): Promise<void>;
}

/** Starts the proxy when some stage of the deployment wants one; `tcp` for workspaces that are plain processes. */
export async function openBuildProxy(
  config: DeploymentConfig,
  cache: Cache,
  run: string,
  env: NodeJS.ProcessEnv,
  tcp: boolean,
): Promise<BuildProxy | null> {
  if (!Object.values(config.network).includes('proxy')) return null;
  const { buildAllowList } = await import('../executors/proxy/allow-list.ts');
  const { buildSettings } = await import('../stages/python/settings.ts');
  const { proxyFor } = await import('../stages/source/proxy.ts');
  const { startProxy } = await import('../executors/proxy/proxy.ts');
  const folder = join(cache.folder.runs, run);
  mkdirSync(folder, { recursive: true });
  // Socket paths are limited to some hundred bytes, and the cache may lie deep.
  const sockets = mkdtempSync(join(tmpdir(), 'swemake-'));
  const proxy = await startProxy({
    allow: buildAllowList(buildSettings(env, 'proxy').hosts, config.allow_hosts),
    log: (entry) => appendFileSync(join(folder, 'downloads.jsonl'), `${JSON.stringify(entry)}\n`),
    socketPath: join(sockets, 'proxy.sock'),
    tcp,
    upstream: (url) => proxyFor(url, env),
  });
  return {
    socketPath: proxy.socketPath,
    url: proxy.url,
    async close() {
      await proxy.close();
      rmSync(sockets, { recursive: true, force: true });
    },
  };
}
