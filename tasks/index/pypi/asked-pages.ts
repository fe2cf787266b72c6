/** Which pages builds asked for, and when last: so a failed build can name what it did not find. */

/** Pages that are kept, since builds may ask for any number. */
const MAX_PAGES = 10_000;

export class AskedPages {
  readonly #asked = new Map<string, { asOf: string | null; project: string; at: number }>();

  note(asOf: string | null, project: string): void {
    const name = `${asOf} ${project}`;
    // The last one is at the end.
    this.#asked.delete(name);
    this.#asked.set(name, { asOf, project, at: performance.now() });
    if (this.#asked.size > MAX_PAGES) this.#asked.delete(this.#asked.keys().next().value!);
  }

  /** Projects that were asked for since a moment of performance.now(). All builds of `asOf` are seen together. */
  since(asOf: string | null, moment: number): string[] {
    return [...this.#asked.values()].flatMap((one) =>
      one.asOf === asOf && one.at >= moment ? [one.project] : [],
    );
  }
}
