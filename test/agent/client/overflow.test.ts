/** A prompt that does not fit is an end of the rollout; one that fits with a shorter reply gets the shorter reply. */
import { expect, test } from 'vitest';
import type { Answer } from '../../rig/model-server.ts';
import { faultOf, replyOf, setup } from './rig.ts';

const FINE: Answer = { text: 'fine' };
const flat = (message: string, status = 400): Answer => ({
  status,
  body: { object: 'error', message, code: status },
});
const nested = (message: string, more = {}): Answer => ({
  status: 400,
  body: { error: { message, type: 'BadRequestError', code: 400, ...more } },
});

/** Those whose prompt alone is too long, or that give no figures. */
const TOO_LONG: [string, Answer][] = [
  ['SGLang', flat("The input (5000 tokens) is longer than the model's context length (4096 tokens).")],
  [
    'llama.cpp',
    {
      status: 400,
      body: {
        error: {
          code: 400,
          type: 'exceed_context_size_error',
          message: 'the request exceeds the available context size, try increasing it',
          n_prompt_tokens: 5000,
          n_ctx: 4096,
        },
      },
    },
  ],
  [
    'llama.cpp, newer',
    nested('request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it'),
  ],
  [
    'llama-cpp-python',
    nested(
      "This model's maximum context length is 4096 tokens. However, you requested 5100 tokens " +
        '(5000 in your prompt; 100 for the completion). Please reduce your prompt; or completion length.',
      { code: 'context_length_exceeded' },
    ),
  ],
  ['vLLM without room', nested('max_tokens must be at least 1, got -904.')],
  ['OpenAI by code', nested('Too long.', { code: 'context_length_exceeded' })],
  ['Anthropic', nested('prompt is too long: 211500 tokens > 200000 maximum')],
  ['Anthropic by type', nested('no', { type: 'prompt_too_long' })],
  ['Bedrock', nested('Input is too long for requested model.')],
  ['Google', nested('The input token count (40000) exceeds the maximum number of tokens allowed (32768).')],
  ['a gateway', { status: 422, body: { detail: 'Prompt exceeds the configured limit' } }],
  ['TGI', { status: 422, body: { error: '`inputs` must have less than 1024 tokens. Given: 1111' } }],
  ['413 that speaks of the context', flat('Prompt is too long for the context window of the model', 413)],
  [
    '429 that speaks of the context',
    {
      status: 429,
      body: { error: { message: 'Request too large: it exceeds the maximum context length' } },
    },
  ],
  [
    'status 200',
    { status: 200, body: { error: { message: 'Prompt is too long', code: 'context_length_exceeded' } } },
  ],
];

test.each(TOO_LONG)('%s says that the prompt does not fit', async (_name, answer) => {
  const played = await setup([answer, FINE]);
  expect(await faultOf(played)).toMatchObject({ status: 'context-exceeded' });
  expect(played.server.requests).toHaveLength(1);
});

/** Prompt 3500 of 4096 with a limit of 1000: 580 tokens are left with the margin. */
const FITTING: [string, Answer, number][] = [
  [
    'SGLang',
    flat(
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of " +
        '4500 tokens: 3500 tokens from the input messages and 1000 tokens for the completion. Please reduce.',
    ),
    580,
  ],
  [
    'OpenAI and older vLLM',
    nested(
      "This model's maximum context length is 4096 tokens. However, you requested 4500 tokens (3500 in the messages, " +
        '1000 in the completion). Please reduce the length of the messages or completion.',
    ),
    580,
  ],
  [
    'Anthropic',
    nested('input length and `max_tokens` exceed context limit: 3500 + 1000 > 4096, decrease it'),
    580,
  ],
  [
    'TGI',
    {
      status: 422,
      body: {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. ' +
          'Given: 3500 `inputs` tokens and 1000 `max_new_tokens`',
      },
    },
    580,
  ],
];

/** vLLM stops counting where the prompt begins not to fit. */
const COUNTED_IN_PART: [string, Answer][] = [
  [
    'vLLM (a)',
    nested(
      "This model's maximum context length is 4096 tokens. However, you requested 1000 output tokens and your prompt " +
        'contains at least 3097 input tokens, for a total of at least 4097 tokens. Please reduce the length.',
    ),
  ],
  [
    'vLLM (b)',
    nested(
      "You passed 3097 input tokens and requested 1000 output tokens. However, the model's context length is only " +
        '4096 tokens, resulting in a maximum input length of 3096 tokens. Please reduce the length of the input prompt.',
    ),
  ],
  [
    'vLLM in characters',
    nested(
      "You passed 90000 input characters and requested 1000 output tokens. However, the model's context length is " +
        'only 4096 tokens, resulting in a maximum input length of 3096 tokens (at most 49536 characters).',
    ),
  ],
  [
    'vLLM when the limit alone is too large',
    nested(
      'max_tokens=1000cannot be greater than max_model_len=max_total_tokens=4096. Please request fewer.',
    ),
  ],
];

test.each(FITTING)('%s: the reply is made to fit', async (_name, answer, room) => {
  const played = await setup([answer, FINE]);
  expect((await replyOf(played)).maxTokens).toBe(room);
  expect(played.server.requests.map(({ body }) => body.max_tokens)).toEqual([1000, room]);
});

test.each(COUNTED_IN_PART)(
  '%s: what the prompt really has is asked of the endpoint',
  async (_name, answer) => {
    const routes = { '/tokenize': () => ({ body: { count: 3500, tokens: [] } }) };
    const played = await setup([answer, FINE], { routes });
    expect((await replyOf(played)).maxTokens).toBe(580);
  },
);

test.each(COUNTED_IN_PART)('%s: the shortest useful reply where nobody counts', async (_name, answer) => {
  const played = await setup([answer, FINE]);
  expect((await replyOf(played)).maxTokens).toBe(256);
});

test('it is made to fit once', async () => {
  const played = await setup([FITTING[0]![1]]);
  expect(await faultOf(played)).toMatchObject({ status: 'context-exceeded' });
  expect(played.server.requests).toHaveLength(2);
});

test('room for less than a useful reply is none', async () => {
  const answer = nested(
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, " +
      '1000 in the completion).',
  );
  const played = await setup([answer, FINE]);
  expect(await faultOf(played)).toMatchObject({ status: 'context-exceeded' });
  expect(played.server.requests).toHaveLength(1);
});

test('a fitted limit holds for one request only', async () => {
  const played = await setup([FITTING[0]![1], FINE, FINE]);
  await replyOf(played);
  expect((await replyOf(played)).maxTokens).toBeNull();
  expect(played.server.requests.at(-1)!.body.max_tokens).toBe(1000);
});

test.each([
  [
    'an internal error that speaks of it',
    { status: 500, body: { error: { message: 'context length exceeded' } } },
  ],
  [
    'a limit of the rate',
    { status: 429, body: { error: { message: 'Rate limit: context window of 60 s' } } },
  ],
] as [string, Answer][])('%s is no overflow', async (_name, answer) => {
  const played = await setup([answer, FINE]);
  expect((await replyOf(played)).content).toBe('fine');
});

test('a limit for replies that the model does not have is a refusal', async () => {
  const answer = nested(
    'max_tokens is too large: 20000. This model supports at most 16384 completion tokens',
  );
  expect(await faultOf(await setup([answer]))).toMatchObject({ reason: 'endpoint-refused' });
});
