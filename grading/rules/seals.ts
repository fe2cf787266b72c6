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
  /** Of a forked process: its number, its parent, and how many lines the parent had. */
  from: { process: number; parent: Chain; count: number } | null;
  lines: { seal: string; text: string }[];
  /** What it had come to, after each number of lines. */
  hashes: Buffer[];
}

/** The entries in the order in which they were written; null when a seal is wrong or something is no entry. */
export function sealedEntries(bytes: Uint8Array, key: Uint8Array): Entry[] | null {
  const own: Chain = { from: null, lines: [], hashes: [hashOf(key)] };
  const chains = [own];
  const current = new Map<number, Chain>();
  const entries: Entry[] = [];
  for (const line of Buffer.from(bytes).toString('utf8').trimEnd().split('\n')) {
    const text = line.slice(LENGTH + 1);
    const entry = entryOf(text);
    if (entry === null || line[LENGTH] !== ' ') return null;
    const [kind, value, process] = entry;
    if (kind === 'fork' && process !== undefined) {
      const [parent, count] = value as [number, number];
      const chain: Chain = {
        from: { process, parent: current.get(parent) ?? own, count },
        lines: [],
        hashes: [],
      };
      chains.push(chain);
      current.set(process, chain);
    }
    const chain = process === undefined ? own : current.get(process);
    if (chain === undefined) return null;
    chain.lines.push({ seal: line.slice(0, LENGTH), text });
    entries.push(entry);
  }
  return chains.every(isSealed) ? entries : null;
}

function isSealed({ from, lines, hashes }: Chain): boolean {
  if (from !== null) {
    const before = from.parent.hashes[from.count];
    if (before === undefined) return false;
    hashes.push(hashOf(Buffer.concat([Buffer.from(`child ${from.process} `), before])));
  }
  return lines.every(({ seal, text }) => {
    const hash = hashOf(Buffer.concat([hashes.at(-1)!, Buffer.from(text)]));
    hashes.push(hash);
    return hash.toString('hex').slice(0, LENGTH) === seal;
  });
}

function entryOf(text: string): Entry | null {
  const entry = parsedJson(text);
  const isEntry = Array.isArray(entry) && typeof entry[0] === 'string' && [2, 3].includes(entry.length);
  if (!isEntry || (entry[0] === 'fork' && !areNumbers(entry[1]))) return null;
  return entry.length === 2 || Number.isSafeInteger(entry[2]) ? (entry as Entry) : null;
}

function areNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
