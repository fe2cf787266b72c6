/**
 * Actions as native tool calls of the endpoint. If one call is malformed, the whole reply is, so no part of it runs.
 */
import { jsonObject } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ToolDefinition } from '../policy.ts';
import type { Action, ActionFormat } from './action.ts';
import { argumentProblem, typedArguments } from './definitions.ts';

/** one: a reply with several calls is malformed. many: they run in order. */
export type CallCount = 'one' | 'many';

export function toolCallFormat(tools: readonly ToolDefinition[], count: CallCount = 'many'): ActionFormat {
  return {
    tools,
    parse: ({ toolCalls }) => {
      const rejected = (error: string) => fault({ error, actions: toolCalls.map((call) => call.arguments) });
      if (toolCalls.length === 0) return rejected('The reply calls no tool.');
      if (count === 'one' && toolCalls.length > 1)
        return rejected(`Expected exactly one tool call, found ${toolCalls.length}.`);
      const actions: Action[] = [];
      for (const call of toolCalls) {
        const read = readCall(call, tools);
        if (!read.ok) return rejected(read.fault);
        actions.push(read.value);
      }
      return success(actions);
    },
    write: (thought, action) => ({
      content: thought,
      toolCalls: [
        { id: action.id ?? 'call_0', name: action.tool, arguments: JSON.stringify(action.arguments) },
      ],
    }),
  };
}

function readCall(call: ToolCall, tools: readonly ToolDefinition[]): Result<Action, string> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined)
    return fault(`There is no tool "${call.name}"; there is ${tools.map(({ name }) => name).join(', ')}.`);
  const parsed = parseArguments(call.arguments);
  if (parsed === null) return fault(`The arguments of the call of ${call.name} are no JSON object.`);
  const typed = typedArguments(tool, parsed);
  const problem = argumentProblem(tool, typed);
  return problem === null ? success({ tool: tool.name, arguments: typed, id: call.id }) : fault(problem);
}

/** The arguments of a call; null when they are no JSON object. */
export function parseArguments(text: string): Record<string, unknown> | null {
  return jsonObject(text === '' ? '{}' : text);
}
