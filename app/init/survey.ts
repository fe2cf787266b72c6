/** Looks at rows before there is a project: where they are, which format they are in, what their environments need. */
import { resolve } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { seenFrom } from '../../basics/seen-from.ts';
import { openCache } from '../../cache/cache.ts';
import { temporaryPath } from '../../cache/folder.ts';
import { customFormat } from '../../formats/custom/kind.ts';
import { columnNames, guessFormat } from '../../formats/guess.ts';
import type { FormatKind } from '../../formats/kind.ts';
import { parseMirrorName } from '../../formats/mirror-name.ts';
import { instanceRow, readRow } from '../../formats/read-row.ts';
import { isBadRow, type NumberedRow, UnreadableFile } from '../../formats/row.ts';
import { sourceMap } from '../../formats/source-map.ts';
import { isHubId } from '../../schemas/dataset-source.ts';
import { type BadRow, badRowText } from '../../schemas/instance.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { datasetFiles } from '../../stages/dataset/readers/dataset-files.ts';
import { readRows } from '../../stages/dataset/readers/read-rows.ts';
import { BENCHMARK_RECIPES } from '../../stages/environments/benchmark-recipes.ts';
import { profileOf } from '../../stages/environments/profiles.ts';
import { type SourceDeps, sourceDeps } from '../../tasks/source/deps.ts';
import type { CommandIo } from '../io.ts';
import type { SurveyedRepo, SurveyedRows } from './project-text.ts';

/** Rows that are looked at; the first ones tell the format, and mostly all repositories. */
const LOOKED_AT = 2000;
/** Tried in this order where a dataset has several splits and none is named. */
const SPLITS = [undefined, 'train', 'test'] as const;

export interface SurveyAsk {
  /** OWNER/NAME on the hub, or a file or folder, as the user names it. */
  from: string;
  split: string | undefined;
  /** Absolute folder of the project to be; its cache takes what is fetched, so that the first build has it. */
  folder: string;
  signal: AbortSignal;
}

/** What the rows are like; a fault says in words why they cannot be read. */
export async function surveyRows(ask: SurveyAsk, io: CommandIo): Promise<Result<SurveyedRows, string>> {
  const cache = await openCache(resolve(ask.folder, '.swemake'));
  try {
    const { memos } = cache.database;
    const deps = sourceDeps({
      layers: cache.layers,
      sourcesFolder: cache.folder.sources,
      locks: cache.locks,
      projectFolder: ask.folder,
      env: io.env,
      signal: ask.signal,
      temporaryPath: () => temporaryPath(cache.folder),
      memo: {
        get: (key) => memos.get(key) as string | undefined,
        set: (key, value) => memos.put(key, value),
      },
    });
    return await survey(ask, deps, io);
  } catch (error) {
    if (error instanceof UnreadableFile) return fault(`${ask.from}: ${error.message}`);
    throw error;
  } finally {
    await cache.close();
  }
}

async function survey(
  { from, split, folder }: SurveyAsk,
  deps: SourceDeps,
  io: CommandIo,
): Promise<Result<SurveyedRows, string>> {
  const source = isHubId(from) ? from : pathFrom(folder, io.cwd, from);
  let problem = '';
  for (const wanted of split === undefined ? SPLITS : [split]) {
    const config = { source, ...(wanted === undefined ? {} : { split: wanted }) };
    const files = await datasetFiles(config, folder, deps);
    if (!files.ok) {
      problem ||= files.fault.detail;
      continue;
    }
    const fetched = await files.value.fetch?.();
    if (fetched?.ok === false) return fault(fetched.fault.detail);
    const rows: NumberedRow[] = [];
    let isAll = true;
    for await (const row of readRows(files.value)) {
      if (rows.length === LOOKED_AT) {
        isAll = false;
        break;
      }
      if (!isBadRow(row)) rows.push(row);
    }
    return describe(source, wanted, rows, isAll);
  }
  return fault(problem);
}

function describe(
  source: string,
  split: string | undefined,
  rows: readonly NumberedRow[],
  isAll: boolean,
): Result<SurveyedRows, string> {
  const [first] = rows;
  if (first === undefined) return fault(`${source} holds no rows`);
  if ('messages' in first.row)
    return fault(`${source}: its rows are conversations, not tasks; trainer.sft.data.source trains on them`);
  const guesses = rows.map(({ row }) => guessFormat(row, source));
  const format = mostCommon(guesses.filter((one) => one !== null));
  if (format === null)
    return fault(
      `${source}: its columns are those of no format (${columnNames(first.row)}); see docs/dataset.md for the columns of "${customFormat.name}"`,
    );
  const repos = new Map<string, SurveyedRepo>();
  let wrong: BadRow | null = null;
  let readable = 0;
  for (const numbered of rows) {
    const read = readNames(numbered, format);
    if ('message' in read) {
      wrong ??= read;
      continue;
    }
    readable += 1;
    const known = repos.get(read.repo) ?? { repo: read.repo, rows: 0, needs: needsOf(read) };
    known.rows += 1;
    repos.set(read.repo, known);
  }
  if (readable === 0)
    return fault(
      `${source} looks like format "${format.name}", and no row can be read: ${badRowText(wrong!)}`,
    );
  return success({
    source,
    ...(split === undefined ? {} : { split }),
    format,
    rows: rows.length,
    isAll,
    bad: rows.length - readable,
    repos: [...repos.values()].sort((a, b) => b.rows - a.rows || (a.repo < b.repo ? -1 : 1)),
  });
}

/** What recipes go by. */
function readNames(row: NumberedRow, format: FormatKind): { repo: string; recipe: PartialRecipe } | BadRow {
  if (format.rows === 'derived') return format.outline(row.row);
  const inner = instanceRow(row, format);
  return 'message' in inner ? inner : readRow(inner, NO_SOURCES);
}

const NO_SOURCES = sourceMap({});

function needsOf({ repo, recipe }: { repo: string; recipe: PartialRecipe }): SurveyedRepo['needs'] {
  if (recipe.install !== undefined || recipe.test !== undefined) return 'row';
  const mirror = parseMirrorName(repo);
  const upstream = mirror === null ? repo : `${mirror.owner}/${mirror.name}`;
  const isKnown =
    BENCHMARK_RECIPES[upstream.toLowerCase()] !== undefined ||
    Object.keys(profileOf(repo, upstream)).length > 0;
  return isKnown ? 'known' : 'usual';
}

function mostCommon(formats: readonly FormatKind[]): FormatKind | null {
  const counts = new Map<FormatKind, number>();
  for (const format of formats) counts.set(format, (counts.get(format) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}

/** As the project file names it. */
function pathFrom(folder: string, cwd: string, path: string): string {
  const seen = seenFrom(folder, cwd, path);
  // A path of two names would be read as an id of the hub.
  return isHubId(seen) ? `./${seen}` : seen;
}
