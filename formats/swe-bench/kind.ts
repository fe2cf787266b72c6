/**
 * SWE-bench and its descendants (Lite, Verified, Live, SWE-Gym): the patch is the fix, hidden tests
 * come as `test_patch`, and dependencies are those of `environment_setup_commit` where the row has one.
 */
import type { Columns } from '../columns.ts';
import { commonColumns, type RowFormat, repoParts } from '../draft.ts';
import { recipeHints } from '../recipe-hints.ts';
import { type SourceMap, sourceSpecs } from '../source-map.ts';

const DEFAULT_SOURCE = 'git+https://github.com/{repo}@{commit}';

export const sweBench: RowFormat = (columns, sources) =>
  draftOf(columns, sources, columns.optionalText('environment_setup_commit'));

/** The same, its dependencies those of `setup`; null: of the commit that it begins with. */
export function draftOf(columns: Columns, sources: SourceMap, setup: string | null): ReturnType<RowFormat> {
  const repo = columns.text('repo');
  const commit = columns.optionalText('base_commit');
  const version = columns.optionalText('version');
  const environmentCommit = setup ?? commit;
  const names = { repo, ...repoParts(repo), commit, version };
  const own = sources.templateFor([repo]);
  if (own === null && repo !== '' && names.owner === null)
    columns.reject('repo', `is not OWNER/NAME ("${repo}"); say in \`sources\` where its code is`);
  const template = own ?? DEFAULT_SOURCE;
  return {
    ...commonColumns(columns, recipeHints(columns)),
    ...sourceSpecs(columns, template, names, environmentCommit),
    repo,
    environment_name: `${repo}@${version ?? environmentCommit?.slice(0, 8) ?? 'latest'}`,
    version,
    patch_role: 'fix',
  };
}
