/** Makes the source layer of a pinned source: the files under `testbed/`, as a repository of one commit. */
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { infra } from '../../schemas/outcome.ts';
import { archivePath, shown } from './archive-file.ts';
import { commitTree } from './commit-tree.ts';
import type { SourceDeps } from './deps.ts';
import { diskFault, invalidRow, type SourceFault, withoutCredentials } from './fault.ts';
import { exportCommit } from './git-mirror.ts';
import { parseSpec, type SourceSpec } from './spec.ts';
import { unpackArchive } from './unpack.ts';

export interface SourceTree {
  /** Layer with the repository under `testbed/`. */
  layer: Digest;
  /** The repository's only commit, 40 hex digits. */
  commit: string;
  /** What the layer lacks, in words: submodules, links out of the tree. */
  warnings: string[];
}

/** Bump when the same source gives another layer. */
const TREE_VERSION = 3;

/**
 * The layer of `pinned`: the one made before, or fetched and made now. The same pin gives the same layer on
 * every machine. Callers that ask for one source at the same time share the work.
 */
export async function fetchSource(
  pinned: PinnedSource,
  deps: SourceDeps,
): Promise<Result<SourceTree, SourceFault>> {
  const parsed = parseSpec(pinned.spec);
  if (!parsed.ok) return parsed;
  const name = `source tree ${TREE_VERSION} ${pinned.digest}`;
  return deps.sharedWork.share(name, async () => {
    const known = await deps.memo.get(name);
    if (known !== undefined) {
      const tree = JSON.parse(known) as SourceTree;
      if ((await deps.layers.open(tree.layer)) !== null) return success(tree);
    }
    const made = await makeTree(parsed.value, pinned, deps);
    if (made.ok) await deps.memo.set(name, JSON.stringify(made.value));
    return made;
  });
}

async function makeTree(
  spec: SourceSpec,
  pinned: PinnedSource,
  deps: SourceDeps,
): Promise<Result<SourceTree, SourceFault>> {
  const work = deps.temporaryPath();
  // Helpers lie beside `files`, so nothing but the repository gets into the layer.
  const root = join(work, 'files');
  try {
    await mkdir(join(work, 'layer'), { recursive: true });
    const files = await placeFiles(spec, pinned, root, deps);
    if (!files.ok) return files;
    if (deps.signal?.aborted)
      return fault(infra('cancelled', `${withoutCredentials(pinned.spec)}: cancelled`));
    const { gitlinks, warnings } = files.value;
    const committed = await commitTree(root, gitlinks);
    if (committed.files === 0)
      return fault(invalidRow(`source ${withoutCredentials(pinned.spec)} holds no files`));
    await rename(root, join(work, 'layer', 'testbed'));
    const { digest } = await deps.layers.add(join(work, 'layer'));
    return success({
      layer: digest,
      commit: committed.commit,
      warnings: [...warnings, ...committed.warnings],
    });
  } catch (error) {
    return fault(diskFault(error));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function placeFiles(
  spec: SourceSpec,
  pinned: PinnedSource,
  root: string,
  deps: SourceDeps,
): Promise<Result<{ gitlinks: Map<string, string>; warnings: string[] }, SourceFault>> {
  if (spec.kind === 'git') {
    const exported = await exportCommit(spec.url, pinned.digest.replace(/^git:/, ''), root, deps);
    if (!exported.ok) return exported;
    const gitlinks = exported.value;
    const warnings = [...gitlinks.keys()].map(
      (path) => `submodule ${path} is an empty folder: submodules are not fetched`,
    );
    return success({ gitlinks, warnings });
  }
  const archive = await archivePath(spec, pinned.digest.replace(/^sha256:/, ''), deps);
  if (!archive.ok) return archive;
  const unpacked = await unpackArchive(archive.value, root, shown(spec));
  return unpacked.ok ? success({ gitlinks: new Map(), warnings: unpacked.value }) : unpacked;
}
