/**
 * Reads a dataset into the cache, as blocks of rows and a catalogue. Files of lines are read block by block, and a
 * block that was read before is not read again. Rows of other files, and derived ones, come as instances and are divided
 * into blocks here.
 */

import { fault, type Result, success } from '../../../basics/result.ts';
import type { Cache } from '../../../cache/cache.ts';
import type { ReadableFormat } from '../../../formats/kind.ts';
import { formatNamed } from '../../../formats/registry.ts';
import { UnreadableFile } from '../../../formats/row.ts';
import { sourceMap } from '../../../formats/source-map.ts';
import type { Instance, PinnedSource } from '../../../schemas/instance.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import { invalidRow, type SourceFault } from '../../../tasks/source/fault.ts';
import { pinSource } from '../../../tasks/source/pin.ts';
import { type LoadOptions, streamDataset } from '../load.ts';
import { datasetFiles } from '../readers/dataset-files.ts';
import { type Assembled, assemble, type PlacedBlock } from './assemble.ts';
import { normaliseBlock, readBlocks } from './block-reader.ts';
import type { FileBlock } from './file-blocks.ts';
import { KnownBlocks } from './known-blocks.ts';
import { BlockBuilder } from './row-block.ts';

/** Instances of a block that is not one of a file. */
const BLOCK_ROWS = 256;

export interface StoreOptions extends LoadOptions {
  cache: Cache;
  /** The blocks of a file of lines. */
  blocksOf(path: string): Promise<FileBlock[]>;
}

export interface StoredDataset extends Assembled {
  /** Of a hub dataset. */
  commit: string | undefined;
}

/** Reads the dataset; its blocks are in the cache when this returns. */
export async function storeDataset(options: StoreOptions): Promise<Result<StoredDataset, SourceFault>> {
  const { config, projectFolder, deps } = options;
  const files = await datasetFiles(config, projectFolder, deps);
  if (!files.ok) return files;
  const format = formatNamed(config.format);
  if (files.value.kind !== 'jsonl' || format.rows === 'derived') return storeInstances(options);
  const fetched = await files.value.fetch?.();
  if (fetched?.ok === false) return fetched;
  try {
    const blocks = await storeBlocks(files.value.paths, format, options);
    if (options.signal?.aborted) return fault(infra('cancelled', 'reading the dataset was cancelled'));
    const assembled = await assemble(blocks, {
      cache: options.cache,
      select: config.select ?? null,
      pin: (source) => pinSource(source, deps),
    });
    return assembled.ok ? success({ ...assembled.value, commit: files.value.commit }) : assembled;
  } catch (error) {
    if (error instanceof UnreadableFile)
      return fault(invalidRow(`dataset ${config.source}: ${error.message}`));
    throw error;
  }
}

/** The blocks of all files: those that were read before by their memos, the others read now. */
async function storeBlocks(
  paths: readonly string[],
  format: ReadableFormat,
  options: StoreOptions,
): Promise<PlacedBlock[]> {
  const { cache, config, signal } = options;
  const known = new KnownBlocks(cache, config);
  const sources = sourceMap(config.sources ?? {});
  const placed: PlacedBlock[] = [];
  for (const path of paths) {
    const blocks = await options.blocksOf(path);
    const facts = blocks.map((block) => known.find(block));
    const wanted = [...blocks.keys()].filter((index) => facts[index] === null);
    let next = 0;
    const missing = wanted.map((index) => blocks[index]!);
    for await (const block of readBlocks(path, missing)) {
      const made = normaliseBlock(block, format, config, sources).write(cache.blobs);
      const index = wanted[next++]!;
      facts[index] = made;
      known.keep(blocks[index]!, made);
      if (signal?.aborted) return placed;
    }
    if (next < wanted.length) throw new UnreadableFile('it changed while it was read');
    for (const [index, block] of blocks.entries())
      placed.push({ facts: facts[index]!, firstLine: block.firstLine });
  }
  return placed;
}

/** Instances with their sources pinned become blocks whose ends depend on the instances' names alone. */
async function storeInstances(options: StoreOptions): Promise<Result<StoredDataset, SourceFault>> {
  const pins = new Map<string, PinnedSource>();
  const blocks: PlacedBlock[] = [];
  let builder = new BlockBuilder();
  const flush = () => {
    if (builder.size > 0) blocks.push({ facts: builder.write(options.cache.blobs), firstLine: 0 });
    builder = new BlockBuilder();
  };
  const nameOf = (pinned: PinnedSource): string => {
    const name = `${pinned.spec} ${pinned.digest}`;
    pins.set(name, pinned);
    return name;
  };
  const read = await streamDataset(options, (instances) => {
    for (const instance of instances) {
      const { source, environment_source, ...rest } = instance;
      const named = { source: nameOf(source), environment_source: nameOf(environment_source) };
      builder.add({ ...rest, ...named }, builder.size);
      if (endsBlock(instance, builder.size)) flush();
    }
  });
  if (!read.ok) return read;
  flush();
  const pin = async (name: string): Promise<Result<PinnedSource, Infra>> => success(pins.get(name)!);
  const assembled = await assemble(blocks, { cache: options.cache, select: null, pin });
  if (!assembled.ok) return assembled;
  const { bad, absent, commit } = read.value;
  return success({ ...assembled.value, bad, absent, commit });
}

/** True behind an instance that ends its block. */
function endsBlock({ instance_id }: Pick<Instance, 'instance_id'>, size: number): boolean {
  let mix = 0;
  for (let at = 0; at < instance_id.length; at++) mix = (Math.imul(mix, 31) + instance_id.charCodeAt(at)) | 0;
  return size === BLOCK_ROWS || (mix >>> 8) % (BLOCK_ROWS / 4) === 0;
}
