/**
 * A block of the dataset with the verdicts on its rows. The result of filter for it (the rows that passed, and the
 * lines of the reports) is remembered, so a changed row of sixty thousand makes only one section again.
 */

import { buildId } from '../../basics/build-id.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { Blob } from '../../cache/blobs.ts';
import { type Cache, lookUp, readText } from '../../cache/cache.ts';
import { digestOfList } from '../../cache/key.ts';
import { itemLine } from '../../cache/stage-manifest.ts';
import { inside, type Machine } from '../../contract/machine.ts';
import type { Collection, Entry, EntryList } from '../../contract/stage.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { type Catalogue, type CatalogueBlock, readRaw } from '../dataset/blocks/catalogue.ts';
import { type Excerpt, excerptOf } from './excerpt.ts';
import { type StatusLines, statusLines } from './statuses.ts';
import { weaknessesIn } from './weakness.ts';

/** Characters. Larger results are not remembered, since the database would grow and never shrink. */
const MAX_REMEMBERED = 256 * 1024;

/** Answers that are read at a time. */
const READ_AT_ONCE = 8;

export interface Section {
  block: CatalogueBlock;
  verdicts: EntryList;
}

/** An instance that did not pass. */
interface Failure extends Excerpt {
  instance: string;
  /** Name of its group in the catalogue. */
  group: string;
  outcome: Outcome;
}

export interface Reduced {
  /** The lines of those that passed; null when none did. */
  passed: Blob | null;
  statuses: StatusLines;
  failures: Failure[];
  /** Why instances that passed are graded with less, one entry for each reason of each. */
  weaknesses: { instance: string; why: string }[];
}

/** The dataset's blocks with their verdicts; null when the verdicts are not those of the dataset's rows. */
export function sectionsOf({ blocks }: Catalogue, validate: Collection): Section[] | null {
  const lists = validate.lists();
  if (lists.length === blocks.length && blocks.every(({ rows }, index) => lists[index]!.size === rows))
    return blocks.map((block, index) => ({ block, verdicts: lists[index]! }));
  // A stage that an earlier version finished may keep all of its items in one list.
  const entries = validate.entries();
  let start = 0;
  const sections = blocks.map((block) => {
    const own = entries.slice(start, start + block.rows);
    start += block.rows;
    const digest = digestOf(own.map(itemLine).join(''));
    return { block, verdicts: { digest, size: own.length, entries: () => own } };
  });
  return start === entries.length ? sections : null;
}

/** What filter makes of a section, as it was found or made now. */
export async function reduceSection(
  section: Section,
  catalogue: Catalogue,
  machine: Machine,
): Promise<Reduced> {
  const { cache } = inside(machine, 'cache');
  const name = memoOf(section);
  const found = findReduced(name, cache);
  if (found !== null) return found;
  const reduced = await reduce(section, catalogue, machine);
  const { passed, ...rest } = reduced;
  const text = JSON.stringify(rest);
  // As text, since one string is read faster than a tree of values.
  if (text.length <= MAX_REMEMBERED)
    void cache.database.memos.put(name, JSON.stringify({ blob: passed, ...rest }));
  return reduced;
}

/** Logs are in no key: a report quotes the one that was there when the section was made. */
function memoOf({ block, verdicts }: Section): string {
  const parts = [buildId(), block.blob, canonicalJson(block.picked), verdicts.digest];
  return `passed ${digestOfList('passed section', parts)}`;
}

function findReduced(name: string, cache: Cache): Reduced | null {
  const memo = cache.database.memos.get(name);
  if (typeof memo !== 'string') return null;
  const { blob, ...rest } = JSON.parse(memo) as Omit<Reduced, 'passed'> & { blob: Blob | null };
  if (blob === null) return { passed: null, ...rest };
  if (!cache.blobs.keep(blob)) return null;
  // The answer that will refer to it does not exist yet.
  cache.database.lease.use(blob.digest);
  return { passed: blob, ...rest };
}

async function reduce(section: Section, catalogue: Catalogue, machine: Machine): Promise<Reduced> {
  const { cache } = inside(machine, 'cache');
  const rows = catalogue.rowsOf(section.block);
  const entries = section.verdicts.entries();
  if (rows.length !== entries.length || rows.some(({ id }, index) => id !== entries[index]!.name))
    throw new Error('a list of verdicts was damaged and is set aside, or is about other rows');
  const isPassed = (_: unknown, index: number) => entries[index]!.outcome.status === 'ok';
  // The rows as they were read, so that each tool that accepts the dataset also accepts the passed set.
  const raw = [...readRaw(rows.filter(isPassed), machine)].flat();
  const lines = raw.map((row) => `${JSON.stringify(row)}\n`).join('');
  const failures: Failure[] = [];
  const weaknesses = (await mapLimit(entries, READ_AT_ONCE, (entry) => weaknessesOf(entry, cache))).flat();
  for (const [index, entry] of entries.entries()) {
    if (entry.outcome.status === 'ok') continue;
    const group = catalogue.groups[rows[index]!.group]!.name;
    const log = entry.key === null ? null : await readText(cache, lookUp(cache, entry.key)?.notes.log);
    failures.push({ instance: entry.name, group, outcome: entry.outcome, ...excerptOf(log, entry.outcome) });
  }
  return {
    passed: raw.length === 0 ? null : cache.blobs.write(lines),
    statuses: await statusLines(entries),
    ...{ failures, weaknesses },
  };
}

async function weaknessesOf({ name, key, outcome }: Entry, cache: Cache): Promise<Reduced['weaknesses']> {
  if (outcome.status !== 'ok' || key === null) return [];
  const integrity = await readText(cache, lookUp(cache, key)?.outputs.integrity);
  return integrity === null ? [] : weaknessesIn(integrity).map((why) => ({ instance: name, why }));
}
