/**
 * Patches from elsewhere, in the forms of the SWE-bench tools: a list or a map of predictions as JSON, or one
 * prediction a line. Slices of one run are merged. Two files that disagree are an error.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { whenUnreadable } from '../../basics/absent.ts';
import { digestOf } from '../../basics/digest.ts';
import { isFields, parsedJson } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';

import { inside, type Machine } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';

/** Instance -> patch. */
export type Patches = ReadonlyMap<string, string>;

/**
 * Reads and merges prediction files; the fault is a sentence that names the file. `digests`: what they must hold, where
 * keys say so already.
 */
export async function mergePredictions(
  files: readonly string[],
  folder: string,
  digests?: readonly string[],
): Promise<Result<Patches, string>> {
  const patches = new Map<string, string>();
  const origin = new Map<string, string>();
  for (const [index, file] of files.entries()) {
    const bytes = await readFile(resolve(folder, file)).catch(whenUnreadable(null));
    if (bytes === null) return fault(`${file}: the file cannot be read`);
    if (digests !== undefined && digestOf(bytes) !== digests[index])
      return fault(`${file}: it changed during the build; build again`);
    const text = bytes.toString('utf8');
    const read = parsePredictions(text);
    if (!read.ok) return fault(`${file}: ${read.fault}`);
    for (const [instance, patch] of read.value) {
      const known = patches.get(instance);
      if (known !== undefined && known !== patch)
        return fault(`${origin.get(instance)} and ${file} hold different patches of ${instance}`);
      patches.set(instance, patch);
      origin.set(instance, file);
    }
  }
  return success(patches);
}

/** As upstream, the last of several predictions of one instance in a file counts, and null is an empty patch. */
export function parsePredictions(text: string): Result<Patches, string> {
  const rows = parseRows(text);
  if (!rows.ok) return rows;
  const patches = new Map<string, string>();
  for (const [index, row] of rows.value.entries()) {
    const { instance_id: instance, model_patch: patch } = row as Record<string, unknown>;
    if (typeof instance !== 'string' || instance === '')
      return fault(`prediction ${index + 1} has no instance_id`);
    if (patch !== null && patch !== undefined && typeof patch !== 'string')
      return fault(`the model_patch of ${instance} is not text`);
    patches.set(instance, patch ?? '');
  }
  return success(patches);
}

function parseRows(text: string): Result<object[], string> {
  const parsed = parsedJson(text);
  if (parsed === undefined) return parseLines(text);
  // A file of one line is JSON too.
  if (isFields(parsed) && 'instance_id' in parsed) return success([parsed]);
  if (isFields(parsed))
    return allObjects(
      Object.entries(parsed).map(([id, row]) => (isFields(row) ? { instance_id: id, ...row } : row)),
    );
  return allObjects(parsed);
}

function parseLines(text: string): Result<object[], string> {
  const rows: unknown[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = parsedJson(line);
    if (row === undefined) return fault(`line ${index + 1} is not JSON`);
    rows.push(row);
  }
  return allObjects(rows);
}

function allObjects(rows: unknown): Result<object[], string> {
  if (!Array.isArray(rows)) return fault('it holds neither a list nor a map of predictions');
  const wrong = rows.findIndex((row) => !isFields(row));
  return wrong < 0 ? success(rows as object[]) : fault(`prediction ${wrong + 1} is not a map`);
}

/** The patches of files that hold what `digests` say, read once per run: every instance of a benchmark asks for its own. */
export function readPredictions(
  files: readonly string[],
  machine: Machine,
  digests: readonly string[],
): Promise<Result<Patches, string>> {
  const { cache, projectFolder } = inside(machine, 'cache', 'projectFolder');
  const name = `predictions ${JSON.stringify([files, digests])}`;
  return once(
    cache,
    name,
    () => mergePredictions(files, projectFolder, digests),
    ({ ok }) => ok,
  );
}
