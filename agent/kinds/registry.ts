/** All types of agents. The first one is the default of `agent.type`. */

import { PROGRAMS } from '../../schemas/generated/agents.ts';
import type { Loop } from '../rules.ts';
import { bashKind } from './bash/kind.ts';
import type { AgentKind, LoopSettings } from './kind.ts';
import { noopKind } from './noop/kind.ts';
import { oracleKind } from './oracle/kind.ts';
import { acpKind, commandKind, namedKind } from './outside/kind.ts';
import { toolsKind } from './tools/kind.ts';

export const AGENTS: readonly AgentKind[] = [
  bashKind,
  toolsKind,
  commandKind,
  acpKind,
  ...PROGRAMS.map(namedKind),
  oracleKind,
  noopKind,
];

/** The keys of an agent that all types have. */
export const EVERY = ['type', 'dataset', 'deployment', 'rollouts', 'seed', 'baselines'];

/** Types that run beside an agent, reported apart and never training data. */
export const BASELINES = AGENTS.filter(({ baseline }) => baseline !== undefined);

/** Whether a sample is one of a baseline, whose name it has. */
export function isBaseline(sample: string): boolean {
  return BASELINES.some(({ name }) => name === sample);
}

/** The type that a project names; undefined: none, or an unknown one. */
export function findAgent(type: string | undefined): AgentKind | undefined {
  return AGENTS.find(({ name }) => name === type);
}

/**
 * A type that is known to be registered.
 * @throws Error for another one.
 */
export function agentKind(type: string): AgentKind {
  const kind = findAgent(type);
  if (kind === undefined) throw new Error(`there is no agent type "${type}"`);
  return kind;
}

/** Whether a model answers for agents of this type. */
export function asksModel(type: string | undefined): boolean {
  const kind = findAgent(type);
  return kind !== undefined && kind.script === undefined;
}

/** Whether agents of this type are programs that ask their model through the model door. */
export function drivesItself({ type }: Pick<LoopSettings, 'type'>): boolean {
  return agentKind(type).loop === undefined;
}

/** The names of the keys that a type has. */
export function keysOf(kind: AgentKind): readonly string[] {
  return [...EVERY, ...Object.keys(kind.keys)];
}

/**
 * What the loop needs to drive an agent with these settings.
 * @throws Error for a type that drives itself.
 */
export function loopOf(settings: LoopSettings): Loop {
  const loop = agentKind(settings.type).loop?.(settings);
  if (loop === undefined) throw new Error(`agents of type ${settings.type} drive themselves`);
  return loop;
}
