/**
 * The stand-in engine: real HTTP, a real tokenizer, and scripts in the place of a model. It speaks the chat completions of SGLang and
 * vLLM and SGLang's `/generate`. Each token that it writes has a log-probability of its own, so a trained token shows which one it is.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Written } from '../../agent/actions/action.ts';
import type { ToolDefinition } from '../../agent/policy.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { ModelTokenizer, TemplateMessage } from '../../agent/tokens/tokenizer.ts';
import { denyForeign, loopbackNames } from '../../basics/entry.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Shown, shownOf } from './prompts.ts';
import { ASIDE, type Move, SCRIPT_NAMES, type ScriptName, scriptOf, type Task } from './scripts.ts';
import { speechFor } from './speech.ts';

/** One reply of the policy. */
export interface Call {
  /** Of the rollout, from 0. */
  rollout: number;
  /** aside: it asked for no action, and is a conversation of its own. */
  script: ScriptName | 'aside';
  prompt: number;
  /** What it answers to. */
  shown: readonly number[];
  ids: number[];
  /** Number of its first token; the log-probability of token n is -n × STEP. */
  first: number;
  maxTokens: number | null;
  temperature: number | null;
  route: 'chat' | 'generate';
  version: number;
  text: string;
}

export interface EngineLog {
  calls: Call[];
  /** Requests that were too long for the engine. */
  refused: { rollout: number; prompt: number }[];
  /** Requests to judge a step. */
  judged: number;
  /** Connections that were ended on purpose. */
  dropped: number;
  /** Ways in which conversations by messages began. */
  shown: Shown[];
}

export interface Engine {
  readonly url: string;
  readonly port: number;
  readonly log: EngineLog;
  close(): Promise<void>;
}

export interface EngineOptions {
  port: number;
  protocol: 'sglang' | 'vllm';
  tokenizer: ModelTokenizer;
  settings: AgentSettings;
  tasks: readonly Task[];
  model: string;
  /** Tokens of prompt and reply that it takes. */
  window: number;
}

/** Log-probability of the first token. Single precision distinguishes all tokens of a rehearsal. */
export const STEP = 1e-6;
const TAG = /\[rehearsal-(\d+)\]/g;
/** What asks for a judgement, and no policy is asked for. */
const BOXED = '\\boxed{';
/** Tokens of a reply where the request names no limit. */
const REPLY = 4096;

type Body = Record<string, unknown>;

interface Conversation {
  name: Call['script'];
  task: Task;
  turns: number;
  attempts: Map<number, number>;
}

/** The fault says why it cannot listen. */
export async function startEngine(options: EngineOptions): Promise<Result<Engine, string>> {
  const engine = new StandIn(options);
  let names: ReadonlySet<string> = new Set();
  const server = createServer((request, response) => {
    const denied = denyForeign(request.headers, names);
    if (denied !== null)
      return void response.writeHead(denied.status, { connection: 'close' }).end(denied.why);
    // What breaks shows itself as a broken connection, which the rehearsal reports.
    engine.serve(request, response).catch(() => response.destroy());
  });
  const refused = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(options.port, '127.0.0.1', () => resolve(null));
  });
  if (refused !== null)
    return fault(refused.code === 'EADDRINUSE' ? `port ${options.port} is taken` : refused.message);
  const { port } = server.address() as AddressInfo;
  // Configurations write the address that engines listen on as the one to ask, which loopback answers, too.
  names = new Set([...loopbackNames('127.0.0.1', port), `0.0.0.0:${port}`]);
  return success({ url: `http://127.0.0.1:${port}/v1`, port, log: engine.log, close: () => closed(server) });
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

class StandIn {
  readonly log: EngineLog = { calls: [], refused: [], judged: 0, dropped: 0, shown: [] };
  readonly #options: EngineOptions;
  readonly #conversations: Conversation[] = [];
  #written = 0;
  #version = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const body = await bodyOf(request);
    const answer = await this.#answer(path, body);
    if (answer === null) {
      response.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  }

  async #answer(path: string, body: Body): Promise<{ status?: number; body: unknown } | null> {
    const { tokenizer, window, model, protocol } = this.#options;
    switch (path) {
      case '/v1/models':
        return { body: { object: 'list', data: [{ id: model, object: 'model', max_model_len: window }] } };
      case '/v1/chat/completions':
        return this.#chat(body);
      case '/generate':
        return this.#generate(body);
      case '/tokenize': {
        const isText = typeof body.prompt === 'string';
        // vLLM alone renders messages.
        if (!isText && protocol === 'sglang') return refusal(400, 'prompt: field required');
        const text = isText ? String(body.prompt) : this.#render(body);
        const tokens = tokenizer.encode(text);
        return { body: { tokens, count: tokens.length, max_model_len: window } };
      }
      case '/rehearsal/text':
        return { body: { text: tokenizer.decode(body.tokens as number[]) } };
      case '/rehearsal/taken':
        this.#cut(body.replies as [number, number][]);
        return { body: {} };
      case '/rehearsal/weights':
        this.#version += 1;
        return { body: { version: this.#version } };
      case '/workers':
        return { body: { workers: [] } };
      case '/list_workers':
        return { body: { urls: [] } };
      case '/health':
      case '/health_generate':
        return { body: {} };
      case '/get_model_info':
        return { body: { model_path: model, weight_version: `${this.#version}` } };
      default:
        return refusal(404, 'Not Found');
    }
  }

  /** A model in the program’s process says how many ids of each reply it sampled; the others were never written. */
  #cut(replies: readonly (readonly [first: number, count: number])[]): void {
    const counts = new Map(replies);
    for (const call of this.log.calls)
      call.ids.length = Math.min(call.ids.length, counts.get(call.first) ?? call.ids.length);
  }

