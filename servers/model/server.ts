/** A model door as a server of its own, in front of an endpoint, for rollouts that run elsewhere. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { labelOf } from '../../agent/dialects/labels.ts';
import { routeOf } from '../../agent/dialects/registry.ts';
import { type Admit, type Admitted, requestHeaders, serve } from '../../agent/door/exchange.ts';
import { isSameText } from '../../basics/entry.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Lock, Locks } from '../../cache/key-lock.ts';
import { Presence } from '../../cache/presence.ts';
import { Weights } from '../agent/weights.ts';
import type { Beside } from '../http/app.ts';
import { Requests } from '../http/counters.ts';
import { type Listening, type ListenOptions, listen } from '../http/listen.ts';
import { modelRoutes } from './routes.ts';
import { ModelSessions, type Refused, type SessionsOptions } from './sessions.ts';

/** Milliseconds for answers that are on their way at the end. */
const SEND_MS = 5000;

export interface ModelOptions extends Omit<ListenOptions, 'title' | 'served' | 'beside'> {
  sessions: SessionsOptions;
  /** Milliseconds that it waits at its end for requests that wait for the model. */
  drain: number;
}

const REFUSED: Readonly<Record<Refused, Extract<Admitted, { refused: unknown }>>> = {
  ended: { refused: 'limit', message: 'this session has ended' },
  full: { refused: 'invalid', message: 'as many sessions are open as may' },
  name: { refused: 'invalid', message: 'X-Session-Id has 1 to 200 printable ASCII characters' },
};

export async function startModel(options: ModelOptions): Promise<Result<Listening, string>> {
  const { sessions: settings, drain, ...rest } = options;
  const lock = lockOf(settings.folder);
  if (lock === null)
    return fault(
      `another server uses ${settings.folder}; if it was killed in a container, try again in a minute`,
    );
  const weights = new Weights();
  const requests = new Requests();
  const sessions = new ModelSessions({
    ...settings,
    policy: weights.watch(settings.policy, null),
    isHeld: () => lock.isHeld(),
  });
  let isDraining = false;
  const beside = new DoorBeside(sessions, rest.token, () => isDraining);
  const routes = modelRoutes({ sessions, weights, requests, isDraining: () => isDraining });
  const listening = await listen(routes, {
    ...rest,
    ...{ beside, title: 'swemake model door', served: requests.served },
  });
  const stop = async () => {
    await sessions.close();
    lock.unlock();
  };
  if (!listening.ok) {
    await stop();
    return listening;
  }
  const close = async () => {
    isDraining = true;
    weights.resume(null);
    await sessions.settled(drain);
    // What is answered by now is also sent.
    await beside.sent(SEND_MS);
    await listening.value.close();
    await stop();
  };
  return success({ ...listening.value, close });
}

function lockOf(folder: string): Lock | null {
  const places = join(folder, 'locks');
  mkdirSync(places, { recursive: true, mode: 0o700 });
  const presence = Presence.enter(join(folder, 'users'));
  const lock = new Locks(places, presence).take('model');
  if (lock === null) {
    presence.leave();
    return null;
  }
  return {
    isHeld: () => lock.isHeld(),
    unlock() {
      lock.unlock();
      presence.leave();
    },
  };
}

/** The routes of the dialects. A session's key names it; the server's token needs a name in a header beside it. */
class DoorBeside implements Beside {
  readonly #sessions: ModelSessions;
  readonly #token: string | null;
  readonly #isDraining: () => boolean;
  readonly #open = new Set<ServerResponse>();

  constructor(sessions: ModelSessions, token: string | null, isDraining: () => boolean) {
    this.#sessions = sessions;
    this.#token = token;
    this.#isDraining = isDraining;
  }

  takes({ method = 'GET', url = '/', headers }: IncomingMessage): boolean {
    if (!URL.canParse(url, 'http://door')) return false;
    const { pathname, searchParams } = new URL(url, 'http://door');
    return routeOf(method, pathname, searchParams, requestHeaders(headers)) !== null;
  }

  serve(message: IncomingMessage, response: ServerResponse): void {
    if (this.#isDraining()) {
      refuseNow(message, response);
      return;
    }
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
    let id: string | null = null;
    response.once('finish', () => {
      if (id !== null) this.#sessions.end(id).catch((error: Error) => this.#log(error));
    });
    const admit: Admit = (keys, headers) => {
      const admitted = this.#admit(keys, labelOf(headers).session);
      // An agent with a key of its own must not end what is to be judged.
      if ('session' in admitted && admitted.isTrusted === true && isTrue(headers.get('x-session-done')))
        id = admitted.session?.options.name ?? null;
      return admitted;
    };
    serve(message, response, admit).catch((error: Error) => {
      // Such as a disk on which no session can be begun.
      this.#log(error);
      response.destroy();
    });
  }

  /** Resolves when no answer is on its way, or after `wait` milliseconds. */
  async sent(wait: number): Promise<void> {
    const until = Date.now() + wait;
    while (this.#open.size > 0 && Date.now() < until) {
      const closed = [...this.#open].map((response) => once(response, 'close'));
      await Promise.race([Promise.all(closed), sleep(until - Date.now(), null, { ref: false })]);
    }
  }

  #admit(keys: readonly string[], id: string | null): Admitted {
    const { model, context } = this.#sessions.options;
    const about = { model: model.name, context };
    const own = keys.map((key) => this.#sessions.byKey(key)).find((one) => one !== null);
    if (own !== undefined) return { session: own, ...about };
    const token = this.#token;
    if (token !== null && !keys.some((key) => isSameText(key, token)))
      return { refused: 'auth', message: 'this key is neither that of an open session nor the token' };
    if (id === null) return { session: null, ...about };
    const session = this.#sessions.named(id);
    return session.ok ? { session: session.value, ...about, isTrusted: true } : REFUSED[session.fault];
  }

  #log({ message }: Error): void {
    this.#sessions.options.log(`${message}\n`);
  }
}

function isTrue(header: string | null): boolean {
  return ['1', 'true', 'yes', 'on'].includes((header ?? '').trim().toLowerCase());
}

/** Clients ask again, and find the server that was started after this one. */
function refuseNow(message: IncomingMessage, response: ServerResponse): void {
  message.resume();
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '2', connection: 'close' });
  response.end(JSON.stringify({ error: { message: 'the server ends; ask again', type: 'draining' } }));
}
