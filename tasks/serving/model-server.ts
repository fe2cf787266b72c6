/**
 * A model's server that swemake starts, for all who ask it: started once, and started again when it ends by itself or
 * hangs, a few times in a run. Whatever was asked of it then is asked of the next one, so that no rollout loses the work
 * of its steps. An idle one gives its GPUs back when another program waits for them.
 */
import { setMaxListeners } from 'node:events';
import { fault, type Result, success } from '../../basics/result.ts';
import { endingOf, type ProcessEnd, type RunningServer } from '../../executors/process-runner.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { Watch } from './watch.ts';

/** Times that a server is started again in a run. */
const RESTARTS = 3;
/** Lines of its log that a fault holds. */
const TAIL_LINES = 15;
/** Milliseconds by which a connection may break before the end of its process is known. */
const GRACE = 5_000;
/** Milliseconds for which a server is idle before it is stopped for others who want its GPUs. */
const IDLE = 30_000;

/** A server that is up. */
export interface LiveServer {
  url: string;
  /** From 0, one more with each start. */
  number: number;
  /** Aborted when it has ended. */
  gone: AbortSignal;
}

export interface ModelServerOptions {
  /** Begins another one; `onWanted` is called when others want its GPUs. */
  start(number: number, onWanted: () => void): Promise<Result<RunningServer, Infra>>;
  /** The run's. */
  signal: AbortSignal;
  /** Seconds without an answer after which it hangs. */
  hang: number;
  /** Asks the server at an address for something that must be answered. */
  probe(url: string, ms: number): Promise<boolean>;
  /** Milliseconds; see IDLE. */
  idle?: number;
}

export class ModelServer {
  readonly #options: ModelServerOptions;
  /** The one that is up or on its way, shared by all who wait for it; null: it ended and was not asked since. */
  #current: Promise<Result<LiveServer, Infra>> | null = null;
  #watch: Watch | null = null;
  #isGivenUp = false;
  #starts = 0;
  /** Times that it ended by itself, or could not be started again. */
  #broken = 0;
  /** How the last one ended. */
  #last = '';
  /** Others wait for its GPUs. */
  #isWanted = false;
  /** Until the last one has ended. */
  #ending: Promise<void> = Promise.resolve();

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  /** How the last one ended, in a line. */
  get last(): string {
    return this.#last.split('\n')[0]!;
  }

  /** No more of them will come up in this run. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Whether one is up now. */
  get isUp(): boolean {
    return this.#watch !== null;
  }

  /** The server that is up, after starting it where that is needed; a fault is final for the run. */
  up(): Promise<Result<LiveServer, Infra>> {
    this.#current ??= this.#launchOrGiveUp().catch((error: unknown) => {
      // What was thrown is no answer of the server; the next caller starts it.
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
    work: (up: LiveServer, signal: AbortSignal) => Promise<Result<T, F>>,
  ): Promise<Result<T, F | Infra>> {
    for (;;) {
      const done = await this.tryOnce(signal, work);
      if (done !== 'gone') return done;
      log(`${this.last}\n`);
    }
  }

  /** The same, once; `gone` when the server ended before it was done. */
  async tryOnce<T, F extends { status: string }>(
    signal: AbortSignal,
    work: (up: LiveServer, signal: AbortSignal) => Promise<Result<T, F>>,
  ): Promise<Result<T, F | Infra> | 'gone'> {
    const up = await this.up();
    if (!up.ok) return up;
    const { gone } = up.value;
    if (gone.aborted) return 'gone';
    const over = this.#watch?.asked();
    const done = await untilGone(gone, signal, (either) => work(up.value, either)).catch((error: unknown) => {
      over?.(false);
      throw error;
    });
    over?.(!signal.aborted && (done.ok || !isEndpointFault(done.fault)));
    if (done.ok || signal.aborted) return done;
    if (isEndpointFault(done.fault)) await aborted(gone, GRACE);
    return gone.aborted ? 'gone' : done;
  }

  async #launchOrGiveUp(): Promise<Result<LiveServer, Infra>> {
    const up = await this.#launch();
    this.#isGivenUp = !up.ok;
    return up;
  }

  async #launch(): Promise<Result<LiveServer, Infra>> {
    for (;;) {
      if (this.#broken > RESTARTS)
        return fault(infra('endpoint', `${this.#last}\n(started again ${RESTARTS} times)`));
      const number = this.#starts;
      this.#starts += 1;
      await this.#ending;
      this.#isWanted = false;
      const onWanted = () => {
        this.#isWanted = true;
      };
      const started = await this.#options.start(number, onWanted);
      if (started.ok) return success(this.#watched(started.value, number));
      // One that never came up will not come up the next time; one that did may need its memory given back.
      if (number === 0 || this.#options.signal.aborted) return started;
      this.#broken += 1;
      this.#last = started.fault.detail;
    }
  }

  #watched({ url, ended, stop }: RunningServer, number: number): LiveServer {
    const control = new AbortController();
    setMaxListeners(0, control.signal);
    const { hang, probe, signal } = this.#options;
    const isGone = (last: string, isBroken: boolean) => {
      if (control.signal.aborted) return;
      clearInterval(idle);
      watch.end();
      this.#watch = null;
      this.#last = last;
      if (isBroken) this.#broken += 1;
      if (!signal.aborted) this.#current = null;
      control.abort();
    };
    /** Callers that wait for it go on at once; the next one is started when this one has given back what it held. */
    const end = (last: string, isBroken: boolean) => {
      // However it ends, the next one is tried.
      this.#ending = stop().catch(() => undefined);
      isGone(last, isBroken);
    };
    const watch = new Watch({
      hang: hang * 1000,
      probe: (ms) => probe(url, ms),
      onHang: () => end(`the server at ${url} answered nothing for ${hang} s, and was ended`, true),
    });
    const looksIdle = () => this.#isWanted && watch.idle >= this.#idle;
    const idle = setInterval(() => {
      if (looksIdle()) end(`the server at ${url} was ended for others who wait for its GPUs`, false);
    }, this.#idle / 5);
    idle.unref();
    this.#watch = watch;
    ended.then(
      (one) => isGone(`the server at ${url} ${howOf(one)}`, true),
      (error: unknown) => isGone(`the server at ${url} ended during the run\n${error}`, true),
    );
    return { url, number, gone: control.signal };
  }

  get #idle(): number {
    return this.#options.idle ?? IDLE;
  }
}

function isEndpointFault(found: { status: string; reason?: string }): boolean {
  return found.status === 'infra' && found.reason === 'endpoint';
}

function howOf(end: ProcessEnd): string {
  return `${endingOf(end)} during the run\n${end.output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n')}`.trimEnd();
}

/** Listeners are taken away again: the signals live as long as the run. */
export async function untilGone<T>(
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
