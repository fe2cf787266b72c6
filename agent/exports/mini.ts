/**
 * mini-swe-agent's trajectory JSON, version 1.1. In this format a rejected reply is no message but a part of the
 * error that answers it. The list ends with a message of role `exit`.
 */
import type { ExitStatus, Trajectory } from '../../schemas/trajectory.ts';
import { type ExportedRollout, known, modelName, type StepMessage, stepMessages } from './rollout.ts';
import { openAiCalls } from './tool-calls.ts';

const EXIT: Record<ExitStatus, string> = {
  submitted: 'Submitted',
  limits_exceeded: 'LimitsExceeded',
  time_exceeded: 'TimeExceeded',
  repeated_format_error: 'RepeatedFormatError',
  context_exceeded: 'ContextWindowExceededError',
  truncated: 'OutputTruncated',
  workspace_killed: 'WorkspaceKilled',
  content_filtered: 'ContentFiltered',
  crashed: 'AgentCrashed',
  gave_up: 'GaveUp',
};

/** mini-swe-agent's name for how a rollout ended. */
export function miniExitStatus(status: ExitStatus): string {
  return EXIT[status];
}

/** The file's content. As in mini-swe-agent, the submission is what is graded. */
export function miniTrajectory(rollout: ExportedRollout & { trajectory: Trajectory }): object {
  const { trajectory, instance_id, patch } = rollout;
  const exit_status = miniExitStatus(trajectory.exit_status);
  return {
    info: {
      model_stats: {
        instance_cost: known(trajectory.calls.map((call) => call.cost)),
        api_calls: trajectory.calls.length,
      },
      config: {
        agent: trajectory.agent,
        agent_type: `swemake.${trajectory.agent.type}`,
        model: { model_name: modelName(rollout), model_kwargs: trajectory.request },
        model_type: 'swemake',
        environment: {},
        environment_type: 'swemake',
      },
      mini_version: '2.0.0',
      exit_status,
      submission: patch,
      ...(rollout.verdict === null || rollout.verdict.reward === null
        ? {}
        : { reward: rollout.verdict.reward }),
    },
    messages: [...miniMessages(rollout), exitMessage(trajectory, exit_status, patch)],
    trajectory_format: 'mini-swe-agent-1.1',
    instance_id,
  };
}

function miniMessages(rollout: ExportedRollout & { trajectory: Trajectory }): object[] {
  const messages: object[] = [];
  let rejected: StepMessage | null = null;
  for (const one of stepMessages(rollout)) {
    if (one.message.kind === 'rejected') {
      rejected = one;
      continue;
    }
    messages.push(miniMessage(one, rejected));
    rejected = null;
  }
  return messages;
}

function miniMessage(one: StepMessage, rejected: StepMessage | null): object {
  const { role, content, tool_calls, tool_call_id } = one.message;
  const extra = extraOf(one) ?? (rejected === null ? null : refusalExtra(rejected));
  return {
    role,
    content,
    ...(tool_calls === undefined ? {} : { tool_calls: openAiCalls(tool_calls) }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(extra === null ? {} : { extra }),
  };
}

/** Field `extra` of a reply or an observation. */
function extraOf({ message, step, cost, observation, at }: StepMessage): object | null {
  const timestamp = at === null ? {} : { timestamp: at };
  if (message.kind === 'reply') {
    const actions = (step?.actions ?? []).map((action) => ({
      command: action.command,
      ...(action.tool_call_id === undefined ? {} : { tool_call_id: action.tool_call_id }),
    }));
    return { actions, cost, ...timestamp };
  }
  if (message.kind !== 'observation') return null;
  if (observation === null)
    return { raw_output: '', returncode: -1, exception_info: 'action was not executed' };
  return {
    raw_output: observation.output,
    returncode: observation.exit_code ?? -1,
    exception_info: observation.timed_out ? 'timed out' : '',
    ...timestamp,
  };
}

/** Field `extra` of the error that answers a rejected reply. */
function refusalExtra({ message, cost, at }: StepMessage): object {
  return {
    interrupt_type: 'FormatError',
    model_response: message.content,
    cost,
    ...(at === null ? {} : { timestamp: at }),
  };
}

function exitMessage({ exit_detail }: Trajectory, exit_status: string, submission: string): object {
  return {
    role: 'exit',
    content: exit_status === 'Submitted' ? submission : exit_detail || exit_status,
    extra: { exit_status, submission },
  };
}
