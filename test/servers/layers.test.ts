/** Layers on a node: what a machine that went down has left of one is not shown, and brought again. */
import {
  chmodSync,
  createReadStream,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packTree } from '../../executors/pool/archive.ts';
import { LayerFolder } from '../../servers/node/layers.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('a layer that lost content is missing, until it is brought again', async () => {
  const folder = temporaryFolder();
  const made = join(folder, 'made');
  mkdirSync(join(made, 'package/empty'), { recursive: true });
  writeFileSync(join(made, 'package/core.py'), 'A = 1\n');
  writeFileSync(join(made, 'package/other.py'), 'B = 1\n');
  symlinkSync('core.py', join(made, 'package/link.py'));
  const { path, digest, drop } = await packTree(made);
  const place = join(folder, 'layers');
  const view = { layers: [digest], mounts: [], links: {}, variables: {}, source: null };
  const tree = join(place, digest, 'tree');
  const bring = async (layers: LayerFolder) => {
    expect(await layers.shown(view)).toEqual({ missing: [digest] });
    expect(await layers.take(digest, createReadStream(path))).toBe(null);
    expect(await layers.shown(view)).toMatchObject({ environment: { layers: [tree] } });
  };
  await bring(new LayerFolder(place));
  for (const damage of [
    () => truncateSync(join(tree, 'package/core.py'), 0),
    () => rmSync(join(tree, 'package/other.py')),
    () => rmSync(join(tree, 'package/empty'), { recursive: true }),
    () => truncateSync(join(place, digest, 'entries'), 3),
  ]) {
    // A server that is started again, on what is whole and what is not.
    expect(await new LayerFolder(place).shown(view)).toMatchObject({ environment: { layers: [tree] } });
    damage();
    await bring(new LayerFolder(place));
  }
  await drop();
});

test('a look that the machine refuses is no answer, and is made again', async () => {
  const folder = temporaryFolder();
  const digest = 'a'.repeat(64);
  const layers = new LayerFolder(join(folder, 'layers'));
  const tree = join(folder, 'layers', digest, 'tree');
  mkdirSync(join(tree, 'package'), { recursive: true });
  writeFileSync(join(tree, '..', 'entries'), '');
  const view = { layers: [digest], mounts: [], links: {}, variables: {}, source: null };
  const isRoot = process.getuid?.() === 0;
  for (const path of [folder, join(folder, 'layers')]) chmodSync(path, 0o755);
  chmodSync(tree, 0);
  if (isRoot) process.seteuid!(65534);
  try {
    await expect(layers.shown(view)).rejects.toMatchObject({ code: 'EACCES' });
  } finally {
    if (isRoot) process.seteuid!(0);
  }
  chmodSync(tree, 0o755);
  expect(await layers.shown(view)).toEqual({ missing: [digest] });
});
