/** What to say when a target names no stage of the project. */
import { relative } from 'node:path';
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
