/** Files for the user: a stage's outputs and notes under their own names, written only when they differ. */

import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { faultPoint } from '../../basics/fault-point.ts';
import { isAlive, parseTag, processTag, thisProcess } from '../../basics/process-identity.ts';
import { digestOfFile } from '../../cache/blobs.ts';
import { type Cache, readText } from '../../cache/cache.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { NodeState } from '../../engine/node-state.ts';
import { addressOf, type RunEnd } from '../../engine/run.ts';
import type { Output } from '../../schemas/record.ts';
import {
  faultyInstances,
  hasFaults,
  INCOMPLETE,
  MISSING,
  missingFile,
  missingItems,
  readBy,
  removeIncomplete,
} from './incomplete.ts';
import { holdsPieces, notePieces, writePieces } from './pieces.ts';

export interface Exported {
  /** What was written, relative to the folder that the command was started in. */
  files: string[];
  /** All that is there now, written or not. */
  present: ExportedFile[];
  held: HeldStage[];
}

/** A stage whose own files were left as they are, since faults keep some items before it from an answer. */
export interface HeldStage {
  stage: string;
  /** Those that have no verdict. */
  instances: string[];
  /** No other instance has a verdict, so the instances are not the cause. */
  isAll: boolean;
  /** Items without an answer. */
  missing: number;
  /** Where the results of the others are, relative to the folder that the command was started in. */
  folder: string;
}

export interface ExportedFile {
  /** Absolute. */
  path: string;
  target: string;
  digest: string;
}

/** Where a build's files go. */
export interface ExportFolders {
  of(stage: string): string;
  /** The stage's folder for results of some of its items. */
  incomplete(stage: string): string;
}

/** The folders below that of a project. */
export function foldersIn(folder: string): ExportFolders {
  return { of: (stage) => join(folder, stage), incomplete: (stage) => join(folder, INCOMPLETE, stage) };
}

/**
 * Writes what is new. Results of some items go into a folder apart: a set that is not complete never replaces one that
 * is, and none is begun.
 */
export async function exportOutputs(
  end: RunEnd,
  cache: Cache,
  folders: ExportFolders,
  cwd: string,
): Promise<Exported> {
  const exported: Exported = { files: [], present: [], held: [] };
  for (const [address, { state }] of end.nodes) {
    if (!state.node.exports) continue;
    const isHeld = readBy(end, address).some((input) => hasFaults(end, input));
    if (isHeld && !hasAnswers(state)) continue;
    const folder = isHeld ? folders.incomplete(address) : folders.of(address);
    // First of all, so that a kill leaves no part that does not say so.
    if (isHeld) exported.held.push(await writeMissing(end, address, folder, cache, cwd));
    const written = await writeStage(state, folder, cache);
    exported.present.push(...written.present);
    exported.files.push(...written.files.map((path) => relative(cwd, path)));
    if (!isHeld && written.present.length > 0) removeIncomplete(folders.incomplete(address));
  }
  return exported;
}

function hasAnswers(state: NodeState): boolean {
  return state.size() > 0 && state.entries().some(({ key }) => key !== null);
}

async function writeMissing(
  end: RunEnd,
  stage: string,
  folder: string,
  cache: Cache,
  cwd: string,
): Promise<HeldStage> {
  const inputs = readBy(end, stage);
  const missing = missingItems(end, inputs);
  await writeOne(folder, MISSING, missingFile(stage, missing), cache);
  const { faulty: instances, all } = faultyInstances(end, inputs);
  return {
    stage,
    instances,
    isAll: instances.length === all,
    missing: missing.length,
    folder: relative(cwd, folder),
  };
}

/** Files of a stage, as absolute paths. */
interface StageFiles {
  /** Those that were written. */
  files: string[];
  /** All that are there now. */
  present: ExportedFile[];
}

async function writeStage(state: NodeState, above: string, cache: Cache): Promise<StageFiles> {
  const files: string[] = [];
  const present: ExportedFile[] = [];
  for (const entry of state.size() === 0 ? [] : state.entries()) {
    const record = state.record(entry.name);
    if (record === null) continue;
    // A stage with one item has its files in its own folder, one with several has a folder for each.
    const folder = entry.name === '' ? above : join(above, entry.name);
    const target = addressOf(state.address, entry.name);
    for (const [name, output] of Object.entries({ ...record.outputs, ...record.notes })) {
      const written = await writeOne(folder, name, output, cache);
      if (written === null) continue;
      const path = join(folder, name);
      present.push({ path, target, digest: output.digest });
      if (written) files.push(path);
    }
  }
  return { files, present };
}

/** Whether it was written; null when its content is gone. */
async function writeOne(folder: string, name: string, output: Output, cache: Cache): Promise<boolean | null> {
  const path = join(folder, name);
  if (await isUpToDate(path, output, cache)) return false;
  if (!(await replaceFile(folder, name, output, cache))) return null;
  if (output.kind === 'pieces') await notePieces(path, output.digest, cache);
  return true;
}

async function isUpToDate(path: string, output: Output, cache: Cache): Promise<boolean> {
  if (output.kind === 'pieces') return holdsPieces(path, output.digest, cache);
  return (await digestOfPath(cache.database, path)) === output.digest;
}

/** Writes beside and renames, after removing what killed commands left of the same. False when there is nothing. */
async function replaceFile(folder: string, name: string, output: Output, cache: Cache): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(folder)) {
    const owner = other.startsWith(`${name}.`) ? parseTag(other.slice(name.length + 1)) : null;
    if (owner !== null && !isAlive(owner)) rmSync(join(folder, other), { force: true });
  }
  const path = join(folder, name);
  const temporary = `${path}.${processTag(thisProcess())}`;
  if (output.kind === 'blob') {
    // A data set may be larger than memory.
    if (!cache.blobs.has(output)) return false;
    copyFileSync(cache.blobs.path(output.digest), temporary);
    chmodSync(temporary, 0o644);
    if ((await digestOfFile(temporary)) !== output.digest) {
      rmSync(temporary);
      // Reading it sets a damaged blob aside, so that the next build makes it again.
      cache.blobs.read(output.digest);
      return false;
    }
  } else if (output.kind === 'pieces') {
    if (!writePieces(temporary, output.digest, cache)) {
      rmSync(temporary);
      return false;
    }
  } else {
    const text = await readText(cache, output);
    if (text === null) return false;
    writeFileSync(temporary, text);
  }
  faultPoint('export-written');
  renameSync(temporary, path);
  faultPoint('export-renamed');
  return true;
}
