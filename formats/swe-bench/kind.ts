/**
 * SWE-bench and its descendants (Lite, Verified, Live, SWE-Gym): the patch is the fix, hidden tests
 * come as `test_patch`, and dependencies are those of `environment_setup_commit` where the row has one.
 */
import type { Columns } from '../columns.ts';
import { commonColumns, type Draft, GITHUB, repoParts } from '../draft.ts';
import type { InstanceFormat } from '../kind.ts';
import { recipeHints } from '../recipe-hints.ts';
import type { RawRow } from '../row.ts';
import { type SourceMap, sourceSpecs } from '../source-map.ts';

/** A row with the columns that all of the family have. */
export const EXAMPLE_ROW: RawRow = {
  instance_id: 'octo__greet-12',
  repo: 'octo/greet',
  base_commit: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  version: '1.2',
  patch: 'diff --git a/greet.py b/greet.py\n--- a/greet.py\n+++ b/greet.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n',
  test_patch:
    'diff --git a/test_greet.py b/test_greet.py\n--- a/test_greet.py\n+++ b/test_greet.py\n@@ -1 +1 @@\n-b = 1\n+b = 2\n',
  problem_statement: 'The number is wrong.',
  FAIL_TO_PASS: ['test_greet.py::test_number'],
  PASS_TO_PASS: ['test_greet.py::test_name'],
};

export const sweBenchFormat: InstanceFormat = {
  rows: 'instances',
  name: 'swe-bench',
  summary: 'the columns of SWE-bench, Lite, Verified and SWE-bench-Live',
  testTimeout: 300,
  namesPython: true,
  isOwnCode: false,
  docs: {
    patch: 'is the fix',
    code: 'GitHub, `repo` at `base_commit`',
    dependencies: '`environment_setup_commit`, else `base_commit`',
    environment: 'same `repo` and `version` (without version: commit), same commit',
  },
  init: {
    recipes: null,
    builtIn: 'the Python repositories of SWE-bench',
    style: 'ticks',
    template: {
      source: 'SWE-bench/SWE-bench_Verified',
      split: 'test',
      what: 'the benchmark, to evaluate on',
      isBenchmark: true,
      others: { ids: /^(SWE-bench|princeton-nlp)\/SWE-bench/i, split: 'test' },
    },
  },
  example: {
    row: { ...EXAMPLE_ROW, environment_setup_commit: 'decade00decade00decade00decade00decade00' },
    instance: {
      source: 'git+https://github.com/octo/greet@c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
      environment_source: 'git+https://github.com/octo/greet@decade00decade00decade00decade00decade00',
      environment_name: 'octo/greet@1.2',
      patch_role: 'fix',
    },
    image: 'docker.io/swebench/sweb.eval.x86_64.octo_1776_greet-12:latest',
  },
  fit: () => 'possible',
  read: (columns, sources) => benchDraft(columns, sources, columns.optionalText('environment_setup_commit')),
  image: (id) => `swebench/${imageTail(id, '_1776_')}`,
};

/** A row of the family. Its dependencies are those of the commit `setup`; null: of the commit that it begins with. */
export function benchDraft(columns: Columns, sources: SourceMap, setup: string | null): Omit<Draft, 'line'> {
  const repo = columns.text('repo');
  const commit = columns.optionalText('base_commit');
  const version = columns.optionalText('version');
  const environmentCommit = setup ?? commit;
  const names = { repo, ...repoParts(repo), commit, version };
  const own = sources.templateFor([repo]);
  if (own === null && repo !== '' && names.owner === null)
    columns.reject('repo', `is not OWNER/NAME ("${repo}"); say in \`sources\` where its code is`);
  return {
    ...commonColumns(columns, recipeHints(columns)),
    ...sourceSpecs(columns, own ?? GITHUB, names, environmentCommit),
    repo,
    environment_name: `${repo}@${version ?? environmentCommit?.slice(0, 8) ?? 'latest'}`,
    version,
  };
}

/** The name of an instance's image below its owner: registries allow no `__`, so the family writes `between`. */
export function imageTail(id: string, between: string): string {
  return `sweb.eval.x86_64.${id.toLowerCase().replaceAll('__', between)}`;
}
