/** The answers of OpenAI's responses: a list of items, whole or as events. */
import type { Json } from '../../basics/canonical.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import { asObject, freeText } from './arguments.ts';
import type { AnswerIds, CallForm, DialectRequest, ErrorCode, Written } from './dialect.ts';
import { event } from './events.ts';
import { openaiMessage } from './openai.ts';
import { sealed } from './thoughts.ts';

type Item = { [key: string]: Json } & { id: string; type: string };

export function writeResponse(reply: Written, request: DialectRequest, ids: AnswerIds): Json {
  return response(ids, ending(reply), items(reply, request, ids));
}

export function writeResponseEvents(reply: Written, request: DialectRequest, ids: AnswerIds): string[] {
  const events: string[] = [];
  const send = (type: string, fields: { [key: string]: Json }) => {
    events.push(event({ type, sequence_number: events.length, ...fields }, type));
  };
  const begun = response(ids, { status: 'in_progress', incomplete_details: null, usage: null }, []);
  send('response.created', { response: begun });
  send('response.in_progress', { response: begun });
  const all = items(reply, request, ids);
  all.forEach((item, output_index) => {
    const { start, pieces } = inPieces(item);
    send('response.output_item.added', { output_index, item: { ...start, status: 'in_progress' } });
    for (const [type, fields] of pieces)
      send(`response.${type}`, { item_id: item.id, output_index, ...fields });
    send('response.output_item.done', { output_index, item });
  });
  send(reply.truncated ? 'response.incomplete' : 'response.completed', {
    response: response(ids, ending(reply), all),
  });
  return events;
}

/**
 * The end of a stream without an answer. Codex looks at the code in `response`: it shortens its history after the
 * first, and gives up after the second. Other clients look at `error`.
 */
export function failedEvent(code: ErrorCode, message: string): string {
  const error = {
    code: code === 'context' ? 'context_length_exceeded' : 'invalid_prompt',
    message: openaiMessage(code, message),
  };
  const failed = { id: 'resp_failed', object: 'response', status: 'failed', output: [], error };
  const type = 'response.failed';
  return event({ type, sequence_number: 0, response: failed, error }, type);
}

function response({ id, model, created }: AnswerIds, end: { [key: string]: Json }, output: Item[]): Json {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    model,
    error: null,
    instructions: null,
    metadata: {},
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    ...end,
  };
}

function ending({ truncated, promptTokens, completionTokens }: Written): { [key: string]: Json } {
  const input_tokens = promptTokens ?? 0;
  const output_tokens = completionTokens ?? 0;
  return {
    status: truncated ? 'incomplete' : 'completed',
    incomplete_details: truncated ? { reason: 'max_output_tokens' } : null,
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  };
}

/** A reply without text and calls has an empty text, so that the agent sends it back. */
function items(reply: Written, { callForms }: DialectRequest, { id }: AnswerIds): Item[] {
  const { content, reasoning, toolCalls, truncated } = reply;
  const all: Item[] = [];
  if (reasoning) {
    const summary = [{ type: 'summary_text', text: reasoning }];
    all.push({ id: `rs_${id}`, type: 'reasoning', summary, encrypted_content: sealed(reasoning) });
  }
  if (content !== '' || toolCalls.length === 0) {
    const text = { type: 'output_text', text: content, annotations: [], logprobs: [] };
    all.push({ id: `msg_${id}`, type: 'message', role: 'assistant', content: [text] });
  }
  toolCalls.forEach((call, at) => {
    all.push(callItem(`fc_${id}_${at}`, call, callForms.get(call.name)));
  });
  return all.map((item, at) => ({
    ...item,
    status: truncated && at === all.length - 1 ? 'incomplete' : 'completed',
  }));
}

function callItem(id: string, call: ToolCall, form: CallForm | undefined): Item {
  const { name, arguments: given } = call;
  const called = {
    id,
    call_id: call.id,
    name: form?.name ?? name,
    ...(form?.namespace ? { namespace: form.namespace } : {}),
  };
  if (form?.form === 'free-text')
    return { ...called, type: 'custom_tool_call', input: freeText(given) ?? given };
  const action = asObject(given) as { [key: string]: Json };
  if (form?.form === 'local-shell' && Array.isArray(action.command))
    return { id, call_id: call.id, type: 'local_shell_call', action: { env: {}, ...action, type: 'exec' } };
  return { ...called, type: 'function_call', arguments: given };
}

type Piece = readonly [type: string, fields: { [key: string]: Json }];

/** An item as it begins, and the events that complete it. */
function inPieces(item: Item): { start: Item; pieces: Piece[] } {
  switch (item.type) {
    case 'reasoning': {
      const [part] = item.summary as [{ text: string; type: string }];
      const at = { summary_index: 0 };
      return {
        start: { ...item, summary: [] },
        pieces: [
          ['reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }],
          ['reasoning_summary_text.delta', { ...at, delta: part.text }],
          ['reasoning_summary_text.done', { ...at, text: part.text }],
          ['reasoning_summary_part.done', { ...at, part }],
        ],
      };
    }
    case 'message': {
      const [part] = item.content as [{ text: string; type: string }];
      const at = { content_index: 0 };
      return {
        start: { ...item, content: [] },
        pieces: [
          ['content_part.added', { ...at, part: { ...part, text: '' } }],
          ['output_text.delta', { ...at, delta: part.text, logprobs: [] }],
          ['output_text.done', { ...at, text: part.text, logprobs: [] }],
          ['content_part.done', { ...at, part }],
        ],
      };
    }
    case 'function_call':
      return {
        start: { ...item, arguments: '' },
        pieces: [
          ['function_call_arguments.delta', { delta: item.arguments! }],
          ['function_call_arguments.done', { name: item.name!, arguments: item.arguments! }],
        ],
      };
    case 'custom_tool_call':
      return {
        start: { ...item, input: '' },
        pieces: [
          ['custom_tool_call_input.delta', { delta: item.input! }],
          ['custom_tool_call_input.done', { input: item.input! }],
        ],
      };
    default:
      return { start: item, pieces: [] };
  }
}
