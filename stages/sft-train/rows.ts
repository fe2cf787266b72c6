/** The conversations that are trained on, from this project or elsewhere, written in the framework's form. */

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import { sftOf } from '../../contract/config.ts';
import { inside } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { Tools } from '../../contract/tools.ts';
import { isBadRow } from '../../formats/row.ts';
import type { DatasetConfig, SftDataSource } from '../../schemas/generated/project.ts';
import { type Attempt, type Infra, infra } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { sourceDepsOf } from '../../tasks/source/instance-source.ts';
import { TRAINING, type TrainingMachine } from '../../tasks/training/settings.ts';
import { parquetOf } from '../../trainers/rows/parquet.ts';
import { conversationOf, type SftRows } from '../../trainers/rows/sft.ts';
import type { TrainingFiles } from '../../trainers/trainer.ts';
import { datasetFiles, filesDigest } from '../dataset/readers/dataset-files.ts';
import { readRows } from '../dataset/readers/read-rows.ts';
import type { RowFiles } from '../dataset/readers/row-files.ts';

/** Digest of conversations from elsewhere, wherever they lie. */
export const SFT_ROWS: QuestionKind<null, string> = {
  name: 'sft rows',
  changes: true,
  async answer(_, services) {
    const files = await filesOf(sftOf(services.config).data!, services);
    if (!files.ok) return files;
    return success(
      await filesDigest(files.value, async (path) => digestOfPath(services.cache.database, path)),
    );
  },
};

function filesOf({ source, split, revision }: SftDataSource, services: TrainingMachine) {
  const config = {
    source,
    ...(split === undefined ? {} : { split }),
    ...(revision === undefined ? {} : { revision }),
  };
  return datasetFiles(config as DatasetConfig, services.projectFolder, sourceDepsOf(services));
}

/** What is read: what this project made, or what it names elsewhere. */
export type Source = { own: Output } | { elsewhere: SftDataSource };

type Row = Record<string, Json>;

/**
 * Reads everything once, so that nothing is begun with rows that cannot be trained on. `last`: only the last message of each is
 * trained.
 */
export async function readConversations(
  source: Source,
  form: SftRows,
  last: boolean,
  tools: Tools,
): Attempt<Row[]> {
  const rows = await rowsOf(source, tools);
  if (!rows.ok) return rows;
  const column = 'own' in source ? 'messages' : source.elsewhere.column;
  const found: Row[] = [];
  for await (const { row, place } of rows.value) {
    const read = conversationOf(row, column);
    const made = typeof read === 'string' ? read : form.row(read, last);
    if (typeof made === 'string')
      return fault({ status: 'failed', reason: 'invalid-row', detail: `${place}: ${made}` });
    found.push(made);
  }
  if (found.length === 0)
    return fault({ status: 'failed', reason: 'nothing-to-train-on', detail: 'there is no conversation' });
  return success(found);
}

type Rows = AsyncIterable<{ row: Record<string, unknown>; place: string }>;

async function rowsOf(source: Source, tools: Tools): Attempt<Rows> {
  if ('own' in source) {
    const text = await tools.need(source.own);
    return success(parsedLines(text ?? ''));
  }
  const services = inside(tools.machine, ...TRAINING);
  const files = await filesOf(source.elsewhere, services);
  if (!files.ok) return files;
  const fetched = await files.value.fetch?.();
  if (fetched?.ok === false) return fetched;
  return success(numberedRows(files.value));
}

async function* parsedLines(text: string): Rows {
  for (const [index, line] of text.split('\n').entries())
    if (line !== '') yield { row: JSON.parse(line) as Record<string, unknown>, place: `line ${index + 1}` };
}

async function* numberedRows(files: RowFiles): Rows {
  for await (const row of readRows(files)) {
    if (isBadRow(row)) yield { row: {}, place: `line ${row.line}: ${row.message}` };
    else yield { row: row.row, place: `line ${row.line}` };
  }
}

/** `train.jsonl` or `train.parquet` in a folder. */
export async function writeConversations(
  folder: string,
  rows: readonly Row[],
  { ending }: Pick<SftRows, 'ending'>,
): Promise<Result<TrainingFiles, Infra>> {
  try {
    mkdirSync(folder, { recursive: true });
    if (ending === 'parquet') {
      const train = join(folder, 'train.parquet');
      writeFileSync(train, await parquetOf(rows));
      return success({ train, validation: null });
    }
    const train = join(folder, 'train.jsonl');
    const file = openSync(train, 'w');
    try {
      for (const one of rows) writeSync(file, `${JSON.stringify(one)}\n`);
    } finally {
      closeSync(file);
    }
    return success({ train, validation: null });
  } catch (error) {
    return fault(infra('machine', (error as Error).message));
  }
}
