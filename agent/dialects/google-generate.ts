/** Google's generateContent, which Gemini CLI speaks. */

import type { Json } from '../../basics/canonical.ts';
import { type Fields, isFields } from '../../basics/json.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ToolDefinition } from '../policy.ts';
import { asObject, asText } from './arguments.ts';
import type { AnswerIds, Dialect, DialectRequest, ErrorCode, Written } from './dialect.ts';
import { event } from './events.ts';
import { asError, History } from './history.ts';
import { labelOf } from './labels.ts';
import { STATUS } from './openai.ts';
import { isAbsent, joined, Reading, textOrNull } from './reading.ts';
import { sealed, unsealed } from './thoughts.ts';

const PATH = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

export const googleGenerate: Dialect = {
  name: 'google-generate',

  route(method, path, query) {
    if (method === 'GET') return /^\/v1(?:beta|alpha)\/models$/.test(path) ? { action: 'models' } : null;
    const [, model, verb] = PATH.exec(path) ?? [];
    if (method !== 'POST' || model === undefined) return null;
    if (verb === 'countTokens') return { action: 'count', stream: false, model };
    if (verb === 'generateContent') return { action: 'generate', stream: false, model };
    // The other form of a stream is a list in JSON, which no agent asks for.
    return query.get('alt') === 'sse' ? { action: 'generate', stream: true, model } : null;
  },

  read(body, headers, route) {
    const reading = new Reading();
    const whole = reading.body(body);
    const asked = isFields(whole.generateContentRequest) ? whole.generateContentRequest : whole;
    const { contents, systemInstruction, system_instruction, tools, ...sent } = asked;
    const history = new History();
    history.system(systemText(reading, systemInstruction ?? system_instruction));
    const open = new OpenCalls();
    reading.filled(contents, 'contents').forEach((content, at) => {
      readContent(reading, history, open, reading.fields(content, `contents[${at}]`), `contents[${at}]`);
    });
    return reading.result<DialectRequest>({
      messages: history.messages,
      tools: readTools(reading, tools),
      stream: route.action !== 'models' && route.stream === true,
      sent,
      label: labelOf(headers),
      leftOut: [...reading.leftOut],
      callForms: new Map(),
    });
  },

  write: (reply, _request, ids) => answer(ids, parts(reply), reply),

  stream(reply, _request, ids) {
    const all = parts(reply);
    return all.map((part, at) => event(answer(ids, [part], at === all.length - 1 ? reply : null)));
  },

  // The client within Gemini CLI takes a comment for a broken event, and skips white space.
  keepAlive: '\n\n',

  error(code, message) {
    const status = STATUS[code];
    const shown = code === 'context' ? `The input token count exceeds the maximum: ${message}` : message;
    const body = { error: { code: status, message: shown, status: NAMES[code] } };
    return { status, body, event: event(body) };
  },

  count: (tokens) => ({ totalTokens: tokens }),

  models(name, context) {
    const window = context === null ? {} : { inputTokenLimit: context, outputTokenLimit: context };
    const supportedGenerationMethods = ['generateContent', 'countTokens'];
    return { models: [{ name: `models/${name}`, displayName: name, ...window, supportedGenerationMethods }] };
  },
};

const NAMES: Readonly<Record<ErrorCode, string>> = {
  invalid: 'INVALID_ARGUMENT',
  limit: 'FAILED_PRECONDITION',
  context: 'INVALID_ARGUMENT',
  auth: 'UNAUTHENTICATED',
  'not-found': 'NOT_FOUND',
  internal: 'FAILED_PRECONDITION',
  'too-large': 'INVALID_ARGUMENT',
};

/** Calls that have no answer yet. Calls and answers without ids are matched by name and order. */
class OpenCalls {
  #count = 0;
  #open: ToolCall[] = [];

  begin(id: string | null, name: string, given: string): ToolCall {
    const call = { id: id ?? `call_${this.#count}`, name, arguments: given };
    this.#count += 1;
    this.#open.push(call);
    return call;
  }

  /** The id of the call that is answered. */
  end(id: string | null, name: string): string {
    const at = this.#open.findIndex((call) => (id === null ? call.name === name : call.id === id));
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    return call?.id ?? id ?? `call_of_${name}`;
  }
}

function systemText(reading: Reading, value: unknown): string {
  if (isAbsent(value) || typeof value === 'string') return value ?? '';
  const parts = Array.isArray(value) ? value : reading.fields(value, 'systemInstruction').parts;
  const listed = isFields(parts) ? [parts] : parts;
  return reading.textOrParts(listed, 'systemInstruction', (part) => textOf(reading, part));
}

function readContent(reading: Reading, history: History, open: OpenCalls, content: Fields, field: string) {
  const parts = reading.list(content.parts, `${field}.parts`).map((part, at) => ({
    part: reading.fields(part, `${field}.parts[${at}]`),
    at: `${field}.parts[${at}]`,
  }));
  const role = content.role ?? 'user';
  if (role === 'model') readReply(reading, history, open, parts);
  else if (role === 'user' || role === 'function') readUser(reading, history, open, parts);
  else if (role === 'system') history.system(joined(parts.map(({ part }) => textOf(reading, part))));
  else reading.wrong(`${field}.role`, 'must be user or model');
}

