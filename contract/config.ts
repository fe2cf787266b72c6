/** The resolved project as stages read it: defaults filled in, durations in seconds, sizes in bytes. */
import type { Project, RlConfig, SftConfig } from '../schemas/generated/project.ts';

export type {
  DatasetConfig,
  DeploymentConfig,
  Project as ResolvedConfig,
  RecipeConfig as RecipeRule,
} from '../schemas/generated/project.ts';

/** The datasets whose instances are validated. */
export function validatedDatasets(config: Project): string[] {
  const { dataset } = config.validation;
  return dataset === undefined ? Object.keys(config.dataset) : [dataset];
}

/** The datasets that environments are built for: the validated ones, and the benchmark. */
export function environmentDatasets(config: Project): string[] {
  const benchmark = config.evaluation?.dataset;
  const validated = validatedDatasets(config);
  return benchmark === undefined || validated.includes(benchmark) ? validated : [...validated, benchmark];
}

/** The datasets whose rows get the lists of tests that they lack. */
export function discoveredDatasets(config: Project): string[] {
  return validatedDatasets(config).filter((dataset) => config.dataset[dataset]?.discover_tests === true);
}

/** Where a dataset's rows are as they were read; `dataset` has them with their lists of tests. */
export function rowsAddress(config: Project, dataset: string): string {
  return `${discoveredDatasets(config).includes(dataset) ? 'rows' : 'dataset'}.${dataset}`;
}

/** The training of stages that are planned only where the project has one. @throws where it has none. */
export function sftOf({ trainer }: Pick<Project, 'trainer'>): SftConfig {
  if (trainer?.sft === undefined) throw new TypeError('the project has no trainer.sft');
  return trainer.sft;
}

/** The same for RL. */
export function rlOf({ trainer }: Pick<Project, 'trainer'>): RlConfig {
  if (trainer?.rl === undefined) throw new TypeError('the project has no trainer.rl');
  return trainer.rl;
}
