/**
 * A toy project for engine tests: `numbers` lists numbers, `square.x` squares each, `sum` adds them up. The
 * squares of chosen numbers can be made to fail, to fault, or to depend on nothing but parity, so that tests
 * can look at early cutoff and faults without touching any real stage.
 */
import { success } from '../../basics/result.ts';
import { type Cache, openCache, storeText } from '../../cache/cache.ts';
import type { Graph } from '../../compiler/graph.ts';
import type { Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { ActionResult, Stage } from '../../contract/stage.ts';
import type { RunEvent } from '../../engine/events.ts';
import { newRunId } from '../../engine/journal.ts';
import { type RunEnd, runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { infra } from '../../schemas/outcome.ts';

export interface Toy {
  numbers: number[];
  /** Items whose next run ends in a fault; each is taken once. */
  faults?: Map<string, number>;
  /** When set, `square` answers n mod this, so that different inputs give equal outputs. */
  modulo?: number;
  /** Added to the square of a number, and in no key: an item that comes out different each time. */
  noise?: number;
  /** What the run of an item waits for before it ends. */
  hold?: (item: string) => Promise<void>;
}

const text = (services: Services, value: unknown): ActionResult => ({
  outcome: { status: 'ok' },
  outputs: { value: storeText(services.cache, JSON.stringify(value)) },
});

function stagesOf(toy: Toy, ran: string[]): Stage[] {
  const value = (record: { outputs: Record<string, unknown> }): number[] =>
    JSON.parse((record.outputs.value as { text: string }).text) as number[];
  const base = { version: 1, surroundings: async () => success({}), resources: () => ({ cpu: 1 }) };
  const numbers: Stage = {
    ...base,
    name: 'numbers',
    streams: [],
    nodes: () => [],
    expand: async () => success([{ name: '', needs: {}, data: null }]),
    parts: async () => success({ list: { value: toy.numbers } }),
    run: async (_node, _item, _needs, context) => {
      ran.push('numbers');
      return text(context, toy.numbers);
    },
  };
  const square: Stage = {
    ...base,
    name: 'square',
    streams: [],
    nodes: () => [],
    expand: async (_node, inputs) => {
      const record = inputs.numbers!.record('');
      if (record === null) return { ok: false, fault: infra('upstream-infra', 'numbers not known') };
      return success(value(record).map((n) => ({ name: `n${n}`, needs: { numbers: '' }, data: n })));
    },
    parts: async (_node, item) =>
      success({ n: { value: item.data as number }, modulo: { value: toy.modulo ?? 0 } }),
    run: async (_node, item, _needs, context) => {
      ran.push(item.name);
      await toy.hold?.(item.name);
      const left = toy.faults?.get(item.name) ?? 0;
      if (left > 0) {
        toy.faults!.set(item.name, left - 1);
        return { outcome: infra('network', 'toy fault'), outputs: {} };
      }
      const n = item.data as number;
      if (n < 0)
        return { outcome: { status: 'failed', reason: 'gold-fails', detail: 'negative' }, outputs: {} };
      return text(context, (toy.modulo ? n % toy.modulo : n * n) + (toy.noise ?? 0));
    },
  };
  const sum: Stage = {
    ...base,
    name: 'sum',
    streams: [],
    nodes: () => [],
    expand: async (_node, inputs, services) => {
      const entries = () => inputs.square!.entries().map((entry) => [entry.name, entry.digest]);
      services.shared.set('squares', () => JSON.stringify(entries()));
      return success([{ name: '', needs: {}, data: null }]);
    },
    parts: async (_node, _item, _needs, services) =>
      success({ squares: { value: (services.shared.get('squares') as () => string)() } }),
    run: async (_node, _item, _needs, context) => {
      ran.push('sum');
      return text(context, 'summed');
    },
  };
  return [numbers, square, sum];
}

const GRAPH: Graph = {
  nodes: [
    { address: 'numbers', stage: 'numbers', dataset: '', inputs: {}, exports: false, config: null },
    {
      address: 'square.x',
      stage: 'square',
      dataset: 'x',
      inputs: { numbers: 'numbers' },
      exports: false,
      config: null,
    },
    {
      address: 'sum',
      stage: 'sum',
      dataset: '',
      inputs: { square: 'square.x' },
      exports: false,
      config: null,
    },
  ],
};

export interface ToyRun {
  end: RunEnd;
  /** Names of what really ran, in order. */
  ran: string[];
  events: RunEvent[];
}

/** Runs the toy project against the cache at `root`. The node `numbers` has its list in its configuration. */
export async function runToy(
  root: string,
  toy: Toy,
  options: {
    dryRun?: boolean;
    force?: string[];
    targets?: string[];
    jobs?: number;
    drain?: AbortSignal;
    /** Told of each event, before it is kept. */
    emit?: (event: RunEvent) => void;
    /** May break the cache, in its way. */
    arrange?: (cache: Cache) => void;
  } = {},
): Promise<ToyRun> {
  const cache = await openCache(root);
  options.arrange?.(cache);
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const graph: Graph = {
    nodes: GRAPH.nodes.map((node) => ({
      ...node,
      config: { numbers: toy.numbers, modulo: toy.modulo ?? 0 },
    })),
  };
  const services = {
    cache,
    shared: new Map(),
    secrets: createSecrets(new Map(), {}),
    signal: new AbortController().signal,
    env: {},
  } as unknown as Services;
  const running = runGraph(graph, new Map(stagesOf(toy, ran).map((stage) => [stage.name, stage])), services, {
    run: newRunId(new Date(), process.pid),
    project: 'toy',
    jobs: options.jobs ?? 4,
    capacity: { cpu: 4 },
    selection: new Selection(graph, options.targets ?? [], options.force ?? []),
    dryRun: options.dryRun ?? false,
    emit: (event) => {
      options.emit?.(event);
      events.push(event);
    },
    drain: options.drain ?? new AbortController().signal,
    retryPauses: [0, 0],
  });
  const end = await running.finally(() => cache.close());
  return { end, ran, events };
}
