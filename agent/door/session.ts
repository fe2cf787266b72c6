/**
 * A rollout at the model door: one program asks, as many requests at once as it likes. Every request becomes a call of the rollout's
 * policy and a node of its tree. The project decides about sampling, limits and faults, and not the program.
 */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Digest } from '../../basics/digest.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { isFault } from '../../schemas/outcome.ts';
import { asInfra } from '../as-infra.ts';
import type { DialectRequest, ErrorCode } from '../dialects/dialect.ts';
import type { Ending } from '../ending.ts';
import { completionTokensOf, type NoReply, type Policy, type Reply } from '../policy.ts';
import type { RolloutLimits } from '../settings.ts';
import { requestDigest, type TreeRequest } from '../tree/canonical.ts';
import { type CallHandle, CallTree } from '../tree/tree.ts';

export interface SessionOptions {
  policy: Policy;
  /** Seed of the rollout. */
  seed: number;
  /** The rollout, as routers see it. */
  name: string;
  /** Name of the model that the program asks for. */
  model: string;
  /** Tokens of the model's context; null: not known. */
  context: number | null;
  limits: Pick<RolloutLimits, 'steps' | 'cost' | 'tokens'>;
  signal: AbortSignal;
  log(text: string): void;
  /** Milliseconds. */
  now(): number;
  /** Its key; absent: one is made. */
  key?: string;
  /** Absent: its calls end with this process. */
  keeper?: Keeper;
}

/** Keeps what happens, in this order, so that it outlasts the process. */
export interface Keeper {
  begun(call: CallHandle, request: DialectRequest): void;
  /** Resolves when the reply is stored. The client gets the reply only then. The fault says why it cannot be stored. */
  answered(call: CallHandle, reply: Reply): Promise<Infra | null>;
  unanswered(call: CallHandle, why: NoReply): void;
  delivered(call: CallHandle): void;
}

/** What was kept. Calls are named by their index. */
export type KeptEvent =
  | { begun: TreeRequest & Pick<DialectRequest, 'sent'> }
  | { answered: number; reply: Reply }
  | { unanswered: number; why: NoReply }
  | { delivered: number };

/** What a request gets. */
export type Answer = { call: CallHandle; reply: Reply } | { refused: ErrorCode; message: string };

/** Why a session ended before its program did. */
export type SessionEnd = { fault: Infra } | { ending: Ending };

/** Requests of one program that wait for an answer. */
const MAX_OPEN = 64;
/** Characters that are kept of the requests of one program. What it repeats counts once. */
const MAX_KEPT = 256 << 20;

const ENDED_BY: Readonly<Record<NoReply['status'], { refused: ErrorCode; ends: boolean }>> = {
  // The program may shorten its history and go on.
  'context-exceeded': { refused: 'context', ends: false },
  'content-filtered': { refused: 'invalid', ends: true },
};

export class Session {
  /** What the program sends as its API key. It opens nothing else. */
  readonly key: string;
  readonly tree = new CallTree();
  readonly options: SessionOptions;
  /** Calls that got a reply. */
  answered = 0;
  /** The newest call's prompt did not fit into the model's context. */
  overflowed: string | null = null;
  /** Takes the connection by which the program is spoken to; null: it is not, or has one already. */
  talk: ((connection: Duplex) => void) | null = null;
  /** Resolves when the session ends before its program does. */
  readonly ended: Promise<SessionEnd>;
  #end: SessionEnd | null = null;
  #tellEnd!: (end: SessionEnd) => void;
  #isClosed = false;
  /** Of calls whose answer was not delivered yet. */
  readonly #answers = new Map<CallHandle, Promise<Answer>>();
  readonly #asked = new Map<Digest, number>();
  /** Tokens of all replies. */
  #written = 0;
  #waited = 0;
  #waiting = 0;
  #waitingSince = 0;

  constructor(options: SessionOptions) {
    this.options = options;
    this.key = options.key ?? newKey();
    this.ended = new Promise((resolve) => {
      this.#tellEnd = resolve;
    });
  }

  /** Milliseconds in which at least one request waited for the model. */
  waited(): number {
    return this.#waited + (this.#waiting === 0 ? 0 : this.options.now() - this.#waitingSince);
  }

  /**
   * Answers a request. One that is repeated before its answer was delivered, such as after a dropped connection, gets the same answer,
   * and the model is not asked again.
   */
  ask(request: DialectRequest): Promise<Answer> {
    const digest = requestDigest(request);
    const known = this.tree.find(digest);
    const open = known === null ? undefined : this.#answers.get(known);
    if (open !== undefined) return open;
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.resolve(refusal);
    const call = this.tree.begin(request, { sent: request.sent });
    this.options.keeper?.begun(call, request);
    const answer = this.#askModel(call, request, this.#seedOf(digest));
    this.#answers.set(call, answer);
    return answer;
  }

  /** The answer has been sent whole: the same content is a new request from now on. */
  delivered(call: CallHandle): void {
    this.#answers.delete(call);
    this.tree.delivered(call);
    this.options.keeper?.delivered(call);
  }

