/** The answers to the question whether the index has a project, or a registry a package, or a version of it. */
import { type Result, success } from '../../basics/result.ts';
import { digestOfList } from '../../cache/key.ts';
import type { BuildIndex, MissingPackage } from '../../contract/build-index.ts';
import { ABSENT, type Absence, absenceOf } from '../../schemas/absence.ts';
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

/** ABSENT, or a digest of the versions that are there. */
export async function packageAnswer(
  index: Pick<BuildIndex, 'versions'>,
  { dialect, name, version }: Omit<MissingPackage, 'why'>,
  asOf: string | null,
): Promise<Result<string, Infra>> {
  const versions = await index.versions(dialect, name, asOf);
  if (!versions.ok) return versions;
  const there = version === null ? versions.value : versions.value.filter((one) => one === version);
  return success(there.length === 0 ? ABSENT : digestOfList('versions of a registry', there));
}

/**
 * What a failed step's outcome keeps of the packages that the registry of a dialect did not have while it ran: it is asked for again.
 * What is there by now counts as nothing.
 */
export async function absentPackages(
  index: Pick<BuildIndex, 'missing' | 'versions'>,
  own: string,
  asOf: string | null,
  since: number,
): Promise<Result<Absence[], Infra>> {
  const found: Absence[] = [];
  for (const { dialect, name, version } of index.missing(asOf, since)) {
    if (dialect !== own) continue;
    const answer = await packageAnswer(index, { dialect, name, version }, asOf);
    if (!answer.ok) return answer;
    if (answer.value === ABSENT) found.push(absenceOf({ kind: 'package', dialect, name, version, asOf }));
  }
  return success(found);
}
