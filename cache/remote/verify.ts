/**
 * Checks what this host believes to be in the remote store: some answers are fetched as an empty host would fetch
 * them, with all checks, into a cache that is thrown away.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey } from '../../basics/digest.ts';
import { type Cache, lookUp, openCache } from '../cache.ts';
import { createRemoteCache, sentName } from './remote-cache.ts';
import { SentMarks } from './sent.ts';
import type { Signer, Trust, Untrusted } from './signature.ts';
import type { RemoteStore } from './store.ts';

/** Answers that are looked at. */
const SAMPLE = 50;

interface RemoteProblem {
  key: ActionKey;
  /**
   * `gone`: it, or something that it names, is not there or not to be had. `bad`: it is there and is another one.
   * `unsigned`, `unknown`, `wrong`: its writer is not trusted.
   */
  kind: 'gone' | 'bad' | Untrusted;
}

export interface RemoteVerifyReport {
  name: string;
  /** Answers that were looked at. */
  answers: number;
  /** Bytes that were read. */
  bytes: number;
  problems: RemoteProblem[];
  warnings: string[];
}

/** `trust`: writers whose entries are taken; null: everybody's. `signer`: of this host. */
export async function verifyRemote(
  cache: Cache,
  store: RemoteStore,
  { trust, signer }: { trust: Trust | null; signer: Signer | null },
): Promise<RemoteVerifyReport> {
  const keys = sampleOf(new SentMarks(cache.database, sentName(store, signer)).answers());
  const root = mkdtempSync(join(cache.folder.root, 'remote-verify-'));
  const empty = await openCache(root);
  const options = { read: true, write: false, concurrency: 16, holdsSecret: () => false, trust };
  const remote = createRemoteCache(empty, store, options);
  const problems: RemoteProblem[] = [];
  try {
    let known = 0;
    for (const key of keys) {
      const isThere = await remote.fetchItem(key, 'verify');
      const { bad } = remote.traffic();
      const untrusted = remote.untrusted().get(key);
      if (untrusted !== undefined) problems.push({ key, kind: untrusted });
      else if (bad > known) problems.push({ key, kind: 'bad' });
      else if (!isThere || lookUp(empty, key) === null) problems.push({ key, kind: 'gone' });
      known = bad;
    }
    const { traffic, warnings } = await remote.settle(0, new AbortController().signal);
    return { name: store.name, answers: keys.length, bytes: traffic.down, problems, warnings };
  } finally {
    await remote.close();
    await empty.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Evenly spread: keys are in the order of their digests, which is as good as chance. */
function sampleOf(keys: readonly ActionKey[]): ActionKey[] {
  const step = Math.max(1, keys.length / SAMPLE);
  return keys.length <= SAMPLE
    ? [...keys]
    : Array.from({ length: SAMPLE }, (_, index) => keys[Math.floor(index * step)]!);
}
