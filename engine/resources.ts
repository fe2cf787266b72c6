/**
 * Integer amounts of named resources. A request is granted when all of it is free; the caller makes sure that large
 * requests are not starved by small ones. A request for more than there is gets all of it, and so runs alone.
 */
import type { Resources } from '../contract/stage.ts';

export class ResourcePool {
  readonly #capacity: Resources;
  readonly #free: Resources;

  constructor(capacity: Resources) {
    this.#capacity = { ...capacity };
    this.#free = { ...capacity };
  }

  /** Takes `request` if all of it is free, and returns what gives it back. Unknown names are not limited. */
  tryTake(request: Resources): (() => void) | null {
    const amounts = Object.entries(request)
      .filter(([name]) => name in this.#capacity)
      .map(([name, amount]) => [name, Math.min(amount, this.#capacity[name]!)] as const);
    if (amounts.some(([name, amount]) => this.#free[name]! < amount)) return null;
    for (const [name, amount] of amounts) this.#free[name]! -= amount;
    let returned = false;
    return () => {
      if (returned) return;
      returned = true;
      for (const [name, amount] of amounts) this.#free[name]! += amount;
    };
  }

  /** Puts back what was taken, as it was asked for. */
  putBack(request: Resources): void {
    for (const [name, amount] of Object.entries(request))
      if (name in this.#capacity) this.#free[name]! += Math.min(amount, this.#capacity[name]!);
  }

  /** Names of which not enough is free for `request`. */
  lacking(request: Resources): string[] {
    return Object.entries(request)
      .filter(
        ([name, amount]) =>
          name in this.#capacity && this.#free[name]! < Math.min(amount, this.#capacity[name]!),
      )
      .map(([name]) => name);
  }
}
