/**
 * The repository as an installation sees it: at the instance's own commit, with the real history up to it and the tags
 * that were there by then, since that is where setuptools_scm, versioneer and their like find a version. The objects stay
 * in the mirror and are shown beside it, so this costs a few files. The submodules that a recipe names are there in the
 * same way: git can check them out, and asks no server.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type ShownLayers, showLayers } from '../../cache/shown-layers.ts';
import type { ReadOnlyMount } from '../../executors/deployment.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { infra } from '../../schemas/outcome.ts';
import type { SourceDeps } from './deps.ts';
import { diskFault, invalidRow, type SourceFault, withoutCredentials } from './fault.ts';
import { fetchSource } from './fetch.ts';
import {
  commitMirror,
  type GitTag,
  type History,
  hasTags,
  historyMirror,
  refreshMirror,
  remoteUrl,
  type Submodule,
  submodulesOf,
} from './git-mirror.ts';
import { type HistorySeen, historyOf, remember, seenOf } from './history-seen.ts';
import { parseSpec } from './spec.ts';
import { submoduleAddress } from './submodule-address.ts';

const GIT = 'testbed/.git';
const OBJECTS = '/opt/swemake/history';
const SUBMODULES = '/opt/swemake/submodules';

export interface Checkout extends ShownLayers {
  /** Where its objects are. */
  mounts: ReadOnlyMount[];
}

/**
 * The checkout of `source`; an archive has no history but its own state.
 * @param seen what the build was planned with; a history that is another one by now is a fault.
 * @param submodules paths of those that git can check out in it.
 */
export async function checkoutOf(
  source: PinnedSource,
  deps: SourceDeps,
  seen: HistorySeen | null = null,
  submodules: readonly string[] = [],
): Promise<Result<Checkout, SourceFault>> {
  const tree = await fetchSource(source, deps);
  if (!tree.ok) return tree;
  const spec = parseSpec(source.spec);
  if (!spec.ok) return spec;
  const layers = [tree.value.layer];
  const mounts: ReadOnlyMount[] = [];
  if (spec.value.kind === 'git') {
    const { url } = spec.value;
    const commit = source.digest.replace(/^git:/, '');
    const found = await seenHistory(url, commit, seen, deps);
    if (!found.ok) return found;
    const history = await historyLayer(commit, found.value.history, deps);
    if (!history.ok) return history;
    layers.push(history.value);
    const { mirror } = found.value;
    mounts.push({ from: join(mirror, 'objects'), to: OBJECTS });
    const modules = await submodulesOf(mirror, commit, submodules, deps);
    if (!modules.ok) return modules;
    for (const [index, module] of modules.value.entries()) {
      const to = `${SUBMODULES}/${index}`;
      const address = submoduleAddress(module.path, module.url, remoteUrl(url, deps));
      if (!address.ok) return address;
      const { protocols } = address.value;
      const fetched = await commitMirror(address.value.url, module.commit, { ...deps, protocols });
      if (!fetched.ok) return fetched;
      const layer = await submoduleLayer(module, to, deps);
      if (!layer.ok) return layer;
      layers.push(layer.value);
      mounts.push({ from: join(fetched.value, 'objects'), to });
    }
  }
  const shown = await showLayers(layers, deps.layers);
  if (shown === null) return fault(infra('source-fetch', `${source.spec}: its layer is damaged`));
  return success({ ...shown, mounts });
}

/** The history as it was seen, and the mirror that has its objects. */
async function seenHistory(
  url: string,
  commit: string,
  seen: HistorySeen | null,
  deps: SourceDeps,
): Promise<Result<{ mirror: string; history: History }, SourceFault>> {
  for (const isLast of [false, true]) {
    const mirror = await historyMirror(url, commit, deps);
    if (!mirror.ok) return mirror;
    const found = await historyOf(url, commit, deps);
    if (!found.ok) return found;
    const history = found.value;
    const isSame = seen === null || seenOf(history).digest === seen.digest;
    if (isSame && (await hasTags(mirror.value, history.tags, deps)))
      return success({ mirror: mirror.value, history });
    if (isLast) {
      await remember(url, commit, history, deps);
      break;
    }
    const again = await refreshMirror(url, deps);
    if (!again.ok) return again;
  }
  const where = withoutCredentials(url);
  return fault(infra('source-fetch', `${where}: its tags or its depth changed meanwhile; build again`));
}

/**
 * What lies over the folder of git that a source layer has: the branch at the real commit, the tags, and where to find
 * objects. The index stays: it is the same files under the same names.
 */
async function historyLayer(
  commit: string,
  { tags, ends }: History,
  deps: SourceDeps,
): Promise<Result<Digest, SourceFault>> {
  return layerOf(
    GIT,
    {
      'refs/heads/main': `${commit}\n`,
      'packed-refs': packedRefs(tags),
      ...(ends.length > 0 ? { shallow: ends.map((end) => `${end}\n`).join('') } : {}),
      'objects/info/alternates': `${OBJECTS}\n`,
    },
    deps,
  );
}

/** The repository of a submodule where git keeps it once it was fetched, cut off at its commit. */
async function submoduleLayer(
  { name, path, commit }: Submodule,
  objects: string,
  deps: SourceDeps,
): Promise<Result<Digest, SourceFault>> {
  // Git itself refuses such names: they lead out of its folder.
  if (name.split('/').includes('..')) return fault(invalidRow(`submodule ${path}: its name holds ".."`));
  return layerOf(
    `${GIT}/modules/${name}`,
    {
      HEAD: `${commit}\n`,
      config: '[core]\n\trepositoryformatversion = 0\n\tbare = false\n',
      'refs/heads/main': `${commit}\n`,
      shallow: `${commit}\n`,
      'objects/info/alternates': `${objects}\n`,
    },
    deps,
  );
}

/** A layer with these files below `folder`. */
async function layerOf(
  folder: string,
  files: Readonly<Record<string, string>>,
  deps: SourceDeps,
): Promise<Result<Digest, SourceFault>> {
  const root = deps.temporaryPath();
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(root, folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    return success((await deps.layers.add(root)).digest);
  } catch (error) {
    return fault(diskFault(error));
  }
}

/** Sorted and fully peeled, as git writes the file. */
function packedRefs(tags: readonly GitTag[]): string {
  const lines = tags.flatMap(({ name, target, peeled }) => [
    `${target} ${name}`,
    ...(peeled === null ? [] : [`^${peeled}`]),
  ]);
  return `${['# pack-refs with: peeled fully-peeled sorted ', ...lines].join('\n')}\n`;
}
