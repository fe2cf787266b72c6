/**
 * A dataset's catalogue: what other stages need to know of every instance without reading the rows. Sixty thousand
 * rows of 5 KB are 300 MB in some 500 blocks. The catalogue has a line for each block, and the tables of groups and
 * pinned sources. Stages that need single rows read the heads of the blocks.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { canonicalJson } from '../../../basics/canonical.ts';
import { type Digest, isDigest } from '../../../basics/digest.ts';
import { type Cache, LostOutput, readText } from '../../../cache/cache.ts';
import { digestOfList } from '../../../cache/key.ts';
import { inside, type Machine } from '../../../contract/machine.ts';
import { once } from '../../../contract/once.ts';
import type { Instance, PinnedSource } from '../../../schemas/instance.ts';
import type { ActionRecord } from '../../../schemas/record.ts';
import { decidingPart, groupName, readHead, type Unpinned } from './row-block.ts';

/** What instances of one environment have in common. */
export type InstanceGroup = Pick<
  Instance,
  'repo' | 'source' | 'environment_source' | 'environment_name' | 'version' | 'recipe'
>;

export interface CatalogueRow {
  id: string;
  /**
   * Digest of all that decides the instance's validation, apart from its source; its text for the agent is not part
   * of it.
   */
  digest: Digest;
  /** Digest of the pinned source. */
  source: string;
  /** The block's blob, and bytes in it. */
  block: Digest;
  offset: number;
  length: number;
  /** Index in `groups`. */
  group: number;
}

/** One block of rows. */
export interface CatalogueBlock {
  blob: Digest;
  /** Bytes of the blob's head. */
  head: number;
  /** Rows of the dataset that are in it. */
  rows: number;
  /** Which of its rows are in the dataset; null: all. */
  picked: number[] | null;
  /** The sources that its rows name, as places in the catalogue's table. */
  sources: number[];
}

/** The catalogue as it is stored. */
export interface CatalogueContent {
  /** `name` says what the group is before its source is pinned; `rows`: how many instances it has. */
  groups: (InstanceGroup & { name: string; rows: number })[];
  sources: Record<string, PinnedSource>;
  blocks: CatalogueBlock[];
  /** Rows of the blocks that are not in the dataset were left out of it after their environments were planned. */
  leaves_out?: true;
}

/** What a dataset came to, as far as its rows are read from it. */
type DatasetAnswer = Pick<ActionRecord, 'outputs'>;

export class Catalogue {
  readonly content: CatalogueContent;
  readonly #cache: Cache;
  readonly #groupIndex: Map<string, number>;
  readonly #pins: Digest[];
  #rows: CatalogueRow[] | null = null;

  constructor(content: CatalogueContent, cache: Cache) {
    this.content = content;
    this.#cache = cache;
    this.#pins = Object.values(content.sources).map(({ digest }) => digest as Digest);
    this.#groupIndex = new Map(content.groups.map((group, index) => [group.name, index]));
  }

  get groups(): CatalogueContent['groups'] {
    return this.content.groups;
  }

  get blocks(): CatalogueBlock[] {
    return this.content.blocks;
  }

  /** All rows in the dataset's order; reads every block's head. */
  get rows(): CatalogueRow[] {
    this.#rows ??= this.blocks.flatMap((block) => this.rowsOf(block));
    return this.#rows;
  }

  /** The rows that environments are planned for, in the dataset's order: those that were left out later are among them. */
  get plannedRows(): CatalogueRow[] {
    if (this.content.leaves_out !== true) return this.rows;
    return this.blocks.flatMap((block) => this.rowsOf({ ...block, picked: null }));
  }

  /** The row of an instance; blocks are read until it is found, and none is kept. */
  rowOf(id: string): CatalogueRow | null {
    for (const block of this.blocks) {
      const found = this.rowsOf(block).find((row) => row.id === id);
      if (found !== undefined) return found;
    }
    return null;
  }

