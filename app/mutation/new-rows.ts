/** From measured tasks to dataset rows: names, statements and fields of the instances that `swemake mutate` makes. */
import { byCodeUnit } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import type { PartialRecipe } from '../../schemas/recipe.ts';
import type { MutatedSource } from '../../tasks/mutation/package-source.ts';
import type { MutationRow } from '../../tasks/mutation/row.ts';
import type { MutationTask } from './measure.ts';

/** What rows say of the code that was mutated; `repo` is "owner/name". */
export type PackageFacts = { repo: string } & MutatedSource['facts'];

/** The row of a task. The same task always gets the same instance_id. */
export function rowOfTask(task: MutationTask, facts: PackageFacts, recipe: PartialRecipe): MutationRow {
  const { file, function: name, kind, index } = task.candidate;
  const mark = digestOf(JSON.stringify([file, name, kind, index])).slice(0, 8);
  const stem = facts.repo.replace('/', '__');
  return {
    instance_id: `${stem}.${facts.version}.${kind}__${mark}`,
    ...facts,
    mutation: { file, function: name, kind, index },
    FAIL_TO_PASS: task.FAIL_TO_PASS,
    PASS_TO_PASS: task.PASS_TO_PASS,
    problem_statement: statement(task.FAIL_TO_PASS, mark, facts),
    ...(Object.keys(recipe).length === 0 ? {} : { recipe }),
  };
}

/** Most tests that a statement names. */
const SHOWN = 20;

/** Says what fails, not where or why. Of many tests each task names others, so that tasks that break the same ones differ. */
function statement(failing: readonly string[], mark: string, facts: PackageFacts): string {
  const name = 'package' in facts ? facts.package : facts.repo.slice(facts.repo.indexOf('/') + 1);
  const { version } = facts;
  const rank = (id: string) => digestOf(`${mark} ${id}`);
  const named = new Set([...failing].sort((a, b) => byCodeUnit(rank(a), rank(b))).slice(0, SHOWN));
  const shown = failing.filter((id) => named.has(id)).map((id) => `- ${id}`);
  const more = failing.length > SHOWN ? [`- and ${failing.length - SHOWN} more`] : [];
  return [
    `${name} ${version} has a regression: these tests passed before and fail now.`,
    '',
    ...shown,
    ...more,
    '',
    'Find the cause in the package and repair it. The tests are right as they were; their files may be hidden from you.',
  ].join('\n');
}
