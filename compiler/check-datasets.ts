/** Checks of `dataset`. */
import { globProblem } from '../basics/glob.ts';
import { FORMATS, findFormat } from '../formats/registry.ts';
import { canDiscover } from '../formats/unmeasured.ts';
import { isHubId } from '../schemas/dataset-source.ts';
import type { DatasetConfig, SelectConfig } from '../schemas/generated/project.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { checkReference } from './check-reference.ts';

/** Files that hold rows and nothing that names a split; a JSON file may hold lists by split. */
const ONE_SPLIT = /\.(?:jsonl|jsonl\.gz|ndjson|parquet|arrow)$/i;

const WRAPPED = FORMATS.filter(({ rows }) => rows === 'wrapped');

export function checkDatasets(context: CheckContext): void {
  for (const [id, dataset] of Object.entries(context.draft.dataset ?? {})) {
    if (dataset === undefined) continue;
    if (dataset.inner !== undefined && findFormat(dataset.format ?? '')?.rows !== 'wrapped')
      context.report(
        'W202',
        ['dataset', id, 'inner'],
        'only nested rows have an inner format',
        `remove it, or write format: ${WRAPPED.map(({ name }) => name).join(' or ')}`,
        'key',
      );
    if (dataset.discover_tests === true) checkDiscover(id, dataset, context);
    checkReference('deployment', ['dataset', id, 'deployment'], dataset.deployment, context);
    checkSource(['dataset', id], dataset, context);
    checkSelect(['dataset', id, 'select'], dataset.select ?? {}, context);
    checkTemplates(['dataset', id, 'sources'], dataset.sources ?? {}, context);
  }
}

function checkDiscover(id: string, { format }: Draft<DatasetConfig>, context: CheckContext): void {
  const path = ['dataset', id, 'discover_tests'];
  const kind = findFormat(format ?? '');
  if (kind !== null && !canDiscover(kind))
    context.report(
      'W202',
      path,
      `no tests can be measured for rows of the format ${kind.name}`,
      'remove it; rows of such a format must have their tests',
      'key',
    );
  const { validation, evaluation } = context.draft;
  if (validation?.dataset !== undefined && validation.dataset !== id && evaluation?.dataset === id)
    context.report(
      'W202',
      path,
      `tests are measured where a dataset is validated, and only ${validation.dataset} is`,
      'remove validation.dataset, or this key',
      'key',
    );
}

function checkSource(
  path: string[],
  { source, revision, split }: Draft<DatasetConfig>,
  context: CheckContext,
): void {
  if (source === undefined || isHubId(source)) return;
  if (!context.exists(source))
    context.report(
      'W201',
      [...path, 'source'],
      `"${source}" does not exist`,
      'paths are relative to the file that names them',
    );
  if (split !== undefined && ONE_SPLIT.test(source))
    context.report(
      'W202',
      [...path, 'split'],
      'a file of rows has no splits',
      'remove it, or name the folder of the files',
      'key',
    );
  if (revision !== undefined)
    context.report(
      'W202',
      [...path, 'revision'],
      'a file has no revision',
      'remove it; files are pinned by digest',
      'key',
    );
}

function checkSelect(path: string[], select: Draft<SelectConfig>, { report }: CheckContext): void {
  const { match, slice, sample } = select;
  const wrong = match === undefined ? null : regExpProblem(match);
  if (wrong !== null)
    report(
      'E113',
      [...path, 'match'],
      `not a regular expression: ${wrong}`,
      'write \\\\ before a character that is meant literally',
    );
  if (slice !== undefined) checkSlice([...path, 'slice'], slice, report);
  // Defaults are filled in; a seed other than the default is one that someone wrote.
  if (sample === undefined && (select.seed ?? 0) !== 0)
    report(
      'W202',
      [...path, 'seed'],
      'a seed without sample has no effect',
      'add sample, or remove it',
      'key',
    );
}

/** What is wrong with a regular expression, or null. */
export function regExpProblem(text: string, flags = 'u'): string | null {
  try {
    new RegExp(text, flags);
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^Invalid regular expression: \/.*\/\w*: /s, '').toLowerCase();
  }
}

function checkSlice(path: string[], slice: string, report: CheckContext['report']): void {
  const found = /^(-?\d+)?:(-?\d+)?$/.exec(slice);
  const remedy = 'write START:END, such as 0:100, :50 or -20:';
  if (found === null) {
    report('E114', path, `"${slice}" is not a slice`, remedy);
    return;
  }
  const [start, end] = [Number(found[1] ?? 0), found[2] === undefined ? null : Number(found[2])];
  const sameSide = end !== null && start < 0 === end < 0;
  if (sameSide && start >= end) report('E114', path, `"${slice}" selects nothing`, remedy);
}

function checkTemplates(
  path: string[],
  sources: Draft<DatasetConfig['sources']>,
  { report }: CheckContext,
): void {
  for (const [glob, template] of Object.entries(sources)) {
    const wrong = globProblem(glob);
    if (wrong !== null)
      report(
        'E115',
        [...path, glob],
        `not a glob: ${wrong}`,
        'write \\ before a character that is meant literally',
        'key',
      );
    if (template !== undefined && /[{}]/.test(template.replace(/\{[A-Za-z_][A-Za-z0-9_]*\}/g, '')))
      report(
        'E106',
        [...path, glob],
        `"${template}" has a brace that names no column`,
        'write {repo} or another column of the rows',
      );
  }
}
