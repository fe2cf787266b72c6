/** The answer to the question whether the index has a project, or a version of it. */
import { type Result, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { BuildIndex } from '../../contract/build-index.ts';
import { ABSENT } from '../../schemas/absence.ts';
import type { Infra } from '../../schemas/outcome.ts';

/** ABSENT, or a digest of the names of the files that are there: other files may fit what was asked for. */
export async function releaseAnswer(
  index: Pick<BuildIndex, 'listed'>,
  project: string,
  version: string | null,
  asOf: string | null,
): Promise<Result<string, Infra>> {
  const files = await index.listed(project, version, asOf);
  if (!files.ok) return files;
  return success(files.value.length === 0 ? ABSENT : digestOfList('files of an index', files.value));
}
