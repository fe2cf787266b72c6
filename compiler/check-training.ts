/** Checks of `grading` and `trainer`: the deployment of grading, and the data that is made from verdicts. */
import { globProblem } from '../basics/glob.ts';
import { isWritten } from './check-agent.ts';
import type { CheckContext } from './check-context.ts';
import { checkReference } from './check-reference.ts';
import { isWeaker, kindOf, typesAsIsolatedAs } from './kinds.ts';

export function checkTraining(context: CheckContext): void {
  const { draft, root, report } = context;
  checkReference('deployment', ['grading', 'deployment'], draft.grading?.deployment, context);
  draft.grading?.protect?.forEach((glob, index) => {
    const wrong = glob === null ? null : globProblem(glob);
    if (wrong !== null)
      report(
        'E115',
        ['grading', 'protect', `${index}`],
        `not a glob: ${wrong}`,
        'write \\ before a character that is meant literally',
      );
  });
  checkIsolation(context);
  if (!isWritten(root, ['trainer', 'sft']) || draft.trainer?.sft?.data !== undefined) return;
  if (!isWritten(root, ['agent']))
    report(
      'E104',
      ['trainer', 'sft'],
      'there are no rollouts to learn from: the project has no agent',
      'add agent: { … }, or remove trainer.sft',
      'key',
    );
  checkContamination(context);
}

/** Verdicts of a deployment with less isolation than the project allows are not used for training data. */
function checkIsolation({ draft, report }: CheckContext): void {
  const name = draft.grading?.deployment;
  const { deployment, allow_isolation: allowed } = draft.validation ?? {};
  if (name === undefined || name === deployment || allowed === undefined) return;
  const type = draft.deployments?.[name]?.type;
  if (!isWeaker(type, allowed)) return;
  const weaker = kindOf(type)!.isolation;
  report(
    'W206',
    ['grading', 'deployment'],
    `verdicts of the ${type} deployment "${name}" will not be used for training data`,
    `use ${typesAsIsolatedAs(allowed)}, or write validation: { allow_isolation: ${weaker} }`,
  );
}

/** When the benchmark is the only dataset, there is nothing to train on. */
function checkContamination({ draft, root, report }: CheckContext): void {
  const benchmark = draft.evaluation?.dataset;
  if (benchmark === undefined || draft.agent === undefined || draft.trainer === undefined) return;
  const only = draft.agent.dataset;
  const validated = draft.validation?.dataset;
  const names = validated === undefined ? Object.keys(draft.dataset ?? {}) : [validated];
  if (
    only === undefined &&
    names.every((name) => name === benchmark) &&
    isWritten(root, ['evaluation', 'dataset'])
  )
    report(
      'W208',
      ['evaluation', 'dataset'],
      `there is nothing to learn from: "${benchmark}" is the only dataset, and it is the benchmark`,
      'add a dataset for training',
    );
}
