/**
 * SWE-agent's function calls as text: `<function=NAME><parameter=KEY>VALUE</parameter></function>`, with the names
 * that related training sets use. The first call of a reply counts; the text around it is the thought.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import type { ToolDefinition } from '../policy.ts';
import type { Action, ActionFormat, Malformed } from './action.ts';
import { argumentProblem, typedArguments } from './definitions.ts';

const ALIASES: Record<string, string> = { execute_bash: 'bash', finish: 'submit' };

/** The end may be missing: endpoints leave out the text at which they were told to stop. */
const CALL = /<function=([^>\n]+)>(.*?)(?:<\/function>|$)/su;
const PARAMETER = /<parameter=([^>\n]+)>(.*?)<\/parameter>/gsu;

export function xmlFunctionFormat(tools: readonly ToolDefinition[]): ActionFormat {
  return {
    tools: [],
    parse: ({ content }) => parseCall(content, tools),
    write: (thought, action) => ({ content: written(thought, action), toolCalls: [] }),
  };
}

function parseCall(content: string, tools: readonly ToolDefinition[]): Result<Action[], Malformed> {
  const call = CALL.exec(content);
  if (call === null) return fault({ error: 'The reply calls no function.', actions: [] });
  const rejected = (error: string) => fault({ error, actions: [call[0]] });
  const name = call[1]!.trim();
  const tool = tools.find((each) => each.name === (ALIASES[name] ?? name));
  if (tool === undefined)
    return rejected(`There is no function "${name}"; there is ${tools.map((each) => each.name).join(', ')}.`);
  const body = call[2]!;
  if (/<parameter=/.test(body.replace(PARAMETER, '')))
    return rejected(`A parameter of ${name} has no closing </parameter>.`);
  const given = Object.fromEntries(
    [...body.matchAll(PARAMETER)].map(([, key, value]) => [key!.trim(), unwrapped(value!)]),
  );
  const typed = typedArguments(tool, given);
  const problem = argumentProblem(tool, typed);
  return problem === null ? success([{ tool: tool.name, arguments: typed }]) : rejected(problem);
}

/** One newline at the start and one at the end are layout, and no part of the value. */
function unwrapped(value: string): string {
  return value.replace(/^\n/, '').replace(/\n$/, '');
}

function written(thought: string, { tool, arguments: given }: Action): string {
  const parameters = Object.entries(given).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const wrapped = /^\n|\n$/.test(text) ? `\n${text}\n` : text;
    return `<parameter=${key}>${wrapped}</parameter>\n`;
  });
  return `${thought === '' ? '' : `${thought}\n\n`}<function=${tool}>\n${parameters.join('')}</function>`;
}
