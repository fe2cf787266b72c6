/**
 * Opens the local package index for whoever builds: started by the first who wants it, reached through the build proxy
 * as a host that only the proxy knows, and on the loopback by builds that have the host's network.
 */
import { join } from 'node:path';
import type { Cache } from '../cache/cache.ts';
import type { BuildIndex } from '../contract/build-index.ts';
import type { OwnHost } from '../executors/proxy/exchange.ts';
import type { LocalIndex } from '../tasks/index/server.ts';

/** The host as which the build proxy serves the index. */
const INDEX_HOST = 'index.swemake';

export interface OpenIndex extends BuildIndex {
  /** For the build proxy. */
  own: OwnHost;
  close(): Promise<void>;
}

export function createBuildIndex(cache: Cache, env: NodeJS.ProcessEnv): OpenIndex {
  let started: Promise<LocalIndex> | undefined;
  let index: LocalIndex | undefined;
  const start = async () => {
    const { startIndex } = await import('../tasks/index/server.ts');
    index = startIndex({ env, store: join(cache.folder.sources, 'index') });
    return index;
  };
  const open = () => {
    started ??= start();
    return started;
  };
  return {
    async urls(network, asOf) {
      if (network === 'off') return [];
      const local = await open();
      return local.urls(network === 'host' ? await local.listen() : `http://${INDEX_HOST}`, asOf);
    },
    uploaded: async (project, version) => (await open()).uploaded(project, version),
    notes: (asOf, since) => index?.notes(asOf, since) ?? [],
    own: {
      name: INDEX_HOST,
      serve: async (message, response) => (await open()).serve(message, response),
    },
    async close() {
      await (await started)?.close();
    },
  };
}
