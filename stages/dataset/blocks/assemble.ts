/**
 * Puts a dataset together from blocks of rows: double ids are found, rows chosen, sources pinned. While nothing is
 * chosen, no id is there twice and every source exists, no block has to be opened, however many there are.
 */

import { mapLimit } from '../../../basics/map-limit.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import type { Blob } from '../../../cache/blobs.ts';
import type { Cache } from '../../../cache/cache.ts';
import { KnownIds } from '../../../formats/instance-id.ts';
import { badRow } from '../../../formats/row.ts';
import type { Absence } from '../../../schemas/absence.ts';
import type { SelectConfig } from '../../../schemas/generated/project.ts';
import type { BadRow, PinnedSource } from '../../../schemas/instance.ts';
import { type Infra, isFault } from '../../../schemas/outcome.ts';
import { AbsenceTally } from '../../../tasks/source/absence-tally.ts';
import type { SourceFault } from '../../../tasks/source/fault.ts';
import { Selection } from '../select.ts';
import type { CatalogueBlock, CatalogueContent } from './catalogue.ts';
import {
  type BlockFacts,
  type BlockHead,
  groupNames,
  idMarks,
  readHead,
  type UnpinnedGroup,
} from './row-block.ts';

const PARALLEL = 8;

/** A block in its place in the dataset. */
export interface PlacedBlock {
  facts: BlockFacts;
  /** Number of its first line. */
  firstLine: number;
}

export interface Assembled {
  content: CatalogueContent;
  blobs: Blob[];
  bad: BadRow[];
  /** What rows among them rest on that was not found. */
  absent: Absence[];
}

export interface AssembleOptions {
  cache: Cache;
  /** null: all rows. */
  select: SelectConfig | null;
  /** The pin of a source as rows write it. */
  pin(source: string): Promise<Result<PinnedSource, SourceFault>>;
}

/** The dataset that `blocks` make, in their order. */
export async function assemble(
  blocks: readonly PlacedBlock[],
  options: AssembleOptions,
): Promise<Result<Assembled, Infra>> {
  const { match, sample, slice } = options.select ?? {};
  const takesAll = match === undefined && sample === undefined && slice === undefined;
  const table = new GroupTable(options);
  const chosen =
    takesAll && !sharesIds(blocks) ? takeAll(blocks, table, options) : choose(blocks, table, options);
  const names = table.sourceNames();
  const pinned = await pinAll(names, options);
  if (!pinned.ok) return pinned;
  const pins: Pins = { names, pinned: pinned.value };
  const tally = new AbsenceTally();
  const sound = withoutUnpinned(chosen, pins, table, options, tally);
  return success({ ...catalogueOf(sound, pins, table), absent: tally.list() });
}

/** The rows of one block that are in the dataset. */
interface Choice {
  block: PlacedBlock;
  /** null: all of them. */
  picked: number[] | null;
  bad: BadRow[];
  /** Numbers of the rows' groups, and the rows of each. */
  groups: readonly number[];
  rows: readonly number[];
  /** Places in the table of sources. */
  sources: number[];
}

interface TabledGroup {
  name: string;
  content: UnpinnedGroup;
  /** Of its sources, each once; null until rows of it are chosen. */
  places: readonly number[] | null;
}

/**
 * The groups of all blocks, and the sources of those that have chosen rows, each once. Heads are read only of blocks in
 * which a group is met first.
 */
class GroupTable {
  readonly #cache: Cache;
  readonly #numbers = new Map<string, number>();
  readonly #groups: TabledGroup[] = [];
  readonly #places = new Map<string, number>();
  /** Of each source: the last call of `sourcesOf` that met it. */
  readonly #met: number[] = [];
  #calls = 0;

  constructor({ cache }: AssembleOptions) {
    this.#cache = cache;
  }

