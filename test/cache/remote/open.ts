import type { Cache } from '../../../cache/cache.ts';
import { httpStore } from '../../../cache/remote/http-store.ts';
import type { RemoteCache } from '../../../cache/remote/remote.ts';
import { createRemoteCache, type RemoteOptions } from '../../../cache/remote/remote-cache.ts';
import type { RemoteStore } from '../../../cache/remote/store.ts';
import type { RemoteServer } from '../../rig/remote-server.ts';

export const OPTIONS: RemoteOptions = { read: true, write: true, concurrency: 8, holdsSecret: () => false };

export const through =
  (store: () => RemoteStore, options: Partial<RemoteOptions> = {}) =>
  (cache: Cache): RemoteCache =>
    createRemoteCache(cache, store(), { ...OPTIONS, ...options });

export const at = (server: RemoteServer) => () =>
  httpStore({
    url: server.url,
    token: null,
    ca: null,
    certificate: null,
    key: null,
    timeout: 500,
    connections: 8,
  });
