/**
 * An environment that breaks twice in a run is set aside once: whoever needs it then builds it again, before its
 * instances end in a fault.
 */
import { type Digest, isDigest } from '../../basics/digest.ts';
import { setLayerAside } from '../../cache/layer-aside.ts';
import type { Services } from '../../contract/machine.ts';

/** Breakages after which an environment is made again. */
const MOST = 2;

/** Counts a breakage of the environment whose layer this is. */
export async function noteBreakage(layer: Digest, { shared, cache }: Services): Promise<void> {
  const name = `breakages ${layer}`;
  const breakages = ((shared.get(name) as number | undefined) ?? 0) + 1;
  shared.set(name, breakages);
  if (breakages === MOST && isDigest(layer)) await setLayerAside(cache.folder, layer);
}
