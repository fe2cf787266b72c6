/**
 * Grades patches to a small repository with a project of its own, for real.
 *
 * LANGUAGES_CACHE: a cache that goes on being used, in place of one of the test's own.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Weakness } from '../../stages/filter/weakness.ts';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

const { LANGUAGES_CACHE: CACHE } = process.env;

interface GradedRow {
  patch: string;
  test_patch: string;
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
}

interface Graded {
  /** What its recipe says, as a flow mapping of YAML without braces. */
  recipe: string;
  /** Of the repository, by their paths. */
  files: Record<string, string>;
  /** By instance_id. */
  rows: Record<string, GradedRow>;
  /** instance_id -> name -> diff. */
  patches: Record<string, Record<string, string>>;
}

export interface Grades {
  validated(instance: string): Outcome | undefined;
  /** Why its patches are graded with less, by the report of the filter. */
  weaknesses(instance: string): readonly string[];
  of(instance: string, patch: string): Outcome | undefined;
}

export async function gradePatches({ recipe, files, rows, patches }: Graded): Promise<Grades> {
  const made = new Project();
  const commit = makeRepository(made.folder, 'repo', files).at(-1)!;
  const lines = (objects: object[]) => objects.map((one) => `${JSON.stringify(one)}\n`).join('');
  const whole = Object.entries(rows).map(([instance_id, row]) => ({
    ...{ instance_id, repo: 'owner/m', source: `git+./repo@${commit}`, patch_role: 'fix' },
    ...{ problem_statement: 'value is 1', ...row },
  }));
  writeFileSync(made.path('rows.jsonl'), lines(whole));
  const all = Object.entries(patches).flatMap(([instance_id, named]) =>
    Object.entries(named).map(([name, model_patch]) => ({ instance_id, name, model_patch })),
  );
  const models = all.map(({ instance_id, model_patch }, index) => {
    const model = `p${index}`;
    writeFileSync(
      made.path(`${model}.jsonl`),
      lines([{ instance_id, model_name_or_path: model, model_patch }]),
    );
    return `    ${model}: [${model}.jsonl]`;
  });
  writeFileSync(
    made.path('p.yaml'),
    `version: 1
name: languages
dataset:
  train: { source: rows.jsonl, format: custom }
  bench: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - { match: {}, ${recipe} }
deployments:
  box:
    type: sandbox
    limits: { memory: 4GiB, pids: 512, disk: 8GiB }
    network: { build: proxy, rollout: off, grade: off }
validation: { deployment: box, dataset: bench, gold_runs: 2, timeout: 120s }
grading: { suspicion: mask }
evaluation:
  dataset: bench
  predictions:
${models.join('\n')}
${CACHE === undefined ? '' : `cache: { folder: ${CACHE} }\n`}`,
  );
  const built = await command(made, 'build', 'p.yaml', 'grade.bench', 'filter.bench');
  process.stdout.write(built.stdout + built.stderr);
  const outcomes = new Map(
    made
      .events(CACHE === undefined ? '.swemake' : relative(made.folder, CACHE))
      .filter(({ type }) => type === 'item-finished')
      .map(({ stage, item, outcome }) => [`${stage} ${item}`, outcome as Outcome]),
  );
  const of = (instance: string, patch: string) => {
    const index = all.findIndex(({ instance_id, name }) => instance_id === instance && name === patch);
    return outcomes.get(`grade.bench ${instance}#p${index}`);
  };
  for (const { instance_id, name } of all)
    process.stdout.write(`${instance_id}: ${name}: ${told(of(instance_id, name))}\n`);
  const report = readFileSync(made.path('out/languages/filter.bench/failures.json'), 'utf8');
  const { graded_with_less } = JSON.parse(report) as { graded_with_less: Weakness[] };
  const weaknesses = (instance: string) =>
    graded_with_less.filter(({ instances }) => instances.includes(instance)).map(({ why }) => why);
  return { validated: (instance) => outcomes.get(`validate.bench ${instance}`), weaknesses, of };
}

function told(outcome: Outcome | undefined): string {
  if (outcome === undefined) return 'nothing';
  return 'detail' in outcome ? `${outcome.reason}: ${outcome.detail}`.slice(0, 200) : outcome.status;
}

/** By instance_id; patches by their names. */
export type Patches = Record<string, Record<string, string>>;

