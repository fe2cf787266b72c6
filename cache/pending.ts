/**
 * Writes to the database that are under way: their number is limited, since each holds memory, and each failure is
 * reported.
 */

/** Each holds memory until it is written. */
const AT_ONCE = 1000;

export class Pending {
  #writes: Promise<unknown>[] = [];

  /** Waits when many are under way. @throws when one of them was refused. */
  async add(...writes: Promise<unknown>[]): Promise<void> {
    // What is refused before somebody waits for it is told then, and is no rejection without an owner.
    for (const write of writes) write.catch(() => undefined);
    this.#writes.push(...writes);
    if (this.#writes.length >= AT_ONCE) await this.settled();
  }

  async settled(): Promise<void> {
    const writes = this.#writes;
    this.#writes = [];
    await Promise.all(writes);
  }
}
