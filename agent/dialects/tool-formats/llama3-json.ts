/** `<|python_tag|>{"name": …, "parameters": {…}}; {…}`, and often without the tag */
import { success } from '../../../basics/result.ts';
import { Cursor } from './cursor.ts';
import { type Call, THINK, textFormat } from './format.ts';
import { jsonCall } from './json-call.ts';

const TAG = '<|python_tag|>';

export const llama3Json = textFormat(
  'llama3-json',
  'Llama 3.1, 3.2 and 3.3',
  { ends: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'], thoughts: THINK },
  (text) => {
    const cursor = new Cursor(text);
    const isTagged = text.includes(TAG);
    // JSON without a name is an answer in JSON.
    if (!isTagged && !/^\s*\{\s*"name"\s*:/.test(text)) return success({ content: text, calls: [] });
    const content = isTagged ? cursor.before(TAG).trim() : '';
    const calls: Call[] = [];
    do {
      cursor.takeMark(TAG);
      const call = jsonCall(cursor.takeJson(), ['parameters', 'arguments']);
      if (!call.ok) return call;
      calls.push(call.value);
      cursor.takeMark(';');
    } while (!cursor.isAtEnd());
    return success({ content, calls });
  },
);
