/**
 * A model's server that swemake starts, for all who ask it: started once, and started again when it ends by itself, a
 * few times in a run. Whatever was asked of it when it ended is asked of the next one, so that no rollout loses the
 * work of its steps.
 */
import { setMaxListeners } from 'node:events';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ProcessEnd, RunningServer } from '../../executors/process-runner.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

/** Times that a server is started again in a run. */
const RESTARTS = 3;
/** Lines of its log that a fault holds. */
const TAIL_LINES = 15;
/** Milliseconds by which a connection may break before the end of its process is known. */
const GRACE = 5_000;

/** A server that is up. */
export interface Up {
  url: string;
  /** From 0, one more with each start. */
  number: number;
  /** Aborted when it has ended. */
  gone: AbortSignal;
}

export class ModelServer {
  readonly #start: (number: number) => Promise<Result<RunningServer, Infra>>;
  readonly #signal: AbortSignal;
  /** The one that is up or on its way, shared by all who wait for it; null: it ended and nobody has asked since. */
  #current: Promise<Result<Up, Infra>> | null = null;
  #starts = 0;
  /** How the last one ended. */
  #last = '';

  /** `start` begins another one; `signal`: the run's. */
  constructor(start: (number: number) => Promise<Result<RunningServer, Infra>>, signal: AbortSignal) {
    this.#start = start;
    this.#signal = signal;
  }

  /** The server that is up, after starting it where that is needed; a fault is final for the run. */
  up(): Promise<Result<Up, Infra>> {
    this.#current ??= this.#launch().catch((error: unknown) => {
      // What was thrown is no answer of the server; who asks next starts it.
      this.#current = null;
      throw error;
    });
    return this.#current;
  }

  /**
   * Does `work` with the server that is up, and once more with the next one when it ends meanwhile. `work` gets a
   * signal that also ends it when the server is gone.
   */
  async use<T, F extends { status: string }>(
    signal: AbortSignal,
    log: (text: string) => void,
    work: (up: Up, signal: AbortSignal) => Promise<Result<T, F>>,
  ): Promise<Result<T, F | Infra>> {
    for (;;) {
      const up = await this.up();
      if (!up.ok) return up;
      const done = await untilGone(up.value.gone, signal, (either) => work(up.value, either));
      if (done.ok || signal.aborted) return done;
      if (isEndpointFault(done.fault)) await aborted(up.value.gone, GRACE);
      if (!up.value.gone.aborted) return done;
      log(`${this.#last.split('\n')[0]}\n`);
    }
  }

  async #launch(): Promise<Result<Up, Infra>> {
    for (;;) {
      const number = this.#starts;
      if (number > RESTARTS)
        return fault(infra('endpoint', `${this.#last}\n(started again ${RESTARTS} times)`));
      this.#starts += 1;
      const started = await this.#start(number);
      if (started.ok) return success(this.#watched(started.value, number));
      // One that never came up will not come up the next time; one that did may need its memory given back.
      if (number === 0 || this.#signal.aborted) return started;
      this.#last = started.fault.detail;
    }
  }

  #watched({ url, ended }: RunningServer, number: number): Up {
    const control = new AbortController();
    setMaxListeners(0, control.signal);
    const isGone = (how: string) => {
      this.#last = `the server at ${url} ended ${how}`;
      if (!this.#signal.aborted) this.#current = null;
      control.abort();
    };
    ended.then(
      (end) => isGone(howOf(end)),
      (error: unknown) => isGone(`during the run\n${error}`),
    );
    return { url, number, gone: control.signal };
  }
}

function isEndpointFault(found: { status: string; reason?: string }): boolean {
  return found.status === 'infra' && found.reason === 'endpoint';
}

function howOf({ exitCode, exitSignal, output }: ProcessEnd): string {
  const how = exitCode === null ? `by ${exitSignal}` : `with status ${exitCode}`;
  return `${how} during the run\n${output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')}`.trimEnd();
}

/** Listeners are taken away again: the signals live as long as the run. */
async function untilGone<T>(
  gone: AbortSignal,
  signal: AbortSignal,
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  const abort = () => control.abort();
  for (const one of [gone, signal]) one.addEventListener('abort', abort);
  if (gone.aborted || signal.aborted) abort();
  try {
    return await work(control.signal);
  } finally {
    for (const one of [gone, signal]) one.removeEventListener('abort', abort);
  }
}

/** Waits for the signal, for so long at most. */
async function aborted(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
