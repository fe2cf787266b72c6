/** The remote cache of a run: what it fetches, what is pushed to it, and its report at the end. */
import type { Cache } from '../cache.ts';
import { type ClientOptions, RemoteClient } from './client.ts';
import { Downloads } from './downloads.ts';
import type { RemoteCache, RemoteReport } from './remote.ts';
import { SentMarks } from './sent.ts';
import type { Signer, Trust, Untrusted } from './signature.ts';
import type { RemoteStore } from './store.ts';
import { type UploadOptions, Uploads } from './uploads.ts';

export type RemoteOptions = ClientOptions &
  UploadOptions & {
    /** Writers whose entries are taken; absent or null: everybody's. */
    trust?: Trust | null;
  };

export function createRemoteCache(cache: Cache, store: RemoteStore, options: RemoteOptions): RemoteCache {
  const client = new RemoteClient(store, options);
  const sent = new SentMarks(cache.database, sentName(store, options.signer), options.write);
  const downloads = new Downloads(cache, client, sent, options.trust ?? null);
  const uploads = new Uploads(cache, client, sent, options);
  const attempt = (bring: () => Promise<boolean>): Promise<boolean> =>
    bring().catch((error: unknown) => {
      // A full disk here is no fault of the store; running the item says so.
      client.warnings.set('taking', `an answer of the remote cache could not be taken: ${messageOf(error)}`);
      return false;
    });
  return {
    fetchItem: async (key, address) => client.canRead() && attempt(() => downloads.item(key, address)),
    fetchStage: async (base, ask, addressOf) =>
      client.canRead() && attempt(() => downloads.stage(base, ask, addressOf)),
    push: (key, isNew) => {
      if (options.write) uploads.push({ kind: 'item', key, isNew });
    },
    pushStage: (key, isNew) => {
      if (options.write) uploads.push({ kind: 'stage', key, isNew });
    },
    send: async (key, isNew) => (options.write ? uploads.send(key, isNew) : 'never'),
    untrusted: () => downloads.untrusted,
    traffic: () => ({ ...client.traffic }),
    settle: async (limit, signal) => {
      await uploads.settle(limit, signal);
      return report(client, downloads, uploads);
    },
    close: async () => {
      // Requests end with the connections, and with them what waits for an answer.
      await client.close();
      await uploads.stopped();
    },
  };
}

/** A writer that signs writes its answers again, also those that it once wrote without a signature. */
export function sentName(store: RemoteStore, signer: Signer | null | undefined): string {
  return signer ? `${store.name} ${signer.by}` : store.name;
}

function report(client: RemoteClient, downloads: Downloads, uploads: Uploads): RemoteReport {
  const warnings = [...client.warnings.values()];
  if (downloads.untrusted.size > 0) warnings.push(untrustedText(downloads.untrusted));
  if (uploads.withheld > 0)
    warnings.push(`${uploads.withheld} contents hold a secret and were not written to the remote cache`);
  if (uploads.left > 0)
    warnings.push(
      `${uploads.left} answers were not written to the remote cache; a later build that meets them writes them`,
    );
  return {
    name: client.name,
    traffic: { ...client.traffic },
    taken: downloads.taken,
    given: uploads.given,
    left: uploads.left,
    warnings,
    adopted: downloads.adopted,
  };
}

function untrustedText(untrusted: ReadonlyMap<string, Untrusted>): string {
  const kinds = [...untrusted.values()];
  const counts = (['unsigned', 'unknown', 'wrong'] as const).flatMap((kind) => {
    const count = kinds.filter((one) => one === kind).length;
    return count === 0 ? [] : [`${count} ${UNTRUSTED[kind]}`];
  });
  return `entries of the remote cache were not taken, since their writer is not trusted: ${counts.join(', ')}; see cache.remote.trusted`;
}

const UNTRUSTED: Readonly<Record<Untrusted, string>> = {
  unsigned: 'without a signature',
  unknown: 'signed by a key that is not in the list',
  wrong: 'with a wrong signature',
};

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
