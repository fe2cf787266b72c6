/**
 * Makes the database's records again from the runs' journals: each answer was written there with its key and
 * preimage. A line that a kill cut short, or that names what is gone, costs that one answer.
 */

import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ActionKey } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import type { ActionRecord } from '../schemas/record.ts';
import { noteAbsences } from './absences.ts';
import { binaryKey, type Database, type Latest } from './database.ts';
import { withAnswer } from './history.ts';
import type { Preimage } from './key.ts';
import { Pending } from './pending.ts';
import { REMOVED_FILE } from './run-folders.ts';

/** The part of a journal's lines that answers are made of. */
interface Line {
  type: string;
  project?: string;
  run?: string;
  stage?: string;
  item?: string;
  key?: ActionKey;
  record?: ActionRecord;
  preimage?: Preimage;
}

/** Reads every journal under `runs`, oldest first, and returns how many answers were found. */
export async function rebuildRecords(runs: string, database: Database): Promise<number> {
  const found = new Set<ActionKey>();
  const latest = new Map<string, Latest>();
  const writes = new Pending();
  const names = existsSync(runs) ? readdirSync(runs).sort() : [];
  for (const run of names) {
    const path = join(runs, run, 'events.jsonl');
    let project = '';
    for await (const text of linesOf(path)) {
      const line = jsonObject<Line>(text);
      if (line?.type === 'run-started') project = line.project ?? '';
      if (line?.key === undefined || line.record === undefined || line.preimage === undefined) continue;
      const binary = binaryKey(line.key);
      const address = line.item === '' ? line.stage : `${line.stage}@${line.item}`;
      await writes.add(
        database.records.put(binary, line.record),
        database.preimages.put(binary, line.preimage),
        ...noteAbsences(database, line.preimage.stage, line.key, line.record),
      );
      const name = `${project}/${address}`;
      const answered = { key: line.key, run, isOk: line.record.outcome.status === 'ok' };
      latest.set(name, withAnswer(latest.get(name), answered));
      found.add(line.key);
    }
    for (const key of removedKeys(join(runs, run, REMOVED_FILE))) {
      await writes.add(database.records.remove(binaryKey(key)), database.preimages.remove(binaryKey(key)));
      found.delete(key);
    }
  }
  for (const [name, value] of latest) await writes.add(database.latest.put(name, value));
  await writes.settled();
  await database.records.flushed;
  return found.size;
}

/** What gc removed in a run; its answers must not come back. */
function removedKeys(path: string): ActionKey[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text) => jsonObject<Line>(text)?.key ?? []);
}

async function* linesOf(path: string): AsyncGenerator<string> {
  if (!existsSync(path)) return;
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}
