/** SWE-agent's `.traj` and `.pred`, as its tools, SWE-smith's and SWE-MiniSandbox's scripts read them. */

import { jsonObject } from '../../basics/json.ts';
import type { ExitStatus, Trajectory, TrajectoryAction, TrajectoryStep } from '../../schemas/trajectory.ts';
import { promptMessages } from '../context/prompt.ts';
import {
  type ExportedRollout,
  type ExportedVerdict,
  type ExportFile,
  type ExportName,
  jsonFile,
  known,
  modelName,
  type StepMessage,
  stepMessages,
} from './rollout.ts';
import { openAiCalls } from './tool-calls.ts';

const EXIT: Record<Exclude<ExitStatus, 'submitted'>, string> = {
  limits_exceeded: 'exit_cost',
  time_exceeded: 'exit_total_execution_time',
  repeated_format_error: 'exit_format',
  context_exceeded: 'exit_context',
  truncated: 'exit_error',
  workspace_killed: 'exit_environment_error',
  content_filtered: 'exit_api',
  crashed: 'exit_error',
  gave_up: 'exit_forfeit',
};

/** SWE-agent's name for how a rollout ended. It differs if a patch was found without a submission. */
export function sweAgentExitStatus({ trajectory, patch }: ExportedRollout): string {
  if (trajectory === null || trajectory.exit_status === 'submitted') return 'submitted';
  const exit = EXIT[trajectory.exit_status];
  return patch === '' ? exit : `submitted (${exit})`;
}

/** Both files, in a folder of the trajectory; a patch without trajectory has no `.traj`. */
export function sweAgentFiles(rollout: ExportedRollout, place: ExportName): ExportFile[] {
  const { name } = place;
  const { trajectory } = rollout;
  return [
    ...(trajectory === null
      ? []
      : [jsonFile(`${name}/${name}.traj`, sweAgentTrajectory({ ...rollout, trajectory }))]),
    jsonFile(`${name}/${name}.pred`, sweAgentPrediction(rollout, place)),
  ];
}

/** Content of the `.traj` file. */
export function sweAgentTrajectory(rollout: ExportedRollout & { trajectory: Trajectory }): object {
  const { trajectory, patch, verdict } = rollout;
  const { calls } = trajectory;
  return {
    environment: 'swemake',
    trajectory: trajectory.steps.map((step, index) => sweAgentStep(rollout, step, index)),
    history: stepMessages(rollout)
      .filter(({ message }) => message.kind !== 'rejected')
      .map((one) => historyEntry(trajectory, one)),
    info: {
      exit_status: sweAgentExitStatus(rollout),
      submission: patch === '' ? null : patch,
      model_stats: {
        instance_cost: known(calls.map((call) => call.cost)),
        tokens_sent: known(calls.map((call) => call.prompt_tokens)),
        tokens_received: known(calls.map((call) => call.completion_tokens)),
        api_calls: calls.length,
      },
      ...(verdict === null ? {} : { ...rewardOf(verdict), test_output: verdict.detail }),
    },
    // SWE-agent writes JSON text here, and readers parse it.
    replay_config: JSON.stringify({
      agent: {
        type: 'default',
        name: trajectory.agent.type,
        model: { ...trajectory.request, name: modelName(rollout) },
      },
      problem_statement: { type: 'text', id: trajectory.instance_id },
    }),
  };
}

/** Content of the `.pred` file. Its instance is the trajectory's name, which distinguishes rollouts of one instance. */
function sweAgentPrediction(rollout: ExportedRollout, { name }: Pick<ExportName, 'name'>): object {
  return {
    model_name_or_path: modelName(rollout),
    instance_id: name,
    model_patch: rollout.patch === '' ? null : rollout.patch,
    ...(rollout.verdict === null ? {} : rewardOf(rollout.verdict)),
  };
}

/** Readers of this format accept only numbers. */
function rewardOf({ reward }: ExportedVerdict): { reward?: number } {
  return reward === null ? {} : { reward };
}

function sweAgentStep(
  { trajectory, timings }: ExportedRollout & { trajectory: Trajectory },
  step: TrajectoryStep,
  index: number,
): object {
  const call = trajectory.calls[step.call]!;
  const reply = call.reply === null ? null : trajectory.messages[call.reply]!;
  const response = reply?.content ?? '';
  const refused = call.reply === null ? undefined : trajectory.messages[call.reply + 1];
  const failed = step.actions.length === 0 && refused?.kind === 'format-error' ? refused.content : '';
  return {
    action: step.actions.map(actionText).join('\n'),
    observation: step.observations.map(({ output }) => output).join('\n') || failed,
    response,
    thought: thoughtOf(trajectory, response),
    execution_time: (timings?.steps[index] ?? 0) / 1000,
    state: {},
    query: promptMessages(trajectory.messages, call.prompt).map(
      ({ role, content, tool_calls, tool_call_id }) => ({
        role,
        content,
        ...(tool_calls === undefined ? {} : { tool_calls: openAiCalls(tool_calls) }),
        ...(tool_call_id === undefined ? {} : { tool_call_ids: [tool_call_id] }),
      }),
    ),
    extra_info: {},
  };
}

function historyEntry(trajectory: Trajectory, { message, step }: StepMessage): object {
  const { role, content, kind, tool_calls, tool_call_id } = message;
  const message_type = kind === 'system' ? 'system_prompt' : kind === 'reply' ? 'action' : 'observation';
  const entry = { message_type, role, content, agent: 'main' };
  if (kind !== 'reply')
    return { ...entry, ...(tool_call_id === undefined ? {} : { tool_call_ids: [tool_call_id] }) };
  return {
    ...entry,
    thought: thoughtOf(trajectory, content),
    action: (step?.actions ?? []).map(actionText).join('\n'),
    ...(tool_calls === undefined ? {} : { tool_calls: openAiCalls(tool_calls) }),
  };
}

/** The text before the action. */
function thoughtOf({ agent }: Trajectory, reply: string): string {
  const begins = { fence: '```', xml: '<mswea_bash_command>', 'xml-functions': '<function=' }[agent.actions];
  const at = begins === undefined ? -1 : reply.indexOf(begins);
  return at === -1 ? reply : reply.slice(0, at).trim();
}

/**
 * An action as SWE-agent's command line: a tool's name, its place arguments, the rest as options. Arguments that are no JSON object, as models of
 * agents from outside write them at times, stand as they are.
 */
function actionText({ tool, command }: TrajectoryAction): string {
  if (tool === 'bash') return command;
  if (tool === 'submit') return 'submit';
  const given = jsonObject(command);
  if (given === null) return `${tool} ${command}`;
  const { command: sub, path, ...options } = given;
  const places = [sub, path].filter((place) => place !== undefined);
  return [
    ...[tool, ...places],
    ...Object.entries(options).map(([key, value]) => `--${key} ${optionText(value)}`),
  ].join(' ');
}

function optionText(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? `'${value.replaceAll("'", `'"'"'`)}'` : JSON.stringify(value);
}
