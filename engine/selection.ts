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
  /** Nodes that targets mean, and those above them. */
  readonly #made: ReadonlySet<string>;
  /** Nodes that a target needs. They may be answered as a whole, also where some items are named besides. */
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
    this.#made = new Set(nodes.map(({ address }) => address));
    this.#needed = new Set(nodes.flatMap(({ inputs }) => Object.values(inputs)));
    this.#forced = forced.map(patternOf);
  }

  /** Globs of the items that targets name in a node; null when one means all of them, and none when no target means the node. */
  namedIn(address: string): string[] | null {
    const globs: string[] = [];
    for (const { nodes, item } of this.#targets) {
      if (!nodes.has(address)) continue;
      if (item === null) return null;
      globs.push(item);
    }
    return globs;
  }

  /** Whether a target means the node or needs it; without targets all nodes are. */
  isNeeded(address: string): boolean {
    return this.#targets.length === 0 || this.#made.has(address);
  }

  /** Names of all that is wanted of a node, whatever the targets are; null: that is not given. */
  onlyIn(address: string): ReadonlySet<string> | null {
    return this.#onlyItems.get(address) ?? null;
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
