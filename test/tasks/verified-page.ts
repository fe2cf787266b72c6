/** The table of docs/internal/verified.md: one line for each range of versions with a built-in recipe, and what came of rows that were tried. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { BENCHMARK_RECIPES, benchmarkRecipe } from '../../stages/environments/benchmark-recipes.ts';

export const VERIFIED_PAGE = join(packageRoot(), 'docs/internal/verified.md');

const HEAD = [
  '| repository | versions | Python | index of | `ok` | not `ok`, and why |',
  '|---|---|---|---|---|---|',
];

/** What came of a row; null: it is `ok`. */
export interface TriedRow {
  repo: string;
  version: string;
  /** The number at the end of its id. */
  number: string;
  why: string | null;
}

interface Line {
  ok: string[];
  /** Number -> why. */
  not: Map<string, string>;
}

/** The page with a table of all ranges: results that it had, and these. */
export function withRows(page: string, tried: readonly TriedRow[]): string {
  const begin = page.indexOf(HEAD[0]!);
  if (begin < 0) throw new Error(`${VERIFIED_PAGE} has no table`);
  const end = page.indexOf('\n\n', begin);
  const known = readLines(page.slice(begin, end));
  const lines = Object.entries(BENCHMARK_RECIPES).flatMap(([repo, list]) =>
    list.map(({ from, before, recipe }) => {
      const name = `${repo} ${from}`;
      const line = known.get(name) ?? { ok: [], not: new Map() };
      for (const one of tried) {
        if (one.repo.toLowerCase() !== repo || benchmarkRecipe(repo, one.version) !== recipe) continue;
        line.ok = line.ok.filter((number) => number !== one.number);
        line.not.delete(one.number);
        if (one.why === null) line.ok.push(one.number);
        else line.not.set(one.number, one.why.replaceAll('|', '\\|').replaceAll(/\s+/g, ' '));
      }
      const ok = line.ok.sort((a, b) => Number(a) - Number(b)).join(', ');
      const not = [...line.not].map(([number, why]) => `${number}: ${why}`).join('<br>');
      const none = ok === '' && not === '';
      const cells = [repo, `${from} to before ${before}`, recipe.python, recipe.as_of, ok || '—'];
      return `| ${[...cells, none ? 'not tried' : not || '—'].join(' | ')} |`;
    }),
  );
  return `${page.slice(0, begin)}${[...HEAD, ...lines].join('\n')}${page.slice(end)}`;
}

/** Writes what came of rows into the page. */
export function writeRows(tried: readonly TriedRow[]): void {
  writeFileSync(VERIFIED_PAGE, withRows(readFileSync(VERIFIED_PAGE, 'utf8'), tried));
}

function readLines(table: string): Map<string, Line> {
  const lines = table.split('\n').slice(HEAD.length);
  return new Map(
    lines.map((line) => {
      const [repo = '', versions = '', , , ok = '', not = ''] = line.slice(2, -2).split(' | ');
      const failed = ['—', 'not tried'].includes(not) ? [] : not.split('<br>');
      const whys = failed.map((one) => [/^\d+/.exec(one)?.[0] ?? one, one.replace(/^\d+: /, '')] as const);
      const passed = ok === '—' ? [] : ok.split(', ');
      return [`${repo} ${versions.split(' ')[0]}`, { ok: passed, not: new Map(whys) }];
    }),
  );
}
