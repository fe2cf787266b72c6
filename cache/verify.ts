/**
 * Checks everything in a cache: blobs, layers, first states, answers, finished stages, remembered sources and
 * journals. Problems are reported. A repair moves them away, so that the next build makes exactly these things again.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionKey, Digest } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import type { Cache } from './cache.ts';
import { hasLayer } from './layer-store.ts';
import { readLeases } from './lease.ts';
import type { CacheProblem } from './problem.ts';
import { noteRemovals } from './removals.ts';
import { REMOVED_FILE, runTime } from './run-folders.ts';
import { listStates, quarantineState, stateProblem } from './states.ts';
import { verifyBlobs, verifyRecords, verifyStages } from './verify-answers.ts';
import { verifyJournals } from './verify-journals.ts';
import { verifyLayers } from './verify-layers.ts';

export interface VerifyReport {
  problems: CacheProblem[];
  checked: { blobs: number; layers: number; layerFiles: number; answers: number; runs: number };
  /** Answers that `repair` takes away. */
  removed: ActionKey[];
}

/** Checks the cache; `rehash` reads the content of every file instead of trusting names and sizes. */
export async function verifyCache(cache: Cache, rehash: boolean): Promise<VerifyReport> {
  const { presence } = cache.database;
  const others = presence === null ? [] : readLeases(presence);
  const active = Math.min(...others.map((lease) => lease.startedAt));
  const blobs = await verifyBlobs(cache, rehash);
  const layers = await verifyLayers(cache, rehash, active);
  const answers = verifyRecords(cache, blobs.bad, layers.lost);
  const stages = verifyStages(cache, blobs.bad, answers);
  const sources = verifySources(cache, layers.lost);
  const states = await verifyStates(cache);
  const journals = verifyJournals(cache, (run) => runTime(run) < active - 1000);
  return {
    problems: [
      ...blobs.problems,
      ...layers.problems,
      ...answers.problems,
      ...stages,
      ...sources,
      ...states,
      ...journals.problems,
    ],
    checked: {
      blobs: blobs.checked,
      layers: layers.checked,
      layerFiles: layers.files,
      answers: answers.sound.size + answers.removed.length,
      runs: journals.runs,
    },
    removed: answers.removed,
  };
}

/** Mends everything that was found. `run` names the run in whose journal removed answers are written. */
export async function repairCache(cache: Cache, report: VerifyReport, run: string): Promise<void> {
  for (const problem of report.problems) await problem.repair();
  if (report.removed.length > 0) {
    const folder = join(cache.folder.runs, run);
    mkdirSync(folder, { recursive: true });
    const lines = report.removed.map((key) => `${JSON.stringify({ key })}\n`);
    writeFileSync(join(folder, REMOVED_FILE), lines.join(''));
    await noteRemovals(cache.database);
  }
  await cache.database.records.flushed;
}

/** First states, and layers of images, that are not as they were made. */
async function verifyStates({ folder }: Cache): Promise<CacheProblem[]> {
  const problems: CacheProblem[] = [];
  for (const { kind, digest, path } of listStates(folder)) {
    const detail = await stateProblem(path, true);
    if (detail === null) continue;
    const repair = () => quarantineState(folder, { kind, digest });
    problems.push({ kind: 'state', where: `${kind}/${digest}`, detail, repair });
  }
  return problems;
}

/** A memory of a fetched source whose layer is gone; the source is fetched again when it is needed. */
function verifySources(cache: Cache, lost: ReadonlySet<Digest>): CacheProblem[] {
  const problems: CacheProblem[] = [];
  for (const { key, value } of cache.database.memos.getRange({ start: 'source tree', end: 'source tree~' })) {
    const layer = jsonObject<{ layer?: Digest }>(String(value))?.layer ?? null;
    if (layer !== null && !lost.has(layer) && hasLayer(cache.folder, layer)) continue;
    problems.push({
      kind: 'source',
      where: key,
      detail: 'its layer is missing or damaged',
      repair: async () => {
        await cache.database.memos.remove(key);
      },
    });
  }
  return problems;
}
