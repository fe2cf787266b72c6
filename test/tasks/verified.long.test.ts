/**
 * Rows of SWE-bench Verified with the built-in recipes, from a project of one YAML. Each row has a verdict, which is printed and written
 * into the table of docs/internal/verified.md. Tests run without a network, with one gold run. Needs a package index, minutes for each row, and
 *
 * VERIFIED_ROWS: a file of rows, such as `verified.parquet`. VERIFIED_CLONES: `OWNER/NAME=FOLDER`, separated by spaces; each folder is a clone
 * with its history and tags, bare or not. VERIFIED_MATCH: a pattern of instance ids. VERIFIED_CACHE (a folder of its own): a cache that is
 * kept. VERIFIED_PYTHON (none): an interpreter with swebench 4.1; the same rows are then validated with the recipes of its table, too, and
 * what is `ok` with those must be `ok` with the built-in ones.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import type { RecipeRule } from '../../contract/config.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import type { TestedInstance } from '../../patches/test-files.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import type { InstanceGroup } from '../../stages/dataset/blocks/catalogue.ts';
import { type ReadRule, resolveRecipe } from '../../stages/environments/recipe.ts';
import { Project } from '../rig/project.ts';
import { type TriedRow, writeRows } from './verified-page.ts';

const { VERIFIED_ROWS, VERIFIED_CLONES, VERIFIED_MATCH, VERIFIED_CACHE, VERIFIED_PYTHON } = process.env;
const isGiven = VERIFIED_ROWS !== undefined && VERIFIED_CLONES !== undefined && VERIFIED_MATCH !== undefined;
if (!isGiven)
  console.log('skipped: Verified: VERIFIED_ROWS, VERIFIED_CLONES and VERIFIED_MATCH name what they need');

/** A project that names nothing but the rows; `recipes` is a file of recipes that it extends. */
function project(recipes?: string): Project {
  const made = new Project();
  const clones = VERIFIED_CLONES!.split(' ').map((one) => one.split('=') as [string, string]);
  const sources = clones.map(([repo, path]) => [repo, `git+file://${resolve(path)}@{commit}`]);
  const select = { match: VERIFIED_MATCH! };
  if (VERIFIED_CACHE !== undefined) mkdirSync(VERIFIED_CACHE, { recursive: true });
  const text = {
    ...{ version: 1, name: recipes === undefined ? 'verified' : 'verified-imported' },
    ...(recipes === undefined ? {} : { extends: recipes }),
    dataset: {
      eval: {
        ...{ source: resolve(VERIFIED_ROWS!), format: 'swe-bench', select },
        sources: Object.fromEntries(sources),
      },
    },
    deployments: { box: { type: 'sandbox', network: { build: 'proxy', grade: 'off' } } },
    validation: { deployment: 'box', gold_runs: 1, timeout: '30m' },
    ...(VERIFIED_CACHE === undefined ? {} : { cache: { folder: resolve(VERIFIED_CACHE) } }),
  };
  writeFileSync(made.path('p.yaml'), JSON.stringify(text));
  return made;
}

interface Row extends TestedInstance {
  instance_id: string;
  repo: string;
  version: string;
}

interface Verdict extends TriedRow {
  id: string;
}

async function readRows(): Promise<Row[]> {
  const file = await asyncBufferFromFile(resolve(VERIFIED_ROWS!));
  const rows = (await parquetReadObjects({ file, compressors })) as Record<string, string>[];
  const ids = (text: string) => JSON.parse(text) as string[];
  return rows.map((row) => ({
    ...{
      instance_id: row.instance_id!,
      repo: row.repo!,
      version: row.version!,
      test_patch: row.test_patch!,
    },
    ...{ FAIL_TO_PASS: ids(row.FAIL_TO_PASS!), PASS_TO_PASS: ids(row.PASS_TO_PASS!) },
  }));
}

interface Failures {
  environments: (Failure & { instances: number; failures: (Failure & { instance: string })[] })[];
}

interface Failure {
  status: string;
  reason: string | null;
  detail: string | null;
  complaint: string | null;
}

/** Builds it up to the verdicts. A fault is no answer. */
async function verdicts(made: Project, rows: readonly Row[]): Promise<Verdict[]> {
  const { outcomes } = await made.build('p.yaml', 'filter');
  expect(outcomes.infra ?? 0).toBe(0);
  const { name } = JSON.parse(readFileSync(made.path('p.yaml'), 'utf8')) as { name: string };
  const text = readFileSync(made.path(`out/${name}/filter.eval/failures.json`), 'utf8');
  const { environments } = JSON.parse(text) as Failures;
  const failed = new Map(
    environments.flatMap(({ failures, ...built }) =>
      failures.map((one) => [one.instance, built.status === 'ok' ? one : built] as const),
    ),
  );
  return rows.map(({ instance_id: id, repo, version }) => {
    const why = failed.get(id);
    const said = why === undefined ? null : `${why.reason} (${why.complaint ?? why.detail ?? why.status})`;
    return { id, repo, version, number: /\d+$/.exec(id)![0], why: said };
  });
}

/** The tests that a command is given. */
function targets(command: string, row: Row): string[] {
  const own = new Set(command.split(' '));
  return testCommand(command, row)
    .split(' ')
    .filter((word) => !own.has(word));
}

describe.skipIf(!isGiven)('rows of Verified', { timeout: 0 }, () => {
  let all: Row[];
  let rows: Row[];
  let built: Verdict[];

  test('have a verdict with the built-in recipes', async () => {
    all = await readRows();
    rows = all.filter(({ instance_id }) => new RegExp(VERIFIED_MATCH!).test(instance_id));
    expect(rows.length).toBeGreaterThan(0);
    built = await verdicts(project(), rows);
    for (const { id, why } of built) console.log(`${id}: ${why ?? 'ok'}`);
    writeRows(built);
  });

  test.skipIf(VERIFIED_PYTHON === undefined)('come out as with the table of swebench', async () => {
    const made = project('swebench.yaml');
    const words = [
      'import-recipes',
      '--from',
      'swebench',
      '--python',
      VERIFIED_PYTHON!,
      '-o',
      'swebench.yaml',
    ];
    expect(await made.run(...words)).toMatchObject({ code: 0 });
    const json = await made.run(
      'import-recipes',
      '--from',
      'swebench',
      '--python',
      VERIFIED_PYTHON!,
      '--json',
    );
    const { recipes } = JSON.parse(json.stdout) as { recipes: (RecipeRule & { recipe?: PartialRecipe })[] };
    const rules = recipes.map(({ match, recipe, ...keys }) => ({ match, ...keys, ...recipe })) as ReadRule[];
    // Parsers and tests that are run are those of all rows; a command may be written in another way.
    for (const row of all) {
      const group = { repo: row.repo, version: row.version, recipe: {} } as unknown as InstanceGroup;
      const [ours, theirs] = [
        resolveRecipe(group, row.instance_id, []),
        resolveRecipe(group, row.instance_id, rules),
      ];
      expect([row.instance_id, ours.parser, targets(ours.test, row)]).toEqual([
        row.instance_id,
        theirs.parser,
        targets(theirs.test, row),
      ]);
    }
    const imported = await verdicts(made, rows);
    for (const { id, why } of imported) console.log(`${id} by the table of swebench: ${why ?? 'ok'}`);
    const isOk = (list: readonly Verdict[]) => list.filter(({ why }) => why === null).map(({ id }) => id);
    expect(isOk(built)).toEqual(expect.arrayContaining(isOk(imported)));
  });
});
