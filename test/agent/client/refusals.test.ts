/** What no repetition changes ends at once; what the endpoint does not know is left out, once. */
import { expect, test } from 'vitest';
import { Credential } from '../../../basics/credential.ts';
import type { Answer, ServedRequest } from '../../rig/model-server.ts';
import { faultOf, replyOf, request, setup } from './rig.ts';

const FINE: Answer = { text: 'fine' };

test.each([
  [
    '400',
    { status: 400, body: { error: { message: 'temperature must be small' } } },
    'temperature must be small',
  ],
  ['401', { status: 401, body: { error: { message: 'Incorrect API key' } } }, 'HTTP 401: Incorrect API key'],
  ['403', { status: 403, body: { message: 'no access' } }, 'HTTP 403: no access'],
  [
    '404',
    { status: 404, body: { object: 'error', message: 'The model `x` does not exist.' } },
    'does not exist',
  ],
  ['405', { status: 405, body: { detail: 'Method Not Allowed' } }, 'Method Not Allowed'],
  ['402', { status: 402, body: { error: 'Insufficient credits' } }, 'Insufficient credits'],
  [
    '422',
    { status: 422, body: { detail: [{ loc: ['body', 'messages'], msg: 'empty' }] } },
    'body.messages: empty',
  ],
  ['501', { status: 501, body: 'not here' }, 'HTTP 501: not here'],
  ['413 as a page', { status: 413, body: '<h1>Request Entity Too Large</h1>' }, 'Request Entity Too Large'],
  [
    '413 of a proxy as JSON',
    { status: 413, body: { error: { message: 'Request Entity Too Large' } } },
    'says nothing about the model: raise it there, or shorten prompts with agent.context',
  ],
  [
    '413 about bytes',
    { status: 413, body: { message: 'the request body is longer than the maximum allowed size' } },
    'says nothing about the model',
  ],
  [
    '413 for tokens per minute',
    {
      status: 413,
      body: { error: { message: 'Request too large for model `m`: limit 6000, requested 7000' } },
    },
    'says nothing about the model',
  ],
  [
    '429 for tokens per minute',
    { status: 429, body: { error: { message: 'Request too large: limit 10000, requested 20000' } } },
    'says nothing about the model',
  ],
  [
    '429 without a quota',
    { status: 429, body: { error: { code: 'insufficient_quota', message: 'pay' } } },
    'pay',
  ],
  [
    'a redirect',
    { status: 307, body: '', headers: { location: 'https://other/v1' } },
    'moved to https://other/v1; write that in base_url',
  ],
  ['400 under status 200', { status: 200, body: { error: { code: 400, message: 'bad tool' } } }, 'bad tool'],
])('%s is final, with the words of the endpoint', async (_name, answer, words) => {
  const played = await setup([answer, FINE]);
  const fault = await faultOf(played);
  expect(fault).toMatchObject({ status: 'config', reason: 'endpoint-refused' });
  expect(fault.detail).toContain(words);
  expect(played.server.requests).toHaveLength(1);
});

test('a refusal of the key refuses everything, unless the endpoint has answered before', async () => {
  const refusal: Answer = { status: 401, body: { error: { message: 'Incorrect API key' } } };
  const never = await setup([refusal, FINE]);
  await faultOf(never);
  expect(await faultOf(never)).toMatchObject({ reason: 'endpoint-refused' });
  expect(never.server.requests).toHaveLength(1);

  const once = await setup([FINE, refusal, FINE]);
  await replyOf(once);
  await faultOf(once);
  expect((await replyOf(once)).content).toBe('fine');
});

test('where weights change on purpose, a model that was not there yet is asked for again', async () => {
  const missing: Answer = {
    status: 404,
    body: { error: { message: 'The model `scripted` does not exist.' } },
  };
  const { client } = await setup([missing, FINE]);
  const ask = () => client.policy({ weightsChange: true }).reply(request());
  expect(await ask()).toMatchObject({ ok: false, fault: { reason: 'endpoint-refused' } });
  expect(await ask()).toMatchObject({ ok: true, value: { content: 'fine' } });
});

