/**
 * The version of the weights that the model server has now, as the trainer reports it. Each call records it. No call
 * is sent while weights are being replaced, and that wait counts against no limit.
 */
import type { Policy, Reply, ReplyRequest } from '../../agent/policy.ts';
import { type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { CallVersions } from './episode.ts';

export class Weights {
  /** Null until the trainer has reported one. */
  version: number | null = null;
  #change: { done: Promise<void>; end: () => void } | null = null;

  get isChanging(): boolean {
    return this.#change !== null;
  }

  /** Calls wait from now on. */
  pause(): void {
    if (this.#change !== null) return;
    let end = () => undefined as undefined;
    const done = new Promise<void>((resolve) => {
      end = () => void resolve();
    });
    this.#change = { done, end };
  }

  /** Calls continue, with weights `version`; null: with the same ones as before. */
  resume(version: number | null): void {
    if (version !== null) this.version = version;
    const change = this.#change;
    this.#change = null;
    change?.end();
  }

  /**
   * The policy, with the versions of each call recorded in `versions`, in the order in which they began; null: they are not recorded.
   */
  watch(policy: Policy, versions: CallVersions[] | null): Policy {
    return {
      parameters: () => policy.parameters(),
      dropped: () => policy.dropped(),
      reply: async (request) => {
        const waited = await this.#unchanging(request);
        if (!waited.ok) return waited;
        // Calls may be open at the same time: their place is that of their beginning.
        const call: CallVersions = { first: this.version, last: this.version };
        versions?.push(call);
        const reply = await policy.reply(request);
        call.last = this.version;
        return reply.ok ? success({ ...later(reply.value, waited.value), ...this.#named(call) }) : reply;
      },
    };
  }

  /** What a reply says of its weights. One during which they changed says the newer ones, which wrote its end. */
  #named({ last }: CallVersions): Pick<Reply, 'weights'> {
    return last === null ? {} : { weights: `${last}` };
  }

  /** Waits while weights are being replaced, and returns the milliseconds. */
  async #unchanging({ signal }: ReplyRequest): Promise<Result<number, Infra>> {
    const since = performance.now();
    while (this.#change !== null) {
      if (!(await settledBefore(this.#change.done, signal)))
        return { ok: false, fault: infra('cancelled', 'cancelled while the weights were being changed') };
    }
    return success(performance.now() - since);
  }
}

function later(reply: Reply, waited: number): Reply {
  return { ...reply, timing: { ...reply.timing, waited: reply.timing.waited + waited } };
}

/** False when the signal came first. */
function settledBefore(promise: Promise<void>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    void promise.then(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    });
  });
}
