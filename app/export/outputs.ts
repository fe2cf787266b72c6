/** Files for the user: a stage's outputs and notes under their own names, written only when they differ. */

import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { faultPoint } from '../../basics/fault-point.ts';
import { isAlive, parseTag, processTag, thisProcess } from '../../basics/process-identity.ts';
import { digestOfFile } from '../../cache/blobs.ts';
import { type Cache, readText } from '../../cache/cache.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import { faultsIn } from '../../engine/events.ts';
import type { RunEnd } from '../../engine/run.ts';
import { isFault } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { splitItem } from '../../stages/rollouts/item-name.ts';
import { holdsPieces, notePieces, writePieces } from './pieces.ts';

export interface Exported {
  /** What was written, relative to the folder that the command was started in. */
  files: string[];
  /** All that is there now, written or not. */
  present: ExportedFile[];
  held: HeldStage[];
}

/** A stage whose files were left as they are, since faults keep some of its instances from an answer. */
export interface HeldStage {
  stage: string;
  instances: string[];
}

export interface ExportedFile {
  /** Absolute. */
  path: string;
  target: string;
  digest: string;
}

/** Stages whose items are rollouts. */
const SAMPLED = ['rollouts', 'predict', 'grade'];

/** Writes what is new. `folderOf` gives a stage's folder. An incomplete set never replaces a complete one. */
export async function exportOutputs(
  end: RunEnd,
  cache: Cache,
  folderOf: (stage: string) => string,
  cwd: string,
): Promise<Exported> {
  const files: string[] = [];
  const held: HeldStage[] = [];
  const present: ExportedFile[] = [];
  for (const [address, { state }] of end.nodes) {
    if (!state.node.exports) continue;
    if (Object.values(state.node.inputs).some((input) => hasFaults(end, input))) {
      if (state.entries().some((entry) => entry.key !== null))
        held.push({ stage: address, instances: faultyInstances(end, Object.values(state.node.inputs)) });
      continue;
    }
    for (const entry of state.size() === 0 ? [] : state.entries()) {
      const record = state.record(entry.name);
      if (record === null) continue;
      // A stage with one item has its files in its own folder, one with several has a folder for each.
      const folder = entry.name === '' ? folderOf(address) : join(folderOf(address), entry.name);
      for (const [name, output] of Object.entries({ ...record.outputs, ...record.notes })) {
        const path = join(folder, name);
        const isSame = await isUpToDate(path, output, cache);
        if (!isSame && !(await replaceFile(folder, name, output, cache))) continue;
        const target = entry.name === '' ? address : `${address}@${entry.name}`;
        present.push({ path, target, digest: output.digest });
        if (isSame) continue;
        files.push(relative(cwd, path));
        if (output.kind === 'pieces') await notePieces(path, output.digest, cache);
      }
    }
  }
  return { files, present, held };
}

/** Instances with a fault among their validations, rollouts or verdicts. */
function faultyInstances({ nodes }: RunEnd, inputs: readonly string[]): string[] {
  const states = inputs.flatMap((input) => nodes.get(input)?.state ?? []);
  const faulty = states.flatMap((state) => {
    const { stage } = state.node;
    const names = state.entries().flatMap(({ name, outcome }) => (isFault(outcome) ? [name] : []));
    if (SAMPLED.includes(stage)) return names.map((name) => splitItem(name).instance);
    return stage === 'validate' ? names : [];
  });
  return [...new Set(faulty)];
}

function hasFaults(end: RunEnd, address: string): boolean {
  const node = end.nodes.get(address);
  return node !== undefined && faultsIn(node.state.counts) > 0;
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
