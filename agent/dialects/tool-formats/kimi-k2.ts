/**
 * `<|tool_calls_section_begin|>`, for each call
 * `<|tool_call_begin|>functions.NAME:NUMBER<|tool_call_argument_begin|>{…}<|tool_call_end|>`, and
 * `<|tool_calls_section_end|>`
 */
import { fault, type Result, success } from '../../../basics/result.ts';
import { Cursor } from './cursor.ts';
import { type Call, THINK, textFormat } from './format.ts';
import { namedCall } from './json-call.ts';

const SECTION = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL = '<|tool_call_begin|>';
const CALL_END = '<|tool_call_end|>';

export const kimiK2 = textFormat(
  'kimi-k2',
  'Kimi K2',
  { ends: ['<|im_end|>', '[EOS]'], thoughts: THINK },
  (text) => {
    const cursor = new Cursor(text);
    const calls: Call[] = [];
    let content = cursor.before(SECTION);
    if (content.includes(CALL)) return fault('A tool call stands outside of a section.');
    while (cursor.takeMark(SECTION)) {
      while (cursor.takeMark(CALL)) {
        const call = readCall(cursor);
        if (!call.ok) return call;
        calls.push(call.value);
      }
      if (!cursor.takeMark(SECTION_END) && !cursor.isAtEnd())
        return fault('A section of tool calls holds something else.');
      content += cursor.before(SECTION);
    }
    if (calls.length === 0 && text.includes(SECTION)) return fault('A section of tool calls is empty.');
    return success({ content: content.trim(), calls });
  },
);

/** The number counts calls of the whole rollout, and is part of the id that the model knows. */
function readCall(cursor: Cursor): Result<Call, string> {
  const [id, name] = cursor.take(/(?:functions\.)?([\w.-]+):\d+/y) ?? [];
  if (id === undefined || name === undefined) return fault('A tool call has no name and number.');
  if (!cursor.takeMark('<|tool_call_argument_begin|>')) return fault(`The call of ${name} has no arguments.`);
  const call = namedCall(name, cursor.takeJson(), id);
  if (call.ok && !cursor.takeMark(CALL_END)) return fault(`The call of ${name} has no ${CALL_END}.`);
  return call;
}
