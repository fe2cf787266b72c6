/**
 * Which items a run makes of each node. A target that names an item needs only some of the items above it: those of the same
 * instance, and those that its stage waits for one by one. Which these are is known when the nodes below are open.
 */
import { isLiteral, matchesGlob } from '../basics/glob.ts';
import type { Graph } from '../compiler/graph.ts';
import type { ItemsOf, Stage, StageNode } from '../contract/stage.ts';
import type { Selection } from './selection.ts';

/** A glob over names of items. */
interface Named {
  glob: string;
  /** The kind of the items that the glob is written for. */
  of: ItemsOf | undefined;
}

interface Want {
  /** What is named; null: everything. */
  named: readonly Named[] | null;
  /** Besides, what the nodes below ask for. */
  isAsked: boolean;
  /** The kind of the node's items. */
  of: ItemsOf | undefined;
}

export class Wanted {
  readonly #selection: Selection;
  readonly #stages: ReadonlyMap<string, Stage>;
  readonly #wants = new Map<string, Want>();
  /** Node -> nodes that may still ask for items of it. */
  readonly #asking = new Map<string, Set<string>>();

  constructor({ nodes }: Graph, stages: ReadonlyMap<string, Stage>, selection: Selection) {
    this.#selection = selection;
    this.#stages = stages;
    for (const node of [...nodes].reverse()) {
      const below = nodes.filter(
        ({ address, inputs }) => selection.isNeeded(address) && Object.values(inputs).includes(node.address),
      );
      const { itemsOf: of } = stages.get(node.stage)!;
      const isAsked = of === undefined && below.length > 0;
      const named = this.#namedIn(node, of, below);
      this.#wants.set(node.address, { named, isAsked: isAsked && named !== null, of });
      this.#asking.set(node.address, new Set(below.map(({ address }) => address)));
    }
  }

  #namedIn({ address }: StageNode, of: ItemsOf | undefined, below: readonly StageNode[]): Want['named'] {
    const globs = this.#selection.namedIn(address);
    if (globs === null || (below.length === 0 && globs.length === 0)) return null;
    const named = globs.map((glob): Named => ({ glob, of }));
    for (const one of below) {
      const want = this.#wants.get(one.address)!;
      if (want.named === null) return null;
      if (of === undefined) {
        if (!this.#waitsForItems(one, address)) return null;
      } else if (want.of === undefined) return null;
      else named.push(...want.named);
    }
    return named;
  }

  #waitsForItems({ stage, inputs }: StageNode, address: string): boolean {
    const { pipelined } = this.#stages.get(stage)!;
    return Object.entries(inputs).every(([role, input]) => input !== address || pipelined.includes(role));
  }

  /** Whether the nodes below ask for items. */
  isAsked(address: string): boolean {
    return this.#wants.get(address)!.isAsked;
  }

  /** Whether an item is made, whatever the nodes below ask for. */
  has(address: string, item: string): boolean {
    const only = this.#selection.onlyIn(address);
    if (only !== null) return only.has(item);
    const { named, of } = this.#wants.get(address)!;
    if (named === null) return true;
    return named.some((one) =>
      one.of === of ? matchesGlob(one.glob, item) : mayNameSampleOf(item, one.glob),
    );
  }

  /** Whether a node reads just those items of an input that are made. */
  isNarrowed(node: StageNode, input: StageNode): boolean {
    return [node, input].every(({ address }) => {
      const { named, of } = this.#wants.get(address)!;
      return of !== undefined && named !== null;
    });
  }

  /** A node asks for no further items of its inputs. Returns those of them for which no other will. */
  endAsking({ address, inputs }: StageNode): string[] {
    return [...new Set(Object.values(inputs))].filter((input) => {
      const asking = this.#asking.get(input)!;
      return asking.delete(address) && asking.size === 0;
    });
  }
}

/** Whether a glob may match `INSTANCE#SAMPLE` for some sample. A sample's name has no `#`. */
function mayNameSampleOf(instance: string, glob: string): boolean {
  const sample = /#[^#*?[\]{}\\]*$/.exec(glob);
  if (sample !== null) return matchesGlob(glob.slice(0, sample.index), instance);
  // A wildcard at the end may stand for more than the sample, so only the text before the first one tells.
  const [head] = /^[^*?[\]{}\\]*/.exec(glob)!;
  const begin = `${instance}#`;
  return !isLiteral(glob) && (head.startsWith(begin) || begin.startsWith(head));
}
