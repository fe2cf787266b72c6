/**
 * Finds instances that are also in the evaluation dataset: the same instance, the same repository at the same commit,
 * or the same issue text apart from case and spaces. Repositories and commits are compared by their upstream names,
 * so that a mirror of SWE-smith matches the project of SWE-bench that it was made from.
 */

import type { Machine } from '../../contract/machine.ts';
import type { ItemResult } from '../../contract/reader.ts';
import { parseInstanceName, parseMirrorName } from '../../formats/mirror-name.ts';
import { hasText } from '../../formats/row.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Catalogue, readCatalogue, readInstance } from '../dataset/blocks/catalogue.ts';

type Contamination = 'same-instance' | 'same-commit' | 'same-issue';

export interface EvaluationIndex {
  instances: number;
  /** Why the instance must not be trained on; null: it may. */
  find(instance: Instance): Contamination | null;
}

type Compared = Pick<Instance, 'instance_id' | 'repo' | 'source' | 'problem_statement' | 'raw'>;

/** Digits of a commit that are compared. The names of SWE-smith have eight. */
const COMMIT = 8;

export function evaluationIndex(instances: Iterable<Compared>): EvaluationIndex {
  const ids = new Set<string>();
  const commits = new Set<string>();
  const issues = new Set<string>();
  for (const instance of instances) {
    ids.add(instance.instance_id.toLowerCase());
    for (const commit of commitsOf(instance)) commits.add(commit);
    const issue = issueText(instance);
    if (issue !== '') issues.add(issue);
  }
  return {
    instances: ids.size,
    find(instance) {
      if (ids.has(instance.instance_id.toLowerCase())) return 'same-instance';
      if (commitsOf(instance).some((commit) => commits.has(commit))) return 'same-commit';
      return issues.has(issueText(instance)) ? 'same-issue' : null;
    },
  };
}

/** The index of an answered dataset. */
export async function readEvaluation(dataset: ItemResult, machine: Machine): Promise<EvaluationIndex> {
  const catalogue: Catalogue = await readCatalogue(dataset, machine);
  const compared: Compared[] = [];
  for (const row of catalogue.rows) {
    const { instance_id, repo, source, problem_statement, raw } = await readInstance(dataset, row, machine);
    compared.push({ instance_id, repo, source, problem_statement, raw: { base_commit: raw.base_commit } });
  }
  return evaluationIndex(compared);
}

/** `REPOSITORY@REVISION` in lower case. Revisions are the row's commits and the digest of its source, each cut to eight digits. */
function commitsOf({ instance_id, repo, source, raw }: Compared): string[] {
  const smith = parseMirrorName(repo) ?? (repo.includes('/') ? null : parseInstanceName(instance_id));
  const name = smith === null ? repo : `${smith.owner}/${smith.name}`;
  const pinned = /^(?:git|sha256):([0-9a-f]+)$/.exec(source.digest)?.[1];
  const commits = [smith?.commit, raw.base_commit, pinned].filter(hasText);
  return commits.map((commit) => `${name}@${commit.slice(0, COMMIT)}`.toLowerCase());
}

function issueText({ problem_statement }: Compared): string {
  return problem_statement.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
