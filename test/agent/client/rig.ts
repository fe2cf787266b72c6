/** A client on a scripted server, with a clock that a test reads: pauses end at once, and time is their sum. */
import { afterAll } from 'vitest';
import type { ModelClient } from '../../../agent/client/client.ts';
import type { Clock } from '../../../agent/client/clock.ts';
import { Endpoints } from '../../../agent/client/endpoint.ts';
import { type ModelDeps, type ModelSettings, openModel } from '../../../agent/client/model.ts';
import type { NoReply, Reply, ReplyRequest } from '../../../agent/policy.ts';
import { Credential } from '../../../basics/credential.ts';
import type { Infra } from '../../../schemas/outcome.ts';
import {
  type Answer,
  type ModelServer,
  type ModelServerOptions,
  type Script,
  startModelServer,
} from '../../rig/model-server.ts';

export interface TestClock extends Clock {
  /** Every pause asked for, in milliseconds. */
  readonly pauses: number[];
}

/** `onSleep` runs in each pause, for instance to bring a server back. */
export function testClock(onSleep: () => unknown = () => undefined): TestClock {
  const pauses: number[] = [];
  let now = 0;
  return {
    pauses,
    now: () => now,
    random: () => 0,
    async sleep(ms) {
      pauses.push(ms);
      now += ms;
      await onSleep();
    },
  };
}

export const SETTINGS: ModelSettings = {
  base_url: '',
  name: 'scripted',
  temperature: 0.8,
  max_tokens: 1000,
  tokens: 'auto',
  timeout: 30,
  retry: 60,
  concurrency: 8,
};

export interface Setup {
  server: ModelServer;
  client: ModelClient;
  clock: TestClock;
  endpoints: Endpoints;
}

export interface SetupOptions extends ModelServerOptions {
  settings?: Partial<ModelSettings>;
  deps?: Partial<ModelDeps>;
  /** That the client has for the server. */
  key?: string | null;
  clock?: TestClock;
}

export async function setup(script: Script | Answer[], options: SetupOptions = {}): Promise<Setup> {
  const server = await startModelServer(script, options);
  const endpoints = new Endpoints(() => null);
  cleanups.push(async () => {
    await endpoints.close();
    await server.stop();
  });
  const clock = options.clock ?? testClock();
  const settings = { ...SETTINGS, base_url: server.url, ...options.settings };
  const { key = null } = options;
  const credential = key === null ? null : Credential.bearer(key, settings.base_url);
  const opened = openModel(settings, { endpoints, credential, clock, ...options.deps });
  if (!opened.ok) throw new Error(opened.fault.detail);
  return { server, client: opened.value, clock, endpoints };
}

const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

export function request(changes: Partial<ReplyRequest> = {}): ReplyRequest {
  return {
    messages: [{ role: 'user', content: 'hello' }],
    tools: [],
    seed: 7,
    session: 'i#0',
    signal: new AbortController().signal,
    ...changes,
  };
}

/** The reply to `changes`; throws when there is none. */
export async function replyOf({ client }: Setup, changes: Partial<ReplyRequest> = {}): Promise<Reply> {
  const reply = await client.policy().reply(request(changes));
  if (!reply.ok) throw new Error(JSON.stringify(reply.fault));
  return reply.value;
}

/** The fault that ends a request; throws when there is a reply. */
export async function faultOf(
  { client }: Setup,
  changes: Partial<ReplyRequest> = {},
): Promise<Infra | NoReply> {
  const reply = await client.policy().reply(request(changes));
  if (reply.ok) throw new Error(`there is a reply: ${reply.value.content}`);
  return reply.fault;
}
