/**
 * Before a plan is shown, stages that only read are run: rows of datasets, and filters over answers that exist. So
 * the plan knows how many items the later stages have, and need not say that this is unknown when reading for a
 * second shows it.
 */
import { closure, type Graph } from '../compiler/graph.ts';
import type { RunEnd } from '../engine/run.ts';
import { Selection } from '../engine/selection.ts';
import { isFault } from '../schemas/outcome.ts';
import { STAGES } from '../stages/registry.ts';
import { type Session, work } from './session.ts';

/** Runs them, and returns the addresses of those that had no answer yet; `say` hears of them before, and of faults. */
export async function runLightStages(
  session: Session,
  graph: Graph,
  drain: AbortSignal,
  say: (text: string) => void,
): Promise<string[]> {
  const light = new Set(STAGES.filter(({ isLight }) => isLight === true).map(({ name }) => name));
  if (!graph.nodes.some(({ stage }) => light.has(stage))) return [];
  const walk = (on: Graph, dryRun: boolean): Promise<RunEnd> =>
    work(session, {
      jobs: null,
      selection: new Selection(on, [], []),
      graph: on,
      dryRun,
      isAuxiliary: true,
      targets: [],
      drain,
      show: () => undefined,
    });
  const { nodes } = await walk(graph, true);
  const isDone = (address: string): boolean => {
    const node = nodes.get(address);
    return node !== undefined && node.blocked === null && node.state.planned === 0 && node.state.isComplete();
  };
  const ready = new Set<string>();
  // The graph names a node behind those that it needs.
  for (const { address, stage, inputs } of graph.nodes)
    if (light.has(stage) && Object.values(inputs).every((input) => isDone(input) || ready.has(input)))
      ready.add(address);
  // What nothing waits for is no count that one would know.
  const needed = new Set(graph.nodes.flatMap(({ inputs }) => Object.values(inputs)));
  const open = [...ready].filter((address) => needed.has(address) && !isDone(address));
  if (open.length === 0) return [];
  say(`reading ${open.join(', ')}`);
  const end = await walk(closure(graph, new Set(open)), false);
  for (const text of faultsOf(end, open)) say(text);
  return open;
}

/** Why stages have no answer, a line each. */
function faultsOf({ nodes }: RunEnd, addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const { state, blocked } = nodes.get(address)!;
    const outcome = blocked ?? state.entries().find((entry) => isFault(entry.outcome))?.outcome;
    return outcome === undefined || !isFault(outcome)
      ? []
      : [`warning: ${address} could not be read: ${outcome.detail}`];
  });
}
