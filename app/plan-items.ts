/** The present state of a project's items, read without running anything: what `why` explains and `logs` falls back on. */

import type { Preimage } from '../cache/key.ts';
import { closure, nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressText } from '../engine/explain.ts';
import type { RunEnd } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { type Session, work } from './session.ts';

export interface PlannedItems {
  /** The targets, each with an item. */
  named: string[];
  end: RunEnd;
  /** Items that would run, `stage.dataset@item`, and what their keys are made of. */
  planned: Map<string, Preimage>;
}

/** Plans what the targets need. */
export async function planItems(session: Session, targets: readonly string[]): Promise<PlannedItems> {
  const planned = new Map<string, Preimage>();
  const wanted = new Set(targets.flatMap((target) => nodesOfTarget(session.graph, target)));
  const graph = closure(session.graph, wanted);
  // Naming items opens their stage; one that is taken from the cache as a whole does not know its items' needs.
  const named = targets.map((target) => (splitAddress(target)[1] === null ? `${target}@*` : target));
  const end = await work(session, {
    jobs: null,
    selection: new Selection(graph, named, []),
    graph,
    dryRun: true,
    targets: [],
    drain: new AbortController().signal,
    show: () => undefined,
    onPlanned: (address, item, preimage) => planned.set(addressText({ address, item }), preimage),
  });
  return { named, end, planned };
}
