import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import { BlobStore } from '../../cache/blobs.ts';
import type { Cache } from '../../cache/cache.ts';
import { cacheFolder, SHARDS } from '../../cache/folder.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type AssembleOptions, assemble, type PlacedBlock } from '../../stages/dataset/blocks/assemble.ts';
import { BlockBuilder, type Unpinned } from '../../stages/dataset/blocks/row-block.ts';

let folder: string;
let blobs: BlobStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'swemake-assemble-'));
  const places = cacheFolder(folder);
  for (const path of [places.temporary, ...SHARDS.map((shard) => join(places.blobs, shard))])
    mkdirSync(path, { recursive: true });
  blobs = new BlobStore(places);
});

afterEach(async () => {
  await blobs.settled();
  rmSync(folder, { recursive: true });
});

/** Blocks of rows that have these sources. */
function blocksOf(sources: string[][]): PlacedBlock[] {
  return sources.map((own, index) => {
    const builder = new BlockBuilder();
    for (const [line, source] of own.entries()) builder.add(row(`${index}-${line}`, source), line);
    return { facts: builder.write(blobs), firstLine: 1 };
  });
}

async function contentOf(blocks: PlacedBlock[], options: Partial<AssembleOptions> = {}) {
  const pin = async (spec: string) => success({ spec, digest: `pin of ${spec}` } as PinnedSource);
  // Nothing else of a cache is asked for.
  const cache = { blobs } as Cache;
  const assembled = await assemble(blocks, { cache, select: null, pin, ...options });
  if (!assembled.ok) throw new Error('it is not made');
  const { content } = assembled.value;
  const names = Object.keys(content.sources);
  return { ...content, names: content.blocks.map(({ sources }) => sources.map((place) => names[place])) };
}

test('blocks name sources by their places in the table, whatever these are called', async () => {
  // Names of numbers come first in an object, wherever they were added.
  const written = [['x', 'a\nb'], ['"q"', '7'], ['a\nb']];
  const content = await contentOf(blocksOf(written));
  expect(content.names).toEqual(written);
  expect(content.groups.map((group) => group.source.spec)).toEqual(['x', 'a\nb', '"q"', '7']);
  expect(content.groups.map(({ rows }) => rows)).toEqual([1, 2, 1, 1]);
});

test('only sources of chosen rows are pinned', async () => {
  const blocks = blocksOf([
    ['x', 'y'],
    ['z', 'y'],
  ]);
  const asked: string[] = [];
  const pin = async (spec: string) => {
    asked.push(spec);
    return success({ spec, digest: `pin of ${spec}` } as PinnedSource);
  };
  const content = await contentOf(blocks, { select: { match: '-1$', seed: 0 }, pin });
  expect(asked).toEqual(['y']);
  expect(content.names).toEqual([['y'], ['y']]);
  expect(content.groups.map(({ rows }) => rows)).toEqual([2]);
});

function row(id: string, source: string): Unpinned {
  const group = { repo: 'r', source, environment_source: source, environment_name: source, version: '1' };
  const lists = { FAIL_TO_PASS: ['t'], PASS_TO_PASS: [] };
  return { instance_id: id, patch: '', patch_role: 'fix', test_patch: '', ...group, ...lists } as never;
}
