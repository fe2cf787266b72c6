/**
 * The difference between two values as a person would mark it: the field, and the lines that went and came. Lists
 * are compared like texts, so a command that was inserted does not make every later one look changed.
 */
import { byCodeUnit, canonicalJson, type Json } from '../basics/canonical.ts';

export interface Difference {
  /** `recipe.install[0]`, `limits.memory`; empty for the value as a whole. */
  place: string;
  before: string[];
  now: string[];
}

/** Cells of the table of a line-by-line comparison; above it only entries of one list alone are shown. */
const LARGEST_TABLE = 4_000_000;

/** What differs between two values, by place; `undefined` is a value that is not there. */
export function differences(place: string, before: Json | undefined, now: Json | undefined): Difference[] {
  if (before === undefined || now === undefined) return [{ place, before: lines(before), now: lines(now) }];
  if (canonicalJson(before) === canonicalJson(now)) return [];
  if (isMap(before) && isMap(now)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort(byCodeUnit);
    return names.flatMap((name) =>
      differences(place === '' ? name : `${place}.${name}`, before[name], now[name]),
    );
  }
  if (Array.isArray(before) && Array.isArray(now)) return listDifferences(place, before, now);
  if (typeof before === 'string' && typeof now === 'string' && /\n/.test(before + now))
    return merged(place, hunks(textLines(before), textLines(now)));
  return [{ place, before: lines(before), now: lines(now) }];
}

function isMap(value: Json): value is { [member: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lines(value: Json | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? textLines(value) : [canonicalJson(value)];
}

/** A text's lines; what ends with a newline has no empty last one. */
function textLines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function listDifferences(place: string, before: Json[], now: Json[]): Difference[] {
  const text = (value: Json) => (typeof value === 'string' ? value : canonicalJson(value));
  return hunks(before.map(text), now.map(text)).map((hunk) => {
    const index = hunk.now.length > 0 ? hunk.nowAt : hunk.beforeAt;
    return { place: `${place}[${index}]`, before: hunk.before, now: hunk.now };
  });
}

interface Hunk {
  beforeAt: number;
  nowAt: number;
  before: string[];
  now: string[];
}

function merged(place: string, found: Hunk[]): Difference[] {
  const before = found.flatMap((hunk) => hunk.before);
  const now = found.flatMap((hunk) => hunk.now);
  return [{ place, before, now }];
}

/** Runs of entries that are in one list only, in order. */
function hunks(before: string[], now: string[]): Hunk[] {
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, now.length) - start;
  while (tail < most && before.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const left = before.slice(start, before.length - tail);
  const right = now.slice(start, now.length - tail);
  const kept = left.length * right.length > LARGEST_TABLE ? [] : commonEntries(left, right);
  if (kept.length === 0 && left.length * right.length > LARGEST_TABLE) return onlyInOne(start, left, right);
  const found: Hunk[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [...kept, [left.length, right.length] as const]) {
    if (nextI > i || nextJ > j)
      found.push({
        beforeAt: start + i,
        nowAt: start + j,
        before: left.slice(i, nextI),
        now: right.slice(j, nextJ),
      });
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return found;
}

function onlyInOne(at: number, before: string[], now: string[]): Hunk[] {
  const [old, fresh] = [new Set(before), new Set(now)];
  const gone = before.filter((entry) => !fresh.has(entry));
  const come = now.filter((entry) => !old.has(entry));
  return [{ beforeAt: at, nowAt: at, before: gone, now: come }];
}

/** Index pairs of a longest common subsequence. */
function commonEntries(a: string[], b: string[]): [number, number][] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i += 1;
    else j += 1;
  }
  return pairs;
}
