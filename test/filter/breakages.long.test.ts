/**
 * Recipes of real repositories that are broken in one place each: the report of failures must name the recipe key that mends it, and
 * its value where the log can tell one. The recipes that work are validated beside them. What came of each is printed as a table. Needs a
 * package index, a minute for each of some 45 environments, and
 *
 * BREAKAGE_CLONES: `OWNER/NAME=FOLDER`, separated by spaces, of the repositories in test/filter/breakages.ts; each folder is a clone with its
 * history and tags, bare or not. BREAKAGE_CACHE (a folder of its own): a cache that is kept. BREAKAGE_MATCH (all): a pattern of ids, as in
 * the table.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { Project } from '../rig/project.ts';
import { type Breakage, REPOSITORIES, type Repository } from './breakages.ts';

const { BREAKAGE_CLONES, BREAKAGE_CACHE, BREAKAGE_MATCH } = process.env;
if (BREAKAGE_CLONES === undefined) console.log('skipped: breakages: BREAKAGE_CLONES names what they need');

interface Task {
  id: string;
  repository: Repository;
  /** Null: the recipe that works. */
  breakage: Breakage | null;
}

const TASKS: readonly Task[] = REPOSITORIES.flatMap((repository) => {
  const name = repository.repo.split('/')[1]!;
  const works = repository.untried === undefined ? [{ id: `${name}.works`, repository, breakage: null }] : [];
  const broken = repository.breakages.map((breakage) => ({
    id: `${name}.${breakage.name.replaceAll(/\W+/g, '-')}`,
    ...{ repository, breakage },
  }));
  return [...works, ...broken];
}).filter(({ id }) => BREAKAGE_MATCH === undefined || new RegExp(BREAKAGE_MATCH).test(id));

function project(): Project {
  const made = new Project();
  const clones = new Map(BREAKAGE_CLONES!.split(' ').map((one) => one.split('=') as [string, string]));
  const rows = TASKS.map((task) => rowOf(task, resolve(clones.get(task.repository.repo)!)));
  writeFileSync(made.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const recipes = TASKS.map(({ id, repository, breakage }) => ({
    match: { instance: id },
    ...inProject({ ...repository.recipe, ...breakage?.recipe }),
  }));
  if (BREAKAGE_CACHE !== undefined) mkdirSync(BREAKAGE_CACHE, { recursive: true });
  const text = {
    ...{ version: 1, name: 'breakages', environments: { recipes } },
    dataset: { rows: { source: 'rows.jsonl', format: 'custom' } },
    deployments: { box: { type: 'sandbox', network: { build: 'proxy', grade: 'off' } } },
    validation: { deployment: 'box', gold_runs: 1, timeout: '15m' },
    ...(BREAKAGE_CACHE === undefined ? {} : { cache: { folder: resolve(BREAKAGE_CACHE) } }),
  };
  writeFileSync(made.path('p.yaml'), JSON.stringify(text));
  return made;
}

/** A project writes times as texts. */
function inProject({ timeout, ...recipe }: PartialRecipe): object {
  return timeout === undefined ? recipe : { ...recipe, timeout: `${timeout}s` };
}

/** The task: a bug in front of a module that all tests import. */
function rowOf({ id, repository, breakage }: Task, clone: string): object {
  const { repo, ref, module, test: id1, version } = { ...repository, ...breakage?.at };
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', clone, ...words], { encoding: 'utf8', maxBuffer: 1e9 });
  const commit = git('rev-parse', `${ref}^{commit}`).trim();
  const [first = ''] = git('show', `${commit}:${module}`).split('\n');
  const patch = `diff --git a/${module} b/${module}\n--- a/${module}\n+++ b/${module}\n@@ -1 +1,2 @@\n+raise RuntimeError("a bug")\n ${first}\n`;
  const source = `git+file://${clone}@${commit}`;
  return {
    ...{ instance_id: id, repo, source, base_commit: commit, patch, patch_role: 'bug' },
    ...(version === undefined ? {} : { version }),
    ...{ FAIL_TO_PASS: [id1], PASS_TO_PASS: [], problem_statement: 'It does not start.' },
  };
}

interface Failure {
  status: string;
  reason: string | null;
  complaint: string | null;
  hint: string | null;
}

/** What the report says of each row; null where it passed. */
function reported(made: Project): (id: string) => Failure | null {
  const text = readFileSync(made.path('out/breakages/filter.rows/failures.json'), 'utf8');
  const { environments } = JSON.parse(text) as {
    environments: (Failure & { failures: (Failure & { instance: string })[] })[];
  };
  const found = new Map(
    environments.flatMap(({ failures, ...built }) =>
      failures.map((one) => [one.instance, built.status === 'ok' ? one : built] as const),
    ),
  );
  return (id) => found.get(id) ?? null;
}

/** True when the hint names the key itself, and what is expected beside it. */
function names({ key, value }: Breakage, hint: string | null): boolean {
  if (hint === null || !new RegExp(`\`${key}(?![\\w.])`).test(hint)) return false;
  return value?.test(hint) ?? true;
}

describe.skipIf(BREAKAGE_CLONES === undefined)('broken recipes', { timeout: 0 }, () => {
  test('are told by the key that mends them', async () => {
    const made = project();
    const { outcomes } = await made.build('p.yaml', 'filter');
    expect(outcomes.infra ?? 0).toBe(0);
    const of = reported(made);
    const page = readFileSync(made.path('out/breakages/filter.rows/failures.md'), 'utf8');
    const works: string[] = [];
    const lines: { text: string; isNamed: boolean }[] = [];
    for (const { id, repository, breakage } of TASKS) {
      const said = of(id);
      if (breakage === null) {
        if (said !== null) works.push(`${id}: ${said.reason}: ${said.complaint}`);
        continue;
      }
      const isNamed = said !== null && names(breakage, said.hint) && page.includes(said.hint!);
      const cells = [
        repository.repo,
        breakage.name,
        breakage.key,
        said?.hint ?? 'nothing',
        isNamed ? 'yes' : 'no',
      ];
      lines.push({ text: `| ${cells.join(' | ')} |${isNamed ? '' : ` ${said?.complaint}`}`, isNamed });
    }
    const named = lines.filter(({ isNamed }) => isNamed).length;
    console.log(
      [
        '| repository | what is broken | the key | the report says | named |',
        '|---|---|---|---|---|',
        ...lines.map(({ text }) => text),
        `the right key is named for ${named} of ${lines.length}`,
      ].join('\n'),
    );
    expect(works).toEqual([]);
    expect(named).toBeGreaterThanOrEqual(Math.ceil(0.9 * lines.length));
  });
});
