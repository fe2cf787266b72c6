/** Streams the rows of a dataset, whatever its kind of file, with bounded memory. */

import type { ReadRow } from '../../../formats/row.ts';
import { readArrow } from './arrow.ts';
import { readAtif } from './atif.ts';
import { readHarbor } from './harbor.ts';
import { readJson } from './json.ts';
import { readJsonl } from './jsonl.ts';
import { readParquet } from './parquet.ts';
import type { RowFiles } from './row-files.ts';

/** The rows of `files` in order; throws `UnreadableFile` when a file as a whole cannot be read. */
export async function* readRows(files: RowFiles): AsyncGenerator<ReadRow> {
  switch (files.kind) {
    case 'parquet':
      return yield* readParquet(files.paths);
    case 'arrow':
      return yield* readArrow(files.paths);
    case 'json':
      for (const path of files.paths) yield* readJson(path, files.split);
      return;
    case 'harbor':
      return yield* readHarbor(files.paths);
    case 'atif':
      return yield* readAtif(files.paths, files.split ?? 'all');
    case 'jsonl':
      for (const path of files.paths) yield* readJsonl(path);
  }
}
