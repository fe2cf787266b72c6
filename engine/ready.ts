/**
 * Items that wait for resources: a queue for each node. Nodes further down come first, so that what was begun gets
 * finished. An item that lacks a resource holds back only items that want the same one, so grading goes on while all
 * resources for rollouts are taken.
 */
import type { Resources } from '../contract/stage.ts';
import { Queue } from './queue.ts';
import type { ResourcePool } from './resources.ts';

export class ReadyItems<T> {
  /** By node, the ones furthest down first. */
  readonly #lines: Map<string, Queue<T>>;
  readonly #resources: (item: T) => Resources;

  /** `nodes` in the graph's order. */
  constructor(nodes: readonly string[], resources: (item: T) => Resources) {
    this.#lines = new Map([...nodes].reverse().map((node) => [node, new Queue<T>()]));
    this.#resources = resources;
  }

  add(node: string, item: T): void {
    this.#lines.get(node)!.push(item);
  }

  get isEmpty(): boolean {
    return [...this.#lines.values()].every((line) => line.size === 0);
  }

  /**
   * Takes what there is room for, as long as `mayStart`; `start` gets what gives the resources back. `before`: resources for
   * which others wait that come first.
   */
  startAll(
    pool: ResourcePool,
    mayStart: () => boolean,
    start: (item: T, free: () => void) => void,
    before: readonly string[] = [],
  ): void {
    const awaited = new Set(before);
    for (const line of this.#lines.values()) {
      while (line.size > 0 && mayStart()) {
        const item = line.peek();
        const request = this.#resources(item);
        if (Object.keys(request).some((name) => awaited.has(name))) break;
        const free = pool.tryTake(request);
        if (free === null) {
          for (const name of pool.lacking(request)) awaited.add(name);
          break;
        }
        line.shift();
        start(item, free);
      }
    }
  }
}
