/**
 * A block of normalised rows: one blob with a head line that says what is in it, then an instance a line, its
 * sources still as the row writes them. It follows from the bytes of the file's block and the dataset's settings
 * alone, so it is kept by those, and a dataset in which one row changed makes one block anew.
 */

import { closeSync, openSync, readSync } from 'node:fs';
import { canonicalJson, type Json } from '../../../basics/canonical.ts';
import { type Digest, digestOf } from '../../../basics/digest.ts';
import { jsonObject } from '../../../basics/json.ts';
import type { Blob, BlobStore } from '../../../cache/blobs.ts';
import { LostOutput } from '../../../cache/cache.ts';
import type { BadRow, Instance } from '../../../schemas/instance.ts';

/** An instance whose sources are names in the dataset's table of pinned sources. */
export interface Unpinned extends Omit<Instance, 'source' | 'environment_source'> {
  source: string;
  environment_source: string;
}

/** What instances of one environment have in common, sources not pinned. */
export type UnpinnedGroup = Pick<
  Unpinned,
  'repo' | 'source' | 'environment_source' | 'environment_name' | 'version' | 'recipe'
>;

export interface BlockRow {
  id: string;
  /** Digest of what decides the instance's validation but for its source; not of its text for the agent. */
  digest: Digest;
  /** Bytes in the block's blob. */
  offset: number;
  length: number;
  /** Index in the head's `groups`. */
  group: number;
  source: string;
  /** Counted from the block's first line. */
  line: number;
}

/** A row without an instance. `id` is null when it has none that could be chosen by. */
export interface RejectedRow {
  id: string | null;
  bad: BadRow;
}

export interface BlockHead {
  groups: UnpinnedGroup[];
  rows: BlockRow[];
  /** Lines count from the block's first. */
  rejected: RejectedRow[];
}

/** The groups of a block in the order of their first rows. */
export interface GroupCounts {
  /** Names, 32 characters each. */
  names: string;
  /** Rows of each. */
  rows: number[];
}

/**
 * What a dataset is put together from without opening its blocks. Names are kept as one text: of five hundred blocks that
 * name a hundred groups each, single strings take longer to read than all the rest.
 */
export interface BlockFacts {
  blob: Blob;
  /** Bytes of the head line with its end. */
  head: number;
  rows: number;
  rejected: number;
  /** They name the sources of the rows. */
  groups: GroupCounts;
  /** 16 characters for every id of the block: blocks that have no mark in common hold no id twice. */
  ids: string;
}

/** Takes rows and writes them as a block. */
export class BlockBuilder {
  readonly #groups = new Map<string, { index: number; group: UnpinnedGroup; rows: number }>();
  readonly #rows: Omit<BlockRow, 'offset'>[] = [];
  readonly #lines: string[] = [];
  readonly #rejected: RejectedRow[] = [];

  get size(): number {
    return this.#rows.length;
  }

  add(row: Unpinned, line: number): void {
    const text = `${JSON.stringify(row)}\n`;
    const { repo, source, environment_source, environment_name, version, recipe } = row;
    const group: UnpinnedGroup = { repo, source, environment_source, environment_name, version, recipe };
    const name = groupName(group);
    const known = this.#groups.get(name) ?? { index: this.#groups.size, group, rows: 0 };
    known.rows += 1;
    this.#groups.set(name, known);
    this.#lines.push(text);
    this.#rows.push({
      id: row.instance_id,
      digest: taskDigestOf(row),
      length: Buffer.byteLength(text),
      group: known.index,
      source,
      line,
    });
  }

  reject(id: string | null, bad: BadRow): void {
    this.#rejected.push({ id, bad });
  }

  /** Stores the block. Rows' offsets count from the end of the head. */
  write(blobs: BlobStore): BlockFacts {
    let offset = 0;
    const rows = this.#rows.map((row) => {
      const placed = [row.id, row.digest, offset, row.length, row.group, row.source, row.line];
      offset += row.length;
      return placed;
    });
    const groups = [...this.#groups.values()];
    const content = { groups: groups.map(({ group }) => group), rows, rejected: this.#rejected };
    const head = Buffer.from(`${JSON.stringify(content)}\n`);
    const ids = [...this.#rows.map(({ id }) => id), ...this.#rejected.flatMap(({ id }) => id ?? [])];
    return {
      blob: blobs.write(Buffer.concat([head, Buffer.from(this.#lines.join(''))])),
      head: head.byteLength,
      rows: rows.length,
      rejected: this.#rejected.length,
      groups: { names: [...this.#groups.keys()].join(''), rows: groups.map((group) => group.rows) },
      ids: ids.map(idMark).join(''),
    };
  }
}

/** Reads the head of a stored block. */
export function readHead(blobs: BlobStore, digest: Digest, length: number): BlockHead {
  const file = openSync(blobs.path(digest), 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, 0);
    const { groups, rows, rejected } = parseHead(bytes.toString('utf8'), blobs, digest);
    return {
      groups,
      rejected,
      rows: rows.map(([id, own, offset, size, group, source, line]) => ({
        id,
        digest: own,
        offset: length + offset,
        length: size,
        group,
        source,
        line,
      })),
    };
  } finally {
    closeSync(file);
  }
}

/** A block that is damaged is set aside, so that looking once more makes it again. */
function parseHead(text: string, blobs: BlobStore, digest: Digest): StoredHead {
  const head = jsonObject<StoredHead>(text);
  if (head !== null) return head;
  blobs.read(digest);
  throw new LostOutput(`a block of rows, ${digest},`);
}

interface StoredHead {
  groups: UnpinnedGroup[];
  rows: [string, Digest, number, number, number, string, number][];
  rejected: RejectedRow[];
}

const GROUP_NAME = 32;

/** Names a group by its content. */
export function groupName(group: UnpinnedGroup): string {
  return digestOf(canonicalJson(group)).slice(0, GROUP_NAME);
}

/** The names of a block's groups, in its order. */
export function groupNames({ names, rows }: GroupCounts): string[] {
  return rows.map((_, at) => names.slice(at * GROUP_NAME, (at + 1) * GROUP_NAME));
}

/** What decides an instance's validation, beside its pinned source. */
export function decidingPart(instance: Omit<Instance, 'source' | 'environment_source'>): Json {
  const { instance_id, repo, patch, patch_role, test_patch, FAIL_TO_PASS, PASS_TO_PASS } = instance;
  const { test_files, tests_in_source } = instance;
  const files = {
    ...(test_files !== undefined && { test_files }),
    ...(tests_in_source !== undefined && { tests_in_source }),
  };
  return { instance_id, repo, patch, patch_role, test_patch, ...files, FAIL_TO_PASS, PASS_TO_PASS };
}

/** What the catalogue calls a row by. */
export function taskDigestOf(instance: Omit<Instance, 'source' | 'environment_source'>): Digest {
  return digestOf(canonicalJson(decidingPart(instance)));
}

const MARK = 16;

/** Part of the id's digest. Ids that differ only in their Unicode form have one mark. */
function idMark(id: string): string {
  return digestOf(id.normalize('NFC')).slice(0, MARK);
}

/** The marks in `ids` of some blocks, 8 bytes each. */
export function idMarks(ids: string): BigUint64Array {
  return new BigUint64Array(new Uint8Array(Buffer.from(ids, 'hex')).buffer);
}
