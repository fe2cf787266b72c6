/**
 * What a style means for trajectories of an agent: which of them are in it already, and else which texts, tools and
 * way of writing take the place of the agent's own. A converted conversation is what another agent of swemake, or one
 * of SWE-agent, would have had in front of it, so that the data fits an agent that can be run.
 */
import { type Action, bashAction } from '../../agent/actions/action.ts';
import { BASH } from '../../agent/actions/definitions.ts';
import type { Style, StyleForm } from '../../agent/kinds/kind.ts';
import { AGENTS, findAgent } from '../../agent/kinds/registry.ts';
import { MARKER } from '../../agent/submission.ts';
import { compileTemplate } from '../../agent/templates.ts';
import { jsonObject } from '../../basics/json.ts';
import type { Trajectory, TrajectoryAction } from '../../schemas/trajectory.ts';
import { type SftMessage, sftMessage } from './message.ts';

export interface Target extends Pick<StyleForm, 'tools' | 'several' | 'submit'> {
  /** The trajectory's own messages are in the style. */
  native: boolean;
  /** Texts of a converted conversation. */
  system: string;
  task(problem: string): Promise<string>;
  /** The reply that asks for the action; null: the style cannot say it so that it is read back. */
  write(thought: string, action: Action, id: string): SftMessage | null;
}

export function targetOf(style: Style, { type, actions }: Trajectory['agent']): Target {
  const kinds = [findAgent(type), ...AGENTS];
  const form = kinds.find((kind) => kind?.styles[style] !== undefined)!.styles[style]!;
  const { system, instance } = form.templates();
  return {
    ...form,
    native: STYLE_OF[actions] === style,
    system,
    async task(problem) {
      const template = await compileTemplate('instance', instance);
      const text = template.ok ? template.value.render({ task: problem, cwd: '/testbed' }) : template;
      if (!text.ok) throw new Error(text.fault);
      return text.value;
    },
    write(thought, action, id) {
      const reply = form.write(thought, { ...action, id });
      if (reply === null) return null;
      const { content, toolCalls } = reply;
      const calls = toolCalls.length === 0 ? {} : { tool_calls: toolCalls };
      return sftMessage({ role: 'assistant', content, ...calls });
    },
  };
}

/** The style in which an agent's own replies are, by their actions. */
const STYLE_OF: Readonly<Record<string, Style>> = {
  'tool-calls': 'tools',
  'xml-functions': 'xml',
  fence: 'ticks',
};

/**
 * The stored action as agents have it. A shell's way to hand in becomes that of the style. null: a call whose arguments are no JSON object, as
 * models of agents from outside make them at times.
 */
export function actionOf(
  { tool, command }: TrajectoryAction,
  { submit }: Pick<Target, 'submit'>,
  isSubmitting: boolean,
): Action | null {
  if (tool !== BASH.name) {
    const given = jsonObject(command);
    return given === null ? null : { tool, arguments: given };
  }
  return submit !== undefined && isSubmitting && command.includes(MARKER) ? submit : bashAction(command);
}
