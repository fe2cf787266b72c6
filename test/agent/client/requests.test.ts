/** What a request holds: the sampling that decides the result always, and nothing of the machine it is made on. */
import { afterEach, expect, test } from 'vitest';
import { Endpoints } from '../../../agent/client/endpoint.ts';
import { openModel } from '../../../agent/client/model.ts';
import { startModelServer } from '../../rig/model-server.ts';
import { replyOf, request, setup } from './rig.ts';

test('sampling is as written, and only that', async () => {
  const { client, server } = await setup([{ text: '' }], {
    settings: {
      top_p: 0.9,
      top_k: -1,
      min_p: 0,
      repetition_penalty: 1.05,
      stop: ['</function>'],
      extra: { chat_template_kwargs: { enable_thinking: false } },
      tokens: 'off',
    },
  });
  const policy = client.policy();
  await policy.reply(request());
  const sampling = {
    model: 'scripted',
    temperature: 0.8,
    top_p: 0.9,
    top_k: -1,
    min_p: 0,
    repetition_penalty: 1.05,
    stop: ['</function>'],
    max_tokens: 1000,
    chat_template_kwargs: { enable_thinking: false },
  };
  expect(server.requests[0]!.body).toEqual({
    ...sampling,
    seed: 7,
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(policy.parameters()).toEqual(sampling);
});

test.each([null, 'secret'])('headers tell nothing of the machine, with the key %s', async (key) => {
  const { client, server } = await setup([{ text: '' }], { key });
  await client.policy().reply(request());
  const {
    host,
    'content-length': length,
    authorization,
    'x-session-id': session,
    ...rest
  } = server.requests[0]!.headers;
  expect(rest).toEqual({
    accept: 'application/json',
    connection: 'keep-alive',
    'content-type': 'application/json',
    'user-agent': 'swemake',
  });
  expect([host, Number(length) > 0, session]).toEqual([
    expect.stringMatching(/^127\./),
    true,
    request().session,
  ]);
  expect(authorization).toBe(key === null ? undefined : `Bearer ${key}`);
});

test('what other keys decide is not changed by extra parameters', async () => {
  const extra = {
    n: 4,
    stream: true,
    model: 'other',
    max_tokens: 1,
    max_completion_tokens: 1,
    messages: [],
    user: 'me',
  };
  const played = await setup([{ text: 'fine' }], { settings: { extra, tokens: 'off' } });
  await replyOf(played);
  expect(Object.keys(played.server.requests[0]!.body).sort()).toEqual(
    ['max_tokens', 'messages', 'model', 'seed', 'temperature', 'user'].sort(),
  );
  expect(played.server.requests[0]!.body).toMatchObject({ model: 'scripted', max_tokens: 1000 });
});

test('a rollout may ask for shorter replies', async () => {
  const { client, server } = await setup([{ text: '' }]);
  await client.policy({ maxTokens: 300 }).reply(request());
  await client.policy({ maxTokens: 3000 }).reply(request());
  expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([300, 1000]);
});

test('seeds fit into what servers keep of them', async () => {
  const played = await setup([{ text: '' }]);
  await replyOf(played, { seed: 2 ** 40 + 5 });
  expect(played.server.requests[0]!.body.seed).toBe(5);
});

test('a rollout keeps its session, as far as a header can carry it', async () => {
  const played = await setup([{ text: '' }]);
  await replyOf(played, { session: 'getmoto__moto-1#0 é' });
  expect(played.server.requests[0]!.session).toBe('getmoto__moto-1#0__');
});

test('tools and calls are in OpenAI’s form', async () => {
  const played = await setup([{ text: '' }]);
  const tool = { name: 'bash', description: 'Runs a command.', parameters: { type: 'object' } };
  const messages = [
    { role: 'assistant', content: '', tool_calls: [{ id: 'x', name: 'bash', arguments: '{}' }] },
    { role: 'tool', content: 'files', tool_call_id: 'x' },
  ];
  await replyOf(played, { tools: [tool], messages: messages as never });
  expect(played.server.requests[0]!.body).toMatchObject({
    tools: [{ type: 'function', function: tool }],
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'bash', arguments: '{}' } }],
      },
      { role: 'tool', content: 'files', tool_call_id: 'x' },
    ],
  });
});

test('the key is sent, and none without one', async () => {
  const withKey = await setup([{ text: 'in' }], { apiKey: 'k-1', key: 'k-1\n' });
  expect((await replyOf(withKey)).content).toBe('in');
  const without = await setup([{ text: 'in' }]);
  await replyOf(without);
  expect(without.server.requests[0]!.headers).not.toHaveProperty('authorization');
});

const SAVED = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in SAVED)) delete process.env[name];
});

test('the environment’s settings for OpenAI reach no endpoint', async () => {
  Object.assign(process.env, {
    OPENAI_API_KEY: 'sk-secret',
    OPENAI_ORG_ID: 'org-secret',
    OPENAI_PROJECT_ID: 'proj-secret',
    OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
    OPENAI_LOG: 'debug',
  });
  const played = await setup([{ text: 'fine' }]);
  await replyOf(played);
  expect(JSON.stringify(played.server.requests[0]!.headers)).not.toContain('secret');
});

test('this machine is never behind a proxy, others are where one is named', async () => {
  const asked: string[] = [];
  const endpoints = new Endpoints((url) => {
    asked.push(url.hostname);
    return 'http://127.0.0.1:1';
  });
  const server = await startModelServer([{ text: 'fine' }]);
  const settings = {
    temperature: 1,
    max_tokens: 10,
    tokens: 'off',
    timeout: 5,
    retry: 0,
    concurrency: 1,
  } as const;
  const at = (base_url: string) => {
    const opened = openModel({ ...settings, base_url, name: 'm' }, { endpoints, credential: null });
    if (!opened.ok) throw new Error(opened.fault.detail);
    return opened.value.policy().reply(request());
  };
  expect(await at(server.url)).toMatchObject({ ok: true });
  expect(asked).toEqual([]);
  expect(await at('http://model.invalid/v1')).toMatchObject({ fault: { reason: 'endpoint' } });
  expect(asked).toEqual(['model.invalid']);
  await endpoints.close();
  await server.stop();
});
