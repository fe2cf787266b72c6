/** A source as a folder on the host, for stages that read code without running it. */
import { join } from 'node:path';
import type { PinnedSource } from '../../schemas/instance.ts';
import { infra } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import type { SourceDeps } from './deps.ts';
import type { SourceFault } from './fault.ts';
import { fetchSource } from './fetch.ts';
import { pinSource } from './pin.ts';

export interface OpenedSource {
  pinned: PinnedSource;
  /** The repository's files, read-only. */
  folder: string;
}

/** Pins and fetches `spec`; an archive may be pinned already, by the sha256 that it must have. */
export async function openSource(
  spec: string,
  sha256: string | null,
  deps: SourceDeps,
): Promise<Result<OpenedSource, SourceFault>> {
  const pinned =
    sha256 === null ? await pinSource(spec, deps) : success({ spec, digest: `sha256:${sha256}` });
  if (!pinned.ok) return pinned;
  const tree = await fetchSource(pinned.value, deps);
  if (!tree.ok) return tree;
  const layer = await deps.layers.open(tree.value.layer);
  if (layer === null) return fault(infra('source-fetch', `${spec}: its layer is damaged`));
  return success({ pinned: pinned.value, folder: join(layer, 'testbed') });
}