  #note(body: Body): void {
    const messages = body.messages as { role: string; content?: unknown }[];
    const now = shownOf(messages, (body.tools ?? []) as { function?: unknown }[]);
    const isKnown = this.log.shown.some((one) => one.system === now.system && one.tools === now.tools);
    if (!isKnown) this.log.shown.push(now);
  }

  #render(body: Body): string {
    const messages = (body.messages as Body[]).map(templateMessage);
    return this.#options.tokenizer.render(messages, { generationPrompt: true, tools: toolsOf(body) });
  }

  async #chat(body: Body): Promise<{ status?: number; body: unknown } | null> {
    const { tokenizer, model, protocol } = this.#options;
    const text = this.#render(body);
    if (!text.includes(BOXED)) this.#note(body);
    const prompt = tokenizer.encode(text);
    const answer = await this.#reply('chat', text, prompt, {
      maxTokens: numberOf(body.max_tokens) ?? numberOf(body.max_completion_tokens),
      temperature: numberOf(body.temperature),
      tools: toolsOf(body),
    });
    if (answer === null || 'status' in answer) return answer;
    const { written, ids, logprobs, finish } = answer;
    const pairs = ids.map((id, index) => [logprobs[index], id, null]);
    const inner = {
      ...(protocol === 'sglang'
        ? { meta_info: { output_token_logprobs: pairs, weight_version: `${this.#version}` } }
        : { token_ids: ids }),
      ...(protocol === 'sglang' ? { prompt_token_ids: prompt } : {}),
    };
    const calls = written.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
    const message = {
      role: 'assistant',
      content: written.content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const content = ids.map((id, index) => ({
      token: `token_id:${id}`,
      logprob: logprobs[index],
      bytes: [],
      top_logprobs: [],
    }));
    const reason = finish === 'stop' && calls.length > 0 ? 'tool_calls' : finish;
    const shown = body.logprobs === true ? { content } : null;
    const choice = { index: 0, message, finish_reason: reason, logprobs: shown, ...inner };
    const usage = {
      prompt_tokens: prompt.length,
      completion_tokens: ids.length,
      total_tokens: prompt.length + ids.length,
    };
    const whole = {
      id: `call-${this.log.calls.length}`,
      object: 'chat.completion',
      created: 0,
      model,
      usage,
    };
    return {
      body: { ...whole, choices: [choice], ...(protocol === 'vllm' ? { prompt_token_ids: prompt } : {}) },
    };
  }

  async #generate(body: Body): Promise<{ status?: number; body: unknown } | null> {
    const { tokenizer } = this.#options;
    const given = body.input_ids as number[] | undefined;
    const text = given === undefined ? String(body.text ?? '') : tokenizer.decode(given);
    const prompt = given ?? tokenizer.encode(text);
    const sampling = (body.sampling_params ?? {}) as Body;
    const answer = await this.#reply('generate', text, prompt, {
      maxTokens: numberOf(sampling.max_new_tokens),
      temperature: numberOf(sampling.temperature),
      tools: [],
    });
    if (answer === null || 'status' in answer) return answer;
    const { written, ids, logprobs, finish } = answer;
    const meta = {
      id: `call-${this.log.calls.length}`,
      finish_reason: { type: finish },
      prompt_tokens: prompt.length,
      completion_tokens: ids.length,
      weight_version: `${this.#version}`,
      output_token_logprobs: ids.map((id, index) => [logprobs[index], id, null]),
    };
    return { body: { text: written.content, output_ids: ids, meta_info: meta } };
  }

  async #reply(
    route: Call['route'],
    text: string,
    prompt: number[],
    { tools, ...asked }: Pick<Call, 'maxTokens' | 'temperature'> & { tools: ToolDefinition[] },
  ): Promise<
    | { written: Written; ids: number[]; logprobs: number[]; finish: 'stop' | 'length' }
    | { status: number; body: unknown }
    | null
  > {
    const { tokenizer, window, settings } = this.#options;
    if (text.includes(BOXED)) {
      this.log.judged += 1;
      const content = 'The step helps. \\boxed{1}';
      const ids = tokenizer.encode(content);
      return { written: { content, toolCalls: [] }, ids, logprobs: ids.map(() => 0), finish: 'stop' };
    }
    const speech = speechFor(settings, tools, text);
    const rollout = this.#rolloutOf(text, speech === null);
    const conversation = this.#conversations[rollout]!;
    const limit = asked.maxTokens ?? REPLY;
    if (prompt.length + limit > window) {
      this.log.refused.push({ rollout, prompt: prompt.length });
      return refusal(
        400,
        `Requested token count exceeds the model's maximum context length of ${window} tokens. You requested a total of ${prompt.length + limit} tokens: ${prompt.length} tokens from the input messages and ${limit} tokens for the completion.`,
      );
    }
    const turn = conversation.turns;
    const attempt = conversation.attempts.get(turn) ?? 0;
    conversation.attempts.set(turn, attempt + 1);
    const { name, task } = conversation;
    const tag = `[rehearsal-${rollout}]`;
    const move =
      speech === null || name === 'aside'
        ? ASIDE
        : (await scriptOf(name, { settings, speech }, task, tag)).move(turn, attempt);
    if (move.kind === 'drop') {
      this.log.dropped += 1;
      return null;
    }
    conversation.turns += 1;
    if (move.kind === 'say' && move.waits !== undefined) await sleep(move.waits);
    const { written, ids, finish } = this.#spoken(move, limit);
    const first = this.#written + 1;
    this.#written += ids.length;
    const logprobs = ids.map((_, index) => -(first + index) * STEP);
    const about = { rollout, script: conversation.name, route, version: this.#version, ...asked };
    this.log.calls.push({
      ...about,
      ...{ prompt: prompt.length, shown: prompt, ids, first, text: written.content },
    });
    return { written, ids, logprobs, finish };
  }

  #spoken(
    move: Exclude<Move, { kind: 'drop' }>,
    limit: number,
  ): { written: Written; ids: number[]; finish: 'stop' | 'length' } {
    const { tokenizer } = this.#options;
    if (move.kind === 'overlong') {
      const unit = tokenizer.encode(move.text).length;
      const ids = tokenizer.encode(move.text.repeat(Math.ceil(limit / unit) + 1)).slice(0, limit);
      return { written: { content: tokenizer.decode(ids), toolCalls: [] }, ids, finish: 'length' };
    }
    const { written, spelled = false } = move;
    const text = asWritten(written, tokenizer);
    const head = spelled ? [...text.slice(0, 8)] : [];
    const ids = [
      ...head.flatMap((letter) => tokenizer.encode(letter)),
      ...tokenizer.encode(text.slice(head.length) + tokenizer.endOfTurn),
    ];
    if (ids.length <= limit) return { written, ids, finish: 'stop' };
    const cut = ids.slice(0, limit);
    return { written: { content: tokenizer.decode(cut), toolCalls: [] }, ids: cut, finish: 'length' };
  }

  /** A prompt with a tag goes on; any other begins a rollout, which is taken by the next script. */
  #rolloutOf(text: string, isAside: boolean): number {
    const last = [...text.matchAll(TAG)].at(-1);
    const known = Number(last?.[1] ?? -1);
    if (!isAside && this.#conversations[known] !== undefined) return known;
    const begun = this.#conversations.filter(({ name }) => name !== 'aside').length;
    const name = isAside ? 'aside' : SCRIPT_NAMES[begun % SCRIPT_NAMES.length]!;
    const { tasks } = this.#options;
    const task = tasks.find(({ problem }) => text.includes(problem.trim())) ?? tasks[0]!;
    return this.#conversations.push({ name, task, turns: 0, attempts: new Map() }) - 1;
  }
}

