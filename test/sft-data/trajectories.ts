/** Trajectories for tests of training data, with replies written by the agents' own action formats. */
import type { Action } from '../../agent/actions/action.ts';
import { bashAction, commandOf } from '../../agent/actions/action.ts';
import { loopOf } from '../../agent/kinds/registry.ts';
import type { ActionFormat, AgentSettings, AgentType } from '../../agent/settings.ts';
import { MARKER } from '../../agent/submission.ts';
import { TRAJECTORY_FORMAT, type Trajectory, type TrajectoryMessage } from '../../schemas/trajectory.ts';

export interface Turn {
  thought: string;
  actions: Action[];
  outputs: string[];
  /** The reply is no action: this is what it said, and what was answered. */
  malformed?: { reply: string; error: string };
  /** The reply was cut at its limit, but its action ran. */
  cut?: boolean;
}

export interface Maker {
  type?: AgentType;
  dialect?: AgentSettings['dialect'];
  actions?: ActionFormat;
  turns?: Turn[];
  instance?: string;
  sample?: string;
  exit?: Trajectory['exit_status'];
  model?: string;
}

export const EDIT: Action = {
  tool: 'str_replace_editor',
  arguments: {
    command: 'str_replace',
    path: '/testbed/a.py',
    old_str: 'def a():\n    return 1',
    new_str: "def a():\n    return '2'\n",
  },
};
export const VIEW: Action = {
  tool: 'str_replace_editor',
  arguments: { command: 'view', path: '/testbed/a.py', view_range: [1, 20] },
};
export const SUBMIT: Action = { tool: 'submit', arguments: {} };
export const HAND_IN = bashAction(`echo ${MARKER}`);

export const bash = (thought: string, command: string, output: string): Turn => ({
  thought,
  actions: [bashAction(command)],
  outputs: [output],
});

export const BASH_TURNS: Turn[] = [
  bash('I look around.', 'ls -la', 'a.py\n'),
  bash('Now the fix.', "sed -i 's/1/2/' a.py", ''),
  { thought: 'Done.', actions: [HAND_IN], outputs: [`${MARKER}\n`] },
];

export const TOOL_TURNS: Turn[] = [
  bash('I look around.', 'ls -la', 'a.py\n'),
  { thought: 'The file.', actions: [VIEW], outputs: ['     1\tdef a():'] },
  { thought: 'Now the fix.', actions: [EDIT], outputs: ['The file has been edited.'] },
  { thought: 'Done.', actions: [SUBMIT], outputs: [''] },
];

/** A trajectory of these turns; every prompt holds all earlier messages that the dialect keeps. */
export function trajectory(maker: Maker = {}): Trajectory {
  const { type = 'bash', dialect = 'v2', actions = 'fence', turns = BASH_TURNS } = maker;
  const messages: TrajectoryMessage[] = [
    { role: 'system', kind: 'system', content: 'the agent’s own system text' },
    { role: 'user', kind: 'task', content: 'the agent’s own task text' },
  ];
  const { format } = loopOf({ type, dialect, actions, action_regex: null });
  const calls: Trajectory['calls'] = [];
  const steps: Trajectory['steps'] = [];
  for (const [index, turn] of turns.entries()) {
    const shown = messages.flatMap(({ kind }, at) => (kind === 'rejected' ? [] : [at]));
    const malformed = turn.malformed;
    const written = turn.actions.map((action, at) =>
      format.write(at === 0 ? turn.thought : '', { ...action, id: `call_${index}_${at}` }),
    );
    const tool_calls = written.flatMap((one) => one.toolCalls);
    const reply = messages.push({
      role: 'assistant',
      kind: malformed !== undefined && dialect === 'v2' ? 'rejected' : 'reply',
      content: malformed?.reply ?? written[0]!.content,
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    });
    calls.push({
      prompt: shown,
      reply: reply - 1,
      finish_reason: turn.cut ? 'length' : 'stop',
      truncated: turn.cut ?? false,
      max_tokens: null,
      prompt_tokens: 100,
      completion_tokens: 10,
      cost: null,
      tokens: null,
    });
    if (malformed !== undefined)
      messages.push({
        role: 'user',
        kind: dialect === 'v2' ? 'format-error' : 'observation',
        content: malformed.error,
      });
    const isLast = index === turns.length - 1;
    const observations = turn.outputs.map((output, at) => {
      const submits = isLast && at === turn.outputs.length - 1;
      const message = submits ? null : messages.length;
      if (!submits)
        messages.push({
          role: actions === 'tool-calls' ? 'tool' : 'user',
          kind: 'observation',
          content: `<output>${output}</output>`,
          ...(actions === 'tool-calls' ? { tool_call_id: `call_${index}_${at}` } : {}),
        });
      return { output, exit_code: 0, timed_out: false, truncated: false, message };
    });
    steps.push({
      call: index,
      actions: turn.actions.map((action, at) => ({
        tool: action.tool,
        command: commandOf(action),
        ...(actions === 'tool-calls' ? { tool_call_id: `call_${index}_${at}` } : {}),
      })),
      observations,
      reward: null,
    });
  }
  return {
    format: TRAJECTORY_FORMAT,
    instance_id: maker.instance ?? 'one',
    sample: maker.sample ?? '0',
    seed: 1,
    agent: { type, dialect, actions },
    model: maker.model === undefined ? null : { name: 'custom', identity: maker.model },
    request: {},
    exit_status: maker.exit ?? 'submitted',
    exit_detail: '',
    messages,
    calls,
    steps,
    submission: '',
    patch: 'diff --git a/a.py b/a.py\n',
    patch_source: 'workspace',
    token_counter: 'none',
    dropped_parameters: [],
  };
}
