/**
 * Environments for whole datasets: repositories of SWE-smith at the commits of its profiles, with the recipes of `import-recipes`. Three mutations
 * of each are made, and validated with one gold run; tests have no network. What comes of each repository is printed, and written into the
 * table of docs/internal/dataset-environments.md. Needs a package index, one to ten minutes for each repository, and
 *
 * SMITH_CLONES: `OWNER/NAME=FOLDER`, separated by spaces; each folder is a clone with its history and tags, bare or not. A repository without one
 * is skipped, and the table says so. SMITH_PYTHON: an interpreter with swesmith. SMITH_ONLY (all that have a clone): names of repositories,
 * separated by spaces. SMITH_COUNT (3): mutations of each. SMITH_CACHE (a folder of its own): a cache that is kept. SMITH_OK (0): the smallest
 * share of tried repositories all of whose rows are `ok`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import type { SmithProfile } from '../../stages/environments/imported-recipes.ts';
import { Project } from '../rig/project.ts';
import { type Tried, writeTried } from './environments-page.ts';
import { datasetProject, hasCommit, judged } from './tried-rows.ts';

const {
  SMITH_CLONES,
  SMITH_PYTHON,
  SMITH_ONLY,
  SMITH_COUNT = '3',
  SMITH_CACHE,
  SMITH_OK = '0',
} = process.env;
const isGiven = SMITH_CLONES !== undefined && SMITH_PYTHON !== undefined;
if (!isGiven) console.log('skipped: dataset environments: SMITH_CLONES and SMITH_PYTHON name what they need');

/** Kinds that tests notice more often than others, so that fewer are tried in vain. */
const KINDS = 'invert_if,constant_condition,remove_return_value,remove_assignment,change_operator';

function profiles(): Map<string, SmithProfile> {
  const script = join(packageRoot(), 'stages/environments/import_recipes.py');
  const table = execFileSync(SMITH_PYTHON!, ['-I', script, 'swesmith'], { encoding: 'utf8', maxBuffer: 1e8 });
  const { profiles: list } = JSON.parse(table) as { profiles: SmithProfile[] };
  return new Map(list.map((one) => [`${one.owner}/${one.repo}`, one]));
}

/** The text of a file that projects extend. Reading the tables takes long, so it is done once. */
async function imported(): Promise<string> {
  const project = new Project();
  const words = ['import-recipes', '--from', 'swesmith', '--python', SMITH_PYTHON!, '-o', 'recipes.yaml'];
  expect(await project.run(...words)).toMatchObject({ code: 0 });
  return readFileSync(project.path('recipes.yaml'), 'utf8');
}

/** Makes rows of the repository, validates them and says what came of it. */
async function tried(repo: string, profile: SmithProfile, clone: string, recipes: string): Promise<Tried> {
  const none: Tried = { repo, day: today(), rows: 'none', ok: 0, why: '', seconds: 0, mebibytes: 0 };
  if (!existsSync(clone)) return { ...none, why: 'not tried: its history could not be had' };
  if (!hasCommit(clone, profile.commit))
    return {
      ...none,
      why: `not tried: its history lacks ${profile.commit.slice(0, 8)}, the profile's commit`,
    };
  const project = new Project();
  writeFileSync(project.path('recipes.yaml'), recipes);
  const rows = { source: 'rows.jsonl', format: 'mutation' } as const;
  datasetProject(project, { rows, cache: SMITH_CACHE });
  const before = Date.now();
  const source = `git+file://${resolve(clone)}@${profile.commit}`;
  const names = ['--kinds', KINDS, '--count', SMITH_COUNT, '--seed', '1'];
  const options = ['--repo', repo, '--project', 'p.yaml', '-o', 'rows.jsonl'];
  const made = await project.run('mutate', source, ...names, ...options);
  console.log(made.stderr);
  const count = existsSync(project.path('rows.jsonl'))
    ? readFileSync(project.path('rows.jsonl'), 'utf8').split('\n').length - 1
    : 0;
  // A fault of the machine is no answer of the repository.
  expect(made.code, made.stderr).not.toBe(3);
  const { ok, why, mebibytes } =
    count === 0 ? { ok: 0, why: whyNone(made.stderr), mebibytes: 0 } : await judged(project);
  const seconds = Math.round((Date.now() - before) / 1000);
  return { ...none, rows: count === 0 ? 'none' : `${count} by mutation`, ok, why, seconds, mebibytes };
}

/** The message of `mutate`, without its code. */
function whyNone(stderr: string): string {
  const said = /^E\d+ {2}(?:\S+@[0-9a-f]{40}: )?(.*)$/m.exec(stderr)?.[1];
  return said ?? 'no mutation makes a test fail';
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

describe.skipIf(!isGiven)('environments of SWE-smith', { timeout: 0 }, () => {
  test('come of the recipes of its profiles', async () => {
    const [known, recipes] = [profiles(), await imported()];
    const clones = new Map(SMITH_CLONES!.split(' ').map((one) => one.split('=') as [string, string]));
    const only = SMITH_ONLY?.split(' ') ?? [...clones.keys()];
    if (SMITH_CACHE !== undefined) mkdirSync(SMITH_CACHE, { recursive: true });
    const found: Tried[] = [];
    for (const repo of only) {
      const profile = known.get(repo);
      if (profile === undefined) throw new Error(`SWE-smith has no profile of ${repo}`);
      const one = await tried(repo, profile, clones.get(repo) ?? '', recipes);
      console.log(JSON.stringify(one));
      writeTried('SWE-smith', one);
      if (one.seconds > 0) found.push(one);
    }
    const whole = found.filter(({ ok, why }) => ok > 0 && why === '').length;
    console.log(`${whole} of ${found.length} repositories: all rows ok`);
    expect(whole / Math.max(1, found.length)).toBeGreaterThanOrEqual(Number(SMITH_OK));
  });
});
