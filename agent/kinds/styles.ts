/** Forms of training data that several types have. */
import { type Action, bashAction } from '../actions/action.ts';
import { type Marks, markedFormat } from '../actions/fence.ts';
import { toolCallFormat } from '../actions/tool-calls.ts';
import type { ToolDefinition } from '../policy.ts';
import type { StyleForm } from './kind.ts';

/** Style `tools`: calls of these tools. */
export function callForm(tools: readonly ToolDefinition[], templates: StyleForm['templates']): StyleForm {
  return { tools, several: true, templates, write: toolCallFormat(tools).write };
}

/** Style `ticks`: a command between marks, where `regex` finds it. `line`: the command for an action; null: there is none. */
export function tickForm(
  regex: string,
  [before, after]: Marks,
  line: (action: Action) => string | null,
  templates: StyleForm['templates'],
): StyleForm {
  const format = markedFormat(regex, 'one');
  const write = (thought: string, action: Action) => {
    const command = line(action);
    if (command === null) return null;
    const reply = { content: `${withGap(thought)}${before}${command}${after}`, toolCalls: [] };
    const read = format.parse(reply);
    return read.ok && isSame(read.value, bashAction(command)) ? reply : null;
  };
  return { tools: [], several: false, templates, write };
}

/** A thought as it stands before an action. */
export function withGap(thought: string): string {
  return thought === '' ? '' : `${thought}\n\n`;
}

/** Whether what was read is this action and nothing else. */
export function isSame(read: readonly Action[], action: Action): boolean {
  const [first, ...more] = read;
  return (
    more.length === 0 &&
    first?.tool === action.tool &&
    JSON.stringify(first.arguments) === JSON.stringify(action.arguments)
  );
}
