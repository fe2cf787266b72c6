/**
 * Harbor's Agent Trajectory Interchange Format (ATIF), version 1.7. It has a step for each user message and each
 * reply; the observation is part of the reply's step. Replies are written as the model wrote them. If the model
 * writes its actions as text, the calls that were read in it are marked, so that a reader does not take them for
 * native tool calls. A tree of calls is one of version 1.8: the agent's own line, with a note where its history was lost,
 * and every other line as a trajectory within it, which the step refers to during which it began.
 */
import { jsonObject } from '../../basics/json.ts';
import type { ModelCall, Trajectory, TrajectoryAction } from '../../schemas/trajectory.ts';
import { StoredIds } from '../tokens/store.ts';
import { MAIN } from '../tree/labels.ts';
import { type Line, linear, linesOf } from '../tree/lines.ts';
import {
  type ExportedRollout,
  type ExportFile,
  jsonFile,
  known,
  modelName,
  stepMessages,
} from './rollout.ts';

const VERSION = 'ATIF-v1.7';
const TREE_VERSION = 'ATIF-v1.8';
/** The notice in a place where a prompt does not continue the reply before it. */
const LOST =
  'The history was cut or summarised: what the model was told from here on begins with these messages.';

interface AtifStep {
  step_id: number;
  source: 'system' | 'user' | 'agent';
  message: string;
  observation?: { results: object[] };
  [key: string]: unknown;
}

/** A trial's folder as Harbor lays it out, with the verifier's result; nothing for a rollout without messages. */
export function atifFiles(
  rollout: ExportedRollout & { trajectory: Trajectory },
  { name }: { name: string },
): ExportFile[] {
  const { trajectory, patch, verdict } = rollout;
  if (trajectory.messages.length === 0) return [];
  const reward = verdict?.reward ?? null;
  return [
    jsonFile(
      `${name}/agent/trajectory.json`,
      trajectory.tools === undefined ? atifTrajectory(rollout) : atifTree(rollout),
    ),
    { path: `${name}/agent/patch.diff`, text: patch },
    ...(reward === null ? [] : [{ path: `${name}/verifier/reward.txt`, text: `${reward}\n` }]),
  ];
}

type Rollout = ExportedRollout & { trajectory: Trajectory };

interface AtifTrajectory {
  schema_version: string;
  trajectory_id: string;
  steps: AtifStep[];
  final_metrics: object;
  [key: string]: unknown;
}

/** Content of `trajectory.json` for a tree of calls. */
function atifTree(rollout: Rollout): AtifTrajectory {
  const { trajectory } = rollout;
  const lines = linesOf(trajectory);
  const own = lines.filter(({ agent }) => agent === MAIN);
  const { trajectory: main, begins } = linear(trajectory, own);
  const whole = atifTrajectory({ ...timed(rollout, own), trajectory: main }, begins.slice(1));
  const others = lines.filter(({ agent }) => agent !== MAIN);
  const ids = namesOf(others).map((name) => `${whole.trajectory_id}/${name}`);
  const within = others.map((line, index) => ({
    ...atifTrajectory({ ...timed(rollout, [line]), trajectory: linear(trajectory, [line]).trajectory }, []),
    schema_version: TREE_VERSION,
    trajectory_id: ids[index]!,
    extra: { agent: line.agent },
  }));
  for (const [index, { calls }] of others.entries()) {
    // The newest call of the agent before it began.
    const before = own
      .flatMap((line) => line.calls)
      .filter((call) => call < calls[0]! && trajectory.calls[call]!.reply !== null);
    const step = whole.steps.filter(({ source }) => source === 'agent')[before.length - 1];
    if (step !== undefined) refer(step, ids[index]!);
  }
  return {
    ...whole,
    schema_version: TREE_VERSION,
    final_metrics: {
      ...whole.final_metrics,
      total_cost_usd: known(trajectory.calls.map(({ cost }) => cost)),
    },
    ...(within.length === 0 ? {} : { subagent_trajectories: within }),
  };
}

/** With the times of the calls and steps of these lines alone. */
function timed(rollout: Rollout, lines: readonly Line[]): Rollout {
  const { timings, trajectory } = rollout;
  if (timings === null) return rollout;
  const kept = new Set(lines.flatMap(({ calls }) => calls));
  const calls = timings.calls.filter((_, call) => kept.has(call));
  const steps = timings.steps.filter((_, step) => kept.has(trajectory.steps[step]?.call ?? -1));
  // Lines that go on at the same time have no common clock.
  return { ...rollout, timings: { ...timings, calls, steps }, startedAt: null };
}

/** A name for each line: that of its agent, with a number where the agent has several. */
function namesOf(lines: readonly Line[]): string[] {
  const seen = new Map<string, number>();
  return lines.map(({ agent }) => {
    const number = (seen.get(agent) ?? 0) + 1;
    seen.set(agent, number);
    return number === 1 ? agent : `${agent}.${number}`;
  });
}

function refer(step: AtifStep, id: string): void {
  step.observation = {
    results: [...(step.observation?.results ?? []), { subagent_trajectory_ref: [{ trajectory_id: id }] }],
  };
}

