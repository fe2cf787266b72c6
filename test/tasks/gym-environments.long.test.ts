/**
 * Environments of SWE-Gym's repositories, with the recipes that `import-recipes` makes of its harness: three rows of each are validated with one
 * gold run, and tests have no network. Rows are those that are given; for other repositories they are rebuilt from the history, as
 * test/tasks/history-rows.ts says. What comes of each is printed, and written into the table of docs/internal/dataset-environments.md. Needs a package
 * index, minutes for each repository, and
 *
 * GYM_CLONES: `OWNER/NAME=FOLDER`, separated by spaces; each folder is a clone with its history and tags, bare or not. GYM_PYTHON: an interpreter
 * with SWE-Gym's fork of swebench. GYM_ROWS (none): a file of SWE-Gym's rows, JSON lines. GYM_ONLY (all of SWE-Gym): names of repositories.
 * GYM_COUNT (3): rows of each. GYM_BEFORE (2024-06-01): rows are rebuilt of earlier commits. GYM_CACHE (a folder of its own): a cache that is
 * kept. GYM_HOSTS (none): hosts that builds may ask, such as npm's registry for bokeh. GYM_OK (0): the smallest share of tried repositories all of whose rows are `ok`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Project } from '../rig/project.ts';
import { GYM_REPOSITORIES, type Tried, writeTried } from './environments-page.ts';
import { type HistoryRow, historyRows, measured, type NamedRecipe, recipeOf } from './history-rows.ts';
import { datasetProject, hasCommit, judged } from './tried-rows.ts';

const { GYM_CLONES, GYM_PYTHON, GYM_ROWS, GYM_ONLY, GYM_COUNT = '3', GYM_CACHE, GYM_OK = '0' } = process.env;
const { GYM_BEFORE = '2024-06-01', GYM_HOSTS = '' } = process.env;
const isGiven = GYM_CLONES !== undefined && GYM_PYTHON !== undefined;
if (!isGiven) console.log('skipped: SWE-Gym environments: GYM_CLONES and GYM_PYTHON name what they need');

interface Imported {
  text: string;
  recipes: NamedRecipe[];
}

/** So many times as many commits as rows are tried at most. */
const TRIES = 3;

async function tried(repo: string, clone: string, { text, recipes }: Imported): Promise<Tried> {
  const day = new Date().toISOString().slice(0, 10);
  const none: Tried = { repo, day, rows: 'none', ok: 0, why: '', seconds: 0, mebibytes: 0 };
  if (!existsSync(clone)) return { ...none, why: 'not tried: its history could not be had' };
  const project = new Project();
  writeFileSync(project.path('recipes.yaml'), text);
  const rows = {
    source: 'rows.jsonl',
    format: 'swe-gym',
    sources: { [repo]: `git+file://${resolve(clone)}@{commit}` },
  };
  const before = Date.now();
  const given = givenRows(repo, clone);
  datasetProject(project, { rows, cache: GYM_CACHE, hosts: GYM_HOSTS.split(' ').filter(Boolean) });
  const { rows: made, lost } =
    given.length > 0 ? { rows: given, lost: [] } : await rebuilt(project, repo, clone, recipes);
  const seconds = () => Math.round((Date.now() - before) / 1000);
  if (made.length === 0)
    return {
      ...none,
      why: lost.join('; ') || 'no commit of a version that the tables have makes a row',
      seconds: seconds(),
    };
  writeRows(project, made);
  const { ok, why, mebibytes } = await judged(project);
  const origin = given.length > 0 ? 'given' : 'from history';
  return { ...none, rows: `${made.length} ${origin}`, ok, why, seconds: seconds(), mebibytes };
}

interface Rebuilt {
  rows: HistoryRow[];
  /** What came of commits that make no row, a text for each validation. */
  lost: string[];
}

/** Rows of the history whose tests the gold patch changes here. Commits that change none make way for earlier ones. */
async function rebuilt(
  project: Project,
  repo: string,
  clone: string,
  recipes: readonly NamedRecipe[],
): Promise<Rebuilt> {
  const count = Number(GYM_COUNT);
  const left = historyRows({ repo, clone, recipes, before: GYM_BEFORE, count: count * TRIES });
  const rows: HistoryRow[] = [];
  const lost: string[] = [];
  while (rows.length < count && left.length > 0) {
    const some = left.splice(0, count - rows.length);
    writeRows(project, some);
    const { why, ok } = await judged(project);
    console.log(`first, ${ok} ok: ${why}`);
    for (const row of some) {
      const { stdout } = await project.run('logs', `validate.rows@${row.instance_id}`, '--project', 'p.yaml');
      const one = measured(row, stdout, recipeOf(row, recipes)?.recipe.parser ?? 'pytest');
      if (one.FAIL_TO_PASS.length > 0) rows.push(one);
    }
    lost.push(why);
    // Earlier commits would fare no better.
    if (why.includes('environment-failed')) break;
  }
  return { rows, lost };
}

/** The recipes, and the text of a file that projects extend. */
async function imported(): Promise<Imported> {
  const project = new Project();
  const words = ['import-recipes', '--from', 'swe-gym', '--python', GYM_PYTHON!];
  expect(await project.run(...words, '-o', 'recipes.yaml')).toMatchObject({ code: 0 });
  const text = readFileSync(project.path('recipes.yaml'), 'utf8');
  const { stdout } = await project.run(...words, '--json');
  return { text, recipes: (JSON.parse(stdout) as { recipes: NamedRecipe[] }).recipes };
}

/** Rows of the dataset itself. */
function givenRows(repo: string, clone: string): HistoryRow[] {
  const lines = GYM_ROWS === undefined ? [] : readFileSync(GYM_ROWS, 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as HistoryRow)
    .filter((row) => row.repo === repo && hasCommit(clone, row.base_commit))
    .slice(0, Number(GYM_COUNT));
}

function writeRows(project: Project, rows: readonly HistoryRow[]): void {
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

describe.skipIf(!isGiven)('environments of SWE-Gym', { timeout: 0 }, () => {
  test('come of the recipes of its harness', async () => {
    const clones = new Map(GYM_CLONES!.split(' ').map((one) => one.split('=') as [string, string]));
    const recipes = await imported();
    const found: Tried[] = [];
    for (const repo of GYM_ONLY?.split(' ') ?? GYM_REPOSITORIES) {
      const one = await tried(repo, clones.get(repo) ?? '', recipes);
      console.log(JSON.stringify(one));
      writeTried('SWE-Gym', one);
      if (one.seconds > 0) found.push(one);
    }
    const whole = found.filter(({ ok, why }) => ok > 0 && why === '').length;
    console.log(`${whole} of ${found.length} repositories: all rows ok`);
    expect(whole / Math.max(1, found.length)).toBeGreaterThanOrEqual(Number(GYM_OK));
  });
});
