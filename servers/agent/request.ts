/** The body of `/run`: its own keys, and the names that clients of Miles, NeMo-Gym and Harbor use for the same. */

import { randomUUID } from 'node:crypto';
import { BASELINES } from '../../agent/kinds/registry.ts';
import type { AgentType } from '../../agent/settings.ts';
import type { Json } from '../../basics/canonical.ts';
import { fieldsOf } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { namesSecret } from '../../stages/rollouts/foreign-key.ts';
import { NAME, objectOf, TEXT } from '../http/schema.ts';
import type { Actor, EpisodeRequest, RequestedJudge } from './episode.ts';

const NAME_OR_NULL: Json = { anyOf: [NAME, { type: 'null' }] };
const TOKENS: Json = { type: ['integer', 'null'], minimum: 1 };

/** Of `sampling_params`, by the names of SGLang, vLLM and OpenAI -> keys of the project's model. */
const SAMPLING: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  min_p: 'min_p',
  repetition_penalty: 'repetition_penalty',
  stop: 'stop',
  max_tokens: 'max_tokens',
  max_new_tokens: 'max_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Of a judge of steps; those that are not given are as in the project's schema. */
const JUDGE: Json = objectOf(
  {
    base_url: { type: 'string', pattern: '^https?://' },
    model: NAME,
    api_key: { anyOf: [TEXT, { type: 'null' }] },
    votes: { type: 'integer', minimum: 1, maximum: 100 },
    coefficient: { type: 'number' },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    max_tokens: { type: 'integer', minimum: 1 },
  },
  ['base_url', 'model'],
);

/** The keys that name an instance and configure its rollout. */
export const TASK: Readonly<Record<string, Json>> = {
  instance_id: NAME,
  dataset: NAME_OR_NULL,
  sample: { type: ['string', 'integer', 'null'], pattern: '^[A-Za-z0-9._-]{1,100}$' },
  seed: { type: ['integer', 'null'], minimum: 0, maximum: 2 ** 31 - 1 },
  step: { type: ['integer', 'null'], minimum: 0 },
  dynamic_history: { type: ['boolean', 'null'] },
  train: { enum: ['main', 'agents', 'all', null] },
};

export const RUN: Json = objectOf({
  ...TASK,
  id: NAME_OR_NULL,
  agent: { enum: ['model', ...BASELINES.map(({ name }) => name), null] },
  base_url: { anyOf: [{ type: 'string', pattern: '^https?://' }, { type: 'null' }] },
  sglang_url: { anyOf: [{ type: 'string', pattern: '^https?://' }, { type: 'null' }] },
  model: NAME_OR_NULL,
  api_key: { anyOf: [TEXT, { type: 'null' }] },
  judge: { anyOf: [JUDGE, { type: 'null' }] },
  sampling_params: { type: ['object', 'null'] },
  max_seq_len: TOKENS,
  run_golden: { type: ['boolean', 'null'] },
  metadata: { type: ['object', 'null'] },
  responses_create_params: { type: ['object', 'null'] },
  session_server_instance_id: { type: ['string', 'integer', 'null'] },
});

/** Of `/run_batch`. */
export const MANY: Json = objectOf({ requests: { type: 'array', maxItems: 4096, items: RUN } }, ['requests']);
export const SESSION: Json = objectOf({ session_id: NAME }, ['session_id']);
const IDS: Json = { type: ['array', 'null'], items: { type: 'integer', minimum: 0 } };
/** Of a session. */
export const STEP: Json = objectOf({
  session_id: NAME,
  content: TEXT,
  command: TEXT,
  tool_calls: {
    type: ['array', 'null'],
    items: objectOf({ id: NAME, name: NAME, arguments: TEXT }, ['name', 'arguments']),
  },
  prompt_ids: IDS,
  token_ids: IDS,
  logprobs: { type: ['array', 'null'], items: { type: 'number' } },
});

export const NO_INSTANCE = 'instance_id is required, here or in metadata';

type Body = Readonly<Record<string, unknown>>;

/** The fault says what is missing or wrong. */
export function readRequest(body: Body): Result<EpisodeRequest, string> {
  const task = readTask(body);
  if (task === null) return fault(NO_INSTANCE);
  const wrong = wrongModel(body);
  if (wrong !== null) return fault(wrong);
  const given = textOrNull(body.id);
  return success({ ...task, id: given ?? randomUUID(), actor: readActor(body) });
}

export function readTask(body: Body): Omit<EpisodeRequest, 'id' | 'actor'> | null {
  const metadata = fieldsOf(body.metadata);
  const instance = textOrNull(body.instance_id) ?? textOrNull(metadata.instance_id);
  if (instance === null) return null;
  const sample = body.sample ?? body.sample_index ?? null;
  return {
    instance,
    dataset: textOrNull(body.dataset),
    sample: sample === null ? '0' : String(sample),
    seed: numberOrNull(body.seed),
    unit: body.dynamic_history === true ? 'step' : 'turns',
    train: body.train === 'agents' || body.train === 'all' ? body.train : 'main',
    judge: readJudge(body.judge),
    step: numberOrNull(body.step),
  };
}

/** The secrets of the project are not for callers: a key that names one would be revealed to whichever address they name. */
function wrongModel(body: Body): string | null {
  for (const key of ['base_url', 'sglang_url'] as const) {
    const url = textOrNull(body[key]);
    if (url !== null && !URL.canParse(url)) return `${key} is not an address`;
  }
  const judge = fieldsOf(body.judge);
  const at = textOrNull(judge.base_url);
  if (at !== null && !URL.canParse(at)) return 'judge.base_url is not an address';
  for (const key of [body.api_key, judge.api_key])
    if (namesSecret(textOrNull(key) ?? ''))
      return 'api_key names a secret of the project; leave it out, or send a key of your own';
  return null;
}

function readJudge(given: unknown): RequestedJudge | null {
  const judge = fieldsOf(given);
  const [baseUrl, name] = [textOrNull(judge.base_url), textOrNull(judge.model)];
  if (baseUrl === null || name === null) return null;
  return {
    ...{ baseUrl, name, apiKey: textOrNull(judge.api_key) },
    votes: numberOrNull(judge.votes) ?? 3,
    coefficient: numberOrNull(judge.coefficient) ?? 1,
    temperature: numberOrNull(judge.temperature) ?? 1,
    maxTokens: numberOrNull(judge.max_tokens) ?? 4096,
  };
}

/** The baseline that applies the gold patch. */
const GOLDEN = BASELINES.find(({ script }) => script?.seesGold);

function readActor(body: Body): Actor {
  const baseline =
    BASELINES.find(({ name }) => name === body.agent) ?? (body.run_golden === true ? GOLDEN : undefined);
  if (baseline !== undefined) return { kind: 'baseline', type: baseline.name as AgentType };
  const wanted = { ...fieldsOf(body.responses_create_params), ...fieldsOf(body.sampling_params) };
  const sampling = Object.entries(SAMPLING).flatMap(([name, key]) => {
    const value = wanted[name];
    return value === undefined || value === null ? [] : [[key, value] as const];
  });
  return {
    kind: 'model',
    baseUrl: textOrNull(body.base_url) ?? textOrNull(body.sglang_url),
    // As LiteLLM names it.
    name: textOrNull(body.model)?.replace(/^(openai|hosted_vllm|sglang)\//, '') ?? null,
    apiKey: textOrNull(body.api_key),
    sampling: Object.fromEntries(sampling),
    context: numberOrNull(body.max_seq_len),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
