/**
 * A run: walks the graph as far as data allows, suspends what waits for answers, and goes on after failures.
 * The same walk plans and builds; a plan stops short of running an item. An item is looked at as soon as what it
 * needs is answered, so validation of one environment's instances starts while others are still being built.
 */
import { digestOf } from '../basics/digest.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Cache, lookUp, rememberAnswer } from '../cache/cache.ts';
import { storeFingerprint } from '../cache/folder.ts';
import { actionKey, type Preimage } from '../cache/key.ts';
import type { Graph } from '../compiler/graph.ts';
import type { Services } from '../contract/machine.ts';
import { forgetAnswers } from '../contract/question.ts';
import type { Records, Stage } from '../contract/stage.ts';
import { type Infra, infra, type Outcome } from '../schemas/outcome.ts';
import { deferred } from './deferred.ts';
import { type Counts, type EventSink, noCounts } from './events.ts';
import {
  type Action,
  type ActionEnvironment,
  faultOf,
  itemPreimage,
  RETRY_PAUSES,
  runAction,
  upstreamFault,
} from './item-action.ts';
import { type Found, finishedEvent, type ItemEnd } from './item-end.ts';
import { type LiveNode, liveNode, type OpenContext, openNode, publishNode } from './live-node.ts';
import { LookUps } from './look-ups.ts';
import type { NodeState } from './node-state.ts';
import { ReadyItems } from './ready.ts';
import { missReason } from './reason.ts';
import { ResourcePool } from './resources.ts';
import type { Selection } from './selection.ts';

/** The reason of items that are run only if an input comes out different. */
export const INPUT_MAY_CHANGE = 'an input may change';

export interface RunOptions {
  run: string;
  project: string;
  /** Actions at once, whatever they use; Infinity: as many as there are resources for. */
  jobs: number;
  capacity: Record<string, number>;
  selection: Selection;
  /** Say what would run and run nothing. */
  dryRun: boolean;
  emit: EventSink;
  /** Told of every item that a dry run would run. */
  onPlanned?: (address: string, item: string, preimage: Preimage) => void;
  /** No new action is started once this is aborted; running ones go on (Services.signal ends those). */
  drain: AbortSignal;
  retryPauses?: readonly number[];
}

/** How one node ended. */
export interface NodeEnd {
  state: NodeState;
  /** Set when the node could not be opened. */
  blocked: Outcome | null;
  /** Why items were planned: reason -> how many. */
  reasons: Map<string, number>;
}

export interface RunEnd {
  nodes: Map<string, NodeEnd>;
  executed: number;
  cached: number;
  counts: Counts;
  durationMs: number;
  drained: boolean;
}

interface Task {
  live: LiveNode;
  index: number;
}

/** Walks `graph` to the end. Never throws for what a stage does. */
export function runGraph(
  graph: Graph,
  stages: ReadonlyMap<string, Stage>,
  services: Services,
  options: RunOptions,
): Promise<RunEnd> {
  return new Run(graph, stages, services, options).walk();
}

class Run {
  readonly #cache: Cache;
  readonly #services: Services;
  readonly #options: RunOptions;
  readonly #nodes = new Map<string, LiveNode>();
  readonly #ready: ReadyItems<Task>;
  readonly #pool: ResourcePool;
  readonly #opening: OpenContext;
  readonly #lookUps = new LookUps<Task>((task) => this.#look(task));
  readonly #running = new Set<Promise<void>>();
  /** Settled when something went wrong that is no item's end, such as a journal that cannot be written. */
  readonly #broken = deferred<{ error: unknown }>();
  #isBroken = false;
  #pumping = false;

  constructor(graph: Graph, stages: ReadonlyMap<string, Stage>, services: Services, options: RunOptions) {
    this.#cache = services.cache;
    this.#services = services;
    this.#options = options;
    this.#pool = new ResourcePool(options.capacity);
    this.#ready = new ReadyItems(
      graph.nodes.map(({ address }) => address),
      ({ live: { state }, index }) => state.stage.resources(state.items[index]!),
    );
    const { selection, emit } = options;
    this.#opening = { services, selection, emit, fingerprint: storeFingerprint(services.cache.folder) };
    for (const node of graph.nodes) {
      const stage = stages.get(node.stage)!;
      const inputs = Object.entries(node.inputs).map(
        ([role, address]) => [role, this.#nodes.get(address)!] as const,
      );
      this.#nodes.set(node.address, liveNode(node, stage, Object.fromEntries(inputs), services.cache));
    }
  }

