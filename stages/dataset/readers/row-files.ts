/**
 * Finds the files of a dataset's split in the layouts that tools write: single files, hub folders, save_to_disk, tasks and
 * trajectories of Harbor.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { UnreadableFile } from '../../../formats/row.ts';
import { type InvalidRow, invalidRow } from '../../../tasks/source/fault.ts';
import { ATIF_SPLITS, atifPaths, rewardPaths } from './atif.ts';
import { harborPaths } from './harbor.ts';

export type FileKind = 'jsonl' | 'json' | 'parquet' | 'arrow' | 'harbor' | 'atif';

export interface RowFiles {
  kind: FileKind;
  /** Absolute, in the order of their rows. */
  paths: string[];
  /** For lists keyed by split inside one JSON file, and for trajectories, which are chosen by it. */
  split?: string;
}

const KINDS: Readonly<Record<string, FileKind>> = {
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.jsonl.gz': 'jsonl',
  '.json': 'json',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
};
const SUFFIX = /\.(jsonl\.gz|jsonl|ndjson|json|parquet|arrow)$/i;

/** The files of `split` at `path`. A folder with one split needs no name for it. */
export async function findRowFiles(
  path: string,
  split: string | undefined,
): Promise<Result<RowFiles, InvalidRow>> {
  try {
    return success(await find(path, split));
  } catch (error) {
    if (error instanceof UnreadableFile) return fault(invalidRow(`dataset ${path}: ${error.message}`));
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') {
      return fault(
        invalidRow(
          `dataset ${path}: there is no such file or folder; check \`source\`, which is relative to the project file`,
        ),
      );
    }
    if (code === 'EACCES')
      return fault(invalidRow(`dataset ${path}: it may not be read; change its permissions`));
    throw error;
  }
}

async function find(path: string, split: string | undefined): Promise<RowFiles> {
  if (!(await stat(path)).isDirectory()) {
    const kind = kindOf(path);
    if (kind === null) throw new UnreadableFile('its name must end with .jsonl, .json, .parquet or .arrow');
    return { kind, paths: [path], ...(split === undefined ? {} : { split }) };
  }
  if (existsSync(join(path, 'state.json'))) return savedFiles(path);
  if (existsSync(join(path, 'dataset_dict.json'))) {
    const { splits } = await readObject<{ splits?: string[] }>(join(path, 'dataset_dict.json'));
    if (!Array.isArray(splits)) throw new UnreadableFile('dataset_dict.json names no splits');
    return savedFiles(join(path, chooseSplit(splits, split)));
  }
  return hubFiles(path, split);
}

/** A `save_to_disk` folder lists its files in state.json. */
async function savedFiles(folder: string): Promise<RowFiles> {
  const state = await readObject<{ _data_files?: { filename: string }[] }>(join(folder, 'state.json'));
  if (!Array.isArray(state._data_files)) throw new UnreadableFile('state.json names no files');
  const names = state._data_files.map((file) => basename(file.filename));
  return { kind: 'arrow', paths: names.map((name) => join(folder, name)) };
}

async function readObject<T>(path: string): Promise<T> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value === 'object' && value !== null) return value as T;
    throw new UnreadableFile(`${basename(path)} is no JSON object`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UnreadableFile(`${basename(path)} is not JSON`);
    throw error;
  }
}

/** `<split>.parquet`, `data/<split>-00000-of-00002.parquet` and the like, here or one folder below. */
async function hubFiles(path: string, split: string | undefined): Promise<RowFiles> {
  const bySplit = new Map<string, string[]>();
  for (const folder of [path, join(path, 'data'), join(path, 'default')]) {
    for (const name of (await readdir(folder).catch(whenAbsent([]))).sort()) {
      if (kindOf(name) === null || /^(?:\.|dataset_infos?\.json$)/.test(name)) continue;
      const found = splitOfName(name);
      bySplit.set(found, [...(bySplit.get(found) ?? []), join(folder, name)]);
    }
    if (bySplit.size > 0) break;
  }
  if (bySplit.size === 0) {
    const found = await harborFiles(path, split);
    if (found !== null) return found;
    throw new UnreadableFile(
      'the folder holds no .parquet, .jsonl, .json or .arrow files; name the one that does',
    );
  }
  const paths = bySplit.get(chooseSplit([...bySplit.keys()], split))!;
  return { kind: oneKind(paths), paths };
}

/** Tasks of Harbor, or trajectories of its jobs; null where there are neither. */
async function harborFiles(path: string, split: string | undefined): Promise<RowFiles | null> {
  const tasks = await harborPaths(path);
  if (tasks.length > 0) return { kind: 'harbor', paths: tasks };
  const trajectories = await atifPaths(path);
  if (trajectories.length === 0) return null;
  const paths = trajectories.flatMap((one) => [one, ...rewardPaths(one)]);
  return { kind: 'atif', paths, split: chooseSplit(ATIF_SPLITS, split) };
}

/** The kind of all files of a split. */
export function oneKind(paths: readonly string[]): FileKind {
  const kinds = new Set(paths.map(kindOf));
  if (kinds.size > 1) throw new UnreadableFile('one split has files of several kinds');
  return kindOf(paths[0]!)!;
}

/** The split that is wanted, of those that there are; throws `UnreadableFile` with their names. */
export function chooseSplit(splits: string[], split: string | undefined): string {
  if (split === undefined && splits.length === 1) return splits[0]!;
  const names = splits.join(', ');
  if (split === undefined)
    throw new UnreadableFile(`it has several splits (${names}); name one with "split"`);
  if (!splits.includes(split)) throw new UnreadableFile(`it has no split "${split}", only ${names}`);
  return split;
}

/** The split in a file's name: `train` for `train-00000-of-00002.parquet`. */
export function splitOfName(name: string): string {
  return name.replace(SUFFIX, '').replace(/-\d+-of-\d+(-[0-9a-f]+)?$/, '');
}

/** How a file is read, by its name; null when it holds no rows. */
export function kindOf(name: string): FileKind | null {
  return KINDS[suffixOf(name)] ?? null;
}

/** The ending that `kindOf` goes by, or nothing. */
export function suffixOf(name: string): string {
  return SUFFIX.exec(name)?.[0].toLowerCase() ?? '';
}
