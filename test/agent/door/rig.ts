/** A model door with one rollout, whose policy is played by a function. */
import { request } from 'node:http';
import { ModelDoor } from '../../../agent/door/door.ts';
import type { SessionOptions } from '../../../agent/door/session.ts';
import type { Policy, Reply, ReplyRequest } from '../../../agent/policy.ts';
import { success } from '../../../basics/result.ts';

export interface Answered {
  status: number;
  text: string;
}

export function replyOf(content: string, more: Partial<Reply> = {}): Reply {
  return {
    content,
    reasoning: null,
    toolCalls: [],
    finishReason: 'stop',
    truncated: false,
    maxTokens: null,
    promptTokens: 7,
    completionTokens: 3,
    cost: 0.5,
    tokens: null,
    timing: { waited: 0, took: 1, attempts: 1 },
    ...more,
  };
}

/** A policy that answers as `answer` says, and keeps what it was asked. */
export function played(answer: (asked: ReplyRequest, number: number) => ReturnType<Policy['reply']> | Reply) {
  const asked: ReplyRequest[] = [];
  const policy: Policy = {
    async reply(one) {
      const made = await answer(one, asked.push(one) - 1);
      return 'ok' in made ? made : success(made);
    },
    parameters: () => ({}),
    dropped: () => [],
  };
  return { policy, asked };
}

export async function openDoor(policy: Policy, more: Partial<SessionOptions> = {}) {
  const door = await ModelDoor.open();
  const session = door.begin({
    policy,
    seed: 7,
    name: 'tiny.0#0',
    model: 'scripted',
    context: 1000,
    limits: { steps: 0, cost: 0 },
    signal: new AbortController().signal,
    log: () => undefined,
    now: () => performance.now(),
    ...more,
  });
  return { door, session };
}

export interface Sent {
  path?: string;
  method?: string;
  key?: string | null;
  body?: string;
  headers?: Record<string, string>;
}

/** Sends a request and reads the whole answer. */
export function send(
  socket: string,
  { path = '/v1/chat/completions', method = 'POST', key, body = '', headers = {} }: Sent,
) {
  return new Promise<Answered>((resolve, reject) => {
    const asking = request({
      socketPath: socket,
      path,
      method,
      agent: false,
      headers: {
        ...(key == null ? {} : { authorization: `Bearer ${key}` }),
        ...(method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
        ...headers,
      },
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    });
    asking.end(body);
  });
}

/** The body of a chat request. */
export function chat(content: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ model: 'any', messages: [{ role: 'user', content }], ...more });
}

/** A promise that the test resolves. */
export function deferred<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
