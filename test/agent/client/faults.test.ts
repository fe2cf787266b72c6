/** Whatever goes wrong at an endpoint is waited out or is a fault; none of it is a reply. */
import { expect, test } from 'vitest';
import { Endpoints } from '../../../agent/client/endpoint.ts';
import { openModel } from '../../../agent/client/model.ts';
import { type Answer, startModelServer } from '../../rig/model-server.ts';
import { faultOf, replyOf, request, SETTINGS, setup, testClock } from './rig.ts';

const FINE: Answer = { text: 'fine' };

const PASSING: [string, Answer][] = [
  ['429', { status: 429, body: { error: { message: 'slow down' } } }],
  ['500', { status: 500, body: { error: { message: 'CUDA error' } } }],
  ['502 as a page', { status: 502, body: '<html><h1>Bad Gateway</h1></html>' }],
  ['503 while loading', { status: 503, body: { error: { message: 'Loading model', code: 503 } } }],
  ['504', { status: 504, body: '' }],
  ['529', { status: 529, body: { error: { type: 'overloaded_error', message: 'Overloaded' } } }],
  ['408', { status: 408, body: {} }],
  ['a status that does not exist', { status: 999, body: '' }],
  ['a header in another script', { status: 503, body: '', headers: { 'x-note': '\u00e6\u00bc\u00a2' } }],
  ['a connection cut before the answer', { cut: 'headers' }],
  ['a connection cut in the answer', { cut: 'body' }],
  ['a page with status 200', { status: 200, body: '<html>welcome</html>' }],
  ['garbage with status 200', { status: 200, body: '\u0000\u0001garbage' }],
  [
    'half a JSON with status 200',
    { status: 200, body: '{"choices": [', headers: { 'content-type': 'application/json' } },
  ],
  ['an empty body', { status: 200, body: '' }],
  ['JSON that is no completion', { status: 200, body: { hello: 1 } }],
  ['a list', { status: 200, body: [1] }],
  ['null', { status: 200, body: null }],
  ['no choices', { status: 200, body: { choices: [] } }],
  ['a choice without a message', { status: 200, body: { choices: [{ finish_reason: 'stop' }] } }],
  ['an error with status 200', { status: 200, body: { error: { code: 429, message: 'slow down' } } }],
  ['an error in words with status 200', { status: 200, body: { error: 'upstream is gone' } }],
  ['nothing and no finish reason', { text: null, finish: null }],
  ['an empty text and no finish reason', { text: '', finish: '' }],
  ['thoughts without an end', { text: '', reasoning: 'hm', finish: null }],
  ['no tool calls and no finish reason', { text: '', tools: [], finish: null }],
  ['a message that is null', { status: 200, body: { choices: [{ message: null, finish_reason: 'stop' }] } }],
  ['a stream that was cut', { status: 200, body: 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' }],
  ['a reply given up for new weights', { text: 'half of a', finish: 'abort' }],
  ['a reply given up by a gateway', { text: '', finish: 'error' }],
];

test.each(PASSING)('%s is tried again', async (_name, answer) => {
  const played = await setup([answer, answer, FINE]);
  const reply = await replyOf(played);
  expect(reply.content).toBe('fine');
  expect(reply.timing.attempts).toBe(3);
  expect(played.clock.pauses).toHaveLength(2);
});

test.each(PASSING)('%s for ever is a fault of the endpoint', async (_name, answer) => {
  const played = await setup([answer]);
  expect(await faultOf(played)).toMatchObject({ status: 'infra', reason: 'endpoint' });
  expect(played.clock.now()).toBe(60_000);
});

test('a fault names the address, what was said and how often it was tried', async () => {
  const played = await setup([{ status: 503, body: { error: { message: 'Loading model' } } }]);
  const { detail } = await faultOf(played);
  expect(detail).toContain(played.server.url);
  expect(detail).toContain('HTTP 503: Loading model');
  expect(detail).toMatch(/given up after \d+ tries within 60 s/);
});

test('pauses grow, and the last try is at the end of the time', async () => {
  const { clock, client, server } = await setup([{ status: 500, body: '' }]);
  await client.policy().reply(request());
  expect(clock.pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 28_500]);
  expect(server.requests).toHaveLength(8);
});

test('without time to try again there is one request', async () => {
  const played = await setup([{ status: 500, body: '' }], { settings: { retry: 0 } });
  expect(await faultOf(played)).toMatchObject({ reason: 'endpoint' });
  expect(played.server.requests).toHaveLength(1);
});

test.each([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['milliseconds', { 'retry-after-ms': '2500' }, 2500],
  ['a time that is over', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 500],
  ['nonsense', { 'retry-after': 'soon' }, 500],
  ['more than there is', { 'retry-after': '100000' }, 60_000],
])('Retry-After in %s is honoured', async (_name, headers, pause) => {
  const played = await setup([{ status: 429, body: '', headers }, FINE]);
  await replyOf(played);
  expect(played.clock.pauses).toEqual([pause]);
});

test.each([
  ['headers', { stall: 'headers' } as const],
  ['the body', { stall: 'body' } as const],
])('a stall of %s ends with the time of a request', async (_name, stall) => {
  const played = await setup([stall, FINE], { settings: { timeout: 2 } });
  const reply = await replyOf(played);
  expect(reply.content).toBe('fine');
  expect(reply.timing.attempts).toBe(2);
});

test('a body that comes slowly is a reply', async () => {
  const played = await setup([{ slow: 30, answer: { text: 'slowly' } }]);
  expect((await replyOf(played)).content).toBe('slowly');
});

test('a server that is killed in the middle of a request and comes back answers it', async () => {
  const clock = testClock(async () => {
    if (clock.pauses.length === 3) await played.server.start();
  });
  const played = await setup(
    async () => {
      if (played.server.requests.length > 1) return FINE;
      await played.server.stop();
      return FINE;
    },
    { clock },
  );
  const reply = await replyOf(played);
  expect(reply.content).toBe('fine');
  expect(clock.pauses).toHaveLength(3);
  expect(reply.timing.waited).toBe(3500);
});

test('a server that is not there is a fault that says so', async () => {
  const played = await setup([FINE]);
  await played.server.stop();
  const { detail } = await faultOf(played);
  expect(detail).toContain('ECONNREFUSED');
});

test('time at a dead endpoint is waiting, and that of the request is not', async () => {
  const played = await setup([{ status: 500, body: '' }, { status: 500, body: '' }, FINE]);
  const { timing } = await replyOf(played);
  expect(timing).toEqual({ waited: 1500, took: 0, attempts: 3 });
});

test('an abort ends a request, a pause and a wait for a place', async () => {
  const stop = new AbortController();
  const played = await setup([{ stall: 'headers' }], { settings: { concurrency: 1 } });
  const policy = played.client.policy();
  const replies = [1, 2].map(() => policy.reply(request({ signal: stop.signal })));
  await until(() => played.server.requests.length === 1);
  stop.abort();
  for (const reply of await Promise.all(replies))
    expect(reply).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
  expect(played.client.endpoint.limiter.running).toBe(0);

  const pausing = new AbortController();
  const clock = testClock(() => pausing.abort());
  const failing = await setup([{ status: 500, body: '' }], { clock });
  expect(await faultOf(failing, { signal: pausing.signal })).toMatchObject({ reason: 'cancelled' });
  expect(failing.server.requests).toHaveLength(1);
});

test('each fault that is waited out is a line of the log', async () => {
  const { client, server } = await setup([{ status: 500, body: { message: 'oops' } }, FINE]);
  const lines: string[] = [];
  await client.policy({ log: (line) => lines.push(line) }).reply(request());
  expect(lines).toEqual([
    expect.stringContaining(`${server.url}: HTTP 500: oops; again in 0.5 s, tried until `),
  ]);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a bug of ours is no fault of the endpoint', async () => {
  const { client } = await setup([FINE]);
  // No JSON can be made of it.
  const messages = [{ role: 'user', content: 1n as unknown as string }] as const;
  await expect(client.policy().reply(request({ messages: [...messages] }))).rejects.toThrow(TypeError);
});

test('a call that waits to be tried again ends when the run is being stopped, as no answer and no fault', async () => {
  const stopping = new AbortController();
  const server = await startModelServer([{ status: 503, body: '' }]);
  const endpoints = new Endpoints(() => null, stopping.signal);
  const clock = testClock(async () => stopping.abort());
  const settings = { ...SETTINGS, base_url: server.url };
  const opened = openModel(settings, { endpoints, credential: null, clock });
  if (!opened.ok) throw new Error(opened.fault.detail);
  const waiting = await opened.value.policy().reply(request());
  expect(waiting).toMatchObject({ ok: false, fault: { status: 'stopped', reason: 'cancelled' } });
  expect(server.requests).toHaveLength(1);
  // One that fails after the stop is not repeated either, and one that is answered counts.
  const later = await opened.value.policy().reply(request());
  expect(later).toMatchObject({
    fault: {
      reason: 'cancelled',
      detail: expect.stringContaining('not tried again, since the run is being'),
    },
  });
  expect(clock.pauses).toHaveLength(1);
  await endpoints.close();
  await server.stop();
});
