/** The model door over real HTTP on a real Unix socket; only the policy is played. */

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelDoor } from '../../../agent/door/door.ts';
import type { Policy, Reply } from '../../../agent/policy.ts';
import { fault, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';
import { randomNumbers } from '../../rig/random.ts';
import { chat, deferred, openDoor, played, replyOf, send } from './rig.ts';

const TOOL = { type: 'function', function: { name: 'bash', parameters: { type: 'object' } } };

let open: ModelDoor | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function doorWith(policy: Policy, more: Parameters<typeof openDoor>[1] = {}) {
  const made = await openDoor(policy, more);
  open = made.door;
  return made;
}

describe('a request', () => {
  test('is answered in its dialect, with the project’s seed and session', async () => {
    const { policy, asked } = played(() => replyOf('Hello.'));
    const { door, session } = await doorWith(policy);
    const answer = await send(door.socket, {
      key: session.key,
      body: chat('Hi', { temperature: 9, seed: 3 }),
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text).choices[0].message.content).toBe('Hello.');
    expect(asked).toMatchObject([
      { seed: 7, session: 'tiny.0#0', messages: [{ role: 'user', content: 'Hi' }] },
    ]);
    expect(session.tree.record().calls[0]!.sent).toMatchObject({ temperature: 9, seed: 3 });
  });

  test('that continues a call comes with the ids of that, and the record says how it was sent', async () => {
    const tokens = { promptIds: [1, 2], ids: [3], logprobs: null };
    const { policy, asked } = played((_, number) =>
      replyOf('Hello.', number === 0 ? { tokens } : { tokenIn: true }),
    );
    const { door, session } = await doorWith(policy);
    const messages = [
      ...[
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ],
      { role: 'user', content: 'Go on.' },
    ];
    for (const body of [chat('Hi'), JSON.stringify({ model: 'any', messages })])
      expect(await send(door.socket, { key: session.key, body })).toMatchObject({ status: 200 });
    expect(asked.map(({ before }) => before!())).toEqual([
      null,
      { messages: 2, ids: [1, 2, 3], promptLength: 2, isTokenIn: false, hasSameTools: true },
    ]);
    expect(session.tree.record().calls.map(({ token_in }) => token_in)).toEqual([undefined, true]);
  });

  test('with another key is refused, before its body is read', async () => {
    const { policy, asked } = played(() => replyOf('Hello.'));
    const { door } = await doorWith(policy);
    for (const key of [null, 'swemake-0', ''])
      expect(await send(door.socket, { key, body: chat('Hi') })).toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  });

  test('after the end of its rollout is refused', async () => {
    const { door, session } = await doorWith(played(() => replyOf('Hello.')).policy);
    door.end(session);
    expect(await send(door.socket, { key: session.key, body: chat('Hi') })).toMatchObject({ status: 401 });
  });

  test('for a count or for models asks no model', async () => {
    const { policy, asked } = played(() => replyOf('Hello.'));
    const { door, session } = await doorWith(policy);
    const models = await send(door.socket, { path: '/v1/models', method: 'GET', key: session.key });
    expect(models.text).toContain('scripted');
    const count = await send(door.socket, {
      path: '/v1/messages/count_tokens',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'How long is this?' }] }),
      headers: { 'x-api-key': session.key, 'anthropic-version': '2023-06-01' },
    });
    expect(JSON.parse(count.text).input_tokens).toBeGreaterThan(3);
    expect(asked).toEqual([]);
  });

  test('of no dialect is 404', async () => {
    const { door, session } = await doorWith(played(() => replyOf('Hello.')).policy);
    for (const path of ['/v2/else', '//', 'http://['])
      expect(await send(door.socket, { path, key: session.key })).toMatchObject({ status: 404 });
  });
});

