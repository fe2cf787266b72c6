/**
 * The body of a chat request. What the project sets is sent as it is, since sampling decides the result. What swemake
 * adds by itself (a seed, token ids) is left out if the endpoint does not know it.
 */
import type { ModelConfig } from '../../schemas/generated/project.ts';
import type { ReplyRequest } from '../policy.ts';
import { wireMessages } from './messages.ts';
import { SeenWeights } from './seen-weights.ts';

/** A model's keys, with those that every request needs. */
export type ModelSettings = ModelConfig & { base_url: string; name: string };

/** What is known about a model at an endpoint, for all rollouts of the run. */
export interface Memory {
  /** Parameters that it does not know. */
  readonly dropped: Set<string>;
  /** Its name for the limit of a reply. */
  limitName: 'max_tokens' | 'max_completion_tokens';
  /** Whether its template knows messages of role tool. */
  toolRole: boolean;
  /** Whether requests with tools say that none is to be chosen, since it has no parser. Their calls are read from the text. */
  choosesNoTool: boolean;
  /** Whether it answered at all. */
  answered: boolean;
  /** Whether it ever gave token ids. */
  gaveIds: boolean;
  /** Whether it lists alternatives without being asked. llama.cpp lists twenty for each token. */
  givesAlternatives: boolean;
  /** Why it refuses every request; null: it does not. */
  refusal: string | null;
  /** The version of its weights, as it reports them. */
  readonly weights: SeenWeights;
  /** Which of the ways of counting tokens it has; -1: none; null: not known yet. */
  counting: number | null;
  /** Which of the routes for prompts as ids is tried; the number of all of them: it has none. */
  idRoute: number;
  /** Whether that route gave a completion. */
  hasIdRoute: boolean;
}

export function newMemory(): Memory {
  return {
    dropped: new Set(),
    limitName: 'max_tokens',
    toolRole: true,
    choosesNoTool: false,
    answered: false,
    gaveIds: false,
    givesAlternatives: false,
    refusal: null,
    weights: new SeenWeights(),
    counting: null,
    idRoute: 0,
    hasIdRoute: false,
  };
}

/** The names in vLLM and SGLang. Other servers ignore them, or refuse them once. */
const TOKEN_REQUEST = {
  logprobs: true,
  return_token_ids: true,
  return_prompt_token_ids: true,
  return_meta_info: true,
};
export const TOKEN_PARAMETERS: readonly string[] = Object.keys(TOKEN_REQUEST);

/** Log-probabilities are useless without token ids. If an endpoint has no ids, it is asked for neither. */
const IDS = 'return_token_ids';

const SKIP = 'skip_special_tokens';

/** Some servers store seeds in 32 bits. */
const SEEDS = 2 ** 31;

/** Parameters that `extra` cannot set, since the loop or other keys set them. */
const RESERVED = ['model', 'messages', 'tools', 'n', 'stream', 'max_tokens', 'max_completion_tokens'];

/** What requests hold beside messages, tools and seed. */
export function requestParameters(
  settings: ModelSettings,
  memory: Memory,
  maxTokens: number,
): Record<string, unknown> {
  const asked: Record<string, unknown> = settings.tokens === 'auto' ? TOKEN_REQUEST : {};
  const known: [string, unknown][] = Object.entries(asked).filter(([name]) => !memory.dropped.has(name));
  known.push(...Object.entries(skipsNothing(settings, memory)));
  // On such servers 0 would switch log-probabilities off.
  if (memory.givesAlternatives && !memory.dropped.has('logprobs')) known.push(['top_logprobs', 1]);
  return {
    ...Object.fromEntries(known),
    ...allExtra(settings),
    model: settings.name,
    ...samplingOf(settings),
    [memory.limitName]: maxTokens,
  };
}

/** How replies are sampled. */
export function samplingOf(settings: ModelSettings): Record<string, unknown> {
  const written = (['top_p', 'top_k', 'min_p', 'repetition_penalty', 'stop'] as const)
    .filter((name) => settings[name] !== undefined)
    .map((name) => [name, settings[name]]);
  return { temperature: settings.temperature, ...Object.fromEntries(written) };
}

function allExtra({ extra = {} }: ModelSettings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !RESERVED.includes(name)));
}

/** The further parameters of a request whose prompt is rendered already. */
export function extraOf(settings: ModelSettings): Record<string, unknown> {
  const { chat_template_kwargs: _, ...rest } = allExtra(settings);
  return rest;
}

/** Marks of calls are special tokens of some models, and servers leave those out of texts. */
export function skipsNothing({ tool_format }: ModelSettings, { dropped }: Memory): Record<string, unknown> {
  return tool_format === undefined || dropped.has(SKIP) ? {} : { [SKIP]: false };
}

/** The seed under the name that a route has for it. */
export function seedOf({ dropped }: Memory, seed: number, name: string): Record<string, unknown> {
  return dropped.has('seed') ? {} : { [name]: seed % SEEDS };
}

export function requestBody(
  settings: ModelSettings,
  memory: Memory,
  request: Pick<ReplyRequest, 'messages' | 'tools' | 'seed'>,
  maxTokens: number,
): Record<string, unknown> {
  const tools = request.tools.map((tool) => ({ type: 'function', function: tool }));
  return {
    ...seedOf(memory, request.seed, 'seed'),
    ...requestParameters(settings, memory, maxTokens),
    messages: wireMessages(request.messages, memory.toolRole),
    ...(tools.length > 0 ? { tools } : {}),
    ...(tools.length > 0 && memory.choosesNoTool ? { tool_choice: 'none' } : {}),
  };
}

/** Parameters of `body` that the project did not write. */
export function optionalParameters(settings: ModelSettings, body: Record<string, unknown>): string[] {
  const written = settings.extra ?? {};
  return ['seed', 'top_logprobs', SKIP, ...TOKEN_PARAMETERS].filter(
    (name) => name in body && !(name in written),
  );
}

/** Remembers that the endpoint does not know `names`. Parameters that make no sense without them are dropped, too. */
export function drop(memory: Memory, names: readonly string[]): void {
  for (const name of names.includes(IDS) ? [...names, ...TOKEN_PARAMETERS] : names) memory.dropped.add(name);
}
