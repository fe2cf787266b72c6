/** `<tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></tool_call>` */
import { fault, type Result, success } from '../../../basics/result.ts';
import type { ToolDefinition } from '../../policy.ts';
import { Cursor } from './cursor.ts';
import { type Call, THINK, textFormat } from './format.ts';
import { typedObject } from './typed.ts';

export const qwen3Coder = textFormat(
  'qwen3-coder',
  'Qwen 3 Coder',
  { ends: ['<|im_end|>', '<|endoftext|>'], thoughts: THINK },
  (text, tools) => {
    const cursor = new Cursor(text);
    const calls: Call[] = [];
    let content = cursor.before('<tool_call>', '<function=');
    while (!cursor.isAtEnd()) {
      // These models often leave out the outer mark.
      const isWrapped = cursor.takeMark('<tool_call>');
      const call = readCall(cursor, tools);
      if (!call.ok) return call;
      calls.push(call.value);
      if (isWrapped && !cursor.takeMark('</tool_call>') && !cursor.isAtEnd())
        return fault(`The call of ${call.value.name} has no closing </tool_call>.`);
      if (!isWrapped) cursor.takeMark('</tool_call>');
      content += cursor.before('<tool_call>', '<function=');
    }
    return success({ content: content.trim(), calls });
  },
);

function readCall(cursor: Cursor, tools: readonly ToolDefinition[]): Result<Call, string> {
  const name = cursor.take(/<function=([^>\n]+)>/y)?.[1]?.trim();
  if (name === undefined || name === '') return fault('A tool call names no function.');
  const texts = new Map<string, string>();
  while (!cursor.takeMark('</function>')) {
    const key = cursor.take(/<parameter=([^>\n]+)>/y)?.[1]?.trim();
    if (key === undefined) return fault(`The call of ${name} has no closing </function>.`);
    const value = cursor.until('</parameter>');
    if (value === null) return fault(`A parameter of ${name} has no closing </parameter>.`);
    // One line end on each side is layout.
    texts.set(key, value.replace(/^\n|\n$/g, ''));
  }
  return success({ name, arguments: typedObject(tools, name, texts) });
}
