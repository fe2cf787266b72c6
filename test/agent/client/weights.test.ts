/** Other weights behind the same name are noticed: in replies, and by looking at the list when a rollout ends. */
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../rig/model-server.ts';
import { faultOf, replyOf, request, type SetupOptions, setup } from './rig.ts';

/** A reply whose body says more about the server. */
function says(more: object, choice: object = {}): Answer {
  const message = { role: 'assistant', content: 'fine' };
  return { status: 200, body: { ...more, choices: [{ message, finish_reason: 'stop', ...choice }] } };
}

const IN_REPLIES: [string, Answer, Answer, string][] = [
  ['another model', says({ model: 'a' }), says({ model: 'b' }), 'model in replies was a and is b'],
  [
    'another version at SGLang',
    says({}, { meta_info: { weight_version: 'step-1' } }),
    says({}, { meta_info: { weight_version: 'step-2' } }),
    'weight_version in replies was step-1 and is step-2',
  ],
  [
    'another version in the metadata',
    says({ metadata: { weight_version: '1' } }),
    says({ metadata: { weight_version: '2' } }),
    'weight_version in replies was 1 and is 2',
  ],
];

describe('replies', () => {
  test.each(IN_REPLIES)('%s is a fault, from then on', async (_name, before, after, words) => {
    const played = await setup([before, before, after, before]);
    await replyOf(played);
    await replyOf(played);
    const changed = await faultOf(played);
    expect(changed).toMatchObject({ status: 'infra', reason: 'model-changed' });
    expect(changed.detail).toContain(words);
    expect(changed.detail).toContain('build again, which asks for the new identity');
    expect(await faultOf(played)).toEqual(changed);
    expect(await played.client.changedWeights()).toEqual(changed);
    expect(played.server.requests).toHaveLength(3);
  });

  test.each(IN_REPLIES)('%s is nothing where weights change on purpose', async (_name, before, after) => {
    const { client, server } = await setup([before, after]);
    const policy = client.policy({ weightsChange: true });
    expect([await policy.reply(request()), await policy.reply(request())]).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    expect([...server.paths.keys()]).toEqual(['/v1/chat/completions']);
  });

  test('what a server does not say is not compared', async () => {
    const played = await setup([says({ model: 'a' }), says({}), says({ model: null }), says({ model: 'a' })]);
    for (let count = 0; count < 4; count++) expect((await replyOf(played)).content).toBe('fine');
  });

  test('another fingerprint alone is a line of the log', async () => {
    const { client } = await setup([says({ system_fingerprint: 'a' }), says({ system_fingerprint: 'b' })]);
    const lines: string[] = [];
    const policy = client.policy({ log: (line) => lines.push(line) });
    for (let count = 0; count < 3; count++) expect((await policy.reply(request())).ok).toBe(true);
    expect(lines).toEqual([expect.stringContaining('system_fingerprint was a, is b')]);
    expect(await client.changedWeights()).toBeNull();
  });

  test('the remedy of a written identity is another one', async () => {
    const identity = 'mine@1';
    const played = await setup([says({ model: 'a' }), says({ model: 'b' })], { settings: { identity } });
    await replyOf(played);
    expect((await faultOf(played)).detail).toContain('serve the weights of model.identity (mine@1) again');
  });
});

describe('the list of models', () => {
  const at = (more: object): SetupOptions => ({
    models: [{ id: 'scripted', created: Math.random(), ...more }],
  });

  test.each([
    ['root', { root: 'org/one' }, { root: 'org/two' }],
    ['revision', { root: 'org/one', revision: 'aaaaaaa' }, { root: 'org/one', revision: 'bbbbbbb' }],
    ['digest below meta', { meta: { digest: 'aaaaaaa' } }, { meta: { digest: 'bbbbbbb' } }],
    ['version', { version: 1 }, { version: 2 }],
  ])('another %s is noticed when a rollout ends', async (_name, before, after) => {
    const options = at(before);
    const played = await setup([{ text: 'fine' }], options);
    await replyOf(played);
    expect(await played.client.changedWeights()).toBeNull();
    Object.assign(options, at(after));
    expect(await played.client.changedWeights()).toMatchObject({ reason: 'model-changed' });
    expect(await faultOf(played)).toMatchObject({ reason: 'model-changed' });
  });

  test('is looked at before the first request, so that a change during it is seen', async () => {
    const options = at({ root: 'org/one' });
    const played = await setup(() => {
      Object.assign(options, at({ root: 'org/two' }));
      return { text: 'fine' };
    }, options);
    await replyOf(played);
    expect(await played.client.changedWeights()).toMatchObject({ reason: 'model-changed' });
  });

  test('another time, context or permission is no change', async () => {
    const options = at({ root: 'org/one', max_model_len: 4096, permission: [{ id: 'x' }] });
    const played = await setup([{ text: 'fine' }], options);
    await replyOf(played);
    Object.assign(options, at({ root: 'org/one', max_model_len: 8192, permission: [{ id: 'y' }] }));
    expect(await played.client.changedWeights()).toBeNull();
  });

  test('a list that is missing or broken says nothing', async () => {
    const options: SetupOptions = { models: { status: 500, body: '' } };
    const played = await setup([{ text: 'fine' }], options);
    expect((await replyOf(played)).content).toBe('fine');
    expect(await played.client.changedWeights()).toBeNull();
    expect(played.clock.pauses).toEqual([]);
    Object.assign(options, at({ root: 'org/one' }));
    expect(await played.client.changedWeights()).toBeNull();
    Object.assign(options, at({ root: 'org/two' }));
    expect(await played.client.changedWeights()).toMatchObject({ reason: 'model-changed' });
  });

  test('those who end together share a look, and none gets one that began before', async () => {
    const options = at({ root: 'org/one' });
    const played = await setup([{ text: 'fine' }], options);
    await replyOf(played);
    const before = played.server.paths.get('/v1/models')!;
    const early = played.client.changedWeights();
    const late = Array.from({ length: 20 }, () => played.client.changedWeights());
    await Promise.all([early, ...late]);
    expect(played.server.paths.get('/v1/models')! - before).toBeLessThanOrEqual(2);
  });

  test('what an earlier run saw after a change is no beginning', async () => {
    const played = await setup([{ text: 'fine' }], at({ root: 'org/two' }));
    const { weights } = played.client.endpoint.memory('scripted');
    weights.refuse({ mark: 'root in /v1/models', before: 'org/one', now: 'org/two' });
    expect(await faultOf(played)).toMatchObject({ reason: 'model-changed' });
    expect(played.server.requests).toHaveLength(0);
  });
});