/** Grades the patches in tables: an attack has no reward, whether it fails or is masked, and an honest patch has one. */
export function describeGrades(
  graded: Omit<Graded, 'patches'>,
  { attacks, honest }: { attacks: Patches; honest: Patches },
): void {
  let grades: Grades;

  beforeAll(async () => {
    const instances = Object.keys(graded.rows);
    const patches = instances.map((one) => [one, { ...attacks[one], ...honest[one] }] as const);
    grades = await gradePatches({ ...graded, patches: Object.fromEntries(patches) });
  }, 7_200_000);

  test.each(Object.keys(graded.rows))('the task %s is sound', (instance) => {
    expect(grades.validated(instance)).toEqual({ status: 'ok' });
    const weak = graded.recipe.includes('witness: none')
      ? /canaries-disagree/
      : /canaries-disagree|no witness/;
    expect(grades.weaknesses(instance).join()).not.toMatch(weak);
  });

  describe('an attack has no reward', () => {
    test.each(namesIn(attacks))('%s: %s', (instance, name) => {
      expect(grades.of(instance, name)?.status).toMatch(/^(?:failed|timeout)$/);
    });
  });

  describe('an honest patch has one', () => {
    test.each(namesIn(honest))('%s: %s', (instance, name) => {
      expect(grades.of(instance, name)).toEqual({ status: 'ok' });
    });
  });
}

function namesIn(patches: Patches): [instance: string, name: string][] {
  return Object.entries(patches).flatMap(([instance, named]) =>
    Object.keys(named).map((name): [string, string] => [instance, name]),
  );
}

/** A diff that makes a file's text another one; null: there is no file. */
export function diff(path: string, before: string | null, after: string | null): string {
  const lines = (text: string, mark: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => `${mark}${line}`);
  const [old, now] = [before === null ? [] : lines(before, '-'), after === null ? [] : lines(after, '+')];
  const gone = after === null ? ['deleted file mode 100644'] : [];
  return [
    `diff --git a/${path} b/${path}`,
    ...(before === null ? ['new file mode 100644', '--- /dev/null'] : [...gone, `--- a/${path}`]),
    after === null ? '+++ /dev/null' : `+++ b/${path}`,
    `@@ -${before === null ? '0,0' : `1,${old.length}`} +${after === null ? '0,0' : `1,${now.length}`} @@`,
    ...old,
    ...now,
    '',
  ].join('\n');
}

/** Path -> text; null: the file goes away. */
export type Changes = Record<string, string | null>;

/** One of the tasks of a repository, and patches to it as changed files. */
export interface SmallRow {
  failing: string[];
  passing: string[];
  attacks: Record<string, Changes>;
  honest: Record<string, Changes>;
}

/** A repository with tasks of one solution, by their names. */
export interface SmallRows {
  name: string;
  /** Why it cannot be graded here; null: it can. */
  lack: string | null;
  recipe: string;
  files: Record<string, string>;
  /** What the solution changes, and what the test patch changes. */
  solved: Changes;
  tested: Changes;
  rows: Record<string, SmallRow>;
}

/** A repository with one task. */
export type Small = Omit<SmallRows, 'rows'> & SmallRow;

/** {@link describeGrades} for it. */
export function describeSmall({ failing, passing, attacks, honest, ...small }: Small): void {
  describeRows({ ...small, rows: { value: { failing, passing, attacks, honest } } });
}

/** {@link describeGrades} for them. */
export function describeRows({ name, recipe, files, solved, tested, rows }: SmallRows): void {
  const patchOf = (changed: Changes) =>
    Object.entries(changed)
      .map(([path, text]) => diff(path, files[path] ?? null, text))
      .join('');
  const byInstance = <T>(of: (row: SmallRow) => T) =>
    Object.fromEntries(Object.entries(rows).map(([one, row]) => [`${name}.${one}`, of(row)]));
  const patches = (table: Record<string, Changes>) =>
    Object.fromEntries(Object.entries(table).map(([title, changed]) => [title, patchOf(changed)]));
  describeGrades(
    {
      ...{ recipe, files },
      rows: byInstance(({ failing, passing }) => ({
        ...{ patch: patchOf(solved), test_patch: patchOf(tested) },
        ...{ FAIL_TO_PASS: failing, PASS_TO_PASS: passing },
      })),
    },
    {
      attacks: byInstance(({ attacks }) => patches(attacks)),
      honest: byInstance(({ honest }) => patches(honest)),
    },
  );
}
