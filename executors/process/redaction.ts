/** Secrets are taken out of output that comes in pieces: a value may be cut anywhere between two of them. */

/** Characters held back at most; beyond it a piece is let through as it is after its own cleaning. */
const MAX_HELD = 1024 * 1024;

export class Redaction {
  readonly #clean: (text: string) => string;
  readonly #longest: number;
  #held = '';

  /** `clean` takes whole values out; `longest` is the length of the longest, 0 when there are none. */
  constructor(clean: (text: string) => string, longest: number) {
    this.#clean = clean;
    this.#longest = longest;
  }

  /** The clean text that can be passed on by now. */
  push(text: string): string {
    if (this.#longest === 0) return text;
    const all = this.#held + text;
    const cut = this.#cutOf(all);
    this.#held = all.slice(cut);
    return this.#clean(all.slice(0, cut));
  }

  /** The rest, at the end. */
  end(): string {
    const rest = this.#clean(this.#held);
    this.#held = '';
    return rest;
  }

  /** The offset before which no value is cut. A value may begin after it. */
  #cutOf(all: string): number {
    let cut = Math.max(0, all.length - this.#longest + 1);
    const whole = this.#clean(all);
    for (const least = Math.max(0, cut - this.#longest); cut > least; cut--)
      if (this.#clean(all.slice(0, cut)) + this.#clean(all.slice(cut)) === whole) return cut;
    return all.length > MAX_HELD ? all.length : 0;
  }
}
