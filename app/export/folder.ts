/**
 * The folder of an export: each file is replaced as a whole, one that is the same is left alone, and what an earlier
 * export wrote and this one does not goes away. A list in the folder says which files those are; a folder with
 * other things in it is never touched.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { ExportFile } from '../../agent/exports/rollout.ts';
import { jsonObject } from '../../basics/json.ts';
import { isLeftBehind, processTag, thisProcess } from '../../basics/process-identity.ts';
import { digestOfFile } from '../../cache/blobs.ts';

const LIST = '.swemake-export.json';

export interface ExportCounts {
  written: number;
  unchanged: number;
  removed: number;
}

export class ExportFolder {
  readonly #folder: string;
  readonly #before: Set<string>;
  readonly #now = new Set<string>();
  /** Files that were begun. */
  #made = 0;
  readonly #counts: ExportCounts = { written: 0, unchanged: 0, removed: 0 };

  private constructor(folder: string, before: Set<string>) {
    this.#folder = folder;
    this.#before = before;
  }

  /** null when the folder holds something that no export wrote. */
  static open(folder: string): ExportFolder | null {
    mkdirSync(folder, { recursive: true });
    const before = readList(folder);
    if (before === null && readdirSync(folder).length > 0) return null;
    const opened = new ExportFolder(folder, new Set(before));
    // From now on the folder is ours, also when the export is killed.
    if (before === null) opened.#replace(LIST, Buffer.from(listText([])));
    return opened;
  }

  write({ path, text }: ExportFile): void {
    this.writeBytes(path, Buffer.from(text));
  }

  writeBytes(path: string, bytes: Buffer): void {
    this.#now.add(path);
    const changed = this.#replace(path, bytes);
    this.#counts[changed ? 'written' : 'unchanged'] += 1;
  }

  /** Where a file may be written that is too large for memory; `finish` then puts it there as a whole. */
  beside(path: string): { temporary: string; finish: () => Promise<void> } {
    const { whole, temporary } = this.#placesOf(path);
    const finish = async () => {
      this.#now.add(path);
      const isSame = existsSync(whole) && (await digestOfFile(whole)) === (await digestOfFile(temporary));
      if (isSame) rmSync(temporary);
      else renameSync(temporary, whole);
      this.#counts[isSame ? 'unchanged' : 'written'] += 1;
    };
    return { temporary, finish };
  }

  /** Removes what is left of an earlier export. */
  finish(): ExportCounts {
    for (const path of this.#before) {
      if (this.#now.has(path) || !existsSync(join(this.#folder, path))) continue;
      rmSync(join(this.#folder, path));
      this.#counts.removed += 1;
      this.#removeEmpty(dirname(path));
    }
    this.#replace(LIST, Buffer.from(listText([...this.#now].sort())));
    return this.#counts;
  }

  /** False when the file is the same already. */
  #replace(path: string, bytes: Buffer): boolean {
    if (readOrNull(join(this.#folder, path))?.equals(bytes)) return false;
    const { whole, temporary } = this.#placesOf(path);
    writeFileSync(temporary, bytes);
    renameSync(temporary, whole);
    return true;
  }

  /** Where a file goes, and where it is made before. The name of the latter is short, since that of the file may be long. */
  #placesOf(path: string): { whole: string; temporary: string } {
    const whole = join(this.#folder, path);
    const folder = dirname(whole);
    mkdirSync(folder, { recursive: true });
    removeLeftovers(folder);
    this.#made += 1;
    return { whole, temporary: join(folder, `${this.#made}.${processTag(thisProcess())}`) };
  }

  #removeEmpty(folder: string): void {
    if (folder === '.' || readdirSync(join(this.#folder, folder)).length > 0) return;
    rmSync(join(this.#folder, folder), { recursive: true });
    this.#removeEmpty(dirname(folder));
  }
}

/** Half-written files of exports that were killed. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (isLeftBehind(name)) rmSync(join(folder, name), { force: true });
  }
}

function listText(files: readonly string[]): string {
  return `${JSON.stringify({ files }, null, 1)}\n`;
}

/** What an earlier export wrote; null when there was none. */
function readList(folder: string): string[] | null {
  const text = readOrNull(join(folder, LIST));
  if (text === null) return null;
  const { files } = jsonObject<{ files?: unknown }>(text.toString()) ?? {};
  const paths = Array.isArray(files) ? files.filter((path) => typeof path === 'string') : [];
  // A list that was changed by hand must not reach outside.
  return paths.filter((path) => !/^([/\\]|\.\.)/.test(normalize(path)));
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
