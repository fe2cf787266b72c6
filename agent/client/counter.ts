/**
 * Counts tokens by asking the endpoint. vLLM counts messages. llama.cpp renders messages and counts text. SGLang
 * counts text only, so messages are written in the most common chat format, and the count is approximate.
 */
import type { Fields } from '../../basics/json.ts';
import { type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { TokenCounter } from '../context/counter.ts';
import type { ChatMessage, ToolDefinition } from '../policy.ts';
import type { ModelClient } from './client.ts';
import { wireMessages } from './messages.ts';
import { isAway } from './refusal.ts';

export interface CounterOptions {
  /** The tools that requests offer. They are part of the prompt. */
  tools: readonly ToolDefinition[];
  signal: AbortSignal;
  /** Milliseconds for which a request is tried again; absent: as chat requests are. */
  span?: number;
}

type Counted = Result<number | null, Infra>;

/** Counts as one kind of server does; null: this server counts in another way. */
type Way = (messages: readonly ChatMessage[]) => Promise<Counted>;

const PROBE: ChatMessage[] = [{ role: 'user', content: 'a' }];

/** The endpoint's counter; null when it has none. If a later count fails, it rejects with the `Infra` outcome. */
export async function endpointCounter(
  client: ModelClient,
  options: CounterOptions,
): Promise<Result<TokenCounter | null, Infra>> {
  const routes = new CountingRoutes(client, options);
  const ways: Way[] = [routes.byMessages, routes.byTemplate, routes.byText];
  const memory = client.endpoint.memory(client.settings.name);
  for (const [index, way] of ways.entries()) {
    if (memory.counting !== null) break;
    const probed = await way(PROBE);
    if (!probed.ok) return probed;
    if (probed.value !== null) memory.counting = index;
  }
  memory.counting ??= -1;
  const way = ways[memory.counting];
  return success(way === undefined ? null : new EndpointCounter(way, routes));
}

class EndpointCounter implements TokenCounter {
  readonly name = 'endpoint';
  readonly #way: Way;
  readonly #routes: CountingRoutes;

  constructor(way: Way, routes: CountingRoutes) {
    this.#way = way;
    this.#routes = routes;
  }

  get waited(): number {
    return this.#routes.waited;
  }

  async count(messages: readonly ChatMessage[]): Promise<number> {
    const counted = await this.#way(messages);
    if (!counted.ok) throw counted.fault;
    if (counted.value === null) throw infra('endpoint', 'the endpoint counts tokens no longer');
    return counted.value;
  }
}

class CountingRoutes {
  waited = 0;
  readonly #client: ModelClient;
  readonly #options: CounterOptions;

  constructor(client: ModelClient, options: CounterOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** vLLM. */
  readonly byMessages: Way = async (messages) => {
    const body = {
      ...this.#prompt(messages),
      model: this.#client.settings.name,
      add_generation_prompt: true,
    };
    return this.#count(body, (answer) => answer.count);
  };

  /** llama.cpp. */
  readonly byTemplate: Way = async (messages) => {
    const rendered = await this.#post('/apply-template', this.#prompt(messages));
    if (!rendered.ok) return rendered;
    const { prompt: content } = rendered.value;
    if (typeof content !== 'string') return success(null);
    const body = { content, add_special: true, parse_special: true };
    return this.#count(body, ({ tokens }) => (Array.isArray(tokens) ? tokens.length : null));
  };

  /** SGLang. */
  readonly byText: Way = async (messages) => {
    const turns = wireMessages(messages, false).map(
      ({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`,
    );
    const prompt = `${turns.join('')}<|im_start|>assistant\n`;
    return this.#count({ model: this.#client.settings.name, prompt }, (answer) => answer.count);
  };

  /** The fields that a chat template gets. */
  #prompt(messages: readonly ChatMessage[]): Fields {
    const { settings, endpoint } = this.#client;
    const { tools } = this.#options;
    const kwargs = settings.extra?.chat_template_kwargs;
    return {
      messages: wireMessages(messages, endpoint.memory(settings.name).toolRole),
      ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
      ...(kwargs === undefined ? {} : { chat_template_kwargs: kwargs }),
    };
  }

  async #count(body: Fields, read: (answer: Fields) => unknown): Promise<Counted> {
    const answer = await this.#post('/tokenize', body);
    if (!answer.ok) return answer;
    const count = read(answer.value);
    return success(typeof count === 'number' && count > 0 ? count : null);
  }

  /** The fields of the answer; none if the route refuses. */
  async #post(path: string, body: Fields): Promise<Result<Fields, Infra>> {
    const { signal, span } = this.#options;
    const answer = await this.#client.call({
      method: 'post',
      path: this.#client.endpoint.beside(path),
      body,
      signal,
      passing: isAway,
      waited: (ms) => {
        this.waited += ms;
      },
      ...(span === undefined ? {} : { span }),
    });
    if (!answer.ok) return answer;
    const { kind, body: given } = answer.value;
    return success(kind === 'body' && typeof given === 'object' && given !== null ? (given as Fields) : {});
  }
}
