/** Files for the user: a stage's outputs and notes under their own names, written only when they differ. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Cache, readText } from '../cache/cache.ts';
import { faultPoint } from '../cache/fault-point.ts';
import { isAlive, parseTag, processTag, thisProcess } from '../cache/process-identity.ts';
import { digestOfPath } from '../cache/stat-memo.ts';
import type { RunEnd } from '../engine/run.ts';

/** Stages whose outputs are meant for people and other tools. */
const EXPORTED = new Set(['filter']);

export interface Exported {
  /** What was written, relative to the folder that the command was started in. */
  files: string[];
  /** Stages whose files were left as they are, since faults keep some of their items from an answer. */
  held: string[];
}

/** Writes what is new. `folderOf` gives a stage's folder. A set with holes never replaces a whole one. */
export async function exportOutputs(
  end: RunEnd,
  cache: Cache,
  folderOf: (stage: string) => string,
  cwd: string,
): Promise<Exported> {
  const files: string[] = [];
  const held: string[] = [];
  for (const [address, { state }] of end.nodes) {
    if (!EXPORTED.has(state.node.stage)) continue;
    const record = state.record('');
    if (record === null) continue;
    if (Object.values(state.node.inputs).some((input) => hasFaults(end, input))) {
      held.push(address);
      continue;
    }
    const folder = folderOf(address);
    for (const [name, output] of Object.entries({ ...record.outputs, ...record.notes })) {
      const path = join(folder, name);
      if ((await digestOfPath(cache.database, path)) !== output.digest) {
        const text = await readText(cache, output);
        if (text === null) continue;
        replaceFile(folder, name, text);
        files.push(relative(cwd, path));
      }
    }
  }
  return { files, held };
}

function hasFaults(end: RunEnd, address: string): boolean {
  return (end.nodes.get(address)?.state.counts.infra ?? 0) > 0;
}

/** Writes beside and renames, after removing what killed commands left of the same. */
function replaceFile(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  for (const other of readdirSync(folder)) {
    const owner = other.startsWith(`${name}.`) ? parseTag(other.slice(name.length + 1)) : null;
    if (owner !== null && !isAlive(owner)) rmSync(join(folder, other), { force: true });
  }
  const path = join(folder, name);
  const temporary = `${path}.${processTag(thisProcess())}`;
  writeFileSync(temporary, text);
  faultPoint('export-written');
  renameSync(temporary, path);
  faultPoint('export-renamed');
}
