/** Anthropic's messages, which Claude Code speaks. */

import type { Json } from '../../basics/canonical.ts';
import { type Fields, isFields, parsedJson } from '../../basics/json.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import { asObject, asText } from './arguments.ts';
import type { AnswerIds, Dialect, DialectRequest, ErrorCode, Label, Written } from './dialect.ts';
import { event } from './events.ts';
import { asError, History } from './history.ts';
import { labelOf } from './labels.ts';
import { CUSTOM } from './openai.ts';
import { isAbsent, joined, Reading, textOrNull } from './reading.ts';
import { sealed, unsealed } from './thoughts.ts';

export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',

  route(method, path, _query, headers) {
    if (method === 'POST' && path === '/v1/messages')
      return { action: 'generate', stream: null, model: null };
    if (method === 'POST' && path === '/v1/messages/count_tokens')
      return { action: 'count', stream: null, model: null };
    const isOurs = headers.get('anthropic-version') !== null;
    return method === 'GET' && path === '/v1/models' && isOurs ? { action: 'models' } : null;
  },

  read(body, headers) {
    const reading = new Reading();
    const { system, messages, tools, ...sent } = reading.body(body);
    const history = new History();
    history.system(reading.textOrParts(system, 'system', (part) => systemText(reading, part)));
    reading.filled(messages, 'messages').forEach((message, at) => {
      readMessage(reading, history, reading.fields(message, `messages[${at}]`), `messages[${at}]`);
    });
    return reading.result<DialectRequest>({
      messages: history.messages,
      tools: readTools(reading, tools),
      stream: sent.stream === true,
      sent,
      label: labelOf(headers, { session: sessionOf(sent.metadata) }),
      leftOut: [...reading.leftOut],
      callForms: new Map(),
    });
  },

  write(reply, _request, ids) {
    return {
      ...head(reply, ids),
      content: blocks(reply),
      stop_reason: stopReason(reply),
      stop_sequence: null,
    };
  },

  stream(reply, _request, ids) {
    const started = { ...head(reply, ids), content: [], stop_reason: null, stop_sequence: null };
    const events = [named({ type: 'message_start', message: started })];
    blocks(reply).forEach((block, index) => {
      const { start, deltas } = inPieces(block);
      events.push(named({ type: 'content_block_start', index, content_block: start }));
      for (const delta of deltas) events.push(named({ type: 'content_block_delta', index, delta }));
      events.push(named({ type: 'content_block_stop', index }));
    });
    const delta = { stop_reason: stopReason(reply), stop_sequence: null };
    events.push(named({ type: 'message_delta', delta, usage: usage(reply) }));
    return [...events, named({ type: 'message_stop' })];
  },

  keepAlive: named({ type: 'ping' }),

  error(code, message) {
    const shown = code === 'context' ? `prompt is too long: ${message}` : message;
    const [status, type] = ERRORS[code];
    const body = { type: 'error', error: { type, message: shown } };
    return { status, body, event: named(body) };
  },

  count: (tokens) => ({ input_tokens: tokens }),

  models(name, context) {
    const window = context === null ? {} : { max_input_tokens: context };
    const model = {
      type: 'model',
      id: name,
      display_name: name,
      created_at: '1970-01-01T00:00:00Z',
      ...window,
    };
    return { data: [model], has_more: false, first_id: name, last_id: name };
  },
};

/**
 * After status 400 Claude Code asks up to five times more, without what it takes for new; after 401 it asks for minutes. 402 and
 * 403 it takes for final.
 */
const ERRORS: Readonly<Record<ErrorCode, readonly [status: number, type: string]>> = {
  invalid: [400, 'invalid_request_error'],
  limit: [402, 'billing_error'],
  context: [400, 'invalid_request_error'],
  auth: [403, 'permission_error'],
  'not-found': [404, 'not_found_error'],
  internal: [402, 'billing_error'],
  'too-large': [413, 'request_too_large'],
};

/** Claude Code begins its system prompt with a line for billing that is another one in each request. */
function systemText(reading: Reading, part: Fields): string {
  const text = textOf(reading, part);
  if (!text.startsWith('x-anthropic-billing-header:')) return text;
  reading.leaveOut(
    'The line for billing in the system prompt is left out, since it changes with each request.',
  );
  return '';
}