describe('a repeated request', () => {
  test('gets the same answer while it is open', async () => {
    const turn = deferred<Reply>();
    const { policy, asked } = played(async () => success(await turn.promise));
    const { door, session } = await doorWith(policy);
    const both = [0, 1].map(() => send(door.socket, { key: session.key, body: chat('Hi') }));
    await expect.poll(() => asked.length).toBe(1);
    // Both have arrived when a later one is answered.
    await send(door.socket, { key: session.key, method: 'GET', path: '/v1/models' });
    turn.resolve(replyOf('Once.'));
    const texts = (await Promise.all(both)).map(({ text }) => JSON.parse(text).choices[0].message.content);
    expect(texts).toEqual(['Once.', 'Once.']);
    expect(asked).toHaveLength(1);
  });

  test('gets the stored answer after its connection broke', async () => {
    const turn = deferred<Reply>();
    const { policy, asked } = played(async () => success(await turn.promise));
    const { door, session } = await doorWith(policy);
    const body = chat('Hi');
    const broken = connect(door.socket);
    broken.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer ${session.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await expect.poll(() => asked.length).toBe(1);
    broken.destroy();
    await once(broken, 'close');
    turn.resolve(replyOf('Once.'));
    expect((await send(door.socket, { key: session.key, body })).text).toContain('Once.');
    expect(asked).toHaveLength(1);
    expect(session.tree.record().calls).toHaveLength(1);
  });

  test('after a delivered answer is a new one, with a seed of its own', async () => {
    const { policy, asked } = played((_, number) => replyOf(`Reply ${number}.`));
    const { door, session } = await doorWith(policy);
    for (const number of [0, 1])
      expect((await send(door.socket, { key: session.key, body: chat('Hi') })).text).toContain(
        `Reply ${number}.`,
      );
    expect(asked.map(({ seed }) => seed)).toEqual([7, 8]);
  });
});

describe('the end of a rollout', () => {
  test('by a limit of calls is told to the program, and to the runner', async () => {
    const { policy, asked } = played(() => replyOf('Hello.'));
    const { door, session } = await doorWith(policy, { limits: { steps: 1, cost: 0 } });
    await send(door.socket, { key: session.key, body: chat('one') });
    const refused = await send(door.socket, { key: session.key, body: chat('two') });
    expect(refused).toMatchObject({ status: 400 });
    expect(refused.text).toContain('1 model call made');
    expect(await session.ended).toMatchObject({ ending: { status: 'limits_exceeded' } });
    expect(asked).toHaveLength(1);
  });

  test('by dollars', async () => {
    const { door, session } = await doorWith(played(() => replyOf('Hello.')).policy, {
      limits: { steps: 0, cost: 0.5 },
    });
    await send(door.socket, { key: session.key, body: chat('one') });
    expect(await send(door.socket, { key: session.key, body: chat('two') })).toMatchObject({ status: 400 });
    expect(await session.ended).toMatchObject({ ending: { status: 'limits_exceeded' } });
  });

  test('by a fault of the endpoint is a fault, and a status that clients do not retry', async () => {
    const { policy } = played(async () => fault(infra('endpoint', 'no answer')));
    const { door, session } = await doorWith(policy);
    expect(await send(door.socket, { key: session.key, body: chat('one') })).toMatchObject({ status: 400 });
    expect(await session.ended).toMatchObject({ fault: { status: 'infra', reason: 'endpoint' } });
  });

  test('by a mistake in swemake ends this rollout, and nothing else', async () => {
    const { policy } = played(() => {
      throw new TypeError('x is not a function');
    });
    const { door, session } = await doorWith(policy);
    expect(await send(door.socket, { key: session.key, body: chat('one') })).toMatchObject({ status: 400 });
    expect(await session.ended).toMatchObject({
      fault: { reason: 'internal', detail: 'a bug in swemake: TypeError: x is not a function' },
    });
  });

  test('is not a prompt that is too long: the program may shorten it', async () => {
    const { policy } = played(async (_, number) =>
      number === 0
        ? fault({ status: 'context-exceeded', detail: 'too long' } as const)
        : success(replyOf('Short.')),
    );
    const { door, session } = await doorWith(policy);
    expect(await send(door.socket, { key: session.key, body: chat('long') })).toMatchObject({ status: 400 });
    expect(session.overflowed).toBe('too long');
    expect((await send(door.socket, { key: session.key, body: chat('short') })).text).toContain('Short.');
    expect(session.overflowed).toBeNull();
  });
});

describe('a hostile program', () => {
  test('that drops its connections still gets answers, and those of the dropped ones are kept', async () => {
    const { policy, asked } = played((_, number) => replyOf(`Reply ${number}.`));
    const { door, session } = await doorWith(policy);
    for (let number = 0; number < 70; number++) {
      const connection = connect(door.socket);
      const body = chat(`question ${number}`);
      connection.on('error', () => undefined);
      connection.write(
        `POST /v1/chat/completions HTTP/1.1\r\nHost: d\r\nAuthorization: Bearer ${session.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      await expect.poll(() => asked.length).toBe(number + 1);
      connection.destroy();
    }
    expect(await send(door.socket, { key: session.key, body: chat('Hi') })).toMatchObject({ status: 200 });
    expect(asked).toHaveLength(71);
  });

  test('with forged headers makes no other call the agent’s, and hides no call of the agent', async () => {
    const { policy } = played((_, number) => replyOf(`Reply ${number}.`));
    const { door, session } = await doorWith(policy);
    const ask = async (messages: object[], headers: Record<string, string>, more: object = {}) => {
      const body = JSON.stringify({ model: 'any', messages, tools: [TOOL], ...more });
      expect(await send(door.socket, { key: session.key, body, headers })).toMatchObject({ status: 200 });
    };
    const task = { role: 'user', content: 'Mend it.' };
    const said = (number: number) => ({ role: 'assistant', content: `Reply ${number}.` });
    const onward = (content: string) => ({ role: 'user', content });
    const main = { 'x-turn-type': 'main' };
    await ask([task], main);
    await ask([onward('Solve it.')], main, { tools: [] });
    await ask([task], { 'x-agent-id': 'helper' });
    await ask([task, said(0), onward('Well done, go on.')], { 'x-claude-code-agent-id': 'helper' });
    await ask([task, said(0), onward('Call a tool.')], { 'x-turn-type': 'side' });
    await ask([task, said(0), onward('Call a tool.'), said(4), onward('Again.')], { 'x-turn-type': 'side' });
    const agents = session.tree.record().calls.map(({ agent }) => agent);
    expect(agents).toEqual(['main', 'side', 'side', 'side', 'main', 'main']);
  });

  test('that sends 10,000 malformed bodies gets 4xx, and the door goes on', async () => {
    const { policy } = played(() => replyOf('Hello.'));
    const { door, session } = await doorWith(policy);
    const random = randomNumbers(27);
    const paths = [
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/messages',
      '/v1beta/models/m:generateContent',
    ];
    const before = process.memoryUsage.rss();
    for (let round = 0; round < 100; round++) {
      const ends = Array.from({ length: 100 }, () => {
        const path = paths[Math.floor(random() * paths.length)]!;
        return send(door.socket, { path, key: session.key, body: mutilated(random) });
      });
      for (const { status } of await Promise.all(ends))
        expect(status).toSatisfy((one: number) => one === 200 || (one >= 400 && one < 500));
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 << 20);
    expect(await send(door.socket, { key: session.key, body: chat('Hi') })).toMatchObject({ status: 200 });
  }, 600_000);

  test('that sends too much, or nests too deeply, is refused', async () => {
    const { door, session } = await doorWith(played(() => replyOf('Hello.')).policy);
    const deep = `{"messages":${'['.repeat(200)}${']'.repeat(200)}}`;
    const many = `{"messages":[${'[],'.repeat(600_000)}[]]}`;
    for (const body of [deep, many])
      expect(await send(door.socket, { key: session.key, body })).toMatchObject({ status: 400 });
    const large = send(door.socket, { key: session.key, body: `"${'x'.repeat(65 << 20)}"` }).catch(() => ({
      status: 413,
    }));
    expect((await large).status).toSatisfy((one: number) => one === 413 || one === 400);
    expect(await send(door.socket, { key: session.key, body: chat('Hi') })).toMatchObject({ status: 200 });
  });

  test('whose body never comes holds up nobody else', async () => {
    const { door, session } = await doorWith(played(() => replyOf('Hello.')).policy);
    const slow = Array.from({ length: 50 }, () => {
      const connection = connect(door.socket);
      connection.on('error', () => undefined);
      connection.write(
        `POST /v1/messages HTTP/1.1\r\nHost: d\r\nx-api-key: ${session.key}\r\nContent-Length: 1000\r\n\r\n{`,
      );
      return connection;
    });
    expect(await send(door.socket, { key: session.key, body: chat('Hi') })).toMatchObject({ status: 200 });
    for (const connection of slow) connection.destroy();
  });
});

test('a closed door leaves no file', async () => {
  const { door } = await openDoor(played(() => replyOf('')).policy);
  await door.close();
  await expect(stat(door.socket)).rejects.toMatchObject({ code: 'ENOENT' });
});

/** A body that is nearly a request: cut, with other types, with bytes changed. */
function mutilated(random: () => number): string {
  const whole = chat('Hi', {
    tools: [{ type: 'function', function: { name: 'bash', parameters: {} } }],
    input: [{ type: 'message', role: 'user', content: 'x' }],
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
  });
  const at = Math.floor(random() * whole.length);
  const values = ['null', '[]', '{}', '-1', '"\\ud800"', 'true', '[[[[]]]]'];
  const value = values[Math.floor(random() * values.length)]!;
  if (random() < 0.3) return whole.slice(0, at);
  if (random() < 0.5) return whole.replace(/:("[^"]*"|\[[^\]]*\])/, `:${value}`);
  return `${whole.slice(0, at)}${value}${whole.slice(at + 1)}`;
}
