/**
 * Reads a dataset of the project into instances: find the files, stream the rows, choose, normalise, pin. Rows
 * that are wrong are reported beside the others; a dataset that cannot be read, or a source that cannot be
 * reached, is a fault of the whole.
 */
import { resolve } from 'node:path';
import { digestOfList } from '../../cache/key.ts';
import type { Digest } from '../../schemas/digest.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { BadRow, Instance } from '../../schemas/instance.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import type { SourceDeps } from '../source/deps.ts';
import { type InvalidRow, invalidRow, type SourceFault } from '../source/fault.ts';
import { type OpenedSource, openSource } from '../source/open-source.ts';
import { fileSha256 } from '../source/save-file.ts';
import type { Draft } from './draft.ts';
import { KnownIds } from './instance-id.ts';
import { normaliseRow, rowId } from './normalise.ts';
import { pinDrafts } from './pins.ts';
import { readRows } from './read-rows.ts';
import { badRow, isBadRow, type NumberedRow, UnreadableFile } from './row.ts';
import { findRowFiles, type RowFiles } from './row-files.ts';
import { Selection } from './select.ts';
import { sourceMap } from './source-map.ts';

export interface LoadedDataset {
  /** In the order of their rows. */
  instances: Instance[];
  /** By line. */
  bad: BadRow[];
  sourceDigest: Digest;
}

/** Makes instances of rows of the format `mutation`; `openSource` fetches the code that they change. */
export type ExpandMutations = (
  rows: NumberedRow[],
  tools: {
    openSource(spec: string, sha256: string | null): Promise<Result<OpenedSource, SourceFault>>;
    signal?: AbortSignal | undefined;
  },
) => Promise<Result<{ instances: Instance[]; bad: BadRow[] }, Infra>>;

export interface LoadOptions {
  config: DatasetConfig;
  projectFolder: string;
  deps: SourceDeps;
  /** Needed for the format `mutation` only. */
  expandMutations?: ExpandMutations;
  /** sha256 of a file, null when it is gone; a caller may remember it. Default: read the file. */
  fileDigest?: (path: string) => Promise<string | null>;
  signal?: AbortSignal;
}

/** The instances of a dataset. A missing file or split is `invalid-row`. */
export async function loadDataset(options: LoadOptions): Promise<Result<LoadedDataset, Infra | InvalidRow>> {
  const { config, projectFolder, deps } = options;
  const files = await datasetFiles(config, projectFolder);
  if (!files.ok) return files;
  const sourceDigest = await filesDigest(files.value, options.fileDigest ?? fileSha256);
  const bad: BadRow[] = [];
  try {
    const made =
      config.format === 'mutation'
        ? await expand(await chooseRows(files.value, options, bad), options)
        : await pinDrafts(await chooseDrafts(files.value, options, bad), deps);
    if (!made.ok) return made;
    if (options.signal?.aborted) return fault(infra('cancelled', 'reading the dataset was cancelled'));
    bad.push(...made.value.bad);
    return success({
      instances: made.value.instances,
      bad: bad.sort((a, b) => a.line - b.line),
      sourceDigest,
    });
  } catch (error) {
    if (error instanceof UnreadableFile)
      return fault(invalidRow(`dataset ${config.source}: ${error.message}`));
    throw error;
  }
}

/** The files that a dataset consists of. */
export function datasetFiles(
  config: DatasetConfig,
  projectFolder: string,
): Promise<Result<RowFiles, InvalidRow>> {
  return findRowFiles(resolve(projectFolder, config.source), config.split);
}

/** Names the bytes of a dataset, wherever they lie. */
export async function filesDigest(
  files: RowFiles,
  fileDigest: (path: string) => Promise<string | null>,
): Promise<Digest> {
  const digests: string[] = [];
  for (const path of files.paths) digests.push((await fileDigest(path)) ?? 'gone');
  return digestOfList('dataset files', [files.kind, files.split ?? '', ...digests]);
}

function chooseDrafts(files: RowFiles, options: LoadOptions, bad: BadRow[]): Promise<Draft[]> {
  const { format, sources } = options.config;
  if (format === 'mutation') throw new Error('mutation rows are expanded, not normalised');
  const map = sourceMap(sources ?? {});
  return choose(files, options, bad, (row) => normaliseRow(row, format, map));
}

function chooseRows(files: RowFiles, options: LoadOptions, bad: BadRow[]): Promise<NumberedRow[]> {
  return choose(files, options, bad, (row) => row);
}

/** Streams all rows and keeps what `make` makes of the chosen ones; wrong rows that match go to `bad`. */
async function choose<T extends object>(
  files: RowFiles,
  options: LoadOptions,
  bad: BadRow[],
  make: (row: NumberedRow) => T | BadRow,
): Promise<T[]> {
  const selection = new Selection<T>(options.config.select ?? {});
  const known = new KnownIds();
  for await (const row of readRows(files)) {
    if (options.signal?.aborted) break;
    const id = isBadRow(row) ? row : rowId(row);
    if (typeof id !== 'string' || isBadRow(row)) {
      bad.push(id as BadRow);
      continue;
    }
    if (!selection.matches(id)) continue;
    const clash = known.clash(id, row.line);
    const made = clash === null ? make(row) : badRow(row.line, id, 'instance_id', clash);
    if ('message' in made) bad.push(made as BadRow);
    else selection.offer(id, made as T);
  }
  return selection.chosen();
}

async function expand(
  rows: NumberedRow[],
  options: LoadOptions,
): Promise<Result<{ instances: Instance[]; bad: BadRow[] }, Infra>> {
  if (options.expandMutations === undefined) throw new Error('no way to expand mutations was given');
  const { deps, signal } = options;
  const expanded = await options.expandMutations(rows, {
    openSource: (spec, sha256) => openSource(spec, sha256, deps),
    signal,
  });
  if (!expanded.ok) return expanded;
  const lines = new Map(rows.map(({ line, row }) => [row.instance_id, line]));
  const { instances, bad } = expanded.value;
  const isEmpty = (instance: Instance) => instance.FAIL_TO_PASS.length === 0;
  const empty = instances
    .filter(isEmpty)
    .map(({ instance_id }) => badRow(lines.get(instance_id) ?? 0, instance_id, 'FAIL_TO_PASS', 'is empty'));
  return success({ instances: instances.filter((instance) => !isEmpty(instance)), bad: [...bad, ...empty] });
}
