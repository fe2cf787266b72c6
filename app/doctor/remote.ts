/** Whether the project's remote cache can be read and written, as far as the project wants to. */
import { randomBytes } from 'node:crypto';
import { digestOf } from '../../basics/digest.ts';
import type { RemoteStore, StoreFault } from '../../cache/remote/store.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Probe } from '../../executors/kind.ts';
import { openRemoteStore } from '../remote.ts';

const NAME = 'remote cache';

/** A key that is only read, and never written. */
const NOBODYS = digestOf('the probe of doctor');

export async function remoteProbes(project: ResolvedProject, secrets: Secrets): Promise<Probe[]> {
  const opened = await openRemoteStore(project, secrets);
  if (opened === null) return [];
  if ('problem' in opened)
    return [{ name: NAME, status: 'soft', detail: opened.problem, remedy: 'correct cache.remote' }];
  const { read, write } = project.config.cache.remote!;
  try {
    return [await probe(opened.store, read, write)];
  } finally {
    await opened.store.close();
  }
}

/** Builds go on without the remote cache, so a problem with it is never a miss. */
async function probe(store: RemoteStore, read: boolean, write: boolean): Promise<Probe> {
  const bytes = randomBytes(64);
  const name = digestOf(bytes);
  if (write) {
    const kept = await store.put('cas', name, bytes);
    if (kept.kind === 'fault') return weak(store, `cannot be written: ${kept.detail}`, kept);
  }
  if (read && !write) {
    const found = await store.has('ac', NOBODYS);
    if (found.kind === 'fault') return weak(store, `cannot be read: ${found.detail}`, found);
  }
  if (read && write) {
    const got = await store.get('cas', name, bytes.byteLength);
    if (got.kind === 'fault') return weak(store, `cannot be read: ${got.detail}`, got);
    if (got.kind === 'absent' || !got.bytes.equals(bytes))
      return { name: NAME, status: 'soft', detail: `${store.name} does not return what is written to it` };
  }
  const rights = [...(read ? ['read'] : []), ...(write ? ['written'] : [])].join(' and ');
  return { name: NAME, status: 'ok', detail: `${store.name} can be ${rights}` };
}

function weak({ name }: RemoteStore, detail: string, { why }: StoreFault): Probe {
  const remedy =
    why === 'refused'
      ? 'set cache.remote.token, or read: false or write: false'
      : why === 'full'
        ? 'make room there'
        : 'start it, or correct cache.remote';
  return { name: NAME, status: 'soft', detail: `${name} ${detail}; builds go on without it`, remedy };
}
