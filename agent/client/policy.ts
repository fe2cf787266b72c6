/**
 * A model as a policy. One reply may need several chat requests: while the endpoint is down, again without parameters
 * that it does not know, or with a lower limit when the prompt leaves fewer tokens. Only a complete and valid answer
 * becomes a reply.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type {
  ChatMessage,
  ContentFiltered,
  ContextExceeded,
  NoReply,
  Policy,
  Reply,
  ReplyRequest,
} from '../policy.ts';
import type { ModelTokenizer } from '../tokens/tokenizer.ts';
import type { Clock } from './clock.ts';
import type { Endpoint } from './endpoint.ts';
import { ID_ROUTES, type IdRoute } from './id-routes.ts';
import type { RequestEnd } from './limiter.ts';
import type { Price } from './prices.ts';
import { keyToSet, type Refusal, readRefusal, wrongAddress } from './refusal.ts';
import { hiddenStatus, readReply } from './reply.ts';
import { replyLimit } from './reply-limit.ts';
import { hasAlternatives } from './reply-tokens.ts';
import {
  drop,
  type Memory,
  type ModelSettings,
  optionalParameters,
  requestBody,
  requestParameters,
  TOKEN_PARAMETERS,
} from './request.ts';
import { type Attempt, withRetries } from './retries.ts';
import { type Change, marksOfReply } from './seen-weights.ts';
import { nextPrompt } from './token-in.ts';
import { inFormat } from './tool-format.ts';
import type { HttpResponse, HttpStatus } from './transport.ts';

export interface PolicyDeps {
  settings: ModelSettings;
  /** `extra` of the settings without its secrets. */
  writtenExtra: ModelSettings['extra'];
  endpoint: Endpoint;
  price: Price | null;
  clock: Clock;
  /** Most tokens of a reply. */
  maxTokens: number;
  /** Exact number of tokens of a prompt; null when it is not known. */
  countPrompt(request: ReplyRequest): Promise<number | null>;
  /** For prompts that are sent as ids. */
  tokenizer(): Promise<Result<ModelTokenizer, Infra>>;
  /** Looks at what the endpoint says about its weights; null: they change on purpose. */
  look: (() => Promise<void>) | null;
  log(text: string): void;
}

type Ending = Attempt<Reply, Infra | NoReply>;

export class ModelPolicy implements Policy {
  readonly #deps: PolicyDeps;
  readonly #memory: Memory;

  constructor(deps: PolicyDeps) {
    this.#deps = deps;
    this.#memory = deps.endpoint.memory(deps.settings.name);
  }

