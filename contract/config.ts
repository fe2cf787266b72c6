/** The resolved project as stages read it: defaults filled in, durations in seconds, sizes in bytes. */
import type { Project } from '../schemas/generated/project.ts';

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