test('a refusal of one request says nothing of others', async () => {
  const played = await setup([{ status: 400, body: { error: { message: 'odd' } } }, FINE]);
  await faultOf(played);
  expect((await replyOf(played)).content).toBe('fine');
});

test.each(['x', 'null', '1'])(
  'a made-up key "%s" for a server that wants none changes no answer',
  async (key) => {
    const long =
      "This model's maximum context length is 1000 tokens; the request has 1100 (1100 in the messages).";
    const body = { error: { message: long, param: null, code: 400 } };
    const played = await setup([{ status: 400, body }], { key });
    expect(await faultOf(played)).toEqual({ status: 'context-exceeded', detail: `HTTP 400: ${long}` });
  },
);

test.each([
  ['an error', { error: { code: 401, message: 'Incorrect API key provided: sk-12345' } }],
  ['no reply', { choices: [], error: { message: 'Incorrect API key provided: sk-12345' } }],
])('the key is in no fault of an answer with status 200 that holds %s', async (_name, body) => {
  const played = await setup(() => ({ status: 200, body }), { key: 'sk-12345' });
  expect((await faultOf(played)).detail).toContain('Incorrect API key provided: (key)');
});

test('the key is in no fault', async () => {
  const echo: Answer = { status: 401, body: { error: { message: 'Incorrect API key provided: sk-12345' } } };
  const played = await setup([echo], { key: 'sk-12345' });
  const { detail } = await faultOf(played);
  expect(detail).toContain('Incorrect API key provided: (key); look at the value of agent.model.api_key');
  const without = await faultOf(await setup([echo]));
  expect(without.detail).toContain('sk-12345; set agent.model.api_key, such as ${secret:NAME}');
});

test.each([
  ['OpenAI', { status: 400, body: { error: { message: "Unknown parameter: 'seed'.", param: 'seed' } } }],
  [
    'a list of names',
    { status: 400, body: { error: { message: 'Unrecognized request argument supplied: seed' } } },
  ],
  [
    'pydantic',
    {
      status: 422,
      body: {
        detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }],
      },
    },
  ],
  ['words', { status: 400, body: { message: 'seed: Extra inputs are not permitted' } }],
  ['Google', { status: 400, body: { error: { message: 'Unknown name "seed": Cannot find field.' } } }],
])('an optional parameter refused by %s is left out from then on', async (_name, refusal) => {
  const played = await setup([refusal, FINE]);
  const policy = played.client.policy();
  await policy.reply(request());
  await policy.reply(request());
  const seeds = played.server.requests.map(({ body }) => 'seed' in body);
  expect(seeds).toEqual([true, false, false]);
  expect(played.clock.pauses).toEqual([]);
  expect(policy.dropped()).toContain('seed');
});

test('log-probabilities that a model must not give are left out, and the ids kept', async () => {
  const forbidden = { error: { message: 'You are not allowed to request logprobs from this model' } };
  const ids = { prompt: [1], ids: [2], server: 'vllm' } as const;
  const played = await setup([
    { status: 403, body: forbidden },
    { text: 'a', tokens: ids },
  ]);
  const reply = await replyOf(played);
  expect(reply.tokens).toEqual({ promptIds: [1], ids: [2], logprobs: null });
  expect(played.client.policy().dropped()).toEqual(['logprobs']);
});

test('without token ids nothing that belongs to them is asked for', async () => {
  const refusal = { error: { message: 'Unrecognized request argument supplied: return_token_ids' } };
  const played = await setup([{ status: 400, body: refusal }, FINE]);
  await replyOf(played);
  const { body } = played.server.requests[1]!;
  expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'seed', 'temperature']);
});

test('what the project writes is never left out', async () => {
  const refusal: Answer = {
    status: 400,
    body: { error: { message: 'Unrecognized request argument: top_k' } },
  };
  const played = await setup([refusal, FINE], { settings: { top_k: 20 } });
  expect(await faultOf(played)).toMatchObject({ reason: 'endpoint-refused' });

  const extra: Answer = {
    status: 400,
    body: { error: { message: 'Unknown parameter: logprobs', param: 'logprobs' } },
  };
  const written = await setup([extra, FINE], { settings: { extra: { logprobs: true }, tokens: 'off' } });
  expect(await faultOf(written)).toMatchObject({ reason: 'endpoint-refused' });
});

