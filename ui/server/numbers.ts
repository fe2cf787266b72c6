/** What is known of every answer beside its outcome, in columns: hundreds of thousands of objects would take ten times the memory. */

/** Of one answer. */
export interface Numbers {
  ms: number;
  waited: number;
  promptTokens: number;
  completionTokens: number;
  /** US dollars; null without prices. */
  cost: number | null;
  /** Empty where it is no rollout. */
  exit: string;
  /** Of a verdict. */
  findings: readonly string[];
}

export class NumberTable {
  readonly #ms = new Column();
  readonly #waited = new Column();
  readonly #prompt = new Column();
  readonly #completion = new Column();
  readonly #cost = new Column();
  readonly #exits = new Column();
  readonly #findings = new Column();
  readonly #known = new Column();
  readonly #exitWords = new Interned<string>();
  readonly #findingLists = new Interned<readonly string[]>();

  has(number: number): boolean {
    return this.#known.get(number) === 1;
  }

  set(number: number, numbers: Numbers): void {
    this.#known.set(number, 1);
    this.#ms.set(number, numbers.ms);
    this.#waited.set(number, numbers.waited);
    this.#prompt.set(number, numbers.promptTokens);
    this.#completion.set(number, numbers.completionTokens);
    this.#cost.set(number, numbers.cost ?? Number.NaN);
    this.#exits.set(number, this.#exitWords.numberOf(numbers.exit, numbers.exit));
    this.#findings.set(number, this.#findingLists.numberOf(numbers.findings.join('\n'), numbers.findings));
  }

  /** null: not read. */
  get(number: number): Numbers | null {
    if (!this.has(number)) return null;
    const cost = this.#cost.get(number);
    return {
      ms: this.#ms.get(number),
      waited: this.#waited.get(number),
      promptTokens: this.#prompt.get(number),
      completionTokens: this.#completion.get(number),
      cost: Number.isNaN(cost) ? null : cost,
      exit: this.#exitWords.value(this.#exits.get(number)),
      findings: this.#findingLists.value(this.#findings.get(number)),
    };
  }
}

/** Numbers by place; 0 where none was set. */
class Column {
  #values = new Float64Array(1024);

  get(place: number): number {
    return this.#values[place] ?? 0;
  }

  set(place: number, value: number): void {
    if (place >= this.#values.length) {
      const grown = new Float64Array(Math.max(2 * this.#values.length, place + 1));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[place] = value;
  }
}

/** Equal values share one number. */
class Interned<T> {
  readonly #numbers = new Map<string, number>();
  readonly #values: T[] = [];

  numberOf(name: string, value: T): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#values.length);
    return this.#values.push(value) - 1;
  }

  value(number: number): T {
    return this.#values[number]!;
  }
}