  rowsOf({ blob, head, picked }: CatalogueBlock): CatalogueRow[] {
    const { groups, rows } = readHead(this.#cache.blobs, blob, head);
    const index = groups.map((group) => this.#groupIndex.get(groupName(group))!);
    const chosen = picked === null ? rows : picked.map((at) => rows[at]!);
    return chosen.map(({ id, digest, source, offset, length, group }) => ({
      id,
      digest,
      source: this.content.sources[source]!.digest,
      block: blob,
      offset,
      length,
      group: index[group]!,
    }));
  }

  /** What is known of rows, read from their blocks; each block is read once. */
  *read(rows: readonly CatalogueRow[]): Generator<Unpinned> {
    let block: Digest | null = null;
    let bytes: Buffer = Buffer.alloc(0);
    for (const row of rows) {
      if (row.block !== block) bytes = readBlock(row.block, this.#cache);
      block = row.block;
      yield JSON.parse(bytes.toString('utf8', row.offset, row.offset + row.length)) as Unpinned;
    }
  }

  /** Names everything that decides the validation of the block's rows, given their environments. */
  digestOf({ blob, picked, sources }: CatalogueBlock): Digest {
    const pins = sources.map((place) => this.#pins[place]!).join(' ');
    return digestOfList('catalogue block', [blob, canonicalJson(picked), pins]);
  }
}

/** The catalogue of an answered dataset, read once per run. */
export function readCatalogue({ outputs }: DatasetAnswer, machine: Machine): Promise<Catalogue> {
  const { cache } = inside(machine, 'cache');
  return once(cache, `catalogue ${outputs.catalogue?.digest}`, async () => {
    const text = await readText(cache, outputs.catalogue);
    if (text === null) throw new LostOutput('the catalogue of the dataset');
    return new Catalogue(JSON.parse(text) as CatalogueContent, cache);
  });
}

/** One instance, read from its place in its block. */
export async function readInstance(
  record: DatasetAnswer,
  row: Pick<CatalogueRow, 'block' | 'offset' | 'length'>,
  machine: Machine,
): Promise<Instance> {
  const { cache } = inside(machine, 'cache');
  const { sources } = (await readCatalogue(record, machine)).content;
  if (!isDigest(row.block)) throw new Error(`"${row.block}" names no block`);
  await checkBlock(row.block, cache);
  // Waiting for three calls one by one takes a third of the time of a plan with many rollouts.
  const file = openSync(cache.blobs.path(row.block), 'r');
  try {
    const bytes = Buffer.alloc(row.length);
    readSync(file, bytes, 0, row.length, row.offset);
    const { instance_id, repo, source, environment_source, ...rest } = JSON.parse(
      bytes.toString('utf8'),
    ) as Unpinned;
    return {
      instance_id,
      repo,
      source: sources[source]!,
      environment_source: sources[environment_source]!,
      ...rest,
    };
  } finally {
    closeSync(file);
  }
}

/** The rows as they were read, in batches: those that follow each other in a block. Each block is read once. */
export function* readRaw(
  rows: readonly CatalogueRow[],
  machine: Machine,
): Generator<Record<string, unknown>[]> {
  for (let start = 0; start < rows.length; ) {
    const { block } = rows[start]!;
    let end = start;
    while (rows[end]?.block === block) end += 1;
    const bytes = readBlock(block, inside(machine, 'cache').cache);
    yield rows.slice(start, end).map(({ offset, length }) => {
      return (JSON.parse(bytes.toString('utf8', offset, offset + length)) as Unpinned).raw;
    });
    start = end;
  }
}

/** A block's bytes are held against its name once per run, before any row is taken from it. */
function checkBlock(block: Digest, cache: Cache): Promise<void> {
  return once(cache, `checked block ${block}`, async () => void readBlock(block, cache));
}

function readBlock(block: Digest, cache: Cache): Buffer {
  const bytes = cache.blobs.read(block);
  if (bytes === null) throw new LostOutput(`a block of rows, ${block},`);
  return bytes;
}

/** What decides an instance's validation. */
export function taskOf(instance: Instance) {
  return { ...(decidingPart(instance) as object), source: instance.source };
}
