/** Checks journals: that their lines can be read, and that no answer in them is missing from the database. */

import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import { linesOf } from '../basics/lines.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { noteAbsences } from './absences.ts';
import { type Cache, isPresent } from './cache.ts';
import { binaryKey } from './database.ts';
import { temporaryPath } from './folder.ts';
import type { Preimage } from './key.ts';
import { type CacheProblem, quarantine } from './problem.ts';
import { listRuns, REMOVED_FILE } from './run-folders.ts';

interface Line {
  key?: ActionKey;
  record?: ActionRecord;
  preimage?: Preimage;
}

export interface JournalCheck {
  problems: CacheProblem[];
  runs: number;
}

/** Oldest first, so that what gc removed later does not count as missing. */
export function verifyJournals(cache: Cache, isWritable: (run: string) => boolean): JournalCheck {
  const { runs } = cache.folder;
  const check: JournalCheck = { problems: [], runs: 0 };
  const missing = new Map<ActionKey, Required<Line> & { run: string }>();
  for (const run of listRuns(runs).reverse()) {
    for (const { key } of readable(join(runs, run, REMOVED_FILE))) if (key !== undefined) missing.delete(key);
    const path = join(runs, run, 'events.jsonl');
    if (!existsSync(path)) continue;
    check.runs += 1;
    let bad = 0;
    for (const { key, record, preimage } of readable(path, () => (bad += 1))) {
      if (key === undefined || record === undefined || preimage === undefined) continue;
      if (cache.database.records.doesExist(binaryKey(key))) continue;
      missing.set(key, { key, record, preimage, run });
    }
    // The journal of a running build belongs to that build.
    if (bad > 0 && isWritable(run)) check.problems.push(badLines(cache, run, path, bad));
  }
  for (const line of missing.values()) check.problems.push(missingAnswer(cache, line));
  return check;
}

function badLines(cache: Cache, run: string, path: string, bad: number): CacheProblem {
  return {
    kind: 'journal',
    where: `runs/${run}/events.jsonl`,
    detail: `${bad} line${bad === 1 ? '' : 's'} cannot be read`,
    repair: () => {
      const temporary = temporaryPath(cache.folder);
      const file = openSync(temporary, 'wx');
      for (const { text } of linesOf(path)) if (jsonObject<Line>(text) !== null) writeSync(file, `${text}\n`);
      closeSync(file);
      quarantine(cache.folder, path);
      renameSync(temporary, path);
    },
  };
}

/** An answer that only a journal has is written back when what it names is there; else the next build that needs it makes it again. */
function missingAnswer(
  cache: Cache,
  { key, record, preimage, run }: Required<Line> & { run: string },
): CacheProblem {
  return {
    kind: 'journal',
    where: `runs/${run}/events.jsonl`,
    detail: `its answer ${key.slice(0, 12)} is not in the database`,
    repair: async () => {
      const whole = Object.values(record.outputs).every((output) => isPresent(cache, output));
      if (!whole) return;
      const { database } = cache;
      await Promise.all([
        database.records.put(binaryKey(key), record),
        database.preimages.put(binaryKey(key), preimage),
        ...noteAbsences(database, preimage.stage, key, record),
      ]);
    },
  };
}

/** The lines that can be read; `onBad` is called for others. A last line that a kill cut short is neither. */
function* readable(path: string, onBad: () => void = () => undefined): Generator<Line> {
  for (const { text, ended } of linesOf(path)) {
    if (text === '') continue;
    const line = jsonObject<Line>(text);
    if (line !== null) yield line;
    else if (ended) onBad();
  }
}