/** Content of `trajectory.json`. `anew`: indices of messages before which the agent lost its history. */
function atifTrajectory(rollout: Rollout, anew: readonly number[] = []): AtifTrajectory {
  const { trajectory, patch, verdict } = rollout;
  const { agent, calls, request, instance_id, sample } = trajectory;
  const steps = stepsOf(rollout, anew);
  const tools = Array.isArray(request.tools) ? { tool_definitions: request.tools } : {};
  return {
    schema_version: VERSION,
    session_id: `${instance_id}#${sample}`,
    trajectory_id: `${instance_id}#${sample}`,
    agent: {
      name: `swemake-${agent.type}`,
      version: trajectory.format,
      model_name: modelName(rollout),
      ...tools,
      extra: { dialect: agent.dialect, actions: agent.actions },
    },
    steps,
    final_metrics: {
      total_prompt_tokens: known(calls.map((call) => call.prompt_tokens)),
      total_completion_tokens: known(calls.map((call) => call.completion_tokens)),
      total_cost_usd: known(calls.map((call) => call.cost)),
      total_steps: steps.length,
    },
    extra: {
      instance_id,
      sample,
      exit_status: trajectory.exit_status,
      patch,
      ...(verdict === null ? {} : { resolved: verdict.resolved, reward: verdict.reward }),
    },
  };
}

function stepsOf(rollout: Rollout, anew: readonly number[]): AtifStep[] {
  const { trajectory } = rollout;
  const callOf = new Map(trajectory.calls.map((call, index) => [call.reply, index]));
  const ids = new StoredIds(trajectory.calls);
  const steps: AtifStep[] = [];
  for (const [index, { message, step, observation, at }] of stepMessages(rollout).entries()) {
    const { kind, content, reasoning } = message;
    const when = at === null ? {} : { timestamp: new Date(at * 1000).toISOString() };
    if (anew.includes(index))
      steps.push({
        step_id: steps.length + 1,
        source: 'system',
        message: LOST,
        extra: { history: 'begins anew' },
      });
    const last = steps.at(-1);
    // Observations are part of the step of their action.
    if (observation !== null) continue;
    if ((kind === 'format-error' || kind === 'observation') && last?.source === 'agent') {
      last.observation = { results: [...(last.observation?.results ?? []), { content }] };
      continue;
    }
    const step_id = steps.length + 1;
    if (message.role !== 'assistant') {
      steps.push({ step_id, source: kind === 'system' ? 'system' : 'user', message: content });
      continue;
    }
    const call = callOf.get(index);
    if (call === undefined) {
      // Of another line, or without a sub-agent.
      steps.push({ step_id, source: 'agent', message: content, is_copied_context: true });
      continue;
    }
    steps.push({
      step_id,
      ...when,
      source: 'agent',
      message: content,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(step === null ? {} : actionsOf(trajectory, step, step_id)),
      ...metricsOf(trajectory.calls[call]!, ids.prompt(call)),
      llm_call_count: 1,
      ...(kind === 'rejected' ? { extra: { rejected: true } } : {}),
    });
  }
  return steps;
}

/** What the model asked for, and what it was shown of it. */
function actionsOf(
  { messages }: Trajectory,
  { actions, observations }: Trajectory['steps'][number],
  step: number,
): Pick<AtifStep, 'observation'> & { tool_calls?: object[] } {
  if (actions.length === 0) return {};
  const ids = actions.map(({ tool_call_id: id }, index) => id ?? `step_${step}_${index + 1}`);
  const tool_calls = actions.map((action, index) => ({
    tool_call_id: ids[index],
    function_name: action.tool,
    arguments: argumentsOf(action),
    ...(action.tool_call_id === undefined ? { extra: { as_text: true } } : {}),
  }));
  const results = observations.map(({ output, exit_code, message }, index) => ({
    ...(ids[index] === undefined ? {} : { source_call_id: ids[index] }),
    content: message === null ? output : messages[message]!.content,
    extra: { exit_code },
  }));
  return { tool_calls, ...(results.length === 0 ? {} : { observation: { results } }) };
}

function argumentsOf({ tool, command }: TrajectoryAction): object {
  if (tool === 'bash') return { command };
  return jsonObject(command) ?? (command === '' ? {} : { command });
}

/** `prompt`: its ids; null where the endpoint gave none. */
function metricsOf(call: ModelCall, prompt: number[] | null): { metrics: object } {
  const { prompt_tokens, completion_tokens, cost, tokens } = call;
  const counted = { prompt_tokens, completion_tokens, cost_usd: cost };
  const set = Object.entries(counted).filter(([, value]) => value !== null);
  return {
    metrics: {
      ...Object.fromEntries(set),
      ...(prompt === null ? {} : { prompt_token_ids: prompt }),
      ...(tokens === null ? {} : { completion_token_ids: tokens.ids }),
      ...(tokens?.logprobs ? { logprobs: tokens.logprobs } : {}),
      extra: { finish_reason: call.finish_reason },
    },
  };
}
