/**
 * Queues requests for episodes. A limited number runs at once. Requests with the same id share one episode. An
 * episode is stopped when no client waits for it any more. It is stored before it is answered, so a client that lost
 * the answer can ask again.
 */
import { Semaphore } from '../../basics/semaphore.ts';
import { faultOf } from '../../engine/item-action.ts';
import { infra } from '../../schemas/outcome.ts';
import type {
  BasisOf,
  CallVersions,
  EpisodeEnd,
  EpisodeRequest,
  Graded,
  MakeEpisode,
  NoVerdict,
} from './episode.ts';
import type { EpisodeStore } from './store.ts';
import type { Weights } from './weights.ts';

export interface EpisodeQueueOptions {
  make: MakeEpisode;
  basisOf: BasisOf;
  store: EpisodeStore;
  weights: Weights;
  /** Episodes at once. */
  concurrent: number;
  /** Requests that may wait. */
  waiting: number;
  log(text: string): void;
}

interface Running {
  end: Promise<EpisodeEnd>;
  cancel: AbortController;
  /** Requests that wait for it. */
  askers: number;
  request: EpisodeRequest;
}

/** The queue is full. */
export const FULL = 'full';

export class EpisodeQueue {
  readonly #options: EpisodeQueueOptions;
  readonly #slots: Semaphore;
  readonly #running = new Map<string, Running>();
  readonly counts = { graded: 0, resolved: 0, faults: 0, refused: 0, repeated: 0 };
  /** Calls of models that were answered. */
  turns = 0;

  constructor(options: EpisodeQueueOptions) {
    this.#options = options;
    this.#slots = new Semaphore(options.concurrent);
  }

  get running(): readonly EpisodeRequest[] {
    return [...this.#running.values()].map(({ request }) => request);
  }

  get places(): { size: number; taken: number; waiting: number } {
    const { size, taken, waiting } = this.#slots;
    return { size, taken, waiting };
  }

  /** @param gone is aborted when the client does not wait any more. */
  async ask(request: EpisodeRequest, gone: AbortSignal): Promise<EpisodeEnd | typeof FULL> {
    await this.#ending(request.id);
    const kept = this.#running.has(request.id) ? null : await this.#kept(request);
    // In the meantime another request may have begun it and cancelled it.
    await this.#ending(request.id);
    const known = this.#running.get(request.id) ?? null;
    const { store } = this.#options;
    if (known !== null && store.askedFor(known.request) !== store.askedFor(request))
      return { kind: 'refused', outcome: otherId(request.id) };
    if (known !== null || kept !== null) this.counts.repeated += 1;
    if (known === null && kept !== null) return kept;
    const { size, taken, waiting } = this.#slots;
    if (known === null && taken >= size && waiting >= this.#options.waiting) return FULL;
    const running = known ?? this.#begin(request);
    running.askers += 1;
    const leave = () => {
      running.askers -= 1;
      if (running.askers === 0) running.cancel.abort();
    };
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
    try {
      return await running.end;
    } finally {
      gone.removeEventListener('abort', leave);
    }
  }

  /** The stored episode, unless its task or agent has changed since. */
  async #kept(request: EpisodeRequest): Promise<Graded | null> {
    const { store, basisOf } = this.#options;
    const stored = store.read(request);
    return stored !== null && stored.basis === (await basisOf(request)) ? stored : null;
  }

  /** Waits until an episode that was cancelled has ended, so that a new one can begin. */
  async #ending(id: string): Promise<void> {
    for (;;) {
      const running = this.#running.get(id);
      if (running?.cancel.signal.aborted !== true) return;
      await running.end;
    }
  }

  /** The number of episodes that were cancelled. */
  cancel(wanted: (request: EpisodeRequest) => boolean): number {
    const chosen = [...this.#running.values()].filter(({ request }) => wanted(request));
    for (const { cancel } of chosen) cancel.abort();
    return chosen.length;
  }

  /** Ends all of them and waits until they have ended. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    this.cancel(() => true);
    await Promise.all(all.map(({ end }) => end));
  }

  #begin(request: EpisodeRequest): Running {
    const cancel = new AbortController();
    const end = this.#make(request, cancel.signal).finally(() => this.#running.delete(request.id));
    const running = { end, cancel, askers: 0, request };
    this.#running.set(request.id, running);
    return running;
  }

  async #make(request: EpisodeRequest, signal: AbortSignal): Promise<EpisodeEnd> {
    const { make, store, weights, log } = this.#options;
    const release = await this.#slots.acquire(signal);
    if (release === null)
      return this.#count({ kind: 'fault', outcome: infra('cancelled', 'cancelled before it began') });
    const versions: CallVersions[] = [];
    try {
      const end = await make(request, {
        signal,
        watch: (policy) => weights.watch(policy, versions),
        log: (text) => log(`${request.instance}#${request.sample}: ${text}`),
      });
      if (end.kind !== 'graded') return this.#count(end);
      const whole = { ...end, versions };
      await store.write(request, whole);
      return this.#count(whole);
    } catch (error) {
      log(`${request.instance}#${request.sample}: ${(error as Error).stack ?? String(error)}\n`);
      return this.#count({ kind: 'fault', outcome: faultOf(error, signal) });
    } finally {
      release();
    }
  }

  #count(end: EpisodeEnd): EpisodeEnd {
    if (end.kind === 'fault') this.counts.faults += 1;
    if (end.kind === 'refused') this.counts.refused += 1;
    if (end.kind !== 'graded') return end;
    this.counts.graded += 1;
    this.turns += end.trajectory.steps.length;
    if (end.verdict.reward === 1) this.counts.resolved += 1;
    return end;
  }
}

function otherId(id: string): NoVerdict['outcome'] {
  const detail = `id ${id} names another rollout, which is under way: give each rollout an id of its own`;
  return { status: 'failed', reason: 'invalid-row', detail };
}
