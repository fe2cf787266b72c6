/** Replies of all servers, made the same. */
import { describe, expect, test } from 'vitest';
import type { ScriptedReply } from '../../rig/model-reply.ts';
import { replyOf, request, setup } from './rig.ts';

const read = async (reply: ScriptedReply) => replyOf(await setup([reply]));

test('a plain reply', async () => {
  const reply = await read({ text: 'hello', usage: { prompt_tokens: 11, completion_tokens: 3 } });
  expect(reply).toMatchObject({
    content: 'hello',
    reasoning: null,
    toolCalls: [],
    finishReason: 'stop',
    truncated: false,
    maxTokens: null,
    promptTokens: 11,
    completionTokens: 3,
    cost: null,
    tokens: null,
  });
});

test.each([
  ['null', null, ''],
  ['parts', [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, 'c'], 'abc'],
  ['no text', [{ type: 'image', url: 'x' }], ''],
])('content that is %s', async (_name, text, content) => {
  expect((await read({ text })).content).toBe(content);
});

test('a refusal is text', async () => {
  const body = { choices: [{ finish_reason: 'stop', message: { content: null, refusal: 'I will not.' } }] };
  expect((await replyOf(await setup([{ status: 200, body }]))).content).toBe('I will not.');
});

test('a completion with another type of content', async () => {
  const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'plain' } }] });
  const headers = { 'content-type': 'text/plain' };
  expect((await replyOf(await setup([{ status: 200, body, headers }]))).content).toBe('plain');
});

test.each([
  ['reasoning', { text: 'a', reasoning: 'hm' }],
  ['reasoning_content', { text: 'a', oldReasoning: 'hm' }],
  [
    'thinking parts',
    { text: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }, { text: 'a' }] },
  ],
])('%s is kept apart', async (_name, scripted) => {
  expect(await read(scripted)).toMatchObject({ content: 'a', reasoning: 'hm' });
});

test.each([
  ['length', true],
  ['max_tokens', true],
  ['model_length', true],
  ['stop', false],
  ['tool_calls', false],
])('finish reason %s: cut is %s', async (finish, truncated) => {
  expect(await read({ text: 'a', finish })).toMatchObject({ finishReason: finish, truncated });
});

test('no finish reason', async () => {
  expect(await read({ text: 'a', finish: null })).toMatchObject({
    finishReason: 'unknown',
    truncated: false,
  });
});

test('usage that is missing is unknown, or counted by the ids', async () => {
  expect(await read({ text: 'a', usage: null })).toMatchObject({
    promptTokens: null,
    completionTokens: null,
  });
  const tokens = { prompt: [1, 2, 3], ids: [4, 5], server: 'vllm' } as const;
  expect(await read({ text: 'a', usage: null, tokens })).toMatchObject({
    promptTokens: 3,
    completionTokens: 2,
  });
});

describe('tool calls', () => {
  const calls = async (...tools: NonNullable<ScriptedReply['tools']>) => (await read({ tools })).toolCalls;

  test.each([
    ['text', '{"command":"ls"}', '{"command":"ls"}'],
    ['an object', { command: 'ls' }, '{"command":"ls"}'],
    ['nothing', '', '{}'],
    ['null', null, '{}'],
    ['broken text', '{"command":', '{"command":'],
    ['a list', ['ls'], '["ls"]'],
  ])('with arguments as %s', async (_name, given, text) => {
    expect(await calls({ id: 'x', name: 'bash', arguments: given })).toEqual([
      { id: 'x', name: 'bash', arguments: text },
    ]);
  });

  test('get ids where they are missing or the same', async () => {
    const tool = { name: 'bash', arguments: '' };
    const ids = (await calls(tool, { ...tool, id: 'x' }, { ...tool, id: 'x' }, { ...tool, id: '' })).map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(4);
    expect(ids[1]).toBe('x');
    for (const id of [ids[0], ids[2], ids[3]]) expect(id).toMatch(/^[a-z0-9]{9}$/);
  });

  test('get other ids than those in the prompt', async () => {
    const played = await setup([{ tools: [{ name: 'bash', arguments: '' }] }]);
    const { toolCalls: first } = await replyOf(played);
    const messages = [
      { role: 'assistant', content: '', tool_calls: first },
      { role: 'tool', content: '', tool_call_id: first[0]!.id },
    ] as const;
    const { toolCalls: second } = await replyOf(played, { messages: [...messages] as never });
    expect(second[0]!.id).not.toBe(first[0]!.id);
    expect((await replyOf(played)).toolCalls).toEqual(first);
  });

  test('count whatever the finish reason says', async () => {
    expect(await read({ tools: [{ id: 'x', name: 'bash', arguments: '' }], finish: 'stop' })).toMatchObject({
      finishReason: 'stop',
      toolCalls: [{ id: 'x' }],
    });
    expect(await read({ text: '', tools: [], finish: 'tool_calls' })).toMatchObject({ toolCalls: [] });
  });

  test('that are none of a function have no name', async () => {
    expect(await calls({ function: null })).toMatchObject([{ name: '', arguments: '{}' }]);
  });
});

