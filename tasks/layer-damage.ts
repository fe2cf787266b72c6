/**
 * What a layer lost on the disk would look like a test that fails. So the files of a layer are looked at once per run,
 * before anything uses it, and one that lacks some is set aside, to be made again.
 */
import type { Digest } from '../basics/digest.ts';
import { setLayerAside } from '../cache/layer-aside.ts';
import type { Site } from '../contract/machine.ts';
import { once } from '../contract/once.ts';

/** What is wrong with the layer, which is out of use then; null when it is sound. */
export async function layerDamage(layer: Digest, { cache, shared }: Site): Promise<string | null> {
  const look = async (): Promise<string | null> => {
    const { layerProblem } = await import('../cache/verify-layers.ts');
    const problem = layerProblem(cache, layer);
    if (problem !== null) await setLayerAside(cache.folder, layer);
    return problem;
  };
  // Once it is made again, it is looked at again.
  return once(shared, `damage ${layer}`, look, (problem) => problem === null);
}
