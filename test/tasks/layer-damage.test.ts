/** Layers that lost a file on the disk, in a process that had found them sound. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import type { HostServices } from '../../contract/machine.ts';
import { damageByNow, layerDamage } from '../../tasks/layer-damage.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('when one is found damaged, the others are checked again', async () => {
  const cache = await openCache(temporaryFolder());
  const site = { cache, shared: {} } as HostServices;
  const layers = await Promise.all(
    ['one', 'two', 'three'].map(async (text) => {
      const folder = temporaryPath(cache.folder);
      mkdirSync(folder);
      writeFileSync(join(folder, 'file'), text);
      return (await cache.layers.add(folder)).digest;
    }),
  );
  const [first, second, third] = layers as [(typeof layers)[0], (typeof layers)[0], (typeof layers)[0]];
  for (const layer of layers) expect(await layerDamage(layer, site)).toBeNull();
  for (const layer of [first, second]) rmSync(join(cache.folder.trees, layer, 'file'));
  expect(await layerDamage(second, site)).toBeNull();
  expect(await damageByNow(first, site)).toContain('file');
  expect(await layerDamage(second, site)).toContain('file');
  expect(await layerDamage(third, site)).toBeNull();
  await cache.close();
});