  parameters(): Record<string, unknown> {
    const { settings, writtenExtra = {}, maxTokens } = this.#deps;
    return requestParameters({ ...settings, extra: writtenExtra }, this.#memory, maxTokens);
  }

  dropped(): string[] {
    return [...this.#memory.dropped].sort();
  }

  async reply(request: ReplyRequest): Promise<Result<Reply, Infra | NoReply>> {
    const { clock, settings, endpoint, look, log } = this.#deps;
    const way = await this.#way(request);
    if (!way.ok) return way;
    const call: Call = {
      ...{ request, way: way.value, since: clock.now() },
      ...{ maxTokens: null, filtered: false, attempts: 0 },
    };
    const { weights } = this.#memory;
    if (look !== null && weights.begun === null) weights.begun = look();
    await weights.begun;
    const span = settings.retry * 1000;
    const { stopping, baseUrl: where } = endpoint;
    return withRetries({ clock, span, signal: request.signal, stopping, where, log }, (count) => {
      call.attempts = count;
      return this.#attempt(call);
    });
  }

  /** How the prompt is sent. */
  async #way({ messages, tools, before }: ReplyRequest): Promise<Result<Way, Infra>> {
    const { settings, endpoint, tokenizer, log } = this.#deps;
    const chat = { ids: null };
    if (settings.render !== 'exact') return success(chat);
    if (tools.length > 0 && settings.tool_format === undefined) return fault(NO_FORMAT);
    const known = before?.() ?? null;
    if (known === null) return success(chat);
    const read = await tokenizer();
    if (!read.ok) return read;
    const variables = settings.extra?.chat_template_kwargs as Record<string, unknown> | undefined;
    const next = nextPrompt({ messages, tools }, known, read.value, variables);
    if ('ids' in next) return success(next);
    log(`${endpoint.baseUrl}: sent as messages: ${next.why}\n`);
    return success({ ...chat, why: next.why });
  }

  async #attempt(call: Call): Promise<Ending> {
    const { endpoint, clock, settings, maxTokens } = this.#deps;
    const { request } = call;
    const permit = await endpoint.limiter.acquire(request.signal);
    if (permit === null) return { kind: 'cancelled' };
    let end: RequestEnd = 'failed';
    try {
      if (this.#memory.refusal !== null) return this.#refuse(this.#memory.refusal);
      const changed = this.#changed();
      if (changed !== null) return changed;
      // The same seed may get the same reply again.
      const seed = request.seed + (call.filtered ? 1 : 0);
      const sent = this.#sent(call, seed, call.maxTokens ?? maxTokens);
      if (sent === null) return this.#refuse(NO_ROUTE);
      const { path, body } = sent;
      const { session, signal } = request;
      const start = clock.now();
      const answer = await endpoint.send(
        { method: 'post', path, body, session: header(session), signal },
        settings.timeout * 1000,
      );
      if (answer === null) return { kind: 'cancelled' };
      const read = this.#read(answer, sent, call, start);
      if (!('refusal' in read)) {
        end = read.kind === 'done' ? 'answered' : 'failed';
        return read;
      }
      if (read.refusal.kind === 'again' && read.refusal.overloaded) end = 'overloaded';
      return await this.#settle(read.refusal, sent, call);
    } finally {
      permit.release(end);
    }
  }

  /** The request for a call; null: its prompt is ids, and the endpoint has no route for them. */
  #sent(call: Call, seed: number, maxTokens: number): Sent | null {
    const { settings, endpoint } = this.#deps;
    const { request, way } = call;
    if (way.ids === null) {
      const body = requestBody(settings, this.#memory, { ...request, seed }, maxTokens);
      return { path: '/chat/completions', body, optional: optionalParameters(settings, body), route: null };
    }
    const route = ID_ROUTES[this.#memory.idRoute];
    if (route === undefined) return null;
    const body = route.body(settings, this.#memory, { ids: way.ids, seed, maxTokens });
    return { path: route.path(endpoint), body, optional: [route.seed], route };
  }

  /** A route that gave completions before is there: a gateway answered in its place. */
  #tryNextRoute(route: IdRoute): Ending {
    if (this.#memory.hasIdRoute)
      return { kind: 'again', detail: 'the route for prompts as ids gave no completion', after: null };
    // Other rollouts may have gone on to the next one meanwhile.
    this.#memory.idRoute = Math.max(this.#memory.idRoute, ID_ROUTES.indexOf(route) + 1);
    return { kind: 'at-once' };
  }

  /** A reply, a temporary fault, or a refusal that may still be resolved. */
  #read(
    answer: HttpResponse,
    { body, optional, route }: Sent,
    call: Call,
    start: number,
  ): Ending | { refusal: Refusal } {
    const wrong = answer.kind === 'broken' ? wrongAddress(answer.detail) : null;
    if (wrong !== null) return { refusal: { kind: 'refused', detail: wrong, general: true } };
    if (answer.kind === 'broken') return { kind: 'again', detail: answer.detail, after: null };
    const { endpoint } = this.#deps;
    const status = answer.kind === 'body' ? hidden(answer.body, endpoint) : answer;
    if (status !== null) {
      if (route !== null && NOT_THERE.includes(status.status)) return this.#tryNextRoute(route);
      const messages = (body.messages ?? []) as { role: string }[];
      const tools = messages.some(({ role }) => role === 'tool');
      return { refusal: readRefusal(status, { optional, tools }) };
    }
    const whole = (answer as { body: unknown }).body;
    const given = route === null ? whole : route.completion(whole);
    if (route !== null && given === null) return this.#tryNextRoute(route);
    if (route !== null) this.#memory.hasIdRoute = true;
    const known = knownIds(call.request.messages);
    const sound = readReply(given, known, this.#deps.price);
    if (!sound.ok) return { kind: 'again', detail: endpoint.hide(sound.fault), after: null };
    const changed = this.#changed(given);
    if (changed !== null) return changed;
    const { tool_format: format } = this.#deps.settings;
    const { filtered, ...reply } =
      format === undefined ? sound.value : inFormat(sound.value, format, call.request.tools, known);
    this.#learn(reply, hasAlternatives(given));
    if (filtered) return { refusal: { kind: 'filtered', detail: `finish_reason ${reply.finishReason}` } };
    const { ids, why } = call.way;
    if (ids !== null && !hasRead(reply, ids)) {
      const detail = `it read another prompt than the ${ids.length} ids that were sent; set model.render: chat`;
      return { refusal: { kind: 'refused', detail, general: false } };
    }
    const now = this.#deps.clock.now();
    const took = now - start;
    const timing = { waited: Math.max(0, now - call.since - took), took, attempts: call.attempts };
    const prompt =
      ids === null ? {} : { tokenIn: true as const, tokens: { ...reply.tokens!, promptIds: ids } };
    const more = why === undefined ? prompt : { fellBack: why };
    return { kind: 'done', result: success({ ...reply, ...more, maxTokens: call.maxTokens, timing }) };
  }

  /** A fault when other weights answer than at the start of the run. `body`: a reply that may say so. */
  #changed(body?: unknown): Ending | null {
    const { settings, look, log, endpoint } = this.#deps;
    if (look === null) return null;
    const { weights } = this.#memory;
    const noted = body === undefined ? null : weights.fingerprint(body);
    if (noted !== null) log(`${endpoint.baseUrl}: ${noted}\n`);
    const change = body === undefined ? weights.change : weights.see(marksOfReply(body));
    return change === null ? null : { kind: 'done', result: fault(modelChanged(settings, change)) };
  }

  #learn(
    reply: Pick<Reply, 'tokens' | 'content' | 'reasoning' | 'toolCalls'>,
    gaveAlternatives: boolean,
  ): void {
    const { tokens, content, reasoning, toolCalls } = reply;
    this.#memory.answered = true;
    this.#memory.gaveIds ||= tokens !== null;
    this.#memory.givesAlternatives ||= gaveAlternatives;
    // An empty reply has no ids, whatever the endpoint gives.
    const isEmpty = content === '' && !reasoning && toolCalls.length === 0;
    if (this.#deps.settings.tokens === 'auto' && !this.#memory.gaveIds && !isEmpty)
      drop(this.#memory, TOKEN_PARAMETERS);
  }

  async #settle(refusal: Refusal, { body, route }: Sent, call: Call): Promise<Ending> {
    const memory = this.#memory;
    switch (refusal.kind) {
      case 'again':
        return refusal;
      case 'unknown-parameters':
        drop(memory, route === null ? refusal.names : ['seed']);
        return { kind: 'at-once' };
      case 'limit-renamed':
        if (route !== null || !('max_tokens' in body)) return this.#refuse(refusal.detail);
        memory.limitName = 'max_completion_tokens';
        return { kind: 'at-once' };
      case 'no-tool-role':
        memory.toolRole = false;
        return { kind: 'at-once' };
      case 'no-tool-parser':
        // vLLM takes tools without a parser only if nothing chooses one.
        if (this.#deps.settings.tool_format === undefined || memory.choosesNoTool)
          return this.#refuse(
            `${refusal.detail}; start it with a parser of tool calls, or set model.tool_format`,
          );
        memory.choosesNoTool = true;
        return { kind: 'at-once' };
      case 'overflow':
        return this.#fit(refusal, call);
      case 'filtered':
        return this.#sampleAgain(refusal.detail, call);
      case 'refused':
        return this.#refuseFinally(refusal);
    }
  }

  /** Once: a filter may stop one reply and let another pass. */
  #sampleAgain(detail: string, call: Call): Ending {
    if (call.filtered) {
      const filtered: ContentFiltered = { status: 'content-filtered', detail: `twice: ${detail}` };
      return { kind: 'done', result: fault(filtered) };
    }
    call.filtered = true;
    this.#deps.log(`${this.#deps.endpoint.baseUrl}: content filter: ${detail}; sampled once more\n`);
    return { kind: 'at-once' };
  }

  /** Lowers the reply limit once, if the prompt leaves enough tokens for a useful reply. */
  async #fit({ overflow, detail }: Extract<Refusal, { kind: 'overflow' }>, call: Call): Promise<Ending> {
    const { maxTokens, countPrompt, settings } = this.#deps;
    const exceeded = fault<ContextExceeded>({ status: 'context-exceeded', detail });
    if (call.maxTokens !== null) return { kind: 'done', result: exceeded };
    const isUnknown = overflow.prompt === null || overflow.atLeast;
    const counted = call.way.ids?.length ?? (isUnknown ? await countPrompt(call.request) : null);
    const prompt = counted ?? overflow.prompt;
    const isExact = counted !== null || !overflow.atLeast;
    // The context length in the error message, else the one in the key. Nothing else that the endpoint reports is
    // used.
    const window = overflow.window ?? settings.context ?? null;
    const limit = replyLimit({ window, prompt, isExact, maxTokens });
    if (limit === null) return { kind: 'done', result: exceeded };
    call.maxTokens = limit;
    return { kind: 'at-once' };
  }

