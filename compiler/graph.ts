/**
 * The stage graph of a project: a few nodes per dataset, in an order in which every node comes after its
 * inputs. Items are not in it; their number depends on data.
 */

import { matchesGlob } from '../basics/glob.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import type { AnyStage, Stage, StageNode } from '../contract/stage.ts';

export interface Graph {
  nodes: StageNode[];
}

/** All nodes that `stages` contribute to `config`, topologically ordered. */
export async function compileGraph(config: ResolvedConfig, stages: readonly AnyStage[]): Promise<Graph> {
  const { Graph: Dag, alg } = await import('@dagrejs/graphlib');
  const dag = new Dag();
  const nodes = stages.flatMap((stage) => (stage as Stage).nodes(config));
  for (const node of nodes) dag.setNode(node.address, node);
  for (const node of nodes) {
    for (const input of Object.values(node.inputs)) dag.setEdge(input, node.address);
  }
  const order = alg.topsort(dag) as string[];
  return { nodes: order.map((address) => dag.node(address) as StageNode) };
}

/** The part of `graph` that `addresses` need, inputs included, in the same order. */
export function closure(graph: Graph, addresses: ReadonlySet<string>): Graph {
  const wanted = new Set(addresses);
  for (const node of [...graph.nodes].reverse()) {
    if (wanted.has(node.address)) for (const input of Object.values(node.inputs)) wanted.add(input);
  }
  return { nodes: graph.nodes.filter((node) => wanted.has(node.address)) };
}

/** Node addresses that a target means: `stage`, `stage.dataset`, or a glob; an item part is ignored here. */
export function nodesOfTarget(graph: Graph, target: string): string[] {
  const [stage] = splitAddress(target);
  return graph.nodes
    .filter((node) => matchesGlob(stage, node.address) || matchesGlob(stage, node.stage))
    .map((node) => node.address);
}

/** `validate.train@click*` -> [`validate.train`, `click*`]; no `@` means every item (null). */
export function splitAddress(target: string): [stage: string, item: string | null] {
  const at = target.indexOf('@');
  return at < 0 ? [target, null] : [target.slice(0, at), target.slice(at + 1)];
}
