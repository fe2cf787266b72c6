/** OpenAI's responses, which Codex speaks: how requests are read. `responses-output.ts` writes the answers. */
import { type Fields, isFields, parsedJson } from '../../basics/json.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ToolDefinition } from '../policy.ts';
import { asText, FREE_TEXT } from './arguments.ts';
import type { CallForm, Dialect, DialectRequest, Label, RequestHeaders } from './dialect.ts';
import { COMMENT } from './events.ts';
import { History } from './history.ts';
import { labelOf } from './labels.ts';
import { CUSTOM, offeredAsFunction, openaiError, openaiModels, STATUS } from './openai.ts';
import { isAbsent, joined, Reading, textOrNull, typeName } from './reading.ts';
import { failedEvent, writeResponse, writeResponseEvents } from './responses-output.ts';
import { unsealed } from './thoughts.ts';

export const openaiResponses: Dialect = {
  name: 'openai-responses',

  route(method, path) {
    if (method !== 'POST') return null;
    if (path === '/v1/responses') return { action: 'generate', stream: null, model: null };
    return path === '/v1/responses/input_tokens' ? { action: 'count', stream: null, model: null } : null;
  },

  read(body, headers) {
    const reading = new Reading();
    const { instructions, input, tools, ...sent } = reading.body(body);
    for (const kept of ['previous_response_id', 'conversation'])
      if (!isAbsent(sent[kept]))
        reading.wrong(kept, 'is not taken: nothing is kept, so send the whole input');
    const items = new Items(reading);
    items.history.system(reading.optionalText(instructions, 'instructions'));
    if (typeof input === 'string') items.history.user(input);
    else
      reading.filled(input, 'input').forEach((item, at) => {
        items.read(reading.fields(item, `input[${at}]`), `input[${at}]`);
      });
    return reading.result<DialectRequest>({
      messages: items.messages(),
      ...readTools(reading, tools),
      stream: sent.stream === true,
      sent,
      label: labelOf(headers, turnOf(sent.client_metadata, headers)),
      leftOut: [...reading.leftOut],
    });
  },

  write: writeResponse,

  stream: writeResponseEvents,

  keepAlive: COMMENT,

  error: (code, message) => ({
    status: STATUS[code],
    body: openaiError(code, message),
    event: failedEvent(code, message),
  }),

  count: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),

  models: openaiModels,
};

const CALLS = ['function_call', 'custom_tool_call', 'local_shell_call'];
const OUTPUTS = CALLS.map((type) => `${type}_output`);

/** Thoughts, text and calls are items of their own; those of one reply become one message. */
class Items {
  readonly history = new History();
  readonly #reading: Reading;
  #reply: { content: string | null; thoughts: string[]; calls: ToolCall[] } | null = null;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  messages() {
    this.#endReply();
    return this.history.messages;
  }

  read(item: Fields, field: string): void {
    const type = item.type ?? 'message';
    if (type === 'message') this.#message(item, field);
    else if (type === 'reasoning') this.#reasoning(item, field);
    else if (CALLS.includes(typeName(type))) this.#begun().calls.push(readCall(this.#reading, item, field));
    else if (OUTPUTS.includes(typeName(type))) this.#output(item, field);
    else if (type === 'item_reference')
      this.#reading.wrong(field, 'refers to an item, but nothing is kept: send the item');
    else this.#reading.leaveOut(`Items of type ${typeName(type)} are left out.`);
  }

  #message(item: Fields, field: string): void {
    const text = this.#text(item.content, `${field}.content`);
    if (item.role === 'assistant') {
      const reply = this.#reply;
      if (reply !== null && (reply.content !== null || reply.calls.length > 0)) this.#endReply();
      this.#begun().content = text;
      return;
    }
    this.#endReply();
    if (item.role === 'user') this.history.user(text);
    else if (item.role === 'system' || item.role === 'developer') this.history.system(text);
    else this.#reading.wrong(`${field}.role`, 'must be user, assistant, system or developer');
  }

  #reasoning({ summary, content, encrypted_content: seal }: Fields, field: string): void {
    const shown = () => this.#text(content, `${field}.content`) || this.#text(summary, `${field}.summary`);
    const reply = this.#reply;
    if (reply !== null && (reply.content !== null || reply.calls.length > 0)) this.#endReply();
    this.#begun().thoughts.push(unsealed(seal) ?? shown());
  }

  #output(item: Fields, field: string): void {
    this.#endReply();
    const id = this.#reading.text(item.call_id ?? item.id, `${field}.call_id`);
    this.history.tool(id, this.#text(item.output, `${field}.output`));
  }

  #text(value: unknown, field: string): string {
    return this.#reading.textOrParts(value, field, (part) => {
      const text = part.text ?? part.refusal;
      return typeof text === 'string' ? text : this.#reading.placeholder(part.type);
    });
  }

  #begun() {
    this.#reply ??= { content: null, thoughts: [], calls: [] };
    return this.#reply;
  }

  #endReply(): void {
    if (this.#reply === null) return;
    const { content, thoughts, calls } = this.#reply;
    this.history.assistant(content ?? '', joined(thoughts), calls);
    this.#reply = null;
  }
}

