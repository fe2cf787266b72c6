/**
 * The tools of this type, as functions with JSON Schema arguments. They are offered to endpoints, printed into prompts
 * of agents that write calls as text, and used to check calls.
 */
import { BASH, parametersOf } from '../../actions/definitions.ts';
import type { ToolDefinition } from '../../policy.ts';

const EDITOR: ToolDefinition = {
  name: 'str_replace_editor',
  description: [
    'Looks at files, makes new ones and edits them.',
    '`view` shows a file with line numbers, or the names in a folder, two levels deep, hidden ones left out.',
    '`create` makes a new file; it does not replace one that is there.',
    '`str_replace` puts `new_str` in the place of `old_str`. `old_str` must be whole text of the file, spaces and',
    'indentation included, and must occur once: give enough lines around it.',
    '`insert` puts `new_str` behind the line `insert_line`.',
    '`undo_edit` takes back the last change that this tool made to the file.',
    'Long files are cut, which `<response clipped>` marks.',
  ].join('\n'),
  parameters: {
    type: 'object',
    properties: {
      command: {
        type: 'string',
        enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'],
        description: 'What to do.',
      },
      path: {
        type: 'string',
        description: 'Absolute path of a file or folder, such as `/testbed/README.md`.',
      },
      file_text: { type: 'string', description: 'For `create`: all of the new file.' },
      old_str: { type: 'string', description: 'For `str_replace`: the text to replace.' },
      new_str: {
        type: 'string',
        description:
          'For `str_replace`: the text that takes its place, nothing when left out. For `insert`: the new lines.',
      },
      insert_line: {
        type: 'integer',
        description: 'For `insert`: the line behind which it goes; 0 is the top.',
      },
      view_range: {
        type: 'array',
        items: { type: 'integer' },
        description:
          'For `view` of a file: first and last line, counted from 1; -1 as the last means the end.',
      },
    },
    required: ['command', 'path'],
  },
};

export const SUBMIT: ToolDefinition = {
  name: 'submit',
  description: 'Hands in all changes of the repository and ends the work.',
  parameters: { type: 'object', properties: {}, required: [] },
};

export const ALL_TOOLS: readonly ToolDefinition[] = [BASH, EDITOR, SUBMIT];

/** The tools as text, for prompts of agents that write calls as text. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  return tools.map((tool, at) => describeTool(tool, at + 1)).join('\n\n');
}

function describeTool(tool: ToolDefinition, number: number): string {
  const { properties, required } = parametersOf(tool);
  const lines = Object.entries(properties).map(([key, { type, enum: allowed, description }], at) => {
    const need = required.includes(key) ? 'required' : 'optional';
    const values =
      allowed === undefined ? '' : ` One of: ${allowed.map((value) => `\`${value}\``).join(', ')}.`;
    return `  (${at + 1}) ${key} (${type}, ${need}): ${description}${values}`;
  });
  return [
    `---- BEGIN FUNCTION #${number}: ${tool.name} ----`,
    `Description: ${tool.description}`,
    ...(lines.length === 0 ? ['It takes no parameters.'] : ['', 'Parameters:', ...lines]),
    `---- END FUNCTION #${number} ----`,
  ].join('\n');
}
