/**
 * Reads a dataset of the project into instances: find the files, stream the rows, choose, normalise, pin. Rows
 * that are wrong are reported beside the others; a dataset that cannot be read, or a source that cannot be
 * reached, is a fault of the whole.
 */
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Draft } from '../../formats/draft.ts';
import { innerRow } from '../../formats/inner-row.ts';
import { KnownIds } from '../../formats/instance-id.ts';
import { normaliseRow, rowId } from '../../formats/normalise.ts';
import { badRow, isBadRow, type NumberedRow, type RowKind, UnreadableFile } from '../../formats/row.ts';
import { sourceMap } from '../../formats/source-map.ts';
import type { Absence } from '../../schemas/absence.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import type { BadRow, Instance } from '../../schemas/instance.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { AbsenceTally } from '../../tasks/source/absence-tally.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { invalidRow, type SourceFault } from '../../tasks/source/fault.ts';
import { fileSha256 } from '../../tasks/source/save-file.ts';
import { pinDrafts } from './pins.ts';
import { datasetFiles, filesDigest } from './readers/dataset-files.ts';
import { readRows } from './readers/read-rows.ts';
import type { RowFiles } from './readers/row-files.ts';
import { Selection } from './select.ts';

export interface ReadDataset {
  /** By line. */
  bad: BadRow[];
  /** What rows among them rest on that was not found. */
  absent: Absence[];
  sourceDigest: Digest;
  /** Commit of a hub dataset. */
  commit?: string;
}

/** Makes instances of rows of the format `mutation`. */
export type ExpandMutations = (
  rows: NumberedRow[],
  tally: AbsenceTally,
) => Promise<Result<{ instances: Instance[]; bad: BadRow[] }, Infra>>;

/** Takes instances as they come, in the order of their rows. */
export type Take = (instances: Instance[]) => void | Promise<void>;

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

/** Instances that are pinned and handed on together. */
const BATCH = 512;

/**
 * Reads a dataset and hands its instances to `take`, a batch at a time: without `sample` and `slice` no more than
 * a batch is held. A missing file or split is `invalid-row`.
 */
export async function streamDataset(
  options: LoadOptions,
  take: Take,
): Promise<Result<ReadDataset, SourceFault>> {
  const { config } = options;
  const files = await datasetFiles(config, options.projectFolder, options.deps);
  if (!files.ok) return files;
  const fetched = await files.value.fetch?.();
  if (fetched?.ok === false) return fetched;
  try {
    const sourceDigest = await filesDigest(files.value, options.fileDigest ?? fileSha256);
    const bad: BadRow[] = [];
    const tally = new AbsenceTally();
    const read = config.format === 'mutation' ? expandRows : normaliseAndPin;
    const done = await read(files.value, options, { bad, tally }, take);
    if (!done.ok) return done;
    if (options.signal?.aborted) return fault(infra('cancelled', 'reading the dataset was cancelled'));
    const { commit } = files.value;
    const sorted = bad.sort((a, b) => a.line - b.line);
    return success({
      bad: sorted,
      absent: tally.list(),
      sourceDigest,
      ...(commit === undefined ? {} : { commit }),
    });
  } catch (error) {
    if (error instanceof UnreadableFile)
      return fault(invalidRow(`dataset ${config.source}: ${error.message}`));
    throw error;
  }
}

/** Where rows go that make no instance. */
interface Rejected {
  bad: BadRow[];
  tally: AbsenceTally;
}

async function normaliseAndPin(
  files: RowFiles,
  options: LoadOptions,
  { bad, tally }: Rejected,
  take: Take,
): Promise<Result<null, Infra>> {
  const { format, sources } = options.config;
  const map = sourceMap(sources ?? {});
  let drafts: Draft[] = [];
  const flush = async (): Promise<Result<null, Infra>> => {
    const pinned = await pinDrafts(drafts, options.deps, tally);
    drafts = [];
    if (!pinned.ok) return pinned;
    bad.push(...pinned.value.bad);
    await take(pinned.value.instances);
    return success(null);
  };
  const make = (row: NumberedRow) => normaliseRow(row, row.format ?? (format as RowKind), map);
  for await (const draft of choose(files, options, bad, make)) {
    if (drafts.push(draft) < BATCH) continue;
    const flushed = await flush();
    if (!flushed.ok) return flushed;
  }
  return flush();
}

async function expandRows(
  files: RowFiles,
  options: LoadOptions,
  { bad, tally }: Rejected,
  take: Take,
): Promise<Result<null, Infra>> {
  if (options.expandMutations === undefined) throw new Error('no way to expand mutations was given');
  const rows: NumberedRow[] = [];
  for await (const row of choose(files, options, bad, (same) => same)) rows.push(row);
  const expanded = await options.expandMutations(rows, tally);
  if (!expanded.ok) return expanded;
  const lines = new Map(rows.map(({ line, row }) => [row.instance_id, line]));
  const { instances } = expanded.value;
  const isEmpty = (instance: Instance) => instance.FAIL_TO_PASS.length === 0;
  const empty = instances
    .filter(isEmpty)
    .map(({ instance_id }) => badRow(lines.get(instance_id) ?? 0, instance_id, 'FAIL_TO_PASS', 'is empty'));
  bad.push(...expanded.value.bad, ...empty);
  await take(instances.filter((instance) => !isEmpty(instance)));
  return success(null);
}

/** Streams all rows and gives what `make` makes of the chosen ones; wrong rows that match go to `bad`. */
async function* choose<T extends object>(
  files: RowFiles,
  options: LoadOptions,
  bad: BadRow[],
  make: (row: NumberedRow) => T | BadRow,
): AsyncGenerator<T> {
  const selection = new Selection<T>(options.config.select ?? {});
  const known = new KnownIds();
  const { format, inner } = options.config;
  for await (const read of readRows(files)) {
    if (options.signal?.aborted) return;
    const row = isBadRow(read) ? read : innerRow(read, format, inner);
    const id = isBadRow(row) ? row : rowId(row);
    if (typeof id !== 'string' || isBadRow(row)) {
      bad.push(id as BadRow);
      continue;
    }
    if (!selection.matches(id)) continue;
    const clash = known.clash(id, row.line);
    const made = clash === null ? make(row) : badRow(row.line, id, 'instance_id', clash);
    if ('message' in made) bad.push(made as BadRow);
    else if (selection.isImmediate) yield made as T;
    else selection.offer(id, made as T);
  }
  yield* selection.chosen();
}
