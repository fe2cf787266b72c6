/** A bound on how many do something at once, first come first served, shared by all actions of a run. */
export class Gate {
  readonly #size: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Runs `work` once there is room for it. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#size) await new Promise<void>((admit) => this.#waiting.push(admit));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place is handed over, so that nobody slips in between.
      if (next === undefined) this.#inside -= 1;
      else next();
    }
  }
}