test('a refused parameter that was not sent is a refusal', async () => {
  const refusal: Answer = {
    status: 400,
    body: { error: { message: "Unknown parameter: 'seed'", param: 'seed' } },
  };
  const played = await setup([refusal]);
  expect(await faultOf(played)).toMatchObject({ reason: 'endpoint-refused' });
  expect(played.server.requests).toHaveLength(2);
});

test('a model that wants max_completion_tokens gets it', async () => {
  const message =
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  const refusal: Answer = { status: 400, body: { error: { message, param: 'max_tokens' } } };
  const played = await setup([refusal, FINE]);
  await replyOf(played);
  const { body } = played.server.requests[1]!;
  expect(body).toMatchObject({ max_completion_tokens: 1000 });
  expect(body).not.toHaveProperty('max_tokens');
});

test('a template without a tool role gets calls and results as text', async () => {
  const message = 'Conversation roles must alternate user/assistant/user/assistant/...';
  const played = await setup([{ status: 400, body: { object: 'error', message } }, FINE]);
  const messages = [
    { role: 'user', content: 'task' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'a', name: 'bash', arguments: '{"command":"ls"}' },
        { id: 'b', name: 'bash', arguments: '{"command":"pwd"}' },
      ],
    },
    { role: 'tool', content: 'files', tool_call_id: 'a' },
    { role: 'tool', content: '/testbed', tool_call_id: 'b' },
  ] as const;
  await replyOf(played, { messages: [...messages] as never });
  expect(played.server.requests[1]!.body.messages).toEqual([
    { role: 'user', content: 'task' },
    {
      role: 'assistant',
      content: '<tool_call>bash {"command":"ls"}</tool_call>\n<tool_call>bash {"command":"pwd"}</tool_call>',
    },
    { role: 'user', content: 'files\n/testbed' },
  ]);
});

test('requests that were under way when something was learned are made again too', async () => {
  const message = 'Only user and assistant roles are supported!';
  const knows = ({ body }: ServedRequest) =>
    !('seed' in body) && body.messages.every(({ role }) => role !== 'tool');
  const gate = { open: () => undefined as unknown };
  const both = new Promise((resolve) => {
    gate.open = () => resolve(null);
  });
  const played = await setup(async (served) => {
    if (served.number === 1) gate.open();
    if (served.number < 2) await both;
    if (knows(served)) return FINE;
    if ('seed' in served.body)
      return { status: 400, body: { error: { message: 'Unknown parameter', param: 'seed' } } };
    return { status: 400, body: { object: 'error', message } };
  });
  const messages = [{ role: 'tool' as const, content: 'files', tool_call_id: 'a' }];
  const replies = await Promise.all([1, 2].map(() => played.client.policy().reply(request({ messages }))));
  expect(replies.every((reply) => reply.ok)).toBe(true);
});

test('an address with credentials and a key that no header can carry are refused before any request', async () => {
  const { openModel } = await import('../../../agent/client/model.ts');
  const { endpoints, client } = await setup([FINE]);
  const open = (base_url: string, key: string | null) => {
    const credential = key === null ? null : Credential.bearer(key, base_url);
    return openModel({ ...client.settings, base_url }, { endpoints, credential });
  };
  expect(open('http://user:word@127.0.0.1:1/v1', null)).toMatchObject({
    fault: { reason: 'endpoint-refused' },
  });
  expect(open('http://127.0.0.1:1/v1', 'a\u00e9b')).toMatchObject({ fault: { reason: 'endpoint-refused' } });
  expect(open('http://127.0.0.1:1/v1', 'key\n')).toMatchObject({ ok: true });
});

test('https to a server of http says which to write, and is asked once', async () => {
  const { server } = await setup([FINE]);
  const played = await setup([], { settings: { base_url: server.url.replace('http:', 'https:') } });
  const fault = await faultOf(played);
  expect(fault).toMatchObject({ status: 'config', reason: 'endpoint-refused' });
  expect(fault.detail).toContain(
    'the server speaks http and not https; write http:// in agent.model.base_url',
  );
  expect(played.clock.pauses).toEqual([]);
});