function readCall(reading: Reading, item: Fields, field: string): ToolCall {
  const id = reading.text(item.call_id ?? item.id, `${field}.call_id`);
  if (item.type === 'local_shell_call') {
    const { type: _, env, ...action } = reading.fields(item.action, `${field}.action`);
    const hasEnv = isFields(env) && Object.keys(env).length > 0;
    return { id, name: LOCAL_SHELL.name, arguments: asText({ ...action, ...(hasEnv ? { env } : {}) }) };
  }
  const name = flatName(textOrNull(item.namespace), reading.text(item.name, `${field}.name`));
  if (item.type === 'custom_tool_call')
    return { id, name, arguments: asText({ input: reading.text(item.input, `${field}.input`) }) };
  return { id, name, arguments: reading.text(item.arguments, `${field}.arguments`) };
}

/** The vendor's tool for commands, which has no definition on the wire. */
const LOCAL_SHELL: ToolDefinition = {
  name: 'local_shell',
  description: 'Runs a command and shows what it prints.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
      working_directory: { type: 'string', description: 'The folder in which it runs.' },
      timeout_ms: { type: 'integer', description: 'Milliseconds after which it is ended.' },
    },
    required: ['command'],
  },
};

function readTools(reading: Reading, value: unknown): Pick<DialectRequest, 'tools' | 'callForms'> {
  const tools: ToolDefinition[] = [];
  const callForms = new Map<string, CallForm>();
  const add = (tool: ToolDefinition, form: CallForm['form'], namespace: string | null) => {
    const flat = { ...tool, name: flatName(namespace, tool.name) };
    if (form !== 'function' || namespace !== null)
      callForms.set(flat.name, { form, namespace, name: tool.name });
    tools.push(flat);
  };
  const read = (listed: unknown, field: string, namespace: string | null): void =>
    reading.list(listed, field).forEach((each, at) => {
      const place = `${field}[${at}]`;
      const tool = reading.fields(each, place);
      if (tool.type === 'function')
        add(reading.tool(tool.name, tool.description, tool.parameters, place), 'function', namespace);
      else if (tool.type === CUSTOM) {
        const custom = reading.tool(tool.name, tool.description, FREE_TEXT, place);
        reading.leaveOut(offeredAsFunction(custom.name));
        add(custom, 'free-text', namespace);
      } else if (tool.type === 'local_shell') add(LOCAL_SHELL, 'local-shell', null);
      else if (tool.type === 'namespace' && namespace === null) {
        const name = reading.text(tool.name, `${place}.name`);
        reading.leaveOut(`The tools of the namespace ${name} are offered with the namespace in their names.`);
        read(tool.tools, `${place}.tools`, name);
      } else reading.foreignTool(tool.type);
    });
  read(value, 'tools', null);
  return { tools, callForms };
}

function flatName(namespace: string | null, name: string): string {
  if (namespace === null) return name;
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`;
}

/** What Codex calls the agent that has no other above it, and sub-agents that have no name. */
const ROOT = '/root';

/** What Codex says of itself, in its metadata or in a header of the same name. */
function turnOf(metadata: unknown, headers: RequestHeaders): Partial<Label> {
  const name = 'x-codex-turn-metadata';
  const held = (isFields(metadata) ? textOrNull(metadata[name]) : null) ?? headers.get(name);
  const turn = held === null ? null : parsedJson(held);
  if (!isFields(turn)) return {};
  const request = textOrNull(turn.request_kind);
  const agent = textOrNull(turn.agent_name);
  return {
    session: textOrNull(turn.session_id) ?? textOrNull(turn.thread_id),
    agent: agent !== ROOT ? agent : turn.thread_source === 'subagent' ? textOrNull(turn.thread_id) : null,
    kind: request === null ? null : request === 'turn' ? 'main' : 'side',
  };
}
