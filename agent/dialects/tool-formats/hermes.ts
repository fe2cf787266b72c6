/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>` */
import { fault, success } from '../../../basics/result.ts';
import { Cursor } from './cursor.ts';
import { type Call, THINK, textFormat } from './format.ts';
import { jsonCall } from './json-call.ts';

export const hermes = textFormat(
  'hermes',
  'Hermes, Qwen 2.5 and Qwen 3',
  { ends: ['<|im_end|>', '<|endoftext|>'], thoughts: THINK },
  (text) => {
    const cursor = new Cursor(text);
    const calls: Call[] = [];
    let content = cursor.before('<tool_call>');
    while (cursor.takeMark('<tool_call>')) {
      const call = jsonCall(cursor.takeJson(), ['arguments']);
      if (!call.ok) return call;
      // The last end may be missing: servers leave out the text at which they were told to stop.
      if (!cursor.takeMark('</tool_call>') && !cursor.isAtEnd())
        return fault(`The call of ${call.value.name} has no closing </tool_call>.`);
      calls.push(call.value);
      content += cursor.before('<tool_call>');
    }
    return success({ content: content.trim(), calls });
  },
);