  /** The numbers of all groups of a block. */
  numbersOf(facts: BlockFacts): readonly number[] {
    const numbers = groupNames(facts.groups).map((name) => this.#numberOf(name));
    for (const number of numbers) if (this.#groups[number] === undefined) this.#read(facts, numbers);
    return numbers;
  }

  group(number: number): TabledGroup {
    return this.#groups[number]!;
  }

  /** The places of the sources of groups with chosen rows, each once. */
  sourcesOf(groups: readonly number[]): number[] {
    this.#calls += 1;
    const places: number[] = [];
    for (const number of groups)
      for (const place of this.#placesOf(this.#groups[number]!)) {
        if (this.#met[place] !== this.#calls) places.push(place);
        this.#met[place] = this.#calls;
      }
    return places;
  }

  sourceNames(): string[] {
    return [...this.#places.keys()];
  }

  #read(facts: BlockFacts, numbers: readonly number[]): void {
    const { groups } = headOf(facts, this.#cache);
    for (const [at, name] of groupNames(facts.groups).entries())
      this.#groups[numbers[at]!] ??= { name, content: groups[at]!, places: null };
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }

  #placesOf(group: TabledGroup): readonly number[] {
    const { source, environment_source: environment } = group.content;
    group.places ??= [...new Set([this.#placeOf(source), this.#placeOf(environment)])];
    return group.places;
  }

  #placeOf(source: string): number {
    const place = this.#places.get(source) ?? this.#places.size;
    this.#places.set(source, place);
    return place;
  }
}

/** True when an id may be there twice. */
function sharesIds(blocks: readonly PlacedBlock[]): boolean {
  const marks = idMarks(blocks.map(({ facts }) => facts.ids).join('')).sort();
  // As halves, which unlike the whole are plain numbers.
  const halves = new Uint32Array(marks.buffer);
  for (let at = 2; at < halves.length; at += 2)
    if (halves[at] === halves[at - 2] && halves[at + 1] === halves[at - 1]) return true;
  return false;
}

function takeAll(blocks: readonly PlacedBlock[], table: GroupTable, { cache }: AssembleOptions): Choice[] {
  return blocks.map((block) => {
    const { facts, firstLine } = block;
    const rejected = facts.rejected === 0 ? [] : headOf(facts, cache).rejected;
    const bad = rejected.map(({ bad: row }) => ({ ...row, line: firstLine + row.line }));
    const groups = table.numbersOf(facts);
    return { block, picked: null, bad, groups, rows: facts.groups.rows, sources: table.sourcesOf(groups) };
  });
}

/** Looks at every row: match, double ids, sample and slice, in the dataset's order. */
function choose(
  blocks: readonly PlacedBlock[],
  table: GroupTable,
  { cache, select }: AssembleOptions,
): Choice[] {
  const selection = new Selection<[block: number, row: number]>(select ?? { seed: 0 });
  const known = new KnownIds();
  const heads = blocks.map(({ facts }) => headOf(facts, cache));
  const bad = blocks.map((): BadRow[] => []);
  for (const [index, { rows, rejected }] of heads.entries()) {
    const { firstLine } = blocks[index]!;
    const all = [
      ...rows.map(({ id, line }, row) => ({ id, line, row, problem: null })),
      ...rejected.map(({ id, bad: problem }) => ({ id, line: problem.line, row: -1, problem })),
    ].sort((a, b) => a.line - b.line);
    for (const { id, line, row, problem } of all) {
      if (id !== null && !selection.matches(id)) continue;
      const at = firstLine + line;
      const clash = id === null ? null : known.clash(id, at);
      if (clash !== null) bad[index]!.push(badRow(at, id, 'instance_id', clash));
      else if (problem !== null) bad[index]!.push({ ...problem, line: at });
      else selection.offer(id!, [index, row]);
    }
  }
  const picked = blocks.map((): number[] => []);
  for (const [block, row] of selection.chosen()) picked[block]!.push(row);
  return blocks.map((block, index) => choiceOf(block, heads[index]!, picked[index]!, bad[index]!, table));
}

function choiceOf(
  block: PlacedBlock,
  head: BlockHead,
  picked: number[],
  bad: BadRow[],
  table: GroupTable,
): Choice {
  const all = picked.length === head.rows.length;
  const numbers = table.numbersOf(block.facts);
  const counts = new Map<number, number>();
  for (const at of picked) {
    const number = numbers[head.rows[at]!.group]!;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const groups = [...counts.keys()];
  return {
    block,
    picked: all ? null : picked,
    bad,
    groups,
    rows: [...counts.values()],
    sources: table.sourcesOf(groups),
  };
}

/** The sources by their places in the table. */
interface Pins {
  names: string[];
  pinned: Result<PinnedSource, SourceFault>[];
}

async function pinAll(
  names: readonly string[],
  { pin }: AssembleOptions,
): Promise<Result<Pins['pinned'], Infra>> {
  const all = await mapLimit(names, PARALLEL, pin);
  for (const pinned of all) if (!pinned.ok && isFault(pinned.fault)) return fault(pinned.fault);
  return success(all);
}

/** Rows whose source does not exist are bad rows, and are counted in `tally`. */
function withoutUnpinned(
  choices: Choice[],
  { names, pinned }: Pins,
  table: GroupTable,
  { cache }: AssembleOptions,
  tally: AbsenceTally,
): Choice[] {
  const problems = new Map<string, SourceFault>();
  for (const [place, pin] of pinned.entries()) if (!pin.ok) problems.set(names[place]!, pin.fault);
  if (problems.size === 0) return choices;
  return choices.map((choice) => {
    if (!choice.sources.some((place) => problems.has(names[place]!))) return choice;
    const { block, bad } = choice;
    const head = headOf(block.facts, cache);
    const kept: number[] = [];
    for (const at of choice.picked ?? head.rows.keys()) {
      const row = head.rows[at]!;
      const environment = head.groups[row.group]!.environment_source;
      const lost = [row.source, environment].find((name) => problems.has(name));
      if (lost === undefined) kept.push(at);
      else {
        const field = lost === row.source ? 'source' : 'environment_source';
        const problem = problems.get(lost)!;
        tally.add(problem);
        bad.push(badRow(block.firstLine + row.line, row.id, field, problem.detail));
      }
    }
    return choiceOf(block, head, kept, bad, table);
  });
}

function catalogueOf(
  choices: readonly Choice[],
  { names, pinned }: Pins,
  table: GroupTable,
): Omit<Assembled, 'absent'> {
  const kept = choices.filter(({ rows }) => rows.length > 0);
  const sources: Record<string, PinnedSource> = {};
  for (const [place, pin] of pinned.entries()) if (pin.ok) sources[names[place]!] = pin.value;
  const order = new Map(Object.keys(sources).map((name, place) => [name, place]));
  const places = names.map((name) => order.get(name)!);
  const blocks = kept.map(
    ({ block, picked, rows, sources: own }): CatalogueBlock => ({
      blob: block.facts.blob.digest,
      head: block.facts.head,
      rows: rows.reduce((sum, count) => sum + count, 0),
      picked,
      sources: own.map((place) => places[place]!),
    }),
  );
  return {
    content: { groups: groupsOf(kept, sources, table), sources, blocks },
    blobs: kept.map(({ block }) => block.facts.blob),
    bad: choices.flatMap((choice) => choice.bad).sort((a, b) => a.line - b.line),
  };
}

/** The groups in the order of their first rows. */
function groupsOf(
  choices: readonly Choice[],
  sources: Record<string, PinnedSource>,
  table: GroupTable,
): CatalogueContent['groups'] {
  const counts: number[] = [];
  const order: number[] = [];
  for (const { groups, rows } of choices)
    for (let at = 0; at < groups.length; at++) {
      const number = groups[at]!;
      if (counts[number] === undefined) order.push(number);
      counts[number] = (counts[number] ?? 0) + rows[at]!;
    }
  return order.map((number) => {
    const { name, content } = table.group(number);
    const { source, environment_source: environment, ...rest } = content;
    const pins = { source: sources[source]!, environment_source: sources[environment]! };
    return { ...rest, ...pins, name, rows: counts[number]! };
  });
}

function headOf({ blob, head }: BlockFacts, cache: Cache): BlockHead {
  return readHead(cache.blobs, blob.digest, head);
}
