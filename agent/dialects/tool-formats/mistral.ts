/**
 * `[TOOL_CALLS][{"name": …, "arguments": {…}}]` of older tokenizers, and `[TOOL_CALLS]NAME[ARGS]{…}` once for each call of
 * newer ones, where `[CALL_ID]ID` may stand before `[ARGS]` and `[ARGS]` may be missing
 */
import { fault, type Result, success } from '../../../basics/result.ts';
import { Cursor, elementsOf } from './cursor.ts';
import { type Call, textFormat } from './format.ts';
import { jsonCall, namedCall } from './json-call.ts';

const MARK = '[TOOL_CALLS]';

export const mistral = textFormat(
  'mistral',
  'Mistral, Devstral, Magistral',
  { ends: ['</s>'], thoughts: ['[THINK]', '[/THINK]'] },
  (text) => {
    const cursor = new Cursor(text);
    const calls: Call[] = [];
    let content = cursor.before(MARK);
    while (cursor.takeMark(MARK)) {
      const read = readCalls(cursor);
      if (!read.ok) return read;
      calls.push(...read.value);
      content += cursor.before(MARK);
    }
    return success({ content: content.trim(), calls });
  },
);

function readCalls(cursor: Cursor): Result<Call[], string> {
  const named = cursor.take(/([\w.-]+)\s*(?:\[CALL_ID\]\s*([\w-]+)\s*)?(?:\[ARGS\])?\s*(?=\{)/y);
  if (named !== null) {
    const call = namedCall(named[1]!, cursor.takeJson(), named[2]);
    return call.ok ? success([call.value]) : call;
  }
  const list = cursor.takeJson();
  if (list === null || !list.startsWith('['))
    return fault(`After ${MARK} stands neither a list of calls nor a name with arguments.`);
  const calls: Call[] = [];
  for (const element of elementsOf(list)) {
    const call = jsonCall(element, ['arguments']);
    if (!call.ok) return call;
    calls.push(call.value);
  }
  return calls.length > 0 ? success(calls) : fault(`The list after ${MARK} is empty.`);
}
