/** What to say when a target names no stage or no item of the project. */
import { relative } from 'node:path';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import { matchesGlob } from '../schemas/glob.ts';
import type { UsageError } from './arguments.ts';
import type { Workbench } from './workbench.ts';

export function unknownTarget(target: string, bench: Workbench): UsageError {
  const known = bench.graph.nodes.map((node) => node.address).join(', ');
  const file = relative(process.cwd(), bench.project.file);
  return {
    kind: 'usage',
    message: `${file} has no target "${target}"`,
    remedy: `its stages are ${known}; an item is written STAGE.DATASET@ITEM`,
  };
}

/** False when a target names items and none of its stages, as far as they are known, has such a one. */
export function isMatched(target: string, bench: Workbench, end: RunEnd): boolean {
  const item = splitAddress(target)[1];
  if (item === null) return true;
  return nodesOfTarget(bench.graph, target).some((address) => {
    const node = end.nodes.get(address);
    if (node === undefined || node.blocked !== null) return true;
    return node.state.fresh || node.state.items.some(({ name }) => matchesGlob(item, name));
  });
}

export function unknownItem(target: string): UsageError {
  return {
    kind: 'usage',
    message: `no item matches "${target}"`,
    remedy: 'items are named by instance or environment; `swemake status` and the logs name them',
  };
}
