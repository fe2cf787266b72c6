/**
 * Reads a dataset of the project into instances: find the files, stream the rows, choose, normalise, pin. Rows
 * that are wrong are reported beside the others; a dataset that cannot be read, or a source that cannot be
 * reached, is a fault of the whole.
 */
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Draft } from '../../formats/draft.ts';
import { KnownIds } from '../../formats/instance-id.ts';
import type { ReadableFormat } from '../../formats/kind.ts';
import {
  type IdentifiedRow,
  type InstanceRow,
  identifiedRow,
  instanceRow,
  readRow,
} from '../../formats/read-row.ts';
import { formatNamed } from '../../formats/registry.ts';
import { badRow, isBadRow, type NumberedRow, UnreadableFile } from '../../formats/row.ts';
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

/** Makes instances of rows of a format whose patches are derived from the code. */
type DeriveInstances = (
  rows: NumberedRow[],
  tally: AbsenceTally,
) => Promise<Result<{ instances: Instance[]; bad: BadRow[] }, Infra>>;

/** Takes instances as they come, in the order of their rows. */
export type Take = (instances: Instance[]) => void | Promise<void>;

export interface LoadOptions {
  config: DatasetConfig;
  projectFolder: string;
  deps: SourceDeps;
  /** Needed for formats whose patches are derived. */
  deriveInstances?: DeriveInstances;
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
    const format = formatNamed(config.format);
    const rejected = { bad, tally };
    const done =
      format.rows === 'derived'
        ? await expandRows(files.value, options, rejected, take)
        : await normaliseAndPin(files.value, format, options, rejected, take);
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
  format: ReadableFormat,
  options: LoadOptions,
  { bad, tally }: Rejected,
  take: Take,
): Promise<Result<null, Infra>> {
  const { config } = options;
  const map = sourceMap(config.sources ?? {});
  let drafts: Draft[] = [];
  const flush = async (): Promise<Result<null, Infra>> => {
    const pinned = await pinDrafts(drafts, options.deps, tally);
    drafts = [];
    if (!pinned.ok) return pinned;
    bad.push(...pinned.value.bad);
    await take(pinned.value.instances);
    return success(null);
  };
  const reading: Reading<InstanceRow, Draft> = {
    identify: (row) => instanceRow(row, format, config.inner),
    make: (row) => readRow(row, map, config.discover_tests),
  };
  for await (const draft of choose(files, options, bad, reading)) {
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
  if (options.deriveInstances === undefined) throw new Error('no way to derive patches was given');
  const rows: IdentifiedRow[] = [];
  const reading: Reading<IdentifiedRow, IdentifiedRow> = { identify: identifiedRow, make: (row) => row };
  for await (const row of choose(files, options, bad, reading)) rows.push(row);
  const expanded = await options.deriveInstances(rows, tally);
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

/** How rows are distinguished, and what is made of those that are chosen. */
interface Reading<Row extends IdentifiedRow, Made extends object> {
  identify(row: NumberedRow): Row | BadRow;
  make(row: Row): Made | BadRow;
}

/** Streams all rows and gives what is made of the chosen ones; wrong rows that match go to `bad`. */
async function* choose<Row extends IdentifiedRow, Made extends object>(
  files: RowFiles,
  options: LoadOptions,
  bad: BadRow[],
  { identify, make }: Reading<Row, Made>,
): AsyncGenerator<Made> {
  const selection = new Selection<Made>(options.config.select ?? {});
  const known = new KnownIds();
  for await (const read of readRows(files)) {
    if (options.signal?.aborted) return;
    const row = isBadRow(read) ? read : identify(read);
    if (isBadRow(row)) {
      bad.push(row);
      continue;
    }
    const { id, line } = row;
    if (!selection.matches(id)) continue;
    const clash = known.clash(id, line);
    const made = clash === null ? make(row) : badRow(line, id, 'instance_id', clash);
    if ('message' in made) bad.push(made as BadRow);
    else if (selection.isImmediate) yield made as Made;
    else selection.offer(id, made as Made);
  }
  yield* selection.chosen();
}
