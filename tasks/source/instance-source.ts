/** Sources as stages use them: one set of dependencies per run, layers as folders. */
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Cache } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { HostServices, SourceServices } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import { layerDamage } from '../layer-damage.ts';
import { type SourceDeps, sourceDeps } from './deps.ts';
import type { SourceFault } from './fault.ts';
import { fetchSource, type SourceTree } from './fetch.ts';
import type { Memo } from './memo.ts';
import { pinSource } from './pin.ts';

/** What pinning and fetching need, made once per run. */
export const sourceDepsOf: (services: SourceServices) => SourceDeps = perRun((services: SourceServices) => {
  const { cache, env, projectFolder, signal } = services;
  return sourceDeps({
    layers: cache.layers,
    sourcesFolder: cache.folder.sources,
    locks: cache.locks,
    projectFolder,
    env,
    signal,
    temporaryPath: () => temporaryPath(cache.folder),
    memo: memoOf(cache),
  });
});

/** What is remembered in a cache; one that cannot be written only remembers what it had. */
export function memoOf({ database }: Pick<Cache, 'database'>): Memo {
  return {
    get: (key) => database.memos.get(key) as string | undefined,
    set: (key, value) => database.memos.put(key, value),
  };
}

/** The tree of a pinned source, fetched when it is not there. */
export function fetchTree(
  source: PinnedSource,
  services: HostServices,
): Promise<Result<SourceTree, SourceFault>> {
  return fetchSource(source, sourceDepsOf(services));
}

/** Folder of the source layer. `isValidated`: somebody had the source, so that it is no fault of the row's any more. */
export async function fetchInstanceSource(
  source: PinnedSource,
  services: HostServices,
  isValidated = false,
): Attempt<string> {
  const tree = await fetchTree(source, services);
  if (!tree.ok) {
    const isLost = isValidated && tree.fault.status === 'failed';
    return isLost ? fault(infra('source-fetch', tree.fault.detail)) : tree;
  }
  const folder = await services.cache.layers.open(tree.value.layer);
  if (folder === null) return fault(infra('source-fetch', `${source.spec}: its layer is damaged`));
  const damage = await layerDamage(tree.value.layer, services);
  // Out of use, so that the next try makes it again.
  return damage === null ? success(folder) : fault(infra('source-fetch', `${source.spec}: ${damage}`));
}

/** Pins `spec`, to the archive with `sha256` when that is given, and opens its files. */
export async function openPinned(
  spec: string,
  sha256: string | null,
  services: HostServices,
  deps: SourceDeps = sourceDepsOf(services),
): Promise<Result<{ pinned: PinnedSource; folder: string }, SourceFault>> {
  const pinned =
    sha256 === null ? await pinSource(spec, deps) : success({ spec, digest: `sha256:${sha256}` });
  if (!pinned.ok) return pinned;
  const tree = await fetchSource(pinned.value, deps);
  if (!tree.ok) return tree;
  const folder = await services.cache.layers.open(tree.value.layer);
  if (folder === null) return fault(infra('source-fetch', `${spec}: its layer is damaged`));
  return success({ pinned: pinned.value, folder: join(folder, 'testbed') });
}
