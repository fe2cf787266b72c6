/** The limiter: first come, first served, fewer at once when the endpoint says so, and slowly more again. */
import { describe, expect, test } from 'vitest';
import { Limiter, type Permit } from '../../../agent/client/limiter.ts';
import type { Script } from '../../rig/model-server.ts';
import { request, setup, testClock } from './rig.ts';

const open = () => new AbortController().signal;

/** Lets `count` run, or as many as there is room for. */
async function take(limiter: Limiter, count: number): Promise<Permit[]> {
  const permits: Permit[] = [];
  for (let index = 0; index < count && limiter.running < limiter.limit; index++)
    permits.push((await limiter.acquire(open()))!);
  return permits;
}

test('gives places in the order of asking', async () => {
  const limiter = new Limiter(1);
  const [first] = await take(limiter, 1);
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const permit = await limiter.acquire(open());
    order.push(number);
    permit!.release('answered');
  });
  expect(limiter.waiting).toBe(3);
  first!.release('answered');
  await Promise.all(waiting);
  expect(order).toEqual([1, 2, 3]);
  expect(limiter.running).toBe(0);
});

test('one who leaves the queue holds nobody up', async () => {
  const limiter = new Limiter(1);
  const [first] = await take(limiter, 1);
  const leaver = new AbortController();
  const left = limiter.acquire(leaver.signal);
  const next = limiter.acquire(open());
  leaver.abort();
  expect(await left).toBeNull();
  first!.release('failed');
  expect(await next).not.toBeNull();
  expect(await limiter.acquire(leaver.signal)).toBeNull();
});

test('a burst of refusals halves what ran, once', async () => {
  const limiter = new Limiter(16);
  for (const permit of await take(limiter, 10)) permit.release('overloaded');
  expect(limiter.limit).toBe(5);
  for (const permit of await take(limiter, 5)) permit.release('overloaded');
  expect(limiter.limit).toBe(2);
});

test('one request always runs', async () => {
  const limiter = new Limiter(4);
  for (let round = 0; round < 5; round++) {
    const permits = await take(limiter, 4);
    for (const permit of permits) permit.release('overloaded');
  }
  expect(limiter.limit).toBe(1);
});

test('answers give the places back, up to the ceiling', async () => {
  const limiter = new Limiter(64);
  for (let round = 0; round < 7; round++)
    for (const permit of await take(limiter, 64)) permit.release('overloaded');
  expect(limiter.limit).toBe(1);
  let answers = 0;
  for (; limiter.limit < 64; answers++)
    for (const permit of await take(limiter, 1)) permit.release('answered');
  expect(answers).toBeLessThan(400);
  for (const permit of await take(limiter, 64)) permit.release('answered');
  expect(limiter.limit).toBe(64);
});

test('other faults change nothing', async () => {
  const limiter = new Limiter(8);
  for (const permit of await take(limiter, 8)) permit.release('failed');
  expect(limiter.limit).toBe(8);
});

test('the smallest number of several models holds', () => {
  const limiter = new Limiter(8);
  limiter.narrow(3);
  limiter.narrow(5);
  expect(limiter.limit).toBe(3);
});

describe('at an endpoint', () => {
  test('64 rollouts make 8 requests at once, and all are answered', async () => {
    const { client, server } = await setup([{ slow: 5, answer: { text: 'fine' } }]);
    const policies = Array.from({ length: 64 }, () => client.policy());
    const replies = await Promise.all(policies.map((policy, seed) => policy.reply(request({ seed }))));
    expect(replies.every((reply) => reply.ok)).toBe(true);
    expect(server.most).toBe(8);
    expect(new Set(server.requests.map(({ body }) => body.seed)).size).toBe(64);
  });

  test('an endpoint that is overloaded gets fewer, and every rollout its reply', async () => {
    let running = 0;
    let refused = 0;
    const script: Script = async () => {
      running += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      const isOverloaded = running > 3;
      running -= 1;
      if (!isOverloaded) return { text: 'fine' };
      refused += 1;
      return { status: 429, body: '' };
    };
    // Pauses of all rollouts would add up on a clock that counts them.
    const clock = { ...testClock(), now: () => 0 };
    const { client, server } = await setup(script, { clock });
    const replies = await Promise.all(Array.from({ length: 64 }, () => client.policy().reply(request())));
    expect(replies.every((reply) => reply.ok)).toBe(true);
    expect(server.requests).toHaveLength(64 + refused);
    expect(client.endpoint.limiter.running).toBe(0);
  });

  test('two models there share it', async () => {
    const { openModel } = await import('../../../agent/client/model.ts');
    const { client, endpoints } = await setup([{ text: 'fine' }]);
    const other = openModel(
      { ...client.settings, base_url: `${client.settings.base_url}/`, name: 'judge', concurrency: 2 },
      { endpoints, credential: null },
    );
    expect(other).toMatchObject({ ok: true, value: { endpoint: client.endpoint } });
    expect(client.endpoint.limiter.limit).toBe(2);
  });
});
