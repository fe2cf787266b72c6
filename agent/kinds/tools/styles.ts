/** How the tools are written in training data: as SWE-agent's models write them. */
import type { Action } from '../../actions/action.ts';
import { xmlFunctionFormat } from '../../actions/xml-functions.ts';
import type { StyleForm } from '../kind.ts';
import { callForm, isSame, tickForm, withGap } from '../styles.ts';
import { COMMAND_LINES, commandLine } from './command-lines.ts';
import { ALL_TOOLS, SUBMIT } from './definitions.ts';
import { toolsTemplates } from './texts.ts';

const FUNCTIONS = xmlFunctionFormat(ALL_TOOLS);

export const XML: StyleForm = {
  tools: [],
  several: false,
  templates: () => toolsTemplates('xml-functions'),
  submit: { tool: SUBMIT.name, arguments: {} },
  write(thought, action) {
    const reply = { content: xmlReply(thought, action), toolCalls: [] };
    const read = FUNCTIONS.parse(reply);
    return read.ok && isSame(read.value, action) ? reply : null;
  },
};

export const CALLS = callForm(ALL_TOOLS, () => toolsTemplates('tool-calls'));

/** Tools as commands in plain fences. */
export const TICKS = tickForm('```\\n(.*?)\\n```', ['```\n', '\n```'], commandLine, () => ({
  ...toolsTemplates('tool-calls'),
  system: COMMAND_LINES,
}));

/** Values that hold code begin and end on lines of their own, as in related training sets. */
const BLOCKS = new Set(['old_str', 'new_str', 'file_text']);

function xmlReply(thought: string, { tool, arguments: given }: Action): string {
  const parameters = Object.entries(given).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value).replaceAll(',', ', ');
    const inner = BLOCKS.has(key) || /^\n|\n$/.test(text) ? `\n${text}\n` : text;
    return `<parameter=${key}>${inner}</parameter>\n`;
  });
  return `${withGap(thought)}<function=${tool}>\n${parameters.join('')}</function>`;
}
