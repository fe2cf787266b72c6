/**
 * A configured model, ready to be asked: what rollouts, judges and counters get. Opening it makes no connection; the
 * first request does.
 */
import type { Credential } from '../../basics/credential.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra, isFault } from '../../schemas/outcome.ts';
import type { TokenCounter } from '../context/counter.ts';
import type { Policy, ToolDefinition } from '../policy.ts';
import type { ModelTokenizer } from '../tokens/tokenizer.ts';
import type { ModelClient, ModelInfo, PolicyOptions, RouteCall, WholeAnswer } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { endpointCounter } from './counter.ts';
import type { Endpoint, Endpoints } from './endpoint.ts';
import { fetchInfo, lookAtWeights } from './info.ts';
import { ModelPolicy, modelChanged } from './policy.ts';
import type { Price } from './prices.ts';
import { readRefusal, wrongAddress } from './refusal.ts';
import type { ModelSettings } from './request.ts';
import { withRetries } from './retries.ts';

export type { ModelSettings } from './request.ts';

export interface ModelDeps {
  /** The endpoints of the run. */
  endpoints: Endpoints;
  /** Null: no key is sent. */
  credential: Credential | null;
  /** Absent or null: costs are unknown. */
  price?: Price | null;
  /** `extra` of the settings as the project writes it, without its secrets, for what is recorded. Absent: it has none. */
  writtenExtra?: ModelSettings['extra'];
  /** For `render: exact`. Absent: there is none. */
  tokenizer?: () => Promise<Result<ModelTokenizer, Infra>>;
  /** For tests. */
  clock?: Clock;
}

/** Time for one request to a route that generates nothing. */
const ROUTE_MS = 60_000;

/** A fault says what is wrong with the address or the key. */
export function openModel(settings: ModelSettings, deps: ModelDeps): Result<ModelClient, Infra> {
  const { base_url: baseUrl, concurrency } = settings;
  const endpoint = deps.endpoints.at({ baseUrl, credential: deps.credential, concurrency });
  return endpoint.ok ? success(new Model(settings, endpoint.value, deps)) : endpoint;
}

async function noTokenizer(): Promise<Result<ModelTokenizer, Infra>> {
  return fault(infra('tool-missing', 'model.render: exact needs model.tokenizer'));
}

class Model implements ModelClient {
  readonly settings: ModelSettings;
  readonly endpoint: Endpoint;
  readonly #price: Price | null;
  readonly #writtenExtra: ModelSettings['extra'];
  readonly #tokenizer: () => Promise<Result<ModelTokenizer, Infra>>;
  readonly #clock: Clock;
  #asking: Promise<Result<ModelInfo, Infra>> | null = null;
  #looking: Promise<void> = Promise.resolve();
  #nextLook: Promise<void> | null = null;
  readonly #counters = new Map<string, Promise<TokenCounter | null>>();

  constructor(
    settings: ModelSettings,
    endpoint: Endpoint,
    { price = null, clock = systemClock, tokenizer = noTokenizer, writtenExtra = settings.extra }: ModelDeps,
  ) {
    this.#writtenExtra = writtenExtra;
    this.#tokenizer = tokenizer;
    this.settings = settings;
    this.endpoint = endpoint;
    this.#price = price;
    this.#clock = clock;
  }

  policy(options: PolicyOptions = {}): Policy {
    const { maxTokens = Number.POSITIVE_INFINITY, log = () => undefined, weightsChange = false } = options;
    return new ModelPolicy({
      settings: this.settings,
      writtenExtra: this.#writtenExtra,
      endpoint: this.endpoint,
      price: this.#price,
      clock: this.#clock,
      maxTokens: Math.min(this.settings.max_tokens, maxTokens),
      countPrompt: async ({ messages, tools }) => {
        const counter = await this.#counter(tools);
        if (counter === null) return null;
        return counter.count(messages).catch((reason: Error | Infra) => {
          // If the endpoint fails, the count is unknown.
          if (reason instanceof Error || !isFault(reason)) throw reason;
          return null;
        });
      },
      tokenizer: this.#tokenizer,
      look: weightsChange ? null : () => this.#look(),
      log,
    });
  }

  async info(signal: AbortSignal, log?: (text: string) => void): Promise<Result<ModelInfo, Infra>> {
    this.#asking ??= fetchInfo(this, signal, log);
    const info = await this.#asking;
    if (!info.ok) this.#asking = null;
    return info;
  }

  async changedWeights(): Promise<Infra | null> {
    const { weights } = this.endpoint.memory(this.settings.name);
    if (weights.change === null) await this.#look();
    return weights.change === null ? null : modelChanged(this.settings, weights.change);
  }

  /** Waits for the next look: one that is under way may have missed a change since it began. */
  #look(): Promise<void> {
    this.#nextLook ??= this.#looking.then(() => {
      // A failed look proves no change, and the next look follows.
      this.#looking = lookAtWeights(this).catch(() => undefined);
      this.#nextLook = null;
      return this.#looking;
    });
    return this.#nextLook;
  }

  async call(call: RouteCall): Promise<Result<WholeAnswer, Infra>> {
    const { endpoint, settings } = this;
    const clock = this.#clock;
    const {
      signal,
      span = settings.retry * 1000,
      passing,
      waited,
      log = () => undefined,
      ...exchange
    } = call;
    const since = clock.now();
    let start = since;
    const { stopping, baseUrl: where } = endpoint;
    const retries = { clock, span, signal, stopping, where, log };
    const result = await withRetries<WholeAnswer, Infra>(retries, async () => {
      start = clock.now();
      const answer = await endpoint.send({ ...exchange, signal }, ROUTE_MS);
      if (answer === null) return { kind: 'cancelled' };
      const wrong = answer.kind === 'broken' ? wrongAddress(answer.detail) : null;
      if (wrong !== null)
        return { kind: 'done', result: fault(infra('endpoint-refused', `${endpoint.baseUrl}: ${wrong}`)) };
      if (answer.kind === 'broken') return { kind: 'again', detail: answer.detail, after: null };
      if (answer.kind === 'body' || !passing(answer.status)) return { kind: 'done', result: success(answer) };
      const refusal = readRefusal(answer, { optional: [], tools: false });
      return {
        kind: 'again',
        detail: refusal.detail,
        after: refusal.kind === 'again' ? refusal.after : null,
      };
    });
    waited?.(start - since);
    return result;
  }

  /**
   * Makes one counter for equal tools, since a rollout offers the same tools with each request. The counter stays if the
   * request that made it is cancelled.
   */
  #counter(tools: readonly ToolDefinition[]): Promise<TokenCounter | null> {
    const name = JSON.stringify(tools);
    const known = this.#counters.get(name);
    if (known !== undefined) return known;
    const { signal } = new AbortController();
    const making = endpointCounter(this, { tools, signal, span: 0 }).then((made) => {
      if (made.ok) return made.value;
      this.#counters.delete(name);
      return null;
    });
    this.#counters.set(name, making);
    return making;
  }
}
