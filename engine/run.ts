/**
 * A run: walks the graph as far as data allows, suspends what waits for answers, and goes on after failures.
 * The same walk plans and builds; a plan stops short of running an item. An item is looked at as soon as what it
 * needs is answered, so validation of one environment's instances starts while others are still being built.
 */
import { type Cache, lookUp } from '../cache/cache.ts';
import { storeFingerprint } from '../cache/folder.ts';
import { withAnswer } from '../cache/history.ts';
import { actionKey, type Preimage } from '../cache/key.ts';
import { noteUse } from '../cache/uses.ts';
import type { Graph } from '../compiler/graph.ts';
import { forgetAnswers } from '../contract/question.ts';
import { type ActionKey, digestOf } from '../schemas/digest.ts';
import { type Infra, infra, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import type { Records, Services, Stage } from '../stages/stage.ts';
import { type Counts, type EventSink, noCounts } from './events.ts';
import { faultOf, itemPreimage, RETRY_PAUSES, runAction, upstreamFault } from './item-action.ts';
import { type LiveNode, liveNode, type OpenContext, openNode, publishNode } from './live-node.ts';
import type { NodeState } from './node-state.ts';
import { ReadyItems } from './ready.ts';
import { missReason } from './reason.ts';
import { ResourcePool } from './resources.ts';
import type { Selection } from './selection.ts';

/** Characters of a faulty item's log that the journal keeps. */
const FAULT_LOG = 64 * 1024;

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
  #running = 0;
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
    await Promise.all([...this.#nodes.values()].map((live) => this.#walkNode(live)));
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

  /** Counts what each item waits for; those that wait for nothing are ready. */
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
      if (state.pending[index] === 0) this.#ready.add(state.address, { live, index });
    }
    this.#pump();
  }

  /** Starts what is ready as far as jobs and resources allow. Answers from the cache need neither. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#start();
    });
  }

  #start(): void {
    const mayStart = () => this.#running < this.#options.jobs || this.#options.drain.aborted;
    this.#ready.startAll(this.#pool, mayStart, (task, free) => {
      this.#running += 1;
      void this.#process(task).finally(() => {
        free();
        this.#running -= 1;
        this.#pump();
      });
    });
  }

  async #process({ live, index }: Task): Promise<void> {
    const { state } = live;
    const { stage, node } = state;
    const item = state.items[index]!;
    const held = this.#heldBy(live, index);
    if (held === 'planned') return this.#plan(live, index, INPUT_MAY_CHANGE);
    if (held === 'not-requested') return this.#leave(live, index);
    if (held !== null) return this.#answerFault(live, index, held);
    try {
      const needs = this.#needs(live, index);
      const parts = await stage.parts(node, item, needs, this.#services);
      if (!parts.ok) return await this.#answerFault(live, index, parts.fault);
      const preimage = itemPreimage(stage, live.surroundings, parts.value);
      const key = actionKey(preimage);
      const force = this.#options.selection.forces(state.address, item.name);
      const hit = force ? null : lookUp(this.#cache, key);
      const address = `${this.#options.project}/${addressOf(state.address, item.name)}`;
      if (hit !== null) {
        this.#rememberLatest(address, key, hit);
        return await this.#answer(live, index, key, hit, false);
      }
      if (this.#options.dryRun) {
        this.#options.onPlanned?.(state.address, item.name, preimage);
        return this.#plan(live, index, force ? 'forced' : missReason(this.#cache, address, preimage));
      }
      if (this.#options.drain.aborted)
        return await this.#answerFault(live, index, infra('cancelled', 'the run was stopped'));
      live.decided.resolve();
      const end = await runAction(
        { node, stage, item, needs, key, preimage, address },
        this.#actionEnvironment(),
        force,
      );
      if (end.kind === 'fault') return await this.#answerFault(live, index, end.outcome, end.log);
      if (end.executed) this.#emitFinished(live, index, key, end.record, preimage);
      await this.#answer(live, index, key, end.record, end.executed);
    } catch (error) {
      await this.#answerFault(live, index, faultOf(error, this.#services.signal));
    }
  }

  /** An item that went back to an earlier state is known by that state again. */
  #rememberLatest(address: string, key: ActionKey, record: ActionRecord): void {
    const { latest } = this.#cache.database;
    const before = latest.get(address);
    if (this.#options.dryRun || before?.key === key) return;
    const answered = { key, run: record.run, isOk: record.outcome.status === 'ok' };
    void latest.put(address, withAnswer(before, answered));
  }

  #actionEnvironment() {
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

  async #answer(
    live: LiveNode,
    index: number,
    key: ActionKey,
    record: ActionRecord,
    executed: boolean,
  ): Promise<void> {
    live.state.remember(live.state.items[index]!.name, record);
    live.state.answer(index, key, record.outcome, record.digest, executed);
    await this.#passOn(live, index);
  }

  async #answerFault(live: LiveNode, index: number, outcome: Infra, log = ''): Promise<void> {
    const { state } = live;
    state.answer(index, null, outcome, digestOf(`infra ${outcome.reason}`), false);
    this.#options.emit({
      type: 'item-finished',
      stage: state.address,
      item: state.items[index]!.name,
      outcome,
      durationMs: 0,
      ...(log === '' ? {} : { log: log.slice(-FAULT_LOG) }),
    });
    await this.#passOn(live, index);
  }

  async #plan(live: LiveNode, index: number, reason: string): Promise<void> {
    live.reasons.set(reason, (live.reasons.get(reason) ?? 0) + 1);
    live.state.leaveOut(index, 'planned');
    live.decided.resolve();
    await this.#passOn(live, index);
  }

  async #leave(live: LiveNode, index: number): Promise<void> {
    live.state.leaveOut(index, 'not-requested');
    live.decided.resolve();
    await this.#passOn(live, index);
  }

  /** Wakes the items that waited for this one, and ends the node with its last item. */
  async #passOn(live: LiveNode, index: number): Promise<void> {
    const { state } = live;
    const name = state.items[index]!.name;
    for (const waiter of state.waiters.get(name) ?? []) {
      waiter.state.pending[waiter.index]! -= 1;
      if (waiter.state.pending[waiter.index] === 0) {
        const { address } = waiter.state;
        this.#ready.add(address, { live: this.#nodes.get(address)!, index: waiter.index });
      }
    }
    state.waiters.delete(name);
    this.#pump();
    if (state.remaining === 0) await this.#finish(live);
  }

  async #finish(live: LiveNode): Promise<void> {
    const { state } = live;
    // The last item and an expansion that left nothing to do may both come here.
    if (live.ended) return;
    live.ended = true;
    if (state.isComplete()) {
      state.root = state.computeRoot();
      if (!this.#options.dryRun) await publishNode(live, this.#services);
    } else if (!this.#options.dryRun) noteItems(state, this.#cache);
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

  #emitFinished(
    live: LiveNode,
    index: number,
    key: ActionKey,
    record: ActionRecord,
    preimage: Preimage,
  ): void {
    this.#options.emit({
      type: 'item-finished',
      stage: live.state.address,
      item: live.state.items[index]!.name,
      outcome: record.outcome,
      durationMs: record.durationMs,
      key,
      record,
      preimage,
    });
  }
}

/** `stage.dataset@item`, or the stage alone for its single item. */
export function addressOf(stage: string, item: string): string {
  return item === '' ? stage : `${stage}@${item}`;
}

/** A finished stage stands for its items' use; without one, each counts by itself. */
function noteItems(state: NodeState, cache: Cache): void {
  for (const { key } of state.entries()) if (key !== null) noteUse(cache.database, key);
}

function endOf(live: LiveNode): NodeEnd {
  return { state: live.state, blocked: live.blocked, reasons: live.reasons };
}
