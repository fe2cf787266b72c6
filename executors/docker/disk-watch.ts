/** A limit on the data that may be written, where the storage driver has none: it is checked while commands run. */
import type { Container } from 'dockerode';
import { encodeFrame } from '../sandbox/frames.ts';

/** Milliseconds. The engine walks through all that was written. */
const PERIOD = 5000;

export class DiskWatch {
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(
    private readonly container: Container,
    private readonly limit: number,
    private readonly send: (bytes: Buffer) => void,
  ) {
    this.#timer = setInterval(() => void this.#look(), PERIOD);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const found = (await this.container.inspect({ size: true } as never)) as unknown as { SizeRw?: number };
      if ((found.SizeRw ?? 0) > this.limit)
        this.send(encodeFrame({ op: 'over_disk', id: 0, limit: this.limit }));
    } catch {
      // The stream reports an engine that is gone.
    } finally {
      this.#isLooking = false;
    }
  }
}
