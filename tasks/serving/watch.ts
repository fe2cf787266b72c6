/**
 * Notices a server that runs but answers nothing. Requests wait, none is answered for half of the allowed time, and
 * then not even a request for one token is answered. A server that works answers one or the other. The process of a
 * hanging server is alive, and its `/health` often reports success, so only an answer counts.
 */
import type { Credential } from '../../basics/credential.ts';

/** Between two looks at most, milliseconds. */
const LOOK_EVERY = 10_000;

export interface WatchOptions {
  /** Milliseconds without an answer after which the server hangs. */
  hang: number;
  /** Asks for something that must be answered, with a limit of time; true when it was. */
  probe(ms: number): Promise<boolean>;
  /** Called once. */
  onHang(): void;
}

export class Watch {
  readonly #options: WatchOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  /** When it was last known to live. */
  #alive = performance.now();
  /** When a request was last over. */
  #over = performance.now();
  #isProbing = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_EVERY, options.hang / 10));
    this.#timer.unref();
  }

  /** Milliseconds since it last answered, or since somebody began to ask. */
  get quiet(): number {
    return performance.now() - this.#alive;
  }

  /** Milliseconds since the last request. */
  get idle(): number {
    return this.#waiting > 0 ? 0 : performance.now() - this.#over;
  }

  /** A request begins; to be called with whether it was answered when it is over. */
  asked(): (answered: boolean) => void {
    if (this.#waiting === 0) this.#alive = performance.now();
    this.#waiting += 1;
    return (answered) => {
      this.#waiting -= 1;
      this.#over = performance.now();
      if (answered) this.#alive = performance.now();
    };
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { hang } = this.#options;
    if (this.#waiting === 0) return;
    if (this.quiet >= hang) {
      this.end();
      this.#options.onHang();
    } else if (this.quiet >= hang / 2 && !this.#isProbing) {
      this.#isProbing = true;
      // A probe that fails is no sign of life.
      this.#probe(hang - this.quiet).catch(() => undefined);
    }
  }

  async #probe(ms: number): Promise<void> {
    try {
      if (await this.#options.probe(ms)) this.#alive = performance.now();
    } finally {
      this.#isProbing = false;
    }
  }
}

/** The smallest request for a reply; an answer that is no failure of the server counts. */
export async function answersOneToken(
  url: string,
  { name, credential, ms }: { name: string; credential: Credential | null; ms: number },
): Promise<boolean> {
  const body = { model: name, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, temperature: 0 };
  const headers = {
    'content-type': 'application/json',
    ...credential?.headers(url),
  };
  try {
    const response = await fetch(`${url}/chat/completions`, {
      ...{ method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual' },
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(ms))),
    });
    await response.arrayBuffer();
    return response.status < 500;
  } catch {
    // No answer, however it failed to come.
    return false;
  }
}
