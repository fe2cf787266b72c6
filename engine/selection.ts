/**
 * What a run has to make: targets, down to single items, and items that are run again although the cache has their
 * answers.
 */

import { matchesGlob } from '../basics/glob.ts';
import { closure, type Graph, nodesOfTarget, splitAddress } from '../compiler/graph.ts';

interface Pattern {
  nodes: Set<string>;
  item: string | null;
}

export class Selection {
  readonly #targets: Pattern[];
  /** Nodes that a target needs: all of their items are wanted, also where some are named besides. */
  readonly #needed: ReadonlySet<string>;
  readonly #forced: Pattern[];
  readonly #forcedItems: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #onlyItems: ReadonlyMap<string, ReadonlySet<string>>;

  /**
   * `forcedItems` names single items by node, beside the patterns of `forced`; `onlyItems` all that is wanted of a node.
   */
  constructor(
    graph: Graph,
    targets: readonly string[],
    forced: readonly string[],
    forcedItems: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
    onlyItems: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
  ) {
    this.#forcedItems = forcedItems;
    this.#onlyItems = onlyItems;
    const patternOf = (target: string): Pattern => ({
      nodes: new Set(nodesOfTarget(graph, target)),
      item: splitAddress(target)[1],
    });
    this.#targets = targets.map(patternOf);
    const { nodes } = closure(graph, new Set(this.#targets.flatMap((one) => [...one.nodes])));
    this.#needed = new Set(nodes.flatMap(({ inputs }) => Object.values(inputs)));
    this.#forced = forced.map(patternOf);
  }

  /** False only for items of a node that was asked for by item, and not this one, unless another target needs them all. */
  wants(address: string, item: string): boolean {
    const only = this.#onlyItems.get(address);
    if (only !== undefined) return only.has(item);
    if (this.#needed.has(address)) return true;
    const about = this.#targets.filter((pattern) => pattern.nodes.has(address));
    return (
      about.length === 0 || about.some((pattern) => pattern.item === null || matchesGlob(pattern.item, item))
    );
  }

  /** True when the item must run though the cache has its answer. */
  forces(address: string, item: string): boolean {
    if (this.#forcedItems.get(address)?.has(item)) return true;
    return this.#forced.some(
      (pattern) => pattern.nodes.has(address) && (pattern.item === null || matchesGlob(pattern.item, item)),
    );
  }

  /** True when the node cannot be answered as a whole: an item was named, or something in it is forced. */
  touches(address: string): boolean {
    return (
      this.#onlyItems.has(address) ||
      this.#forcedItems.has(address) ||
      this.#forced.some((pattern) => pattern.nodes.has(address)) ||
      (!this.#needed.has(address) &&
        this.#targets.some((pattern) => pattern.nodes.has(address) && pattern.item !== null))
    );
  }
}
