/**
 * Where the work on a dataset is done, and which environments it finds there. Instances of one dataset may be worked on in
 * several deployments: an environment is built once for each root that one of them stands on, so none is shown on another root
 * than its own.
 */
import { success } from '../basics/result.ts';
import type { Project } from '../schemas/generated/project.ts';
import { validatedDatasets } from './config.ts';
import type { QuestionKind } from './question.ts';
import type { PlanReader } from './reader.ts';

/** A deployment on which environments are built. */
export interface BuildDeployment {
  deployment: string;
  /** At the end of the names of its environments; empty for the first one, where verdicts are made. */
  suffix: string;
}

/** Where one kind of work is done. */
export interface WorkDeployment {
  deployment: string;
  /** Whose environments it uses. */
  builtOn: BuildDeployment;
}

/** Where a dataset's instances are validated, graded and worked on by agents. */
export interface WorkDeployments {
  validate: WorkDeployment;
  grade: WorkDeployment;
  agent: WorkDeployment;
  /** Each once, in the order of building. */
  buildDeployments: BuildDeployment[];
}

type Named = Record<'validate' | 'grade' | 'agent', string>;
/** A dataset's own setting comes before the one of a kind of work. */
function namedFor(config: Project, dataset: string): Named {
  const { validation, grading, agent } = config;
  const evaluation = config.evaluation?.dataset === dataset ? config.evaluation : undefined;
  const own = evaluation?.deployment ?? config.dataset[dataset]?.deployment;
  return {
    validate: own ?? validation.deployment,
    grade: own ?? grading.deployment ?? validation.deployment,
    agent: evaluation?.agent?.deployment ?? own ?? agent?.deployment ?? validation.deployment,
  };
}

export function workDeployments(config: Project, dataset: string): WorkDeployments {
  const named = namedFor(config, dataset);
  const rootOf = (deployment: string) => config.deployments[deployment]!.base;
  // A benchmark that is not validated needs no environments for validation.
  const isOfValidation =
    validatedDatasets(config).includes(dataset) || rootOf(named.validate) === rootOf(named.grade);
  const works = [
    ...(isOfValidation ? [named.validate] : []),
    named.grade,
    ...(config.agent === undefined ? [] : [named.agent]),
  ];
  const deployments = works.filter(
    (one, index) => works.findIndex((other) => rootOf(other) === rootOf(one)) === index,
  );
  const buildDeployments = deployments.map((deployment, index) => ({
    deployment,
    suffix: index === 0 ? '' : `+${deployment}`,
  }));
  const of = (deployment: string): WorkDeployment => ({
    deployment,
    builtOn:
      buildDeployments.find((one) => rootOf(one.deployment) === rootOf(deployment)) ?? buildDeployments[0]!,
  });
  return {
    validate: of(named.validate),
    grade: of(named.grade),
    agent: of(named.agent),
    buildDeployments,
  };
}

/** The deployments that work on some dataset, each once. */
export function usedDeployments(config: Project): string[] {
  const validated = validatedDatasets(config);
  const benchmark = config.evaluation?.dataset;
  const used = Object.keys(config.dataset).flatMap((dataset) => {
    const isValidated = validated.includes(dataset);
    if (!isValidated && dataset !== benchmark) return [];
    const { validate, grade, agent } = namedFor(config, dataset);
    const isGraded = config.agent !== undefined || dataset === benchmark;
    return [
      ...(isValidated ? [validate] : []),
      ...(isGraded ? [grade] : []),
      ...(config.agent === undefined ? [] : [agent]),
    ];
  });
  return [...new Set(used)];
}

export const WORK_DEPLOYMENTS: QuestionKind<string, WorkDeployments> = {
  name: 'places',
  changes: false,
  answer: async (dataset, { config }) => success(workDeployments(config, dataset)),
};

/** Where the work on the reader's dataset is done. */
export async function readWorkDeployments(
  reader: Pick<PlanReader, 'ask' | 'dataset'>,
): Promise<WorkDeployments> {
  const answer = await reader.ask(WORK_DEPLOYMENTS, reader.dataset);
  if (!answer.ok) throw new Error(`the deployments of ${reader.dataset} are not known`);
  return answer.value;
}
