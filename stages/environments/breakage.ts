/**
 * An environment that breaks twice in a run is set aside once. The next run that needs it builds it again, before its
 * instances end in a fault.
 */
import { type Digest, isDigest } from '../../basics/digest.ts';
import { quarantineLayer } from '../../cache/layer-quarantine.ts';
import type { HostServices } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';

/** Breakages after which an environment is made again. */
const MAX_BREAKAGES = 2;

const breakages = perRun((_: HostServices) => new Map<Digest, number>());

/** Counts a breakage of the environment whose layer this is. */
export async function noteBreakage(layer: Digest, services: HostServices): Promise<void> {
  const counts = breakages(services);
  const count = (counts.get(layer) ?? 0) + 1;
  counts.set(layer, count);
  if (count === MAX_BREAKAGES && isDigest(layer)) await quarantineLayer(services.cache.folder, layer);
}
