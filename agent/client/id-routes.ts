/** Routes that take a prompt as token ids and give the ids of the reply. ModelPolicy uses the first one that answers with ids. */
import { type Fields, fieldsOf } from '../../basics/json.ts';
import type { Endpoint } from './endpoint.ts';
import { isGivenUp } from './reply.ts';
import { extraOf, type Memory, type ModelSettings, samplingOf, seedOf, skipsNothing } from './request.ts';

interface IdPrompt {
  ids: readonly number[];
  seed: number;
  maxTokens: number;
}

export interface IdRoute {
  /** A path or URL, as `Exchange.path` takes it. */
  path(endpoint: Pick<Endpoint, 'beside'>): string;
  /** Its name for the seed. If the endpoint does not know the parameter, requests have no seed. */
  seed: string;
  body(settings: ModelSettings, memory: Memory, prompt: IdPrompt): Fields;
  /** Its answer as a chat completion with ids, or one that was given up; null: any other answer without ids, so it is not this route. */
  completion(body: unknown): Fields | null;
}

/** SGLang, by its native route. Some of its versions give the end of a turn among the log-probabilities alone. */
const generate: IdRoute = {
  path: (endpoint) => endpoint.beside('/generate'),
  seed: 'sampling_seed',
  body: (settings, memory, { ids, seed, maxTokens }) => ({
    input_ids: ids,
    sampling_params: {
      ...seedOf(memory, seed, 'sampling_seed'),
      ...skipsNothing(settings, memory),
      ...extraOf(settings),
      ...samplingOf(settings),
      max_new_tokens: maxTokens,
    },
    return_logprob: true,
  }),
  completion: (body) => {
    const { text, meta_info: meta } = fieldsOf(body);
    const {
      output_token_logprobs: pairs,
      finish_reason,
      prompt_tokens,
      completion_tokens,
      weight_version,
    } = fieldsOf(meta);
    if (!isFilled(pairs) && !isGivenUp(finish_reason)) return null;
    const choice = {
      message: { content: text },
      finish_reason,
      meta_info: { output_token_logprobs: pairs, weight_version },
    };
    return { choices: [choice], usage: { prompt_tokens, completion_tokens } };
  },
};

/** vLLM, by its route of completions. */
const completions: IdRoute = {
  path: () => '/completions',
  seed: 'seed',
  body: (settings, memory, { ids, seed, maxTokens }) => ({
    ...seedOf(memory, seed, 'seed'),
    ...skipsNothing(settings, memory),
    ...extraOf(settings),
    ...samplingOf(settings),
    model: settings.name,
    prompt: ids,
    max_tokens: maxTokens,
    logprobs: 1,
    return_token_ids: true,
  }),
  completion: (body) => {
    const whole = fieldsOf(body);
    const { text, token_ids, prompt_token_ids, finish_reason, logprobs } = fieldsOf(
      Array.isArray(whole.choices) ? whole.choices[0] : null,
    );
    if (!isFilled(token_ids) && !isGivenUp(finish_reason)) return null;
    const { token_logprobs: values } = fieldsOf(logprobs);
    const content = Array.isArray(values) ? values.map((logprob) => ({ logprob })) : [];
    const choice = {
      message: { content: text },
      finish_reason,
      token_ids,
      prompt_token_ids,
      logprobs: { content },
    };
    return { ...whole, choices: [choice] };
  },
};

export const ID_ROUTES: readonly IdRoute[] = [generate, completions];

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}
