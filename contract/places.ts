/**
 * Where the work on a dataset is done, and which environments it finds there. Instances of one dataset may be worked on in
 * several places: an environment is built once for each root that one of them stands on, so none is shown on another root
 * than its own.
 */
import type { Json } from '../basics/canonical.ts';
import { success } from '../basics/result.ts';
import type { Project } from '../schemas/generated/project.ts';
import { validatedDatasets } from './config.ts';
import type { QuestionKind } from './question.ts';
import type { PlanReader } from './reader.ts';

/** A deployment on which environments are built. */
export interface Home {
  deployment: string;
  /** At the end of the names of its environments; empty for the first home, which is that of verdicts. */
  mark: string;
}

/** Where one kind of work is done. */
export interface Place {
  deployment: string;
  /** Whose environments it uses. */
  home: Home;
}

/** Where a dataset's instances are validated, graded and worked on by agents. */
export interface Places {
  validate: Place;
  grade: Place;
  agent: Place;
  /** Each once, in the order of building. */
  homes: Home[];
}

type Named = Record<'validate' | 'grade' | 'agent', string>;
/** What is said of the dataset itself comes before what is said of a kind of work. */
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

export function placesOf(config: Project, dataset: string): Places {
  const named = namedFor(config, dataset);
  const rootOf = (deployment: string) => config.deployments[deployment]!.base;
  // A benchmark that is not validated needs no environments of the place where it would be.
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
  const homes = deployments.map((deployment, index) => ({
    deployment,
    mark: index === 0 ? '' : `+${deployment}`,
  }));
  const place = (deployment: string): Place => ({
    deployment,
    home: homes.find((home) => rootOf(home.deployment) === rootOf(deployment)) ?? homes[0]!,
  });
  return {
    validate: place(named.validate),
    grade: place(named.grade),
    agent: place(named.agent),
    homes,
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

export const PLACES: QuestionKind<string, Json> = {
  name: 'places',
  changes: false,
  answer: async (dataset, { config }) => success(placesOf(config, dataset) as unknown as Json),
};

/** Where the work on the reader's dataset is done. */
export async function readPlaces(reader: Pick<PlanReader, 'ask' | 'dataset'>): Promise<Places> {
  const places = await reader.ask(PLACES, reader.dataset);
  if (!places.ok) throw new Error(`nobody knows where ${reader.dataset} is worked on`);
  return places.value as unknown as Places;
}
