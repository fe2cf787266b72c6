/** The part of an instance that a rollout sees: for its key, and for the agent. */
import { agentKind } from '../../agent/kinds/registry.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { RolloutTask } from '../../agent/task.ts';
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import type { Instance } from '../../schemas/instance.ts';
import { stateTask } from '../../tasks/first-state/first-state.ts';

/** Everything of the instance that the rollout depends on, beside its source and environment. */
export function taskPart(instance: Instance, settings: AgentSettings): Json {
  return {
    problem_statement: instance.problem_statement,
    columns: columnsFor(settings, instance),
    state: stateTask(instance) as Json,
    ...(agentKind(settings.type).script?.seesGold
      ? { gold: instance.patch, gold_role: instance.patch_role }
      : {}),
  } as Json;
}

export function taskDigest(instance: Instance, settings: AgentSettings): Digest {
  return digestOf(canonicalJson(taskPart(instance, settings)));
}

export function taskFor(
  instance: Instance,
  sample: string,
  seed: number,
  settings: AgentSettings,
): RolloutTask {
  return {
    instance_id: instance.instance_id,
    sample,
    seed,
    problem_statement: instance.problem_statement,
    columns: columnsFor(settings, instance),
  };
}

/** The instance as far as an agent's rollout may depend on it: no other column of its row. */
export function seenInstance(instance: Instance, settings: AgentSettings): Instance {
  return { ...instance, hints_text: '', raw: columnsFor(settings, instance) };
}

/** Columns that must never be shown, whatever a template says. */
const ANSWERS = ['patch', 'test_patch', 'mutation', 'FAIL_TO_PASS', 'PASS_TO_PASS'];

/** Whether the agent's texts name a column: asked for each row of a dataset, whose rows have the same columns. */
const NAMED = new WeakMap<AgentSettings, Map<string, boolean>>();

/** The row's columns that the agent's texts name: no other one counts in a key, and none holds the answer. */
function columnsFor(settings: AgentSettings, { raw }: Instance): Record<string, unknown> {
  const known = NAMED.get(settings) ?? new Map<string, boolean>();
  NAMED.set(settings, known);
  const isNamed = (column: string): boolean => {
    const found = known.get(column) ?? textsIn(settings).includes(column);
    known.set(column, found);
    return found && !ANSWERS.includes(column);
  };
  const named = Object.keys(raw).filter(isNamed);
  return Object.fromEntries(named.sort().map((column) => [column, raw[column]]));
}

/** All templates that are rendered with the task. */
function textsIn({ templates, user }: AgentSettings): string {
  const said = user === undefined ? [] : 'says' in user ? user.says : [user.prompt];
  return [...Object.values(templates), ...said].join('\n');
}

/** A rollout's own seed (31 bits), the same whatever else is in the project. */
export function seedOf(seed: number, instance: string, sample: string): number {
  return Number.parseInt(digestOf(canonicalJson([seed, instance, sample])).slice(0, 8), 16) & 0x7fffffff;
}