type Parts = readonly { part: Fields; at: string }[];

function readUser(reading: Reading, history: History, open: OpenCalls, parts: Parts): void {
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) history.user(joined(texts));
    texts = [];
  };
  for (const { part, at } of parts) {
    const answer = part.functionResponse ?? part.function_response;
    if (isAbsent(answer)) {
      texts.push(textOf(reading, part));
      continue;
    }
    flush();
    const { id, name, response } = reading.fields(answer, `${at}.functionResponse`);
    const called = open.end(textOrNull(id), reading.text(name, `${at}.functionResponse.name`));
    history.tool(called, responseText(reading, response, `${at}.functionResponse.response`));
  }
  flush();
}

/** Agents answer with one text under `output` or `error`; what else they say is shown as JSON. */
function responseText(reading: Reading, response: unknown, field: string): string {
  if (isAbsent(response)) return '';
  const fields = reading.fields(response, field);
  const [key, ...others] = Object.keys(fields);
  const text = key === undefined ? '' : fields[key];
  if (others.length > 0 || typeof text !== 'string') return JSON.stringify(fields);
  if (key === 'error') return asError(text);
  return key === undefined || key === 'output' ? text : JSON.stringify(fields);
}

function readReply(reading: Reading, history: History, open: OpenCalls, parts: Parts): void {
  const texts: string[] = [];
  const shown: string[] = [];
  const seals = new Set<string>();
  const calls: ToolCall[] = [];
  for (const { part, at } of parts) {
    const seal = unsealed(part.thoughtSignature ?? part.thought_signature);
    if (seal !== null) seals.add(seal);
    const call = part.functionCall ?? part.function_call;
    if (part.thought === true) shown.push(reading.optionalText(part.text, `${at}.text`));
    else if (!isAbsent(call)) {
      const { id, name, args } = reading.fields(call, `${at}.functionCall`);
      const given = isAbsent(args) ? {} : reading.fields(args, `${at}.functionCall.args`);
      calls.push(open.begin(textOrNull(id), reading.text(name, `${at}.functionCall.name`), asText(given)));
    } else texts.push(textOf(reading, part));
  }
  history.assistant(joined(texts), joined(seals.size > 0 ? [...seals] : shown), calls);
}

function textOf(reading: Reading, part: Fields): string {
  if (typeof part.text === 'string') return part.text;
  const data = part.inlineData ?? part.inline_data ?? part.fileData ?? part.file_data;
  const type = isFields(data) ? (data.mimeType ?? data.mime_type) : Object.keys(part)[0];
  return reading.placeholder(type);
}

function readTools(reading: Reading, value: unknown): ToolDefinition[] {
  return reading.list(value, 'tools').flatMap((each, at) => {
    const { functionDeclarations, function_declarations, ...others } = reading.fields(each, `tools[${at}]`);
    for (const name of Object.keys(others)) reading.foreignTool(name);
    const field = `tools[${at}].functionDeclarations`;
    return reading.list(functionDeclarations ?? function_declarations, field).map((declared, index) => {
      const tool = reading.fields(declared, `${field}[${index}]`);
      const schema = tool.parametersJsonSchema ?? tool.parameters_json_schema;
      const parameters = schema ?? lowerCaseTypes(tool.parameters);
      return reading.tool(tool.name, tool.description, parameters, `${field}[${index}]`);
    });
  });
}

/** Google's own schemas are JSON Schema with types in capitals. */
function lowerCaseTypes(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  const changed: Fields = { ...schema };
  if (typeof schema.type === 'string') changed.type = schema.type.toLowerCase();
  if (isFields(schema.properties))
    changed.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, each]) => [name, lowerCaseTypes(each)]),
    );
  if (schema.items !== undefined) changed.items = lowerCaseTypes(schema.items);
  if (Array.isArray(schema.anyOf)) changed.anyOf = schema.anyOf.map(lowerCaseTypes);
  return changed;
}

/** Gemini CLI forgets thoughts and keeps the signatures of calls, so these hold the thoughts too. */
function parts({ content, reasoning, toolCalls }: Written): Json[] {
  const seal = reasoning ? { thoughtSignature: sealed(reasoning) } : {};
  const thoughts = reasoning ? [{ text: reasoning, thought: true, ...seal }] : [];
  const calls = toolCalls.map(({ id, name, arguments: given }, at) => ({
    functionCall: { id, name, args: asObject(given) as { [key: string]: Json } },
    ...(at === 0 ? seal : {}),
  }));
  const text = content === '' && calls.length > 0 ? [] : [{ text: content }];
  return [...thoughts, ...text, ...calls];
}

/** `reply`: the whole one, with the last part; null: more parts follow. */
function answer({ id, model }: AnswerIds, parts: Json[], reply: Written | null): Json {
  const content = { role: 'model', parts };
  const about = { responseId: id, modelVersion: model };
  if (reply === null) return { candidates: [{ content, index: 0 }], ...about };
  const promptTokenCount = reply.promptTokens ?? 0;
  const candidatesTokenCount = reply.completionTokens ?? 0;
  return {
    candidates: [{ content, finishReason: reply.truncated ? 'MAX_TOKENS' : 'STOP', index: 0 }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount,
      totalTokenCount: promptTokenCount + candidatesTokenCount,
    },
    ...about,
  };
}