  /** Requests that wait for the model. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when no request waits for the model. */
  async settled(): Promise<void> {
    while (this.#waiting > 0) await Promise.allSettled(this.#answers.values());
  }

  /** Continues a session of an earlier process. Its open calls are lost: a repeated request is a new call. */
  restore(events: readonly KeptEvent[]): void {
    const { tree } = this;
    const calls: CallHandle[] = [];
    for (const event of events) {
      if ('begun' in event) calls.push(tree.begin(event.begun, { sent: event.begun.sent }));
      else if ('answered' in event) this.#takeUp(calls[event.answered]!, event.reply);
      else if ('unanswered' in event) {
        tree.unanswered(calls[event.unanswered]!, event.why);
        tree.delivered(calls[event.unanswered]!);
      } else {
        this.#answers.delete(calls[event.delivered]!);
        tree.delivered(calls[event.delivered]!);
      }
    }
    for (const call of calls) if (call.answer === null && !call.isDelivered) tree.abandon(call);
  }

  #takeUp(call: CallHandle, reply: Reply): void {
    this.#seedOf(call.digest);
    this.tree.answer(call, reply);
    this.#count(reply);
    this.#answers.set(call, Promise.resolve({ call, reply }));
  }

  /** Refuses every further request. */
  close(): void {
    this.#isClosed = true;
  }

  /** The same prompt with the same seed would get the same reply, so each repetition has a seed of its own. */
  #seedOf(digest: Digest): number {
    const before = this.#asked.get(digest) ?? 0;
    this.#asked.set(digest, before + 1);
    return this.options.seed + before;
  }

  #refusal(): Answer | null {
    const { limits } = this.options;
    if (this.#isClosed || this.#end !== null) return { refused: 'limit', message: 'the rollout has ended' };
    if (this.#waiting >= MAX_OPEN)
      return { refused: 'invalid', message: `more than ${MAX_OPEN} requests at once` };
    if (limits.steps > 0 && this.tree.size >= limits.steps)
      return this.#limit(`${limits.steps} model call${limits.steps === 1 ? '' : 's'} made`);
    if (limits.cost > 0 && this.tree.cost >= limits.cost)
      return this.#limit(`${this.tree.cost} of ${limits.cost} dollars spent`);
    if (this.tree.kept >= MAX_KEPT)
      return this.#limit(`its requests hold more than ${MAX_KEPT >> 20} million characters`);
    const { tokens = 0 } = limits;
    if (tokens > 0 && this.#written >= tokens)
      return this.#limit(`${this.#written} of ${tokens} tokens written`);
    return null;
  }

  #limit(detail: string): Answer {
    this.#endWith({ ending: { status: 'limits_exceeded', detail, submission: null } });
    return { refused: 'limit', message: `the rollout has reached its limit: ${detail}` };
  }

  async #askModel(call: CallHandle, { messages, tools }: DialectRequest, seed: number): Promise<Answer> {
    const { policy, name, signal, now } = this.options;
    if (this.#waiting++ === 0) this.#waitingSince = now();
    try {
      const before = () => this.tree.before(call);
      const answered = await policy.reply({ messages, tools, seed, session: name, signal, before });
      if (answered.ok) return await this.#note(call, answered.value);
      if (!isFault(answered.fault)) return this.#withoutReply(call, answered.fault);
      return this.#failed(call, answered.fault, 'the model cannot be reached; the rollout ends');
    } catch (error) {
      return this.#failed(call, asInfra(error), 'swemake failed; the rollout ends');
    } finally {
      if (--this.#waiting === 0) this.#waited += now() - this.#waitingSince;
    }
  }

  async #note(call: CallHandle, reply: Reply): Promise<Answer> {
    const kept = this.options.keeper?.answered(call, reply);
    this.tree.answer(call, reply);
    const lost = (await kept) ?? null;
    if (lost !== null) return this.#failed(call, lost, 'the reply cannot be kept; the rollout ends');
    this.#count(reply);
    this.overflowed = null;
    this.options.log(`call ${call.index + 1}: ${described(reply)}\n`);
    return { call, reply };
  }

  #count(reply: Reply): void {
    this.answered++;
    this.#written += completionTokensOf(reply) ?? 0;
  }

  #failed(call: CallHandle, why: Infra, message: string): Answer {
    this.tree.abandon(call);
    this.#answers.delete(call);
    this.#endWith({ fault: why });
    return { refused: 'internal', message };
  }

  #withoutReply(call: CallHandle, why: NoReply): Answer {
    this.options.keeper?.unanswered(call, why);
    this.tree.unanswered(call, why);
    this.delivered(call);
    const { status, detail } = why;
    const { refused, ends } = ENDED_BY[status];
    if (ends) this.#endWith({ ending: { status: 'content_filtered', detail, submission: null } });
    else this.overflowed = detail;
    return { refused, message: detail };
  }

  #endWith(end: SessionEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.#tellEnd(end);
  }
}

export function newKey(): string {
  return `swemake-${randomBytes(24).toString('hex')}`;
}

function described({ toolCalls, promptTokens, completionTokens, truncated }: Reply): string {
  const names = toolCalls.map(({ name }) => name).join(', ');
  const tokens = `${promptTokens ?? '?'} tokens read, ${completionTokens ?? '?'} written`;
  return `${tokens}${names === '' ? '' : `, calls ${names}`}${truncated ? ', cut' : ''}`;
}
