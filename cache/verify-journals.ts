/** Checks journals: that their lines can be read, and that no answer in them is missing from the database. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey } from '../schemas/digest.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { type Cache, isPresent } from './cache.ts';
import { binaryKey } from './database.ts';
import { type Finding, quarantine } from './finding.ts';
import { temporaryPath } from './folder.ts';
import type { Preimage } from './key.ts';
import { listRuns, REMOVED_FILE } from './run-folders.ts';

interface Line {
  key?: ActionKey;
  record?: ActionRecord;
  preimage?: Preimage;
}

export interface JournalCheck {
  findings: Finding[];
  runs: number;
}

/** Oldest first, so that what gc removed later does not count as missing. */
export function verifyJournals(cache: Cache, isWritable: (run: string) => boolean): JournalCheck {
  const { runs } = cache.folder;
  const check: JournalCheck = { findings: [], runs: 0 };
  const missing = new Map<ActionKey, Required<Line> & { run: string }>();
  for (const run of listRuns(runs).reverse()) {
    for (const line of linesOf(join(runs, run, REMOVED_FILE)).lines) missing.delete(line.key!);
    const path = join(runs, run, 'events.jsonl');
    if (!existsSync(path)) continue;
    check.runs += 1;
    const { lines, bad } = linesOf(path);
    // The journal of a run at work is somebody else's.
    if (bad > 0 && isWritable(run)) check.findings.push(badLines(cache, run, path, bad));
    for (const { key, record, preimage } of lines) {
      if (key === undefined || record === undefined || preimage === undefined) continue;
      if (cache.database.records.doesExist(binaryKey(key))) continue;
      missing.set(key, { key, record, preimage, run });
    }
  }
  for (const line of missing.values()) check.findings.push(missingAnswer(cache, line));
  return check;
}

function badLines(cache: Cache, run: string, path: string, bad: number): Finding {
  return {
    kind: 'journal',
    where: `runs/${run}/events.jsonl`,
    detail: `${bad} line${bad === 1 ? '' : 's'} cannot be read`,
    repair: () => {
      const kept = readFileSync(path, 'utf8').split('\n').filter(isReadable);
      const temporary = temporaryPath(cache.folder);
      writeFileSync(temporary, kept.map((line) => `${line}\n`).join(''));
      quarantine(cache.folder, path);
      renameSync(temporary, path);
    },
  };
}

/** An answer that only a journal has comes back when what it names is there; else it is made again in its time. */
function missingAnswer(
  cache: Cache,
  { key, record, preimage, run }: Required<Line> & { run: string },
): Finding {
  return {
    kind: 'journal',
    where: `runs/${run}/events.jsonl`,
    detail: `its answer ${key.slice(0, 12)} is not in the database`,
    repair: async () => {
      const whole = Object.values(record.outputs).every((output) => isPresent(cache, output));
      if (!whole) return;
      await cache.database.records.put(binaryKey(key), record);
      await cache.database.preimages.put(binaryKey(key), preimage);
    },
  };
}

/** The lines that can be read and how many cannot; a last line that a kill cut short is neither. */
function linesOf(path: string): { lines: Line[]; bad: number } {
  if (!existsSync(path)) return { lines: [], bad: 0 };
  const texts = readFileSync(path, 'utf8').split('\n');
  const tail = texts.pop();
  const lines: Line[] = [];
  let bad = 0;
  for (const text of texts) {
    if (text === '') continue;
    if (isReadable(text)) lines.push(JSON.parse(text) as Line);
    else bad += 1;
  }
  if (tail !== undefined && isReadable(tail)) lines.push(JSON.parse(tail) as Line);
  return { lines, bad };
}

function isReadable(text: string): boolean {
  try {
    return text !== '' && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
