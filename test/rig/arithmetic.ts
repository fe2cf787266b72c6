/**
 * A toy project for engine tests: `numbers` lists numbers, `square.x` squares each, `sum` adds them up. The
 * squares of chosen numbers can be made to fail, to fault, or to depend on nothing but parity, so that tests
 * can look at early cutoff and faults without touching any real stage.
 */

import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import type { PresenceTimes } from '../../cache/presence.ts';
import type { RemoteCache, RemoteReport } from '../../cache/remote/remote.ts';
import type { Graph } from '../../compiler/graph.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside, type Rest, type Services } from '../../contract/machine.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { ActionResult, Stage } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import type { RunEvent } from '../../engine/events.ts';
import { newRunId } from '../../engine/journal.ts';
import { type RunEnd, type RunOptions, runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { type InfraReason, infra } from '../../schemas/outcome.ts';
import { said } from './said.ts';

export interface Toy {
  numbers: number[];
  /** Items whose next run ends in a fault; each is taken once. */
  faults?: Map<string, number>;
  /** Reason of these faults. */
  reason?: InfraReason;
  /** When set, `square` answers n mod this, so that different inputs give equal outputs. */
  modulo?: number;
  /** Added to the square of a number, and in no key: an item that comes out different each time. */
  noise?: number;
  /** In the keys of squares, and in no trace: what a stage must not do. */
  undeclared?: string;
  /** Of the stage of squares; absent: 1. */
  version?: number;
  /** How many squares are kept together; absent: all. */
  chunk?: number;
  /** What the question for the numbers waits for; it is given the signal at which to give up. */
  asking?: (signal: AbortSignal) => Promise<void>;
  /** What the run of an item waits for before it ends. */
  hold?: (item: string, rest: Rest) => Promise<void>;
}

const answer = (tools: Tools, value: unknown): ActionResult => ({
  outcome: { status: 'ok' },
  outputs: { value: tools.store(JSON.stringify(value)) },
});

function stagesOf(toy: Toy, ran: string[]): Stage[] {
  const plain = said('numbers', () => toy.numbers);
  const list: typeof plain = {
    ...plain,
    async answer(argument, services) {
      await toy.asking?.(services.signal);
      return plain.answer(argument, services);
    },
  };
  const modulo = said('modulo', () => toy.modulo ?? 0);
  const numbers = defineStage({
    name: 'numbers',
    version: 1,
    exports: false,
    asks: [list],
    nodes: () => [],
    async plan(reader) {
      const found = await reader.ask(list, null);
      return found.ok ? success(singleItem({}, found.value)) : found;
    },
    inputs: (item, all) => success({ list: item.value(all) }),
    async run({ list: all }, tools) {
      ran.push('numbers');
      return answer(tools, all);
    },
  });
  const square = defineStage({
    name: 'square',
    version: toy.version ?? 1,
    exports: false,
    asks: [modulo],
    nodes: () => [],
    async plan(reader) {
      const found = reader.single('numbers');
      if (!found.ok) return found;
      const by = await reader.ask(modulo, null);
      if (!by.ok) return by;
      const all = JSON.parse((found.value.outputs.value as { text: string }).text) as number[];
      const items = all.map((n) => ({
        name: `n${n}`,
        needs: { numbers: '' },
        resources: { cpu: 1 },
        data: { n, modulo: by.value },
      }));
      if (toy.chunk === undefined) return success(items);
      const size = toy.chunk;
      const starts = items.flatMap((_, at) => (at % size === 0 ? [at] : []));
      const chunks = starts.map((start) => {
        const own = items.slice(start, start + size);
        const digest = digestOf(own.map(({ name }) => name).join(' '));
        return { digest, size: own.length, items: () => own };
      });
      return success({ chunks });
    },
    inputs: (item, { n, modulo: by }) =>
      success({
        n: item.value(n),
        modulo: item.value(by),
        ...(toy.undeclared === undefined ? {} : { undeclared: item.value(toy.undeclared) }),
      }),
    async run({ n, modulo: by }, tools) {
      const name = `n${n}`;
      ran.push(name);
      await toy.hold?.(name, inside(tools.machine).rest!);
      const left = toy.faults?.get(name) ?? 0;
      if (left > 0) {
        toy.faults!.set(name, left - 1);
        return { outcome: infra(toy.reason ?? 'network', 'toy fault'), outputs: {} };
      }
      if (n < 0)
        return { outcome: { status: 'failed', reason: 'gold-fails', detail: 'negative' }, outputs: {} };
      return answer(tools, (by === 0 ? n * n : n % by) + (toy.noise ?? 0));
    },
  });
  const sum = defineStage({
    name: 'sum',
    version: 1,
    exports: false,
    nodes: () => [],
    plan: async () => success(singleItem({}, null)),
    inputs: (item) => success({ squares: item.results('square') }),
    async run(_, tools) {
      ran.push('sum');
      return answer(tools, 'summed');
    },
  });
  return [numbers, square, sum] as unknown as Stage[];
}

const GRAPH: Graph = {
  nodes: [
    { address: 'numbers', stage: 'numbers', dataset: '', inputs: {}, exports: false },
    { address: 'square.x', stage: 'square', dataset: 'x', inputs: { numbers: 'numbers' }, exports: false },
    { address: 'sum', stage: 'sum', dataset: '', inputs: { square: 'square.x' }, exports: false },
  ],
};

export interface ToyRun {
  end: RunEnd;
  /** Names of what really ran, in order. */
  ran: string[];
  events: RunEvent[];
  /** What the remote cache did. */
  remote: RemoteReport | null;
}

/** Runs the toy project against the cache at `root`. */
export async function runToy(
  root: string,
  toy: Toy,
  options: {
    dryRun?: boolean;
    force?: string[];
    targets?: string[];
    jobs?: number;
    /** Processors; absent: 4. */
    cpu?: number;
    drain?: AbortSignal;
    /** Ends running actions. */
    signal?: AbortSignal;
    /** Ends what runs of one item. */
    signalOf?: RunOptions['signalOf'];
    onAnswered?: RunOptions['onAnswered'];
    /** Of the presence in the cache. */
    times?: PresenceTimes;
    /** Told of each event, before it is kept. */
    emit?: (event: RunEvent) => void;
    /** May break the cache, in its way. */
    arrange?: (cache: Cache) => void;
    /** The remote cache of the run. */
    remote?: (cache: Cache) => RemoteCache;
  } = {},
): Promise<ToyRun> {
  const cache = await openCache(root, options.times);
  options.arrange?.(cache);
  cache.remote = options.remote?.(cache) ?? null;
  const ran: string[] = [];
  const events: RunEvent[] = [];
  const services = {
    cache,
    config: {},
    shared: {},
    secrets: createSecrets(new Map(), {}),
    signal: options.signal ?? new AbortController().signal,
    env: {},
  } as unknown as Services;
  const running = runGraph(GRAPH, new Map(stagesOf(toy, ran).map((stage) => [stage.name, stage])), services, {
    run: newRunId(new Date(), process.pid),
    project: 'toy',
    jobs: options.jobs ?? 4,
    capacity: { cpu: options.cpu ?? 4 },
    selection: new Selection(GRAPH, options.targets ?? [], options.force ?? []),
    dryRun: options.dryRun ?? false,
    emit: (event) => {
      options.emit?.(event);
      events.push(event);
    },
    drain: options.drain ?? new AbortController().signal,
    ...(options.signalOf === undefined ? {} : { signalOf: options.signalOf }),
    ...(options.onAnswered === undefined ? {} : { onAnswered: options.onAnswered }),
    retryPauses: [0, 0],
  });
  const end = await running.catch(async (error: unknown) => {
    await cache.close();
    throw error;
  });
  const { remote } = cache;
  const told = (await remote?.settle(30_000, new AbortController().signal)) ?? null;
  cache.remote = null;
  await remote?.close();
  await cache.close();
  return { end, ran, events, remote: told };
}
