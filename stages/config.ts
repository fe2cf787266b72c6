/** The resolved project as stages read it: defaults filled in, durations in seconds, sizes in bytes. */
import type { Limits, Network } from '../executors/deployment.ts';
import type { DatasetFormat } from '../schemas/instance.ts';
import type { PartialRecipe } from '../schemas/recipe.ts';

export interface ResolvedConfig {
  version: 1;
  name: string;
  dataset: Record<string, DatasetConfig>;
  environments: EnvironmentsConfig;
  deployments: Record<string, DeploymentConfig>;
  validation: ValidationConfig;
  cache: { folder: string; max_size?: number };
  resources: Record<string, number | undefined>;
}

export interface DatasetConfig {
  source: string;
  revision?: string;
  split?: string;
  format: DatasetFormat;
  select?: { match?: string; sample?: number; seed?: number; slice?: string };
  sources: Record<string, string>;
}

export interface EnvironmentsConfig {
  python: { provider: 'venv' | 'uv'; versions: Record<string, string> };
  recipes: RecipeRule[];
  keep: boolean;
}

export interface RecipeRule extends PartialRecipe {
  match: {
    repo?: string | string[];
    instance?: string | string[];
    image?: string | string[];
    version?: string | string[];
  };
}

export interface DeploymentConfig {
  type: 'auto' | 'sandbox' | 'local';
  limits: Limits;
  network: { build: Network; rollout: Network; grade: Network };
  allow_hosts: string[];
  mounts: { from: string; to: string }[];
}

export interface ValidationConfig {
  deployment?: string;
  dataset?: string;
  gold_runs: number;
  timeout?: number;
  allow_isolation: 'sandbox' | 'local';
}

/** Name of the deployment that a project has without naming one; its type is `auto`. */
export const DEFAULT_DEPLOYMENT = 'default';

/** The deployment that builds environments and validates: the named one, the only one, or the default. */
export function workDeployment(config: ResolvedConfig): string {
  const names = Object.keys(config.deployments);
  return config.validation.deployment ?? (names.length === 1 ? names[0]! : DEFAULT_DEPLOYMENT);
}