function readMessage(reading: Reading, history: History, message: Fields, field: string): void {
  const { role, content } = message;
  if (isAbsent(content)) reading.wrong(`${field}.content`, 'must be text or a list of parts');
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const read = reading.list(parts, `${field}.content`).map((part, at) => ({
    part: reading.fields(part, `${field}.content[${at}]`),
    at: `${field}.content[${at}]`,
  }));
  if (role === 'assistant') readReply(reading, history, read);
  else if (role === 'user') readUser(reading, history, read);
  else if (role === 'system') history.system(joined(read.map(({ part }) => textOf(reading, part))));
  else reading.wrong(`${field}.role`, 'must be user, assistant or system');
}

type Parts = readonly { part: Fields; at: string }[];

/** Results of tools are messages of their own. */
function readUser(reading: Reading, history: History, parts: Parts): void {
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) history.user(joined(texts));
    texts = [];
  };
  for (const { part, at } of parts) {
    if (part.type === 'tool_result') {
      flush();
      const id = reading.text(part.tool_use_id, `${at}.tool_use_id`);
      const text = reading.textOrParts(part.content, `${at}.content`, (each) => textOf(reading, each));
      history.tool(id, part.is_error === true ? asError(text) : text);
    } else texts.push(textOf(reading, part));
  }
  if (parts.length === 0) history.user('');
  flush();
}

function readReply(reading: Reading, history: History, parts: Parts): void {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: ToolCall[] = [];
  for (const { part, at } of parts) {
    if (part.type === 'thinking') {
      thoughts.push(unsealed(part.signature) ?? reading.optionalText(part.thinking, `${at}.thinking`));
    } else if (part.type === 'redacted_thinking') {
      reading.leaveOut('Redacted thoughts are left out, since only their vendor can read them.');
    } else if (part.type === 'tool_use') {
      calls.push({
        id: reading.text(part.id, `${at}.id`),
        name: reading.text(part.name, `${at}.name`),
        arguments: asText(isAbsent(part.input) ? {} : reading.fields(part.input, `${at}.input`)),
      });
    } else texts.push(textOf(reading, part));
  }
  history.assistant(joined(texts), joined(thoughts), calls);
}

function textOf(reading: Reading, part: Fields): string {
  return part.type === 'text' && typeof part.text === 'string' ? part.text : reading.placeholder(part.type);
}

function readTools(reading: Reading, value: unknown): DialectRequest['tools'] {
  return reading.list(value, 'tools').flatMap((each, at) => {
    const tool = reading.fields(each, `tools[${at}]`);
    if (isAbsent(tool.type) || tool.type === CUSTOM)
      return [reading.tool(tool.name, tool.description, tool.input_schema, `tools[${at}]`)];
    reading.foreignTool(tool.type);
    return [];
  });
}

/** Claude Code names its session in `metadata.user_id`: as JSON, or after `_session_` in older versions. */
function sessionOf(metadata: unknown): Label['session'] {
  const user = isFields(metadata) ? textOrNull(metadata.user_id) : null;
  if (user === null) return null;
  const parsed = parsedJson(user);
  if (isFields(parsed)) return textOrNull(parsed.session_id);
  return /_session_([\w-]+)$/.exec(user)?.[1] ?? null;
}

function named(data: { type: string } & Record<string, Json>): string {
  return event(data, data.type);
}

function head(reply: Written, { id, model }: AnswerIds) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, usage: usage(reply) };
}

type Block =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: { [key: string]: Json } };

function blocks({ content, reasoning, toolCalls }: Written): Block[] {
  const thinking: Block[] = reasoning
    ? [{ type: 'thinking', thinking: reasoning, signature: sealed(reasoning) }]
    : [];
  const text: Block[] = content === '' ? [] : [{ type: 'text', text: content }];
  const calls = toolCalls.map<Block>(({ id, name, arguments: given }) => ({
    type: 'tool_use',
    id,
    name,
    input: asObject(given) as { [key: string]: Json },
  }));
  return [...thinking, ...text, ...calls];
}

/** A block as it begins, and what is added to it. */
function inPieces(block: Block): { start: Json; deltas: Json[] } {
  switch (block.type) {
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      };
    case 'text':
      return { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: block.text }] };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
      };
  }
}

function stopReason({ truncated, toolCalls }: Written): string {
  if (truncated) return 'max_tokens';
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

function usage({ promptTokens, completionTokens }: Written): { [key: string]: Json } {
  return {
    input_tokens: promptTokens ?? 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: completionTokens ?? 0,
  };
}
