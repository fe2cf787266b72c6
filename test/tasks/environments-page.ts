/** The tables of docs/internal/dataset-environments.md: one line for each repository that was tried, as the long test beside this file found it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';

export const PAGE = join(packageRoot(), 'docs/internal/dataset-environments.md');

/** Headings of the page that have a table below them. */
export type Dataset = 'SWE-smith' | 'SWE-Gym';
export const DATASETS: readonly Dataset[] = ['SWE-smith', 'SWE-Gym'];

/** Those of SWE-Gym. */
export const GYM_REPOSITORIES: readonly string[] = [
  ...[
    'getmoto/moto',
    'facebookresearch/hydra',
    'conan-io/conan',
    'iterative/dvc',
    'python/mypy',
    'pydantic/pydantic',
  ],
  ...['dask/dask', 'modin-project/modin', 'Project-MONAI/MONAI', 'bokeh/bokeh', 'pandas-dev/pandas'],
];

/** What came of one repository. */
export interface Tried {
  repo: string;
  /** The day, as 2026-01-31. */
  day: string;
  /** How many rows there were and where they are from, such as `3 mutations`; `none` where none could be made. */
  rows: string;
  ok: number;
  /** Why rows are not `ok`, or why there are none; '' where all are. */
  why: string;
  /** From the first command to the last verdict. */
  seconds: number;
  /** Of the environments, each by itself. 0 where none was built. */
  mebibytes: number;
}

const HEAD = [
  '| repository | day | rows | `ok` | what is not, and why | seconds | MiB |',
  '|---|---|---|---|---|---|---|',
];

/** The lines of the table below the heading of `dataset`. */
export function readTable(page: string, dataset: Dataset): Tried[] {
  const lines = page
    .slice(...placeOf(page, dataset))
    .split('\n')
    .slice(HEAD.length);
  return lines.map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    const [repo = '', day = '', rows = '', ok = '', why = '', seconds = '', mebibytes = ''] = cells;
    return { repo, day, rows, ok: Number(ok), why, seconds: Number(seconds), mebibytes: Number(mebibytes) };
  });
}

/** The page with these lines in the table of `dataset`; those of other repositories stay. */
export function withTried(page: string, dataset: Dataset, tried: readonly Tried[]): string {
  const lines = new Map([...readTable(page, dataset), ...tried].map((one) => [one.repo, one]));
  const sorted = [...lines.values()].sort((a, b) => (a.repo.toLowerCase() < b.repo.toLowerCase() ? -1 : 1));
  const table = [...HEAD, ...sorted.map(lineOf)].join('\n');
  const summed = new RegExp(`^${dataset}: .*$`, 'm');
  const [begin, end] = placeOf(page, dataset);
  return `${page.slice(0, begin)}${table}${page.slice(end)}`.replace(summed, () => sumOf(dataset, sorted));
}

/** The line above the table. */
function sumOf(dataset: Dataset, lines: readonly Tried[]): string {
  const tried = lines.filter(({ why }) => !why.startsWith('not tried'));
  const rows = (one: Tried) => Number.parseInt(one.rows, 10) || 0;
  const whole = tried.filter((one) => one.ok > 0 && one.ok === rows(one)).length;
  const sum = (of: (one: Tried) => number) => tried.reduce((total, one) => total + of(one), 0);
  return `${dataset}: ${tried.length} repositories tried, all rows of ${whole} are \`ok\`; of ${sum(rows)} rows ${sum(({ ok }) => ok)} are.`;
}

/** Writes what came of one repository into the page. */
export function writeTried(dataset: Dataset, tried: Tried): void {
  writeFileSync(PAGE, withTried(readFileSync(PAGE, 'utf8'), dataset, [tried]));
}

function lineOf({ repo, day, rows, ok, why, seconds, mebibytes }: Tried): string {
  const said = why.replaceAll(/\s*\n\s*/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|') || '—';
  return `| ${[repo, day, rows, ok, said, seconds, mebibytes].join(' | ')} |`;
}

/** Where the table of `dataset` begins and ends. */
function placeOf(page: string, dataset: Dataset): [begin: number, end: number] {
  const begin = page.indexOf(HEAD[0]!, page.indexOf(`\n## ${dataset}\n`));
  if (begin < 0) throw new Error(`${PAGE} has no table below "## ${dataset}"`);
  const end = page.indexOf('\n\n', begin);
  return [begin, end < 0 ? page.trimEnd().length : end];
}
