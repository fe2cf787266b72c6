/** Which weights answer, and how much they take: what the endpoint says beyond the name. */
import { describe, expect, test } from 'vitest';
import { modelIdentity, reportedIdentity } from '../../../agent/client/identity.ts';
import { type SetupOptions, setup, testClock } from './rig.ts';

const { signal } = new AbortController();

async function identityAt(options: SetupOptions) {
  const { client, clock } = await setup([{ text: '' }], options);
  const identity = await modelIdentity(client.settings, async () => ({ ok: true, value: client }), signal);
  return { identity, clock };
}

test('what the project writes is the identity, and nobody is asked', async () => {
  const { client, server } = await setup([{ text: '' }]);
  const config = { ...client.settings, identity: 'Qwen/Qwen3-8B@abc' };
  const identity = await modelIdentity(config, () => Promise.reject(new Error('asked')), signal);
  expect(identity).toEqual({ ok: true, value: { identity: 'Qwen/Qwen3-8B@abc', context: null } });
  expect(server.paths.size).toBe(0);
});

describe('an entry of /v1/models', () => {
  test.each([
    ['a digest', { digest: 'sha256:0123456789abcdef' }, 'custom@sha256:0123456789abcdef'],
    ['a revision', { root: 'Qwen/Qwen3-8B', revision: 'b968826d9c46' }, 'Qwen/Qwen3-8B@b968826d9c46'],
    ['a digest among others', { meta: { sha256: '0123456789abcdef' } }, 'custom@0123456789abcdef'],
  ])('with %s says which weights', (_name, more, identity) => {
    expect(reportedIdentity({ id: 'custom', ...more })).toEqual({ ok: true, value: identity });
  });

  test.each([
    ['a name only', {}, 'no more than the name'],
    ['the name again', { root: 'custom' }, 'no more than the name'],
    ['a time', { created: 1700000000 }, 'no more than the name'],
    ['a branch', { revision: 'main' }, 'no more than the name'],
    ['a folder', { root: '/models/mine' }, 'where the weights are (/models/mine)'],
    ['an id of the hub alone', { root: 'Qwen/Qwen3-8B' }, 'reports Qwen/Qwen3-8B without a revision'],
    ['a folder beside', { root: './mine' }, 'where the weights are'],
    ['figures', { meta: { n_params: 8e9, size: 1 } }, 'no more than the name'],
  ])('with %s does not', (_name, more, words) => {
    expect(reportedIdentity({ id: 'custom', ...more })).toMatchObject({
      fault: expect.stringContaining(words),
    });
  });
});

test('the endpoint is asked', async () => {
  const { identity } = await identityAt({
    models: [{ id: 'other' }, { id: 'scripted', root: 'org/weights', revision: 'abcdef1' }],
  });
  expect(identity).toMatchObject({ ok: true, value: { identity: 'org/weights@abcdef1' } });
});

test.each([
  ['lists other models', { models: [{ id: 'other' }] }],
  ['has no list', { models: { status: 404, body: { detail: 'Not Found' } } }],
])('an endpoint that %s leaves it to the project', async (_name, options) => {
  const { identity } = await identityAt(options);
  expect(identity).toMatchObject({ fault: { reason: 'endpoint-refused' } });
  expect(JSON.stringify(identity)).toContain('set model.identity');
});

test('an endpoint that is not up yet is waited for', async () => {
  const clock = testClock(async () => {
    if (clock.pauses.length === 2) await played.server.start();
  });
  const played = await setup([{ text: '' }], { clock, models: [{ id: 'scripted', max_model_len: 4096 }] });
  await played.server.stop();
  expect(await played.client.info(signal)).toMatchObject({ ok: true, value: { context: 4096 } });
  expect(clock.pauses).toHaveLength(2);
});

test('one that loads for longer than requests are tried is a fault, and is asked again later', async () => {
  const models = { status: 503, body: { error: { message: 'Loading model' } } };
  const { client, clock } = await setup([{ text: '' }], { models });
  const told: string[] = [];
  const log = (text: string) => void told.push(text);
  expect(await client.info(signal, log)).toMatchObject({ fault: { status: 'infra', reason: 'endpoint' } });
  expect(told[0]).toMatch(/; again in [\d.]+ s, tried until [\d:]+\n$/);
  const before = clock.pauses.length;
  await client.info(signal);
  expect(clock.pauses.length).toBeGreaterThan(before);
});

test('one that refuses the key is final', async () => {
  const { client, clock } = await setup([{ text: '' }], { apiKey: 'right', key: 'wrong' });
  expect(await client.info(signal)).toMatchObject({ fault: { reason: 'endpoint-refused' } });
  expect(clock.pauses).toEqual([]);
});

test('it is asked once', async () => {
  const { client, server } = await setup([{ text: '' }]);
  await Promise.all([client.info(signal), client.info(signal)]);
  await client.info(signal);
  expect(server.paths.get('/v1/models')).toBe(1);
});

test.each([
  ['vLLM and SGLang', { max_model_len: 32768 }, 32768],
  ['OpenRouter', { context_length: 131072 }, 131072],
  ['llama.cpp', { meta: { n_ctx: 8192, n_ctx_train: 40960 } }, 8192],
  ['nobody', {}, null],
])('the context as %s report it', async (_name, more, context) => {
  const { client } = await setup([{ text: '' }], { models: [{ id: 'scripted', ...more }] });
  expect(await client.info(signal)).toMatchObject({ value: { context } });
});

test.each([
  ['by another of its names', { id: '/models/m.gguf', aliases: ['scripted'] }],
  ['as the only one of a server that takes any name', { id: '/models/m.gguf', owned_by: 'llamacpp' }],
])('a model is found %s', async (_name, entry) => {
  const { client } = await setup([{ text: '' }], { models: [{ ...entry, meta: { n_ctx: 4096 } }] });
  expect(await client.info(signal)).toMatchObject({ value: { context: 4096 } });
});

test('the context that the project writes holds', async () => {
  const options = { models: [{ id: 'scripted', max_model_len: 32768 }], settings: { context: 16384 } };
  const { client } = await setup([{ text: '' }], options);
  expect(await client.info(signal)).toMatchObject({ value: { context: 16384 } });
});
