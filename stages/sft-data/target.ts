/**
 * What a style means for trajectories of an agent: which of them are in it already, and else which texts, tools and
 * way of writing take the place of the agent's own. A converted conversation is what another agent of swemake, or one
 * of SWE-agent, would have had in front of it, so that the data fits an agent that can be run.
 */
import { type Action, bashAction } from '../../agent/actions/action.ts';
import { FENCE, markedFormat } from '../../agent/actions/fence.ts';
import { toolCallFormat } from '../../agent/actions/tool-calls.ts';
import { xmlFunctionFormat } from '../../agent/actions/xml-functions.ts';
import { toolsTemplates } from '../../agent/dialects/tools.ts';
import { v2Templates } from '../../agent/dialects/v2.ts';
import type { ToolDefinition } from '../../agent/policy.ts';
import { MARKER } from '../../agent/submission.ts';
import { compileTemplate } from '../../agent/templates.ts';
import { ALL_TOOLS, BASH } from '../../agent/tools/definitions.ts';
import type { Trajectory, TrajectoryAction } from '../../schemas/trajectory.ts';
import { COMMAND_LINES, commandLine } from './command-lines.ts';
import { type SftMessage, type Style, sftMessage } from './message.ts';

export interface Target {
  /** The trajectory's own messages are in the style. */
  native: boolean;
  /** What goes into the row's `tools`. */
  tools: readonly ToolDefinition[];
  /** Texts of a converted conversation. */
  system: string;
  task(problem: string): Promise<string>;
  /** The reply that asks for the action; null: the style cannot say it so that it is read back. */
  write(thought: string, action: Action, id: string): SftMessage | null;
  /** Several actions in one reply can be written. */
  several: boolean;
}

export function targetOf(style: Style, agent: Trajectory['agent']): Target {
  const hasEditor = agent.type === 'tools';
  const native = nativeStyle(agent) === style;
  switch (style) {
    case 'xml': {
      const format = xmlFunctionFormat(ALL_TOOLS);
      const write = (thought: string, action: Action) => {
        const content = xmlReply(thought, action);
        const read = format.parse({ content, toolCalls: [] });
        return read.ok && isSame(read.value, action) ? assistant(content) : null;
      };
      return { native, tools: [], several: false, write, ...textsOf(toolsTemplates('xml-functions')) };
    }
    case 'tools': {
      const tools = hasEditor ? ALL_TOOLS : [BASH];
      const templates = hasEditor ? toolsTemplates('tool-calls') : v2Templates('tool-calls');
      const write = (thought: string, action: Action, id: string) => {
        const { content, toolCalls } = toolCallFormat(tools).write(thought, { ...action, id });
        return sftMessage({ role: 'assistant', content, tool_calls: toolCalls });
      };
      return { native, tools, several: true, write, ...textsOf(templates) };
    }
    case 'ticks':
      return { native, tools: [], several: false, ...(hasEditor ? commandLines() : bashFences()) };
  }
}

function nativeStyle({ type, actions }: Trajectory['agent']): Style | null {
  if (actions === 'tool-calls') return 'tools';
  if (actions === 'xml-functions') return 'xml';
  return actions === 'fence' && type !== 'tools' ? 'ticks' : null;
}

function bashFences(): Pick<Target, 'system' | 'task' | 'write'> {
  const format = markedFormat(FENCE, 'one');
  const write = (thought: string, action: Action) => {
    const reply = format.write(thought, action);
    const read = format.parse(reply);
    return read.ok && isSame(read.value, action) ? assistant(reply.content) : null;
  };
  return { write, ...textsOf(v2Templates('fence')) };
}

/** Tools as commands in plain fences, as SWE-agent's models write them. */
function commandLines(): Pick<Target, 'system' | 'task' | 'write'> {
  const format = markedFormat('```\\n(.*?)\\n```', 'one');
  const write = (thought: string, action: Action) => {
    const line = commandLine(action);
    const content = `${thought === '' ? '' : `${thought}\n\n`}\`\`\`\n${line}\n\`\`\``;
    const read = format.parse({ content, toolCalls: [] });
    return read.ok && isSame(read.value, bashAction(line)) ? assistant(content) : null;
  };
  return { write, ...textsOf({ ...toolsTemplates('tool-calls'), system: COMMAND_LINES }) };
}

function textsOf({
  system,
  instance,
}: {
  system: string;
  instance: string;
}): Pick<Target, 'system' | 'task'> {
  return {
    system,
    async task(problem) {
      const template = await compileTemplate('instance', instance);
      const text = template.ok ? template.value.render({ task: problem, cwd: '/testbed' }) : template;
      if (!text.ok) throw new Error(text.fault);
      return text.value;
    },
  };
}

function assistant(content: string): SftMessage {
  return { role: 'assistant', content };
}

/** Values that hold code begin and end on lines of their own, as in related training sets. */
const BLOCKS = new Set(['old_str', 'new_str', 'file_text']);

function xmlReply(thought: string, { tool, arguments: given }: Action): string {
  const parameters = Object.entries(given).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
    const inner = BLOCKS.has(key) || /^\n|\n$/.test(text) ? `\n${text}\n` : text;
    return `<parameter=${key}>${inner}</parameter>\n`;
  });
  return `${thought === '' ? '' : `${thought}\n\n`}<function=${tool}>\n${parameters.join('')}</function>`;
}

function isSame(read: readonly Action[], action: Action): boolean {
  const [first, ...more] = read;
  return (
    more.length === 0 &&
    first?.tool === action.tool &&
    JSON.stringify(first.arguments) === JSON.stringify(action.arguments)
  );
}

/** The stored action as agents have it. A shell's way to hand in becomes the tool's where the style has the tool. */
export function actionOf({ tool, command }: TrajectoryAction, style: Style, isSubmitting: boolean): Action {
  if (tool !== 'bash')
    return { tool: tool as Action['tool'], arguments: JSON.parse(command) as Record<string, unknown> };
  const submits = isSubmitting && style === 'xml' && command.includes(MARKER);
  return submits ? { tool: 'submit', arguments: {} } : bashAction(command);
}