  /**
   * A refusal that holds for every request of a run is remembered, so that other rollouts do not ask again. A server of rollouts, whose models
   * change on purpose, lasts longer than a mistake of the endpoint's.
   */
  #refuseFinally({ detail, general }: Extract<Refusal, { kind: 'refused' }>): Ending {
    const { endpoint, look } = this.#deps;
    const text = general ? detail + keyToSet(detail, endpoint.hasKey) : detail;
    if (general && look !== null && !this.#memory.answered) this.#memory.refusal = text;
    return this.#refuse(text);
  }

  #refuse(detail: string): Ending {
    const { baseUrl } = this.#deps.endpoint;
    return { kind: 'done', result: fault(infra('endpoint-refused', `${baseUrl}: ${detail}`)) };
  }
}

/** Whether what the endpoint says of its prompt fits `ids`. */
function hasRead({ tokens, promptTokens }: Pick<Reply, 'tokens' | 'promptTokens'>, ids: number[]): boolean {
  const promptIds = tokens?.promptIds ?? ids;
  return tokens !== null && promptTokens === ids.length && promptIds.every((id, at) => id === ids[at]);
}

/** How a prompt is sent: as `ids`, or as messages. `why`: though it continues a call, and ids are wanted. */
type Way = { ids: number[]; why?: undefined } | { ids: null; why?: string };