  async walk(): Promise<RunEnd> {
    const startedAt = Date.now();
    forgetAnswers(this.#services);
    this.#options.drain.addEventListener('abort', () => this.#pump());
    const walking = Promise.all([...this.#nodes.values()].map((live) => this.#walkNode(live)));
    const broken = await Promise.race([walking, this.#broken.promise]);
    if ('error' in broken) {
      // Nothing new is begun, and nothing is closed below what still runs.
      await Promise.allSettled(this.#running);
      throw broken.error;
    }
    const counts = noCounts();
    let executed = 0;
    let cached = 0;
    for (const { state } of this.#nodes.values()) {
      executed += state.executed;
      cached += state.fresh ? state.size() : state.cached;
      for (const status of Object.keys(counts) as (keyof Counts)[]) counts[status] += state.counts[status];
    }
    const durationMs = Date.now() - startedAt;
    this.#options.emit({ type: 'run-finished', executed, cached, counts, durationMs });
    const nodes = new Map([...this.#nodes].map(([address, live]) => [address, endOf(live)] as const));
    return { nodes, executed, cached, counts, durationMs, drained: this.#options.drain.aborted };
  }

  /** Nobody waits for `work`; what it throws ends the run. */
  #own(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#isBroken = true;
      this.#broken.resolve({ error });
    });
  }

  async #walkNode(live: LiveNode): Promise<void> {
    try {
      const blocked = await this.#open(live);
      if (blocked !== null) this.#block(live, blocked);
      else if (live.state.fresh) this.#settle(live);
      else if (live.state.remaining === 0) await this.#finish(live);
      else live.opened.resolve();
    } catch (error) {
      this.#block(live, faultOf(error, this.#services.signal));
    }
    await live.finished.promise;
  }

  async #open(live: LiveNode): Promise<Outcome | null> {
    const blocked = await openNode(live, this.#opening);
    if (blocked === null && !live.state.fresh) this.#enqueue(live);
    return blocked;
  }

  /** Counts what each item waits for; those that wait for nothing are looked at. */
  #enqueue(live: LiveNode): void {
    const { state } = live;
    for (const [index, item] of state.items.entries()) {
      if (!this.#options.selection.wants(state.address, item.name)) {
        state.leaveOut(index, 'not-requested');
        continue;
      }
      for (const [role, name] of Object.entries(item.needs)) {
        const upstream = live.inputs[role]!.state;
        if (upstream.entry(name) !== null || upstream.unanswered(name) !== null) continue;
        state.pending[index]! += 1;
        const waiters = upstream.waiters.get(name) ?? [];
        waiters.push({ state, index });
        upstream.waiters.set(name, waiters);
      }
      if (state.pending[index] === 0) this.#own(this.#lookUps.add({ live, index }));
    }
  }

  /** Starts what must be run, as far as jobs and resources allow. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#start();
    });
  }

  #start(): void {
    const { jobs, drain } = this.#options;
    const mayStart = () => !this.#isBroken && (this.#running.size < jobs || drain.aborted);
    this.#ready.startAll(this.#pool, mayStart, (task, free) => {
      const running = this.#run(task).finally(() => {
        free();
        this.#running.delete(running);
        this.#pump();
      });
      this.#running.add(running);
      this.#own(running);
    });
  }

  /** An answer from the cache needs no place to run in; what has none waits for one. */
  async #look(task: Task): Promise<void> {
    const found = await this.#find(task).catch((error: unknown) => this.#faultEnd(error));
    if (found.kind !== 'run') return this.#end(task, found);
    task.live.decided.resolve();
    this.#ready.add(task.live.state.address, task);
    this.#pump();
  }

  async #find({ live, index }: Task): Promise<Found> {
    const { state } = live;
    const held = this.#heldBy(live, index);
    if (held === 'planned') return { kind: 'planned', reason: INPUT_MAY_CHANGE };
    if (held === 'not-requested') return { kind: 'not-requested' };
    if (held !== null) return { kind: 'fault', outcome: held };
    const made = await this.#actionOf(live, index);
    if (!made.ok) return { kind: 'fault', outcome: made.fault };
    const { key, preimage, address, item } = made.value;
    const force = this.#options.selection.forces(state.address, item.name);
    const record = force ? null : lookUp(this.#cache, key);
    if (record !== null) {
      // An item that went back to an earlier state is known by that state again.
      if (!this.#options.dryRun) await rememberAnswer(this.#cache, address, key, record);
      return { kind: 'answered', key, record, preimage, executed: false };
    }
    if (!this.#options.dryRun) return { kind: 'run' };
    this.#options.onPlanned?.(state.address, item.name, preimage);
    return { kind: 'planned', reason: force ? 'forced' : missReason(this.#cache, address, preimage) };
  }

  async #run(task: Task): Promise<void> {
    await this.#end(task, await this.#perform(task).catch((error: unknown) => this.#faultEnd(error)));
  }

  /** Its key is made once more: thousands may wait, and what a key is made of would fill the memory meanwhile. */
  async #perform({ live, index }: Task): Promise<ItemEnd> {
    if (this.#options.drain.aborted)
      return { kind: 'fault', outcome: infra('cancelled', 'the run was stopped') };
    const made = await this.#actionOf(live, index);
    if (!made.ok) return { kind: 'fault', outcome: made.fault };
    const { key, preimage, item } = made.value;
    const force = this.#options.selection.forces(live.state.address, item.name);
    const end = await runAction(made.value, this.#actionEnvironment(), force);
    return end.kind === 'fault' ? end : { ...end, kind: 'answered', key, preimage };
  }

  async #actionOf(live: LiveNode, index: number): Promise<Result<Action, Infra>> {
    const { stage, node, items } = live.state;
    const item = items[index]!;
    const needs = this.#needs(live, index);
    const parts = await stage.parts(node, item, needs, this.#services);
    if (!parts.ok) return fault(parts.fault);
    const preimage = itemPreimage(stage, parts.value);
    const address = `${this.#options.project}/${addressOf(node.address, item.name)}`;
    return success({ node, stage, item, needs, key: actionKey(preimage), preimage, address });
  }

  #faultEnd(error: unknown): ItemEnd {
    return { kind: 'fault', outcome: faultOf(error, this.#services.signal) };
  }

  #actionEnvironment(): ActionEnvironment {
    const { run, emit, retryPauses } = this.#options;
    return { services: this.#services, run, emit, retryPauses: retryPauses ?? RETRY_PAUSES };
  }

  /** What stops an item before it is looked at: a need without an answer, or with a fault for one. */
  #heldBy(live: LiveNode, index: number): 'planned' | 'not-requested' | Infra | null {
    for (const [role, name] of Object.entries(live.state.items[index]!.needs)) {
      const upstream = live.inputs[role]!.state;
      const unanswered = upstream.unanswered(name);
      if (unanswered !== null) return unanswered;
      const entry = upstream.entry(name);
      if (entry?.outcome.status === 'infra')
        return upstreamFault(addressOf(upstream.address, name), entry.outcome);
    }
    return null;
  }

  #needs(live: LiveNode, index: number): Records {
    const records: Records = {};
    for (const [role, name] of Object.entries(live.state.items[index]!.needs)) {
      const upstream = live.inputs[role]!.state;
      const record = upstream.record(name);
      if (record === null) throw new Error(`${addressOf(upstream.address, name)} has no record`);
      records[role] = record;
    }
    return records;
  }

  /** Takes down what became of an item, once, and goes on to those that waited for it. */
  async #end({ live, index }: Task, end: ItemEnd): Promise<void> {
    const { state } = live;
    const { name } = state.items[index]!;
    switch (end.kind) {
      case 'answered':
        if (end.executed) this.#options.emit(finishedEvent(state.address, name, end));
        state.remember(name, end.record);
        state.answer(index, end.key, end.record.outcome, end.record.digest, end.executed);
        break;
      case 'fault':
        state.answer(index, null, end.outcome, digestOf(`infra ${end.outcome.reason}`), false);
        this.#options.emit(finishedEvent(state.address, name, end));
        break;
      case 'planned':
        live.reasons.set(end.reason, (live.reasons.get(end.reason) ?? 0) + 1);
        state.leaveOut(index, 'planned');
        live.decided.resolve();
        break;
      case 'not-requested':
        state.leaveOut(index, 'not-requested');
        live.decided.resolve();
    }
    await this.#passOn(live, index);
  }

  /** Wakes the items that waited for this one, and ends the node with its last item. */
  async #passOn(live: LiveNode, index: number): Promise<void> {
    const { state } = live;
    const name = state.items[index]!.name;
    for (const waiter of state.waiters.get(name) ?? []) {
      waiter.state.pending[waiter.index]! -= 1;
      if (waiter.state.pending[waiter.index] === 0) {
        const live = this.#nodes.get(waiter.state.address)!;
        this.#own(this.#lookUps.add({ live, index: waiter.index }));
      }
    }
    state.waiters.delete(name);
    if (state.remaining === 0) await this.#finish(live);
  }

  async #finish(live: LiveNode): Promise<void> {
    const { state } = live;
    // The last item and an expansion that left nothing to do may both come here.
    if (live.ended) return;
    live.ended = true;
    const fault = await this.#keep(live);
    if (fault !== null) return this.#block(live, fault);
    this.#options.emit({
      type: 'stage-finished',
      stage: state.address,
      items: state.size(),
      cached: state.cached,
      executed: state.executed,
      counts: state.counts,
      durationMs: Date.now() - state.startedAt,
    });
    this.#settle(live);
  }

  /** Remembers a finished node. The fault that kept it from that, such as a full disk, also ends what is below. */
  async #keep(live: LiveNode): Promise<Infra | null> {
    try {
      if (live.state.isComplete()) live.state.root = live.state.computeRoot();
      if (!this.#options.dryRun) await publishNode(live, this.#services);
      return null;
    } catch (error) {
      return faultOf(error, this.#services.signal);
    }
  }

  #block(live: LiveNode, outcome: Outcome): void {
    live.blocked = outcome;
    this.#options.emit({ type: 'stage-blocked', stage: live.state.address, outcome });
    this.#settle(live);
  }

  #settle(live: LiveNode): void {
    live.opened.resolve();
    live.decided.resolve();
    live.finished.resolve();
  }
}

/** `stage.dataset@item`, or the stage alone for its single item. */
export function addressOf(stage: string, item: string): string {
  return item === '' ? stage : `${stage}@${item}`;
}

function endOf(live: LiveNode): NodeEnd {
  return { state: live.state, blocked: live.blocked, reasons: live.reasons };
}
