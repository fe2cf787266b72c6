/** Environments with reset and step. Each is an episode that continues while its client does. */
import { randomUUID } from 'node:crypto';
import type { ChatMessage } from '../../agent/policy.ts';
import { afterAwake } from '../../basics/awake.ts';
import { CallerPolicy, type CallerReply } from './caller.ts';
import type { EpisodeEnd, EpisodeRequest } from './episode.ts';
import { type EpisodeQueue, FULL } from './episode-queue.ts';

/** The result of a reset or a step. */
export type SessionStep =
  | { done: false; messages: readonly ChatMessage[]; isNew: number }
  | { done: true; end: EpisodeEnd };

interface Session {
  request: EpisodeRequest;
  policy: CallerPolicy;
  stop: AbortController;
  end: Promise<EpisodeEnd | typeof FULL>;
  /** Messages that the caller has seen. */
  seen: number;
  /** Stops the time after which it is closed; null: a step is at work. */
  idle: (() => void) | null;
  busy: boolean;
}

export class Sessions {
  readonly #queue: EpisodeQueue;
  /** Milliseconds. */
  readonly #idleLimit: number;
  readonly #open = new Map<string, Session>();

  /** @param idleLimit Milliseconds without a step after which an environment is closed. */
  constructor(queue: EpisodeQueue, idleLimit: number) {
    this.#queue = queue;
    this.#idleLimit = idleLimit;
  }

  get size(): number {
    return this.#open.size;
  }

  /** @param gone is aborted when the client went away before it had its answer: it does not know the session. */
  async reset(
    ask: Omit<EpisodeRequest, 'id' | 'actor'>,
    gone: AbortSignal,
  ): Promise<{ session: string; step: SessionStep } | typeof FULL> {
    const session = randomUUID();
    const policy = new CallerPolicy();
    const request: EpisodeRequest = { ...ask, id: session, actor: { kind: 'caller', policy } };
    const stop = new AbortController();
    const prompted = nextPrompt(policy);
    const end = this.#queue.ask(request, stop.signal);
    const opened: Session = { request, policy, stop, end, seen: 0, idle: null, busy: true };
    this.#open.set(session, opened);
    gone.addEventListener('abort', () => this.close(session), { once: true });
    if (gone.aborted) this.close(session);
    const step = await this.#outcome(session, opened, prompted);
    return step === FULL ? FULL : { session, step };
  }

  /** Null: there is no such session, or a step of it is still running. */
  async step(session: string, reply: CallerReply): Promise<SessionStep | null> {
    const opened = this.#open.get(session);
    if (opened === undefined || opened.busy) return null;
    opened.busy = true;
    opened.idle?.();
    const prompted = nextPrompt(opened.policy);
    // An episode that was cancelled since the step before takes no reply: its end is the answer.
    opened.policy.answer(reply);
    const step = await this.#outcome(session, opened, prompted);
    return step === FULL ? null : step;
  }

  /** The request of a session that is open. */
  request(session: string): EpisodeRequest | null {
    return this.#open.get(session)?.request ?? null;
  }

  /** False when there is none. */
  close(session: string): boolean {
    const opened = this.#open.get(session);
    if (opened === undefined) return false;
    opened.idle?.();
    opened.stop.abort();
    return this.#open.delete(session);
  }

  closeAll(): void {
    for (const session of [...this.#open.keys()]) this.close(session);
  }

  async #outcome(
    session: string,
    opened: Session,
    prompted: Promise<readonly ChatMessage[]>,
  ): Promise<SessionStep | typeof FULL> {
    const first = await Promise.race([prompted.then((messages) => ({ messages })), opened.end]);
    if (typeof first === 'object' && 'messages' in first) {
      const isNew = opened.seen;
      opened.seen = first.messages.length;
      opened.busy = false;
      opened.idle = afterAwake(this.#idleLimit, () => this.close(session), false);
      return { done: false, messages: first.messages, isNew };
    }
    this.#open.delete(session);
    return first === FULL ? FULL : { done: true, end: first };
  }
}

function nextPrompt(policy: CallerPolicy): Promise<readonly ChatMessage[]> {
  return new Promise((resolve) => {
    policy.onPrompt = resolve;
  });
}
