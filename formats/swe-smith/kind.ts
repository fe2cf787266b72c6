/**
 * SWE-smith: the patch introduces the bug into clean code, which is the branch `main` of a mirror repository, so
 * all instances of one mirror share their source and environment. The tests are in the source; what is hidden
 * from the agent is decided by FAIL_TO_PASS.
 */
import type { Columns } from '../columns.ts';
import { commonColumns, type Draft } from '../draft.ts';
import type { InstanceFormat } from '../kind.ts';
import { parseInstanceName, parseMirrorName } from '../mirror-name.ts';
import { recipeHints } from '../recipe-hints.ts';
import { hasValue, type RawRow } from '../row.ts';
import { type SourceMap, sourceSpecs } from '../source-map.ts';

const MIRROR = 'git+https://github.com/{repo}@main';

export const sweSmithFormat: InstanceFormat = {
  rows: 'instances',
  name: 'swe-smith',
  summary: 'the columns of SWE-smith',
  testTimeout: 300,
  namesPython: true,
  isOwnCode: false,
  docs: {
    patch: 'makes the bug',
    code: 'branch `main` of the mirror named in `repo`, else in `instance_id`',
    dependencies: 'the same',
    environment: 'same `image_name`, else the same mirror',
  },
  init: {
    recipes: { what: 'the original profiles', from: 'swesmith' },
    style: 'xml',
    template: {
      source: 'SWE-bench/SWE-smith-py',
      split: 'train',
      what: 'bugs made in real packages, to train on',
      isBenchmark: false,
      others: { ids: /^SWE-bench\/SWE-smith/i, split: 'train' },
    },
  },
  example: {
    row: {
      instance_id: 'octo__greet.c0ffee00.func_pm_ctrl__0a1b2c',
      repo: 'swesmith/octo__greet.c0ffee00',
      image_name: 'swebench/swesmith.x86_64.octo_1776_greet.c0ffee00',
      patch:
        'diff --git a/greet.py b/greet.py\n--- a/greet.py\n+++ b/greet.py\n@@ -1 +1 @@\n-a = 2\n+a = 1\n',
      problem_statement: 'The number is wrong.',
      FAIL_TO_PASS: ['test_greet.py::test_number'],
      PASS_TO_PASS: ['test_greet.py::test_name'],
    },
    instance: {
      source: 'git+https://github.com/swesmith/octo__greet.c0ffee00@main',
      environment_name: 'swebench/swesmith.x86_64.octo_1776_greet.c0ffee00',
      version: null,
      test_patch: '',
      patch_role: 'bug',
    },
    image: 'docker.io/swebench/swesmith.x86_64.octo_1776_greet.c0ffee00:latest',
  },
  fit: (row) => (isSmithRow(row) ? 'marked' : null),
  read,
  // The column image_name has it.
  image: () => null,
};

function isSmithRow({ instance_id, repo, image_name, test_patch }: RawRow): boolean {
  const isMirror = typeof repo === 'string' && parseMirrorName(repo) !== null;
  const isSmithId = typeof instance_id === 'string' && parseInstanceName(instance_id) !== null;
  const isSmithImage = typeof image_name === 'string' && image_name.includes('swesmith');
  return isMirror || isSmithImage || (isSmithId && !hasValue(test_patch));
}

function read(columns: Columns, sources: SourceMap): Omit<Draft, 'line'> {
  const id = columns.text('instance_id');
  const written = columns.optionalText('repo');
  const parts = (written === null ? null : parseMirrorName(written)) ?? parseInstanceName(id);
  if (parts === null)
    columns.reject('instance_id', 'is not OWNER__REPO.COMMIT.BUG, and there is no mirror in repo');
  const { owner = null, name = null, commit = null, mirror = '' } = parts ?? {};
  const repo = written?.includes('/') ? written : `swesmith/${written ?? mirror}`;
  const template = sources.templateFor([repo, `${owner}/${name}`]) ?? MIRROR;
  const names = { repo, owner, name, commit, version: null };
  return {
    ...commonColumns(columns, recipeHints(columns), { patch_role: 'bug' }),
    ...sourceSpecs(columns, template, names, commit),
    repo,
    environment_name: columns.optionalText('image_name') ?? mirror,
    version: null,
  };
}
