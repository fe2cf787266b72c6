/**
 * Which items a run makes of each node. A target that names an item needs only some of the items above it: those of the same
 * instance, and those that its stage waits for one by one. Which these are is known when the nodes below are open.
 */
import { matchesGlob } from '../basics/glob.ts';
import type { Graph } from '../compiler/graph.ts';
import type { Stage, StageNode } from '../contract/stage.ts';
import type { Selection } from './selection.ts';

/** Globs of names; `asked`: what the nodes below ask for; null: everything. */
type Want = readonly string[] | 'asked' | null;

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
      this.#wants.set(node.address, this.#wantOf(node, below));
      this.#asking.set(node.address, new Set(below.map(({ address }) => address)));
    }
  }

  #wantOf(node: StageNode, below: readonly StageNode[]): Want {
    const named = this.#selection.namedIn(node.address);
    if (named === null || (below.length === 0 && named.length === 0)) return null;
    const globs = new Set(named);
    for (const one of below) {
      const want = this.#wants.get(one.address)!;
      if (want === null) return null;
      if (!this.#isOfInstances(node)) {
        if (!this.#waitsForItems(one, node.address)) return null;
      } else if (want === 'asked' || !this.#isOfInstances(one)) return null;
      else for (const glob of want) globs.add(glob).add(instanceOf(glob));
    }
    if (this.#isOfInstances(node) || below.length === 0) return [...globs];
    return named.length > 0 ? null : 'asked';
  }

  #isOfInstances({ stage }: StageNode): boolean {
    return this.#stages.get(stage)!.isOfInstances === true;
  }

  #waitsForItems({ stage, inputs }: StageNode, address: string): boolean {
    const { pipelined } = this.#stages.get(stage)!;
    return Object.entries(inputs).every(([role, input]) => input !== address || pipelined.includes(role));
  }

  /** Whether the nodes below say which items are made. */
  isAsked(address: string): boolean {
    return this.#wants.get(address) === 'asked';
  }

  /** Of a node whose items are not asked for: whether an item is made. */
  has(address: string, item: string): boolean {
    const only = this.#selection.onlyIn(address);
    if (only !== null) return only.has(item);
    const want = this.#wants.get(address)!;
    return want === null || want === 'asked' || want.some((glob) => matchesGlob(glob, item));
  }

  /** Whether a node reads just those items of an input that are made. */
  isNarrowed(node: StageNode, input: StageNode): boolean {
    const areNamed = [node, input].every(({ address }) => Array.isArray(this.#wants.get(address)));
    return areNamed && this.#isOfInstances(node) && this.#isOfInstances(input);
  }

  /** A node asks for no further items of its inputs. Returns those of them for which no other will. */
  endAsking({ address, inputs }: StageNode): string[] {
    return [...new Set(Object.values(inputs))].filter((input) => {
      const asking = this.#asking.get(input)!;
      return asking.delete(address) && asking.size === 0;
    });
  }
}

/** The instance that an item of it, such as a sample, is named after. */
function instanceOf(name: string): string {
  return name.split('#', 1)[0]!;
}
