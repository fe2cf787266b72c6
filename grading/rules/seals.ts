/**
 * The lines of a record of the witness, whose seals are checked. Each seal shows half of a hash that runs on over all
 * lines before it. A process that is forked goes on with a chain of its own, which begins with its parent's hash.
 */

import { createHash } from 'node:crypto';
import { parsedJson } from '../../basics/json.ts';

/** `[kind, value]`, and behind them the number of the process if it was forked. */
export type Entry = [kind: string, value: unknown, child?: number];

/** Characters of a seal. */
const LENGTH = 32;

interface Chain {
  /** The hash before its first line; null where nothing leads to it. */
  begin(): Buffer | null;
  lines: { seal: string; text: string }[];
  /** What it had come to, after each number of lines. */
  hashes: Buffer[];
}

/** The entries in the order in which they were written; null when a seal is wrong or something is no entry. */
export function sealedEntries(bytes: Uint8Array, key: Uint8Array): Entry[] | null {
  const own: Chain = { begin: () => hashOf(key), lines: [], hashes: [] };
  const chains = [own];
  const current = new Map<number | undefined, Chain>([[undefined, own]]);
  const entries: Entry[] = [];
  for (const line of Buffer.from(bytes).toString('utf8').trimEnd().split('\n')) {
    const text = line.slice(LENGTH + 1);
    const entry = entryOf(text);
    if (entry === null || line[LENGTH] !== ' ') return null;
    const [kind, value, process] = entry;
    if (kind === 'fork' && process !== undefined) {
      const [number, count] = value as [number, number];
      const parent = current.get(number) ?? own;
      const begin = () => {
        const before = parent.hashes[count];
        return before === undefined ? null : hashOf(Buffer.from(`child ${process} `), before);
      };
      const chain: Chain = { begin, lines: [], hashes: [] };
      chains.push(chain);
      current.set(process, chain);
    }
    const chain = current.get(process);
    if (chain === undefined) return null;
    chain.lines.push({ seal: line.slice(0, LENGTH), text });
    entries.push(entry);
  }
  return chains.every(isSealed) ? entries : null;
}

function isSealed({ begin, lines, hashes }: Chain): boolean {
  let hash = begin();
  if (hash === null) return false;
  hashes.push(hash);
  for (const { seal, text } of lines) {
    hash = hashOf(hash, Buffer.from(text));
    hashes.push(hash);
    if (hash.toString('hex').slice(0, LENGTH) !== seal) return false;
  }
  return true;
}

function entryOf(text: string): Entry | null {
  const entry = parsedJson(text);
  const isEntry = Array.isArray(entry) && typeof entry[0] === 'string' && [2, 3].includes(entry.length);
  if (!isEntry || !areNumbers(entry.slice(2), entry.length - 2)) return null;
  return entry[0] !== 'fork' || areNumbers(entry[1], 2) ? (entry as Entry) : null;
}

function areNumbers(value: unknown, count: number): boolean {
  return Array.isArray(value) && value.length === count && value.every(Number.isSafeInteger);
}

function hashOf(...parts: Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}
