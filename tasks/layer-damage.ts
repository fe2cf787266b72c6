/**
 * A file that a layer lost on the disk would look like a failing test. So the files of a layer are checked once per
 * run before it is used. A layer without all its files is set aside and made again. A server that runs for weeks
 * checks again after each use.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Digest } from '../basics/digest.ts';
import { quarantineLayer } from '../cache/layer-quarantine.ts';
import type { HostServices } from '../contract/machine.ts';
import { forget, once, perRun } from '../contract/once.ts';

/** What is wrong with the layer, which is then out of use; null when it is sound. */
export async function layerDamage(layer: Digest, { cache, shared }: HostServices): Promise<string | null> {
  const look = async (): Promise<string | null> => {
    const { layerProblem } = await import('../cache/verify-layers.ts');
    const problem = layerProblem(cache, layer);
    if (problem === null) return null;
    await quarantineLayer(cache.folder, layer);
    // What took its file may have taken others, so layers that were sound are checked again.
    forget(shared, CHECKED);
    return problem;
  };
  // After it was made again, it is checked again.
  return once(shared, nameOf(layer), look, (problem) => problem === null);
}

const CHECKED = 'damage ';

interface Look {
  /** When it began or will begin. */
  began: number;
  end: Promise<string | null>;
  /** When the next one may begin. */
  next: number;
}

/** Share of the time that checks of one layer may take. */
const SHARE = 0.05;

const looks = perRun((_: HostServices) => new Map<Digest, Look>());

/** What is wrong with the layer after its use until now: a check that begins later, one for all who wait for it. */
export function damageByNow(layer: Digest, site: HostServices): Promise<string | null> {
  const now = performance.now();
  const known = looks(site).get(layer);
  if (known !== undefined && known.began >= now) return known.end;
  const look: Look = { began: Math.max(now, known?.next ?? 0), end: Promise.resolve(null), next: 0 };
  look.next = look.began;
  look.end = (async () => {
    await sleep(look.began - now);
    look.began = performance.now();
    forget(site.shared, nameOf(layer));
    const problem = await layerDamage(layer, site);
    const ended = performance.now();
    look.next = ended + (ended - look.began) * (1 / SHARE - 1);
    return problem;
  })();
  looks(site).set(layer, look);
  return look.end;
}

function nameOf(layer: Digest): string {
  return `${CHECKED}${layer}`;
}
