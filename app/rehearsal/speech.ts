/** How the policy of a rehearsal writes an action: as the agent's loop reads it, or by the tools that a program offers. */
import type { ActionFormat } from '../../agent/actions/action.ts';
import { agentKind } from '../../agent/kinds/registry.ts';
import type { ToolDefinition } from '../../agent/policy.ts';
import type { Loop } from '../../agent/rules.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { fault } from '../../basics/result.ts';

export type Speech = Pick<Loop, 'format' | 'submit'>;

/** mini-swe-agent tells its model to print this text when the work is done, and ends when it sees the text. */
const MARK = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT';
/** Keys of a tool's arguments that hold a command, or what it says at the end. */
const SAYS = /^(command|cmd|message)$/;
const SHELL = /^(bash|shell|exec_command|shell_command|run_shell_command|terminal|execute_bash)$/i;
const END = /^(finish|submit)$/;

/** For one request; null: it asks for no action, such as one for a title. */
export function speechFor(
  settings: AgentSettings,
  tools: readonly ToolDefinition[],
  prompt: string,
): Speech | null {
  const own = agentKind(settings.type).loop?.(settings);
  if (own !== undefined) return own;
  const offered = (pattern: RegExp) => tools.find(({ name }) => pattern.test(name));
  const shell = offered(SHELL);
  if (shell === undefined && (tools.length > 0 || !prompt.includes('```bash'))) return null;
  const format: ActionFormat = {
    tools,
    parse: () => fault({ error: 'a program reads it', actions: [] }),
    write(thought, { tool, arguments: { command = '' } }) {
      const name = tool === 'bash' ? shell : offered(END);
      if (tool === 'bash' && shell === undefined)
        return { content: `${thought}\n\`\`\`bash\n${command}\n\`\`\``, toolCalls: [] };
      if (name === undefined) return { content: thought, toolCalls: [] };
      // Some programs keep of a reply its calls alone.
      const text = tool === 'bash' ? `${command}\n# ${thought}` : thought;
      return { content: thought, toolCalls: [callOf(name, text)] };
    },
  };
  const isMarked = prompt.includes(MARK);
  return {
    format,
    submit: isMarked
      ? { tool: 'bash', arguments: { command: `echo ${MARK}` } }
      : { tool: 'end', arguments: {} },
  };
}

let calls = 0;

function callOf({ name, parameters }: ToolDefinition, text: string) {
  const { properties = {}, required = [] } = parameters as Parameters;
  const given = Object.entries(properties).flatMap(([key, { type, enum: names }]) => {
    if (SAYS.test(key)) return [[key, type === 'array' ? ['bash', '-lc', text] : text]];
    return required.includes(key) ? [[key, names?.[0] ?? VALUES[type ?? ''] ?? 'the task']] : [];
  });
  calls += 1;
  return { id: `call_${calls}`, name, arguments: JSON.stringify(Object.fromEntries(given)) };
}

interface Parameters {
  properties?: Record<string, { type?: string; enum?: string[] }>;
  required?: string[];
}

/** Any value of a type. */
const VALUES: Record<string, unknown> = { boolean: false, integer: 1, number: 1, array: [], object: {} };
