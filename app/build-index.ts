/**
 * Opens the local package index for builds. The first build that needs it starts it. Builds reach it through the
 * build proxy, under a host name that only the proxy knows; builds with the host's network reach it on loopback.
 */
import { join } from 'node:path';
import type { Cache } from '../cache/cache.ts';
import type { BuildIndex } from '../contract/build-index.ts';
import type { OwnHost } from '../executors/proxy/exchange.ts';
import type { LocalIndex } from '../tasks/index/server.ts';
import { knownProjects } from '../tasks/source/index-control.ts';
import { memoOf } from '../tasks/source/instance-source.ts';

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
    const known = knownProjects(memoOf(cache));
    index = startIndex({ env, store: join(cache.folder.sources, 'index'), known });
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
    async registry(dialect, network, asOf) {
      if (network === 'off') return null;
      const local = await open();
      return local.registry(
        dialect,
        network === 'host' ? await local.listen() : `http://${INDEX_HOST}`,
        asOf,
      );
    },
    versions: async (dialect, name, asOf) => (await open()).versions(dialect, name, asOf),
    missing: (asOf, since) => index?.missing(asOf, since) ?? [],
    lost: (dialect, since) => index?.lost(dialect, since) ?? null,
    uploaded: async (project, version) => (await open()).uploaded(project, version),
    asked: (asOf, since) => index?.asked(asOf, since) ?? [],
    listed: async (project, version, asOf) => (await open()).listed(project, version, asOf),
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
