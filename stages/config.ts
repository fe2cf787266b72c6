/** The resolved project as stages read it: defaults filled in, durations in seconds, sizes in bytes. */
export type {
  DatasetConfig,
  DeploymentConfig,
  Project as ResolvedConfig,
  RecipeConfig as RecipeRule,
} from '../schemas/generated/project.ts';
