/**
 * What makes the samples of a node: the agent as configured, the agent with another model, a baseline, or patches
 * from elsewhere. A solver is data, so that it can be in keys.
 */

import { asksModel as typeAsksModel } from '../../agent/kinds/registry.ts';
import type { AgentType } from '../../agent/settings.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import type { PlanReader } from '../../contract/reader.ts';
import type {
  AgentConfig,
  AgentOverrides,
  ModelConfig,
  ModelOverrides,
} from '../../schemas/generated/project.ts';
import { mergeServe } from '../../tasks/serving/merge-serve.ts';
import { withoutForeignKeys } from './foreign-key.ts';

/** The sections of a project that agents stand in. */
type AgentsConfig = Pick<ResolvedConfig, 'agent' | 'evaluation'>;

export type Solver =
  | {
      kind: 'agent';
      sample: string;
      agent: AgentConfig;
      overrides: AgentOverrides | null;
      model: ModelConfig | null;
    }
  | { kind: 'patches'; sample: string; files: string[] };

/** A solver by where it stands in the project, so that it can be asked for. */
export interface SolverRef {
  of: 'rollouts' | 'predict';
  /** `agent`, a baseline, or a name of the evaluation. */
  who: string;
  /** Digest of the checkpoint that answers, where the project makes it. */
  checkpoint?: string;
}

/** The agent behind a reference; null when the project has none of that name. */
export function agentBehind({ of, who, checkpoint }: SolverRef, config: AgentsConfig): AgentSolver | null {
  const solvers = of === 'rollouts' ? rolloutSolvers(config) : evaluationSolvers(config);
  const sample = of === 'rollouts' && who === 'agent' ? '0' : who;
  const found = solvers.find((solver) => solver.sample === sample);
  if (found?.kind !== 'agent') return null;
  if (checkpoint === undefined || found.model === null) return found;
  return { ...found, model: { ...found.model, identity: `${CHECKPOINT}${checkpoint}` } };
}

/** How the identity of a model begins that the project makes; behind it is the checkpoint’s digest. */
export const CHECKPOINT = 'checkpoint:';

export type AgentSolver = Extract<Solver, { kind: 'agent' }>;

/** The solvers of a rolled-out dataset: one per sample, and the baselines. */
function rolloutSolvers(config: AgentsConfig): Solver[] {
  const agent = config.agent!;
  const samples = Array.from({ length: agent.rollouts }, (_, index) => agentSolver(`${index}`, agent));
  return [...samples, ...agent.baselines.map((baseline) => baselineSolver(baseline, agent))];
}

/** The solvers of an evaluation: one per model, and one per set of patches. */
export function evaluationSolvers(config: AgentsConfig): Solver[] {
  const { agent, evaluation } = config;
  const { models, predictions = {}, agent: overrides = null } = evaluation!;
  const foreign = Object.entries(predictions).map(
    ([sample, files]): Solver => ({ kind: 'patches', sample, files: [...files] }),
  );
  if (agent === undefined) return foreign;
  const solvers = namesOf(models, agent.type, foreign.length).map((sample): Solver => {
    const model = agent.model === undefined ? null : evaluatedModel(agent.model, models?.[sample] ?? {});
    return { kind: 'agent', sample, agent, overrides, model };
  });
  return [...solvers, ...foreign];
}

/** A model at another address or with another name may have other weights, so the identity is not taken over. */
function evaluatedModel({ identity, ...rest }: ModelConfig, overrides: ModelOverrides): ModelConfig {
  const { from, ...own } = overrides;
  const isElsewhere = from !== undefined || ['base_url', 'name', 'serve'].some((key) => key in own);
  const { weights, ...merged } = mergeServe(rest.serve ?? {}, own.serve ?? {});
  const isServed = rest.serve !== undefined || own.serve !== undefined;
  // The checkpoint is what is served.
  const served = weights === undefined || from !== undefined ? {} : { weights };
  const serve = isServed ? { serve: { ...SERVE, ...merged, ...served } } : {};
  const model = {
    ...rest,
    ...(isElsewhere || identity === undefined ? {} : { identity }),
    ...own,
    ...serve,
  } as ModelConfig;
  return withoutForeignKeys(model, rest as ModelConfig, own);
}

/** The defaults of the schema for a server. Keys in `models` have no defaults of their own. */
const SERVE = { gpus: 0, replicas: 1, args: [], env: {}, timeout: 600, hang: 600 };

/** One name of an evaluation. */
export interface EvaluatedName {
  name: string;
  /** Files of someone else's patches; null for an agent. */
  files: string[] | null;
  /** Which checkpoint of the project answers; null: none. */
  from: 'sft' | 'rl' | null;
}

/** The names of an evaluation, in the order of its solvers. */
export async function readEvaluatedNames(reader: PlanReader): Promise<EvaluatedName[]> {
  const { models, predictions = {} } = (await reader.config('evaluation'))!;
  const foreign = Object.entries(predictions).map(([name, files]) => ({
    name,
    files: [...files],
    from: null,
  }));
  const type = await reader.config('agent', 'type');
  if (type === undefined) return foreign;
  const named = namesOf(models, type, foreign.length);
  return [...named.map((name) => ({ name, files: null, from: models?.[name]?.from ?? null })), ...foreign];
}

/** What agents are called: by the models, or by the only one that there is. */
function namesOf(models: object | undefined, type: AgentConfig['type'], foreign: number): string[] {
  if (models !== undefined) return Object.keys(models);
  if (foreign > 0) return [];
  return [typeAsksModel(type) ? 'base' : type];
}

function agentSolver(sample: string, agent: AgentConfig): Solver {
  return { kind: 'agent', sample, agent, overrides: null, model: agent.model ?? null };
}

function baselineSolver(baseline: AgentType, agent: AgentConfig): Solver {
  // A baseline does not depend on the model, nor on how the agent that it is compared with is limited.
  return {
    kind: 'agent',
    sample: baseline,
    agent: { ...agent, type: baseline },
    overrides: null,
    model: null,
  };
}

/** Whether a model answers for this solver. */
export function asksModel(solver: Solver): solver is Extract<Solver, { kind: 'agent' }> {
  return solver.kind === 'agent' && typeAsksModel(solver.overrides?.type ?? solver.agent.type);
}
