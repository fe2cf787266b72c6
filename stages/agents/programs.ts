/** The programs that a dataset's agents are and that swemake installs. */
import { findAgent } from '../../agent/kinds/registry.ts';
import { programOf } from '../../agent/resolve.ts';
import { success } from '../../basics/result.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type Installation, installationOf } from '../../tasks/agent/installation.ts';
import { evaluationDatasets, rolloutDatasets } from '../rollouts/datasets.ts';
import { evaluationSolvers } from '../rollouts/solver.ts';

type AgentsConfig = Pick<ResolvedConfig, 'agent' | 'evaluation'>;

/** Each once, in the order of their names. */
export function installationsOn(dataset: string, config: ResolvedConfig): Installation[] {
  const { agent } = config;
  if (agent === undefined) return [];
  const overrides = [
    ...(rolloutDatasets(config).includes(dataset) ? [undefined] : []),
    ...(evaluationDatasets(config).includes(dataset) && isEvaluated(config)
      ? [config.evaluation!.agent]
      : []),
  ];
  const found = overrides.flatMap((own) => {
    const type = own?.type ?? agent.type;
    const settings = programOf(agent, own);
    const installation = installationOf(type, settings);
    if (installation === null || settings === null) return [];
    if (findAgent(type)?.isNamed !== true) return [installation];
    const { program, version } = settings;
    return [{ ...installation, tried: { program, version } }];
  });
  const byName = new Map(found.map((one) => [one.name, one]));
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isEvaluated(config: AgentsConfig): boolean {
  return evaluationSolvers(config).some(({ kind }) => kind === 'agent');
}

/** Datasets whose agents are installed. */
export function installedDatasets(config: ResolvedConfig): string[] {
  const all = new Set([...rolloutDatasets(config), ...evaluationDatasets(config)]);
  return [...all].filter((dataset) => installationsOn(dataset, config).length > 0);
}

/** The input of a stage whose agents work on a dataset: those that are installed. */
export function agentsInput(dataset: string, config: ResolvedConfig): Record<string, string> {
  return installationsOn(dataset, config).length === 0 ? {} : { agents: `agents.${dataset}` };
}

export const INSTALLATIONS: QuestionKind<string, Installation[]> = {
  name: 'installed agents',
  changes: false,
  answer: async (dataset, { config }) => success(installationsOn(dataset, config)),
};
