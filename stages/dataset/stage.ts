/**
 * dataset: rows of some format become instances of one shape, each with its source pinned by content. Rows that
 * cannot be read are listed with line and field; the others go on.
 */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import type { Digest } from '../../basics/digest.ts';
import { fileState } from '../../basics/file-state.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { Blob } from '../../cache/blobs.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import { discoveredDatasets } from '../../contract/config.ts';
import { defineStage, type PlannedItem, singleItem } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES, inside, type Machine, type With } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { ItemReader, ItemResults, PlanReader } from '../../contract/reader.ts';
import type { ActionResult, Collection, DigestChange, StageNode } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { formatNamed } from '../../formats/registry.ts';
import { isBadRow, type NumberedRow, UnreadableFile } from '../../formats/row.ts';
import { canDiscover } from '../../formats/unmeasured.ts';
import type { DatasetConfig } from '../../schemas/generated/project.ts';
import { type BadRow, badRowText } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import { hostInterpreter, INTERPRETER } from '../../tasks/environment/interpreter.ts';
import type { ExpandedRows } from '../../tasks/mutation/expand.ts';
import { isSelfPinned, pinnedConfig } from '../../tasks/pins.ts';
import type { AbsenceTally } from '../../tasks/source/absence-tally.ts';
import type { SourceDeps } from '../../tasks/source/deps.ts';
import { invalidRow } from '../../tasks/source/fault.ts';
import { openPinned, sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { type CatalogueContent, readCatalogue } from './blocks/catalogue.ts';
import type { FileBlock } from './blocks/file-blocks.ts';
import { datasetFiles, filesDigest } from './readers/dataset-files.ts';

/** Digest of the rows of a dataset, wherever they lie. */
export const ROWS: QuestionKind<string, string> = {
  name: 'rows',
  // A file may be written while it is read.
  changes: true,
  async answer(dataset, services) {
    const config = configOf(dataset, services);
    const files = await datasetFiles(config, services.projectFolder, sourceDepsOf(services));
    if (!files.ok) return files;
    try {
      const { kind } = files.value;
      return success(await filesDigest(files.value, (path) => digestOfRows(path, kind, services)));
    } catch (error) {
      if (error instanceof UnreadableFile)
        return fault(invalidRow(`dataset ${config.source}: ${error.message}`));
      throw error;
    }
  },
};

/** Rows, and the machine on which mutations are made. */
const DATASET = [...HOST_SERVICES, 'config.dataset'] as const;
type Reading = With<(typeof DATASET)[number]>;

/** What the sources of a dataset's rows are by the lock file: spec -> digest; null where nothing is locked. */
const SOURCE_PINS: QuestionKind<string, Record<string, string> | null> = {
  name: 'source pins',
  changes: false,
  async answer(dataset, { pins }) {
    const sources = pins?.datasets[dataset]?.sources ?? {};
    return success(Object.keys(sources).length === 0 ? null : { ...sources });
  },
};

/** What stages have in common that read rows. */
export const READING = {
  isLight: true,
  uses: DATASET,
  exports: false,
  asks: [ROWS, SOURCE_PINS, INTERPRETER],
  async describe(node: StageNode, change: DigestChange, machine: Machine) {
    const { describeRows } = await import('./describe.ts');
    return describeRows(node, change, inside(machine, ...DATASET));
  },
} as const;

export const datasetStage = defineStage({
  ...READING,
  name: 'dataset',
  version: 13,

  nodes: (config) => {
    const discovered = discoveredDatasets(config);
    return Object.keys(config.dataset).map((dataset) =>
      discovered.includes(dataset)
        ? { dataset, inputs: { rows: `rows.${dataset}`, discover: `discover.${dataset}` } }
        : { dataset, inputs: {} },
    );
  },

  plan: async (reader): Attempt<PlannedItem<RowsAsked | null>[]> =>
    reader.hasInput('rows') ? success(singleItem({ rows: '' }, null)) : askRows(reader),

  inputs: (item, asked): Result<DatasetInputs, never> =>
    success(
      asked === null
        ? { read: item.results('rows'), discovered: item.collection('discover') }
        : rowsInputs(item, asked),
    ),

  run: async (inputs, tools) =>
    'discovered' in inputs
      ? complete(inputs.read!, inputs.discovered!, tools)
      : readDataset(inputs.dataset!, tools, false),
});

/** What decides the rows. */
export interface RowsAsked {
  dataset: string;
  config: DatasetConfig;
  rows: string;
  pins: Record<string, string> | null;
  python: Json;
}

/** Asks for what decides the rows. */
export async function askRows(reader: PlanReader): Attempt<PlannedItem<RowsAsked>[]> {
  const config = (await reader.config('dataset', reader.dataset))!;
  const rows = await reader.ask(ROWS, reader.dataset);
  if (!rows.ok) return rows;
  const pins = await reader.ask(SOURCE_PINS, reader.dataset);
  if (!pins.ok) return pins;
  // Patches are derived by the host's Python: an older one cannot read newer code.
  const isDerived = formatNamed(config.format).rows === 'derived';
  const python = isDerived ? await reader.ask(INTERPRETER, null) : success(null);
  if (!python.ok) return python;
  const found = { dataset: reader.dataset, rows: rows.value, pins: pins.value, python: python.value };
  return success(singleItem({}, { config, ...found }));
}

/** The inputs of rows that are read. */
export function rowsInputs(item: ItemReader, { dataset, config, rows, pins, python }: RowsAsked) {
  return {
    config: item.value(config),
    rows: item.named(rows as Digest),
    ...(pins === null ? {} : { pins: item.value(pins) }),
    ...(python === null ? {} : { python: item.value(python) }),
    // Rows are named by what they are.
    dataset: item.unkeyed(dataset),
  };
}

/** Rows that are read now, or rows that are there and what was measured for them. */
interface DatasetInputs extends Partial<ReturnType<typeof rowsInputs>> {
  read?: Input<ItemResults>;
  discovered?: Input<Collection>;
  [role: string]: Input<unknown>;
}

/** Reads the rows into the cache. `discovers`: rows without lists of tests are instances, too. */
export async function readDataset(
  dataset: string,
  { machine, signal, log, store, read: readOutput, overturned }: Tools,
  discovers: boolean,
): Promise<ActionResult> {
  const { storeDataset } = await import('./blocks/store.ts');
  const services = inside(machine, ...DATASET);
  const pins = new Map<string, string>();
  const onPin = (spec: string, digest: string) => {
    if (!isSelfPinned(spec)) pins.set(spec, digest);
  };
  // If rows are made again whose source was not found, the branches and tags of the others mean what they meant.
  const noted = await readOutput(overturned?.notes.pins);
  const before = noted === null ? {} : (JSON.parse(noted) as PinNotes).sources;
  const locked = new Map(Object.entries({ ...before, ...services.pins?.datasets[dataset]?.sources }));
  const deps = { ...sourceDepsOf(services), locked, onPin };
  const own = configOf(dataset, services);
  const config = { ...own, discover_tests: discovers && canDiscover(formatNamed(own.format)) };
  const read = await storeDataset({
    config,
    projectFolder: services.projectFolder,
    deps,
    signal,
    cache: services.cache,
    blocksOf: (path) => blocksOf(path, services),
    fileDigest: (path) => digestOfPath(services.cache.database, path),
    deriveInstances: (rows, tally) => expandRows(rows, machine, deps, tally),
  });
  if (!read.ok) return { outcome: read.fault, outputs: {} };
  const { content, blobs, bad, absent, commit } = read.value;
  if (commit !== undefined) log(`${config.source} is read at commit ${commit}\n`);
  for (const row of bad) log(`${badRowText(row)}\n`);
  const notes: PinNotes = { commit: commit ?? null, sources: Object.fromEntries(pins) };
  const isEmpty = isNothing(content, bad);
  const advice = isEmpty ? await otherFormat(config, services.projectFolder, deps) : '';
  return {
    outcome: isEmpty ? unreadable(bad, advice) : { status: 'ok' },
    outputs: outputsOf(content, blobs, bad, store),
    notes: { pins: store(canonicalJson(notes)) },
    absent,
  };
}

function isNothing({ groups }: CatalogueContent, bad: readonly BadRow[]): boolean {
  return bad.length > 0 && !groups.some(({ rows }) => rows > 0);
}

function outputsOf(
  content: CatalogueContent,
  blobs: readonly Blob[],
  bad: readonly BadRow[],
  store: Tools['store'],
): ActionResult['outputs'] {
  const blocks = blobs.map((blob, index) => [blockName(index), { kind: 'blob', ...blob }] as const);
  return {
    ...Object.fromEntries(blocks),
    catalogue: store(JSON.stringify(content)),
    'bad rows': store(canonicalJson(bad)),
  };
}

/** The rows with the lists that were measured. */
async function complete(
  rows: ItemResults,
  discovered: Collection,
  { machine, log, store, need }: Tools,
): Promise<ActionResult> {
  const { completeDataset } = await import('./complete.ts');
  const outputs = rows.outputs('');
  const catalogue = await readCatalogue({ outputs }, machine);
  const { content, blobs, bad } = await completeDataset(
    catalogue,
    discovered,
    inside(machine, ...DATASET).cache,
  );
  for (const row of bad) log(`${badRowText(row)}\n`);
  const all = [...(JSON.parse((await need(outputs['bad rows'])) ?? '[]') as BadRow[]), ...bad];
  const hasFault = discovered.entries().some(({ outcome }) => isFault(outcome));
  const none = () =>
    hasFault ? infra('upstream-infra', `${discovered.address} measured no row`) : unreadable(all, '');
  return {
    outcome: isNothing(content, all) ? none() : { status: 'ok' },
    outputs: outputsOf(content, blobs, all, store),
    notes: { pins: rows.notes('').pins! },
  };
}

/** What the note `pins` holds: what branches, tags and versions meant when the dataset was read. */
type PinNotes = { commit: string | null; sources: Record<string, string> };

/** A dataset as the project says it, at the commit that a lock file names. */
function configOf(dataset: string, { config, pins }: Reading): DatasetConfig {
  return pinnedConfig(config.dataset[dataset]!, pins?.datasets[dataset]);
}

/** A dataset of which no row can be read is no dataset: most likely another format was meant. */
function unreadable(bad: readonly BadRow[], advice: string): Outcome {
  return invalidRow(
    `${bad.length === 1 ? 'its only row cannot' : `none of its ${bad.length} rows can`} be read; ${advice}${badRowText(bad[0]!)}`,
  );
}

/** The format that the first row's columns are of, where it is not the one that is written. */
async function otherFormat(config: DatasetConfig, projectFolder: string, deps: SourceDeps): Promise<string> {
  const files = await datasetFiles(config, projectFolder, deps);
  if (!files.ok) return '';
  const { readRows } = await import('./readers/read-rows.ts');
  const { columnNames, guessFormat } = await import('../../formats/guess.ts');
  for await (const row of readRows(files.value)) {
    if (isBadRow(row)) continue;
    const guess = guessFormat(row.row, config.source);
    if (guess === null) return `its columns are ${columnNames(row.row)}; `;
    const { name } = guess;
    return name === config.format ? '' : `by its columns it is of format ${name}: write format: ${name}; `;
  }
  return '';
}

function blockName(index: number): string {
  return `rows ${String(index).padStart(5, '0')}`;
}

/** Names a file's contents: lines by their blocks, anything else by its bytes. */
function digestOfRows(path: string, kind: string, services: Reading): Promise<string | null> {
  const { database } = services.cache;
  if (kind !== 'jsonl') return digestOfPath(database, path);
  return digestOfPath(database, path, 'lines', async () => {
    const { digestOfBlocks } = await import('./blocks/file-blocks.ts');
    return digestOfBlocks(await blocksOf(path, services));
  });
}

/** The blocks of a file of lines as it is now, found once per run. */
function blocksOf(path: string, { cache }: Reading): Promise<FileBlock[]> {
  return once(cache, `line blocks ${path} ${fileState(path)}`, async () => {
    const { fileBlocks } = await import('./blocks/file-blocks.ts');
    // What runs next is loaded meanwhile.
    const [found] = await Promise.all([fileBlocks(path), import('./blocks/store.ts')]);
    return found;
  });
}

/** Rows that name mutations, with the patch of each derived from its package's source. */
async function expandRows(
  rows: NumberedRow[],
  machine: Machine,
  deps: SourceDeps,
  tally: AbsenceTally,
): Promise<Result<ExpandedRows, Infra>> {
  const { expandMutationRows } = await import('../../tasks/mutation/expand.ts');
  const services = inside(machine, ...DATASET);
  const interpreter = await hostInterpreter(null, services);
  if (!interpreter.ok) return interpreter;
  return expandMutationRows(rows, {
    python: interpreter.value.executable,
    signal: services.signal,
    tally,
    openSource: (spec, sha256) => openPinned(spec, sha256, services, deps),
  });
}