describe('token ids', () => {
  const sampled = { prompt: [1, 2], ids: [3, 4], logprobs: [-0.5, -0.25] };

  test.each(['vllm', 'sglang'] as const)('in the form of %s', async (server) => {
    const reply = await read({ text: 'a', tokens: { ...sampled, server } });
    expect(reply.tokens).toEqual({ promptIds: [1, 2], ids: [3, 4], logprobs: [-0.5, -0.25] });
  });

  test('in the form of llama.cpp, which gives none of the prompt', async () => {
    const reply = await read({ text: 'a', tokens: { ...sampled, server: 'llama.cpp' } });
    expect(reply.tokens).toEqual({ promptIds: null, ids: [3, 4], logprobs: [-0.5, -0.25] });
  });

  test('come with one alternative only, once a server gave more than asked for', async () => {
    const { client, server } = await setup([{ text: 'a', tokens: { ...sampled, server: 'llama.cpp' } }]);
    for (let turn = 0; turn < 2; turn++) await client.policy().reply(request());
    expect(server.requests.map(({ body }) => body.top_logprobs)).toEqual([undefined, 1]);
  });

  test('spelled as tokens', async () => {
    const content = [{ token: 'token_id:9', logprob: -1 }];
    const choice = { finish_reason: 'stop', message: { content: 'a' }, logprobs: { content } };
    const reply = await replyOf(await setup([{ status: 200, body: { choices: [choice] } }]));
    expect(reply.tokens).toEqual({ promptIds: null, ids: [9], logprobs: [-1] });
  });

  test('with another number of log-probabilities have none', async () => {
    const tokens = { ...sampled, logprobs: [-0.5], server: 'vllm' } as const;
    expect((await read({ text: 'a', tokens })).tokens).toMatchObject({ ids: [3, 4], logprobs: null });
  });

  test('are asked for until a reply came without', async () => {
    const { client, server } = await setup([{ text: 'a' }]);
    const policy = client.policy();
    await policy.reply(request());
    await policy.reply(request());
    expect(server.requests.map(({ body }) => 'return_token_ids' in body)).toEqual([true, false]);
    expect(policy.dropped()).toEqual([
      'logprobs',
      'return_meta_info',
      'return_prompt_token_ids',
      'return_token_ids',
    ]);
    expect(policy.parameters()).not.toHaveProperty('logprobs');
  });

  test('are asked for again after an empty reply, which has none anywhere', async () => {
    const tokens = { ...sampled, server: 'vllm' } as const;
    const { client } = await setup([{ text: '' }, { text: 'b', tokens }]);
    const policy = client.policy();
    await policy.reply(request());
    expect(await policy.reply(request())).toMatchObject({
      ok: true,
      value: { tokens: { ids: sampled.ids } },
    });
  });

  test('are asked for all the time where they came once', async () => {
    const tokens = { ...sampled, server: 'vllm' } as const;
    const { client, server } = await setup([{ text: 'a', tokens }, { text: 'b' }]);
    for (let turn = 0; turn < 3; turn++) await client.policy().reply(request());
    expect(server.requests.at(-1)!.body).toHaveProperty('return_token_ids', true);
  });

  test('are not asked for when they are off', async () => {
    const { client, server } = await setup([{ text: 'a' }], { settings: { tokens: 'off' } });
    await client.policy().reply(request());
    expect(server.requests[0]!.body).not.toHaveProperty('logprobs');
    expect(client.policy().dropped()).toEqual([]);
  });
});
