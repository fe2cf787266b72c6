/** OpenAI's chat completions, which most agents and servers speak. */

import type { Json } from '../../basics/canonical.ts';
import { type Fields, isFields } from '../../basics/json.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ToolDefinition } from '../policy.ts';
import { asText, FREE_TEXT, freeText } from './arguments.ts';
import type { AnswerIds, CallForm, Dialect, DialectRequest, Written } from './dialect.ts';
import { COMMENT, event } from './events.ts';
import { History } from './history.ts';
import { labelOf } from './labels.ts';
import { CUSTOM, offeredAsFunction, openaiError, openaiModels, STATUS } from './openai.ts';
import { isAbsent, Reading } from './reading.ts';

export const openaiChat: Dialect = {
  name: 'openai-chat',

  route(method, path, _query, headers) {
    if (method === 'POST' && path === '/v1/chat/completions')
      return { action: 'generate', stream: null, model: null };
    const isOthers = headers.get('anthropic-version') !== null;
    return method === 'GET' && path === '/v1/models' && !isOthers ? { action: 'models' } : null;
  },

  read(body, headers) {
    const reading = new Reading();
    const { messages, tools, ...sent } = reading.body(body);
    const history = new History();
    reading.filled(messages, 'messages').forEach((message, at) => {
      readMessage(reading, history, reading.fields(message, `messages[${at}]`), `messages[${at}]`);
    });
    if (!isAbsent(sent.n) && sent.n !== 1)
      reading.wrong('n', 'must be 1: a rollout has one reply for a request');
    for (const old of ['functions', 'function_call'])
      if (!isAbsent(sent[old])) reading.wrong(old, 'is no longer taken: use tools');
    return reading.result<DialectRequest>({
      messages: history.messages,
      ...readTools(reading, tools),
      stream: sent.stream === true,
      sent,
      label: labelOf(headers),
      leftOut: [...reading.leftOut],
    });
  },

  write(reply, request, ids) {
    return {
      ...head(ids, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', refusal: null, ...message(reply, request) },
          logprobs: null,
          finish_reason: finish(reply),
        },
      ],
      usage: usage(reply),
    };
  },

  stream(reply, request, ids) {
    const chunk = (delta: Json, finish_reason: string | null) =>
      event({
        ...head(ids, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      });
    const { tool_calls: calls = [], ...text } = message(reply, request);
    const events = [chunk({ role: 'assistant', ...text }, null)];
    calls.forEach((call, index) => {
      events.push(chunk({ tool_calls: [{ index, ...call }] }, null));
    });
    events.push(chunk({}, finish(reply)));
    const { stream_options: options } = request.sent;
    if (isFields(options) && options.include_usage === true)
      events.push(event({ ...head(ids, 'chat.completion.chunk'), choices: [], usage: usage(reply) }));
    return [...events, 'data: [DONE]\n\n'];
  },

  keepAlive: COMMENT,

  error(code, message) {
    const body = openaiError(code, message);
    return { status: STATUS[code], body, event: event(body) };
  },

  count: (tokens) => ({ input_tokens: tokens }),

  models: openaiModels,
};

function readMessage(reading: Reading, history: History, message: Fields, field: string): void {
  const content = () =>
    reading.textOrParts(message.content, `${field}.content`, (part) => textOf(reading, part));
  switch (message.role) {
    case 'system':
    case 'developer':
      history.system(content());
      break;
    case 'user':
      history.user(content());
      break;
    case 'tool':
      history.tool(reading.text(message.tool_call_id, `${field}.tool_call_id`), content());
      break;
    case 'assistant':
      history.assistant(
        content() || reading.optionalText(message.refusal, `${field}.refusal`),
        reading.optionalText(message.reasoning_content ?? message.reasoning, `${field}.reasoning_content`),
        reading
          .list(message.tool_calls, `${field}.tool_calls`)
          .map((call, at) => readCall(reading, call, `${field}.tool_calls[${at}]`)),
      );
      break;
    default:
      reading.wrong(`${field}.role`, 'must be system, developer, user, assistant or tool');
  }
}

/** `refusal` is the model's own text, too. */
function textOf(reading: Reading, part: Fields): string {
  const text = part.text ?? part.refusal;
  return typeof text === 'string' ? text : reading.placeholder(part.type);
}

function readCall(reading: Reading, value: unknown, field: string): ToolCall {
  const call = reading.fields(value, field);
  const id = reading.text(call.id, `${field}.id`);
  if (call.type === CUSTOM) {
    const { name, input } = reading.fields(call.custom, `${field}.custom`);
    return {
      id,
      name: reading.text(name, `${field}.custom.name`),
      arguments: asText({ input: reading.text(input, `${field}.custom.input`) }),
    };
  }
  const { name, arguments: given } = reading.fields(call.function, `${field}.function`);
  return {
    id,
    name: reading.text(name, `${field}.function.name`),
    arguments: isFields(given) ? asText(given) : reading.optionalText(given, `${field}.function.arguments`),
  };
}

function readTools(reading: Reading, value: unknown): Pick<DialectRequest, 'tools' | 'callForms'> {
  const tools: ToolDefinition[] = [];
  const callForms = new Map<string, CallForm>();
  reading.list(value, 'tools').forEach((each, at) => {
    const tool = reading.fields(each, `tools[${at}]`);
    if (tool.type === CUSTOM) {
      const { name, description } = reading.fields(tool.custom, `tools[${at}].custom`);
      const read = reading.tool(name, description, FREE_TEXT, `tools[${at}].custom`);
      reading.leaveOut(offeredAsFunction(read.name));
      callForms.set(read.name, { form: 'free-text', namespace: null, name: read.name });
      tools.push(read);
    } else if (isAbsent(tool.type) || tool.type === 'function') {
      const { name, description, parameters } = reading.fields(tool.function, `tools[${at}].function`);
      tools.push(reading.tool(name, description, parameters, `tools[${at}].function`));
    } else reading.foreignTool(tool.type);
  });
  return { tools, callForms };
}

function head({ id, model, created }: AnswerIds, object: string) {
  return { id: `chatcmpl-${id}`, object, created, model };
}

function message({ content, reasoning, toolCalls }: Written, { callForms }: DialectRequest) {
  const calls = toolCalls.map(({ id, name, arguments: given }) =>
    callForms.get(name)?.form === 'free-text'
      ? { id, type: CUSTOM, custom: { name, input: freeText(given) ?? given } }
      : { id, type: 'function', function: { name, arguments: given } },
  );
  return {
    content: content === '' && calls.length > 0 ? null : content,
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function finish({ truncated, toolCalls }: Written): string {
  if (truncated) return 'length';
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function usage({ promptTokens, completionTokens }: Written): Json {
  const prompt_tokens = promptTokens ?? 0;
  const completion_tokens = completionTokens ?? 0;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
