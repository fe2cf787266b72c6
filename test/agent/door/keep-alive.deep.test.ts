/** Streams whose model takes long: they are kept alive in each dialect, and the reply, or the fault, comes whole. */
import { request } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { ModelDoor } from '../../../agent/door/door.ts';
import type { Reply } from '../../../agent/policy.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { type Infra, infra } from '../../../schemas/outcome.ts';
import { until } from '../../rig/until.ts';
import { chat, deferred, openDoor, played, replyOf } from './rig.ts';

let open: ModelDoor | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const user = { role: 'user', content: 'Hi' };
const STREAMS = [
  { path: '/v1/chat/completions', body: chat('Hi', { stream: true }), sign: ': ', error: '"error"' },
  {
    path: '/v1/responses',
    body: JSON.stringify({ model: 'm', input: 'Hi', stream: true }),
    sign: ': ',
    error: 'response.failed',
  },
  {
    path: '/v1/messages',
    body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [user], stream: true }),
    sign: 'event: ping',
    error: 'event: error',
  },
  {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    sign: '\n\n',
    error: '"error"',
  },
];

/** A request whose answer is read as it comes. */
function stream(socket: string, key: string, { path, body }: (typeof STREAMS)[number]) {
  const seen = { status: 0, text: '', isOver: false };
  const asking = request({
    ...{ socketPath: socket, path, method: 'POST', agent: false },
    headers: { authorization: `Bearer ${key}`, 'content-length': String(Buffer.byteLength(body)) },
  });
  asking.on('response', (response) => {
    seen.status = response.statusCode!;
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      seen.text += part;
    });
    response.on('end', () => {
      seen.isOver = true;
    });
  });
  asking.end(body);
  return seen;
}

test.each([
  ['the reply', success(replyOf('At last.'))],
  ['the fault', fault(infra('endpoint', 'it is gone'))],
] as const)('are kept alive, and then have %s', { timeout: 180_000 }, async (what, end) => {
  const turns = STREAMS.map(() => deferred<Result<Reply, Infra>>());
  let next = 0;
  const { policy } = played(() => turns[next++]!.promise);
  const { door, session } = await openDoor(policy);
  open = door;
  // In one rollout the same prompt would be a repeated request.
  const sessions = STREAMS.map((_, at) => (at === 0 ? session : door.begin({ ...session.options })));
  const streams = STREAMS.map((one, at) => stream(door.socket, sessions[at]!.key, one));
  const signs = ({ text }: { text: string }, sign: string) => text.split(sign).length - 1;
  await until(() => streams.every((one, at) => signs(one, STREAMS[at]!.sign) >= 2), 60_000);
  for (const { status, isOver } of streams)
    expect({ status, isOver }).toEqual({ status: 200, isOver: false });
  for (const { text } of streams) expect(text).not.toMatch(/At last|error/);
  for (const { resolve } of turns) resolve(end);
  await until(() => streams.every(({ isOver }) => isOver));
  for (const [at, { text }] of streams.entries())
    expect(text).toContain(what === 'the reply' ? 'At last.' : STREAMS[at]!.error);
});
