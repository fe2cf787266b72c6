/** `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value></tool_call>`, with or without line ends between */
import { fault, type Result, success } from '../../../basics/result.ts';
import type { ToolDefinition } from '../../policy.ts';
import { Cursor } from './cursor.ts';
import { type Call, THINK, textFormat } from './format.ts';
import { typedObject } from './typed.ts';

export const glm4 = textFormat(
  'glm4',
  'GLM 4.5, 4.6 and 4.7',
  { ends: ['<|observation|>', '<|user|>', '<|endoftext|>'], thoughts: THINK },
  (text, tools) => {
    const cursor = new Cursor(text);
    const calls: Call[] = [];
    let content = cursor.before('<tool_call>');
    while (cursor.takeMark('<tool_call>')) {
      const call = readCall(cursor, tools);
      if (!call.ok) return call;
      calls.push(call.value);
      content += cursor.before('<tool_call>');
    }
    return success({ content: content.trim(), calls });
  },
);

function readCall(cursor: Cursor, tools: readonly ToolDefinition[]): Result<Call, string> {
  const name = cursor.take(/[^\s<]+/y)?.[0];
  if (name === undefined) return fault('A tool call has no name.');
  const texts = new Map<string, string>();
  while (cursor.takeMark('<arg_key>')) {
    const key = cursor.until('</arg_key>')?.trim();
    if (key === undefined || !cursor.takeMark('<arg_value>'))
      return fault(`An argument of ${name} has no value.`);
    const value = cursor.until('</arg_value>');
    if (value === null) return fault(`The value of ${key} of ${name} has no closing </arg_value>.`);
    texts.set(key, value);
  }
  // The last end may be missing: servers leave out the text at which they were told to stop.
  if (!cursor.takeMark('</tool_call>') && !cursor.isAtEnd())
    return fault(`The call of ${name} has no closing </tool_call>.`);
  return success({ name, arguments: typedObject(tools, name, texts) });
}
