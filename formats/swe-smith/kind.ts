/**
 * SWE-smith: the patch introduces the bug into clean code, which is the branch `main` of a mirror repository, so
 * all instances of one mirror share their source and environment. The tests are in the source; what is hidden
 * from the agent is decided by FAIL_TO_PASS.
 */

import { commonColumns, type RowFormat } from '../draft.ts';
import { parseInstanceName, parseMirrorName } from '../mirror-name.ts';
import { recipeHints } from '../recipe-hints.ts';
import { sourceSpecs } from '../source-map.ts';

const DEFAULT_SOURCE = 'git+https://github.com/{repo}@main';

export const sweSmith: RowFormat = (columns, sources) => {
  const id = columns.text('instance_id');
  const written = columns.optionalText('repo');
  const parts = (written === null ? null : parseMirrorName(written)) ?? parseInstanceName(id);
  if (parts === null)
    columns.reject('instance_id', 'is not OWNER__REPO.COMMIT.BUG, and there is no mirror in repo');
  const { owner = null, name = null, commit = null, mirror = '' } = parts ?? {};
  const repo = written?.includes('/') ? written : `swesmith/${written ?? mirror}`;
  const template = sources.templateFor([repo, `${owner}/${name}`]) ?? DEFAULT_SOURCE;
  const names = { repo, owner, name, commit, version: null };
  return {
    ...commonColumns(columns, recipeHints(columns)),
    ...sourceSpecs(columns, template, names, commit),
    repo,
    environment_name: columns.optionalText('image_name') ?? mirror,
    version: null,
    patch_role: 'bug',
  };
};
