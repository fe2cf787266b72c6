/**
 * Puts a dataset together from blocks of rows: double ids are found, rows chosen, sources pinned. While nothing is
 * chosen, no id is there twice and every source exists, no block has to be opened, however many there are.
 */

import { mapLimit } from '../../basics/map-limit.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Blob } from '../../cache/blobs.ts';
import type { Cache } from '../../cache/cache.ts';
import type { SelectConfig } from '../../schemas/generated/project.ts';
import type { BadRow, PinnedSource } from '../../schemas/instance.ts';
import { type Infra, isFault } from '../../schemas/outcome.ts';
import { badRow } from '../../tasks/rows/row.ts';
import type { SourceFault } from '../../tasks/source/fault.ts';
import type { CatalogueBlock, CatalogueContent } from './catalogue.ts';
import { KnownIds } from './instance-id.ts';
import { type BlockFacts, type BlockHead, groupName, idMarks, readHead } from './row-block.ts';
import { Selection } from './select.ts';

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
  const chosen = takesAll && !sharesIds(blocks) ? takeAll(blocks, options) : choose(blocks, options);
  const pins = await pinAll(chosen, options);
  if (!pins.ok) return pins;
  const sound = withoutUnpinned(chosen, pins.value, options);
  return success(catalogueOf(sound, pins.value, options.cache));
}

/** The rows of one block that are in the dataset. */
interface Choice {
  block: PlacedBlock;
  /** null: all of them. */
  picked: number[] | null;
  bad: BadRow[];
  groups: [name: string, rows: number][];
  sources: string[];
}

/** True when an id may be there twice. */
function sharesIds(blocks: readonly PlacedBlock[]): boolean {
  const marks = idMarks(blocks.map(({ facts }) => facts.ids).join('')).sort();
  for (let at = 1; at < marks.length; at++) if (marks[at] === marks[at - 1]) return true;
  return false;
}

function takeAll(blocks: readonly PlacedBlock[], { cache }: AssembleOptions): Choice[] {
  return blocks.map((block) => {
    const { facts, firstLine } = block;
    const rejected = facts.rejected === 0 ? [] : headOf(facts, cache).rejected;
    const bad = rejected.map(({ bad: row }) => ({ ...row, line: firstLine + row.line }));
    return { block, picked: null, bad, groups: facts.groups, sources: facts.sources };
  });
}

/** Looks at every row: match, double ids, sample and slice, in the dataset's order. */
function choose(blocks: readonly PlacedBlock[], { cache, select }: AssembleOptions): Choice[] {
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
  return blocks.map((block, index) => choiceOf(block, heads[index]!, picked[index]!, bad[index]!));
}

function choiceOf(block: PlacedBlock, head: BlockHead, picked: number[], bad: BadRow[]): Choice {
  const all = picked.length === head.rows.length;
  const groups = new Map<string, number>();
  const sources = new Set<string>();
  const names = head.groups.map(groupName);
  for (const at of picked) {
    const row = head.rows[at]!;
    groups.set(names[row.group]!, (groups.get(names[row.group]!) ?? 0) + 1);
    sources.add(row.source).add(head.groups[row.group]!.environment_source);
  }
  return { block, picked: all ? null : picked, bad, groups: [...groups], sources: [...sources] };
}

type Pins = Map<string, Result<PinnedSource, SourceFault>>;

async function pinAll(choices: readonly Choice[], { pin }: AssembleOptions): Promise<Result<Pins, Infra>> {
  const names = new Set<string>();
  for (const { sources } of choices) for (const name of sources) names.add(name);
  const pins: Pins = new Map();
  await mapLimit([...names], PARALLEL, async (name) => void pins.set(name, await pin(name)));
  for (const pinned of pins.values()) if (!pinned.ok && isFault(pinned.fault)) return fault(pinned.fault);
  return success(pins);
}

/** Rows whose source does not exist are bad rows. */
function withoutUnpinned(choices: Choice[], pins: Pins, { cache }: AssembleOptions): Choice[] {
  const isLost = (name: string) => pins.get(name)?.ok === false;
  return choices.map((choice) => {
    if (!choice.sources.some(isLost)) return choice;
    const { block, bad } = choice;
    const head = headOf(block.facts, cache);
    const kept: number[] = [];
    for (const at of choice.picked ?? head.rows.keys()) {
      const row = head.rows[at]!;
      const environment = head.groups[row.group]!.environment_source;
      const lost = [row.source, environment].find(isLost);
      const problem = lost === undefined ? undefined : pins.get(lost);
      if (problem === undefined || problem.ok) kept.push(at);
      else {
        const field = lost === row.source ? 'source' : 'environment_source';
        bad.push(badRow(block.firstLine + row.line, row.id, field, problem.fault.detail));
      }
    }
    return choiceOf(block, head, kept, bad);
  });
}

function catalogueOf(choices: readonly Choice[], pins: Pins, cache: Cache): Assembled {
  const kept = choices.filter((choice) => choice.groups.length > 0);
  const sources: Record<string, PinnedSource> = {};
  for (const [name, pinned] of pins) if (pinned.ok) sources[name] = pinned.value;
  const places = new Map(Object.keys(sources).map((name, place) => [name, place]));
  const blocks = kept.map(
    ({ block, picked, groups, sources: names }): CatalogueBlock => ({
      blob: block.facts.blob.digest,
      head: block.facts.head,
      rows: groups.reduce((sum, [, rows]) => sum + rows, 0),
      picked,
      sources: names.map((name) => places.get(name)!),
    }),
  );
  return {
    content: { groups: groupsOf(kept, sources, cache), sources, blocks },
    blobs: kept.map(({ block }) => block.facts.blob),
    bad: choices.flatMap((choice) => choice.bad).sort((a, b) => a.line - b.line),
  };
}

/** The groups in the order of their first rows; a head is read only where one is met first. */
function groupsOf(
  choices: readonly Choice[],
  sources: Record<string, PinnedSource>,
  cache: Cache,
): CatalogueContent['groups'] {
  const groups = new Map<string, CatalogueContent['groups'][number]>();
  for (const { block, groups: own } of choices) {
    const isNew = own.some(([name]) => !groups.has(name));
    const found = isNew ? headOf(block.facts, cache).groups : [];
    const contents = new Map(found.map((group) => [groupName(group), group]));
    for (const [name, rows] of own) {
      const known = groups.get(name);
      if (known !== undefined) known.rows += rows;
      else {
        const { source, environment_source: environment, ...rest } = contents.get(name)!;
        const pinned = { source: sources[source]!, environment_source: sources[environment]! };
        groups.set(name, { ...rest, ...pinned, name, rows });
      }
    }
  }
  return [...groups.values()];
}

function headOf({ blob, head }: BlockFacts, cache: Cache): BlockHead {
  return readHead(cache.blobs, blob.digest, head);
}