const ASKED: TemplateMessage = { role: 'user', content: 'A task' };

/** The reply as the chat template shows it later, which is how a model learns to write it. */
function asWritten({ content, toolCalls }: Written, { render, endOfTurn }: ModelTokenizer): string {
  if (toolCalls.length === 0) return content;
  const before = render([ASKED], { generationPrompt: true, tools: [] });
  const reply: TemplateMessage = { role: 'assistant', content, tool_calls: toolCalls };
  const after = render([ASKED, reply], { generationPrompt: false, tools: [] });
  const end = after.lastIndexOf(endOfTurn);
  if (after.startsWith(before) && end > before.length) return after.slice(before.length, end);
  return content + toolCalls.map(({ name, arguments: text }) => `${name}(${text})`).join('\n');
}

function refusal(status: number, message: string): { status: number; body: unknown } {
  return { status, body: { object: 'error', message, type: 'BadRequestError', code: status } };
}

function toolsOf({ tools = [] }: Body): ToolDefinition[] {
  return (tools as { function: ToolDefinition }[]).map(({ function: one }) => one);
}

function templateMessage(message: Body): TemplateMessage {
  const { tool_calls: calls, content, ...rest } = message;
  const given = (calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return {
    ...(rest as unknown as TemplateMessage),
    content: typeof content === 'string' ? content : '',
    ...(given.length === 0
      ? {}
      : {
          tool_calls: given.map(({ id, function: one }) => ({
            id,
            name: one.name,
            arguments: one.arguments,
          })),
        }),
  };
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return text === '' ? {} : (JSON.parse(text) as Body);
}
