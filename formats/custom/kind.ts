/**
 * swemake's own plain rows, for datasets that people write themselves:
 *
 * - `instance_id`, `patch`, `FAIL_TO_PASS`, `PASS_TO_PASS`: required, as in SWE-bench;
 * - `repo`: "owner/name", by which recipes match; any name is allowed;
 * - `source`: where the code is (`pypi:NAME==VERSION`, `go:MODULE@VERSION`, `npm:NAME@VERSION`, `crate:NAME@VERSION`, `git+URL@REF`, `archive:PATH-OR-URL`); absent: `sources` of
 *   the project, or GitHub at `base_commit`;
 * - `environment_source`, or `environment_setup_commit`: the code from which dependencies are built, when it differs;
 * - `patch_role`: "fix" (default) when the patch solves the task, "bug" when its reverse does;
 * - `test_files`: files that pytest is given; absent: those of `test_patch`, else those of the ids;
 * - `test_patch`, `problem_statement`, `hints_text`, `version`: may be absent;
 * - `environment_name`: instances with the same name share an environment; absent: `repo` and version or commit;
 * - `recipe`: an object with recipe keys, which win over the project's.
 *
 * Other columns are kept and have no effect.
 */
import type { Columns } from '../columns.ts';
import { commonColumns, type Draft, GITHUB, repoParts } from '../draft.ts';
import { type InstanceFormat, NO_INIT } from '../kind.ts';
import { recipeHints } from '../recipe-hints.ts';
import { hasValue } from '../row.ts';
import { type SourceMap, sourceSpecs } from '../source-map.ts';
import { ownRecipe } from './recipe.ts';

export const customFormat: InstanceFormat = {
  rows: 'instances',
  name: 'custom',
  summary: 'the columns of the page on datasets',
  testTimeout: 300,
  namesPython: false,
  isOwnCode: false,
  docs: {
    patch: '`patch_role`: `fix` (default) or `bug`',
    code: 'column `source`, else as swe-bench',
    dependencies: '`environment_source`, else `environment_setup_commit`, else `source`',
    environment: '`environment_name`, else `repo` and `version`, commit or source',
  },
  init: NO_INIT,
  example: {
    row: {
      instance_id: 'greet-1',
      repo: 'me/greet',
      source: 'git+./greet@main',
      version: '1.0',
      patch:
        'diff --git a/greet.py b/greet.py\n--- a/greet.py\n+++ b/greet.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n',
      FAIL_TO_PASS: ['test_greet.py::test_number'],
      PASS_TO_PASS: [],
      recipe: { pip: ['pytest'] },
    },
    instance: {
      source: 'git+./greet@main',
      environment_name: 'me/greet@1.0',
      patch_role: 'fix',
      recipe: { pip: ['pytest'] },
    },
    image: null,
  },
  fit: ({ source, recipe, patch_role }) => ([source, recipe, patch_role].some(hasValue) ? 'only' : null),
  read,
  image: () => null,
};

function read(columns: Columns, sources: SourceMap): Omit<Draft, 'line'> {
  const repo = columns.text('repo');
  const commit = columns.optionalText('base_commit');
  const version = columns.optionalText('version');
  const own = columns.optionalText('source');
  const template = own ?? sources.templateFor([repo]) ?? GITHUB;
  const names = { repo, ...repoParts(repo), commit, version };
  const specs = sourceSpecs(columns, template, names, columns.optionalText('environment_setup_commit'));
  const role = columns.optionalText('patch_role') ?? 'fix';
  if (role !== 'fix' && role !== 'bug') columns.reject('patch_role', 'must be "fix" or "bug"');
  const files = columns.texts('test_files');
  const point = version ?? commit?.slice(0, 8) ?? specs.source;
  return {
    ...commonColumns(
      columns,
      { ...recipeHints(columns), ...ownRecipe(columns) },
      { patch_role: role === 'bug' ? 'bug' : 'fix', ...(files !== null && { test_files: files }) },
    ),
    ...specs,
    environment_source: columns.optionalText('environment_source') ?? specs.environment_source,
    repo,
    environment_name: columns.optionalText('environment_name') ?? `${repo}@${point}`,
    version,
  };
}