/** A request to the endpoint. `optional`: parameters that may be left out; `route`: null for a chat request. */
interface Sent {
  path: string;
  body: Record<string, unknown>;
  optional: string[];
  route: IdRoute | null;
}

/** Statuses by which a server says that it has no such route. */
const NOT_THERE = [404, 405];
const NO_ROUTE =
  'no route takes a prompt as token ids and gives those of the reply (/generate of SGLang, /v1/completions of vLLM); set model.render: chat';
const NO_FORMAT = infra(
  'endpoint-refused',
  'render: exact with tools needs model.tool_format, since replies to prompts of ids are plain text; set it, or render: chat',
);

interface Call {
  request: ReplyRequest;
  way: Way;
  since: number;
  /** The lowered limit; null: the configured one. */
  maxTokens: number | null;
  /** A content filter stopped a reply to it. */
  filtered: boolean;
  attempts: number;
}

/** The fault of a model whose weights are not those of the start. */
export function modelChanged(
  { base_url: url, name, identity }: ModelSettings,
  { mark, before, now }: Change,
): Infra {
  const remedy =
    identity === undefined
      ? 'build again, which asks for the new identity'
      : `serve the weights of model.identity (${identity}) again, or write the identity of the new ones`;
  const what = `${mark} was ${before} and is ${now}`;
  return infra('model-changed', `${url}: ${name} is another model than at the start: ${what}; ${remedy}`);
}

function hidden(body: unknown, endpoint: Endpoint): HttpStatus | null {
  const status = hiddenStatus(body);
  if (status === null) return null;
  return endpoint.redacted({ kind: 'status', status, body, text: '', headers: new Headers() });
}

function knownIds(messages: readonly ChatMessage[]): Set<string> {
  return new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
}

/** The characters of a session name that a header can contain. */
function header(session: string): string {
  return session.replace(/[^\x21-\x7e]/g, '_');
}
