/**
 * A run: walks the graph as far as the known data allows, lets nodes wait for answers, and goes on after failures.
 * Plans and builds use the same walk; a plan does not run items. An item is looked up as soon as what it needs is
 * answered. So validation of one environment's instances starts while other environments are still being built.
 */
import { setMaxListeners } from 'node:events';
import { bugOf, bugTrace } from '../basics/bug.ts';
import { canonicalJson } from '../basics/canonical.ts';
import type { ActionKey, Digest } from '../basics/digest.ts';
import { digestOf } from '../basics/digest.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Cache, lookUp, rememberAnswer } from '../cache/cache.ts';
import { storeFingerprint } from '../cache/folder.ts';
import { actionKey, type Part, type Preimage } from '../cache/key.ts';
import type { Graph } from '../compiler/graph.ts';
import type { Services } from '../contract/machine.ts';
import { forgetAnswers } from '../contract/question.ts';
import type { Entry, Item, Records, Stage, StageNode } from '../contract/stage.ts';
import type { RunAlone } from '../executors/hindrance.ts';
import { type Infra, infra, isFault, type Outcome } from '../schemas/outcome.ts';
import type { ActionRecord } from '../schemas/record.ts';
import type { Action } from './action.ts';
import { Alone } from './alone.ts';
import { deferred } from './deferred.ts';
import { DISPATCHED, type Dispatch } from './dispatch.ts';
import { type Counts, type EventSink, noCounts, waitEvent } from './events.ts';
import {
  type ActionEnvironment,
  faultOf,
  itemPreimage,
  RETRY_PAUSES,
  runAction,
  upstreamFault,
} from './item-action.ts';
import { type Found, finishedEvent, type ItemEnd } from './item-end.ts';
import { LookUps } from './look-ups.ts';
import { type NodeRun, newNodeRun, type OpenContext, openNode, publishNode } from './node-run.ts';
import type { NodeState } from './node-state.ts';
import { ReadyItems } from './ready.ts';
import { missReason, NEVER_ANSWERED } from './reason.ts';
import { ResourcePool } from './resources.ts';
import { type AskAgain, RestingAnswers } from './resting.ts';
import { Rests } from './rests.ts';
import type { Selection } from './selection.ts';
import { Wanted } from './wanted.ts';

/** The reason of items that rest on something that was not found and is there by now. */
const MAY_BE_THERE = 'what was not found is there now';
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
  /** Awaited once, before the first item is run of a stage that does more than read. */
  beforeFirst?: () => Promise<void>;
  /** Told of every item that is about to wait for its turn here; nothing follows from it. */
  onReady?: (node: StageNode, item: Item) => void;
  /** Called for every answer that is made, or found by its own key, as soon as it is known. Answers that are found by a whole chunk or stage are left out. */
  onAnswered?: (address: string, item: string, record: ActionRecord) => void;
  /** Ends what runs of one item, which then has no answer; absent: only Services.signal does. */
  signalOf?: (address: string, item: string) => AbortSignal | null;
  /** No new action is started once this is aborted; running ones go on (Services.signal ends those). */
  drain: AbortSignal;
  retryPauses?: readonly number[];
  /** Asks again what answers rest on that was not found; null, or absent: no server is asked. */
  askAgain?: AskAgain | null;
  /** Runs items of deployments that are elsewhere; absent: everything runs here. */
  dispatch?: Dispatch | null;
  /** Set where items of another machine's run are run: what it says of the nodes above, and the keys that it found. */
  given?: { nodes: ReadonlyMap<string, Entry[]>; keys: ReadonlyMap<string, ExpectedKey> };
}

/** The key that another machine found for an item, and the digest of each of its parts. */
export interface ExpectedKey {
  key: ActionKey;
  parts: Readonly<Record<string, Digest>>;
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
  nodeRun: NodeRun;
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
  readonly #nodes = new Map<string, NodeRun>();
  readonly #ready: ReadyItems<Task>;
  readonly #pool: ResourcePool;
  readonly #opening: OpenContext;
  readonly #wanted: Wanted;
  readonly #resting: RestingAnswers;
  readonly #rests: Rests;
  readonly #lookUps = new LookUps<Task>((task) => this.#look(task));
  readonly #running = new Set<Promise<void>>();
  readonly #alone = new Alone({
    running: () => this.#running.size,
    areWaiting: () => !this.#ready.isEmpty,
    go: () => this.#pump(),
  });
  /** Settled when something went wrong that is no item's end, such as a journal that cannot be written. */
  readonly #broken = deferred<{ error: unknown }>();
  #isBroken = false;
  #announced: Promise<void> | null = null;
  #pumping = false;

  constructor(graph: Graph, stages: ReadonlyMap<string, Stage>, services: Services, options: RunOptions) {
    // A question may wait for long, as for an endpoint that is down. A run that is stopped does not wait for its answer.
    const signal = AbortSignal.any([services.signal, options.drain]);
    setMaxListeners(0, signal);
    this.#services = { ...services, stopping: signal };
    this.#options = options;
    this.#cache = services.cache;
    const { dispatch = null, askAgain = null } = options;
    this.#resting = new RestingAnswers(services.cache, askAgain);
    this.#pool = new ResourcePool({
      ...options.capacity,
      ...(dispatch === null ? {} : { [DISPATCHED]: dispatch.capacity }),
    });
    this.#ready = new ReadyItems(
      graph.nodes.map(({ address }) => address),
      ({ nodeRun: { state }, index }) =>
        this.#placeOf(state, index) === null
          ? state.stage.resources(state.items[index]!)
          : { [DISPATCHED]: 1 },
    );
    this.#rests = new Rests(this.#pool, options.capacity.cpu ?? 0, () => this.#pump());
    const { selection, emit, project } = options;
    this.#wanted = new Wanted(graph, stages, selection);
    const planning = { ...services, signal };
    // A dry run may be part of a run, whose waits these are.
    if (!options.dryRun)
      services.cache.locks.listen((lock, waiting) => emit(waitEvent({ stage: '', item: '', lock }, waiting)));
    this.#opening = {
      services: planning,
      selection,
      wanted: this.#wanted,
      emit,
      addressOf: (node, item) => `${project}/${addressOf(node, item)}`,
      dryRun: options.dryRun,
      given: options.given?.nodes ?? new Map(),
      fingerprint: storeFingerprint(services.cache.folder),
      resting: this.#resting,
    };
    for (const node of graph.nodes) {
      const stage = stages.get(node.stage)!;
      const inputs = Object.entries(node.inputs).map(
        ([role, address]) => [role, this.#nodes.get(address)!] as const,
      );
      this.#nodes.set(node.address, newNodeRun(node, stage, Object.fromEntries(inputs), services.cache));
    }
  }

  /** The deployment elsewhere on which an item runs; null for one that runs here. */
  #placeOf({ stage, items }: NodeState, index: number): string | null {
    const { dispatch = null } = this.#options;
    const deployment = dispatch === null ? null : stage.deployment(items[index]!);
    return deployment !== null && dispatch!.takes(deployment) ? deployment : null;
  }

  async walk(): Promise<RunEnd> {
    const startedAt = Date.now();
    forgetAnswers(this.#services);
    this.#options.drain.addEventListener('abort', () => this.#pump());
    const walking = Promise.all([...this.#nodes.values()].map((nodeRun) => this.#walkNode(nodeRun)));
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
    const nodes = new Map([...this.#nodes].map(([address, nodeRun]) => [address, endOf(nodeRun)] as const));
    return { nodes, executed, cached, counts, durationMs, drained: this.#options.drain.aborted };
  }

  /** `work` is not awaited; an error in it ends the run. */
  #own(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#isBroken = true;
      this.#broken.resolve({ error });
    });
  }

  async #walkNode(nodeRun: NodeRun): Promise<void> {
    try {
      const blocked = await this.#open(nodeRun);
      if (blocked !== null) this.#block(nodeRun, blocked);
      else if (nodeRun.state.fresh) this.#settle(nodeRun);
      else if (nodeRun.state.remaining === 0) await this.#finish(nodeRun);
      else nodeRun.opened.resolve();
    } catch (error) {
      this.#block(nodeRun, faultOf(error, this.#services.signal), this.#traceOf(error));
    }
    await nodeRun.finished.promise;
  }

  async #open(nodeRun: NodeRun): Promise<Outcome | null> {
    const { services } = this.#opening;
    const stage = nodeRun.state.address;
    const waits = (text: string) =>
      this.#options.emit({ type: 'item-waits', stage, item: '', detail: text.trim() });
    const blocked = await openNode(nodeRun, { ...this.#opening, services: { ...services, waits } });
    if (blocked === null && !nodeRun.state.fresh) this.#enqueue(nodeRun);
    return blocked;
  }

  /** Takes up the items that are wanted. Those that nodes below ask for are taken up one by one. */
  #enqueue(nodeRun: NodeRun): void {
    const { state, asked } = nodeRun;
    const isAsked = this.#wanted.isAsked(state.address);
    for (const [index, item] of state.items.entries())
      if (this.#wanted.has(state.address, item.name)) {
        asked.add(index);
        this.#takeUp(nodeRun, index);
      } else if (!isAsked) state.leaveOut(index, 'not-requested');
    if (isAsked) nodeRun.freshnessKnown.resolve();
    else this.#endAsking(nodeRun);
  }

  /** Counts what an item waits for, and asks for it; one that waits for nothing is looked at. */
  #takeUp(nodeRun: NodeRun, index: number): void {
    const { state, inputs } = nodeRun;
    for (const [role, name] of Object.entries(state.items[index]!.needs)) {
      this.#ask(inputs[role]!, name);
      const upstream = inputs[role]!.state;
      if (upstream.entry(name) !== null || upstream.unanswered(name) !== null) continue;
      state.pending[index]! += 1;
      const waiters = upstream.waiters.get(name) ?? [];
      waiters.push({ state, index });
      upstream.waiters.set(name, waiters);
    }
    if (state.pending[index] === 0) this.#own(this.#lookUps.add({ nodeRun, index }));
  }

  #ask(nodeRun: NodeRun, name: string): void {
    const { state, asked } = nodeRun;
    if (!this.#wanted.isAsked(state.address) || state.fresh) return;
    const index = state.indexOf(name);
    if (index === undefined || asked.has(index) || state.unanswered(name) !== null) return;
    asked.add(index);
    this.#takeUp(nodeRun, index);
  }

  /** The node asks for no more: of inputs that no other node asks for, what is left is not made. */
  #endAsking({ state: { node } }: NodeRun): void {
    for (const address of this.#wanted.endAsking(node)) {
      const input = this.#nodes.get(address)!;
      const { state, asked, blocked } = input;
      if (!this.#wanted.isAsked(address) || state.fresh || blocked !== null) continue;
      for (const index of state.items.keys()) if (!asked.has(index)) state.leaveOut(index, 'not-requested');
      this.#endAsking(input);
      if (state.remaining === 0) this.#own(this.#finish(input));
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
    const mayStart = () =>
      !this.#isBroken && (drain.aborted || (this.#running.size < jobs && !this.#alone.isHeld));
    const begin = (task: Task, free: () => void) => {
      const running = this.#run(task).finally(() => {
        free();
        this.#running.delete(running);
        this.#alone.ended();
        this.#pump();
      });
      this.#running.add(running);
      this.#own(running);
    };
    this.#ready.startAll(this.#pool, mayStart, begin, this.#rests.resume());
  }

  /** An answer from the cache needs no place to run in; what has none waits for one. */
  async #look(task: Task): Promise<void> {
    const found = await this.#find(task).catch((error: unknown) => this.#faultEnd(error));
    if (found.kind !== 'run') return this.#end(task, found);
    task.nodeRun.freshnessKnown.resolve();
    const { state } = task.nodeRun;
    if (this.#placeOf(state, task.index) === null)
      this.#options.onReady?.(state.node, state.items[task.index]!);
    this.#ready.add(task.nodeRun.state.address, task);
    this.#pump();
  }

  async #find({ nodeRun, index }: Task): Promise<Found> {
    const { state } = nodeRun;
    const held = this.#heldBy(nodeRun, index);
    if (held === 'planned') return { kind: 'planned', reason: this.#mayChange(state, index) };
    if (held === 'not-requested') return { kind: 'not-requested' };
    if (held !== null) return { kind: 'fault', outcome: held };
    const made = await this.#actionOf(nodeRun, index);
    if (!made.ok) return { kind: 'fault', outcome: made.fault };
    const { key, preimage, address, item } = made.value;
    const force = this.#options.selection.forces(state.address, item.name);
    const record = force ? null : await this.#lookUp(key, address);
    const isOverturned = record !== null && (await this.#resting.isOverturned(record));
    if (record !== null && !isOverturned) {
      // An item that went back to an earlier state is remembered under that state's key.
      if (!this.#options.dryRun) await rememberAnswer(this.#cache, address, key, record);
      return { kind: 'answered', key, record, preimage, executed: false };
    }
    if (!this.#options.dryRun) return { kind: 'run' };
    this.#options.onPlanned?.(state.address, item.name, preimage);
    const reason = () => (isOverturned ? MAY_BE_THERE : missReason(this.#cache, address, preimage));
    return { kind: 'planned', reason: force ? 'forced' : reason() };
  }

  /** Why an item is planned whose inputs are, too. */
  #mayChange({ node, items }: NodeState, index: number): string {
    const address = this.#opening.addressOf(node.address, items[index]!.name);
    return this.#cache.database.latest.get(address) === undefined ? NEVER_ANSWERED : INPUT_MAY_CHANGE;
  }

  /** The answer under `key`, from here or else from the remote cache; a plan asks only here. */
  async #lookUp(key: ActionKey, address: string): Promise<ActionRecord | null> {
    const { remote } = this.#cache;
    const here = lookUp(this.#cache, key);
    if (remote === null || this.#options.dryRun) return here;
    if (here === null) return (await remote.fetchItem(key, address)) ? lookUp(this.#cache, key) : null;
    remote.push(key, false);
    return here;
  }

  async #run(task: Task): Promise<void> {
    await this.#end(task, await this.#perform(task).catch((error: unknown) => this.#faultEnd(error)));
  }

  /** Its key is made once more: thousands may wait, and what a key is made of would fill the memory meanwhile. */
  async #perform({ nodeRun, index }: Task): Promise<ItemEnd> {
    if (nodeRun.state.stage.isLight !== true) await this.#announce();
    if (this.#options.drain.aborted)
      return { kind: 'fault', outcome: infra('cancelled', 'the run was stopped') };
    const made = await this.#actionOf(nodeRun, index);
    if (!made.ok) return { kind: 'fault', outcome: made.fault };
    const { key, preimage, item } = made.value;
    const force = this.#options.selection.forces(nodeRun.state.address, item.name);
    const place = this.#placeOf(nodeRun.state, index);
    const { dispatch = null } = this.#options;
    const inputs = Object.fromEntries(
      Object.entries(nodeRun.inputs).map(([role, input]) => [role, input.state]),
    );
    const dispatched = place === null ? null : { dispatch: dispatch!, deployment: place, inputs };
    const end = await runAction(made.value, this.#actionEnvironment(nodeRun, index), force, dispatched);
    return end.kind === 'fault' ? end : { ...end, kind: 'answered', key, preimage };
  }

  #announce(): Promise<void> {
    this.#announced ??= this.#options.beforeFirst?.() ?? Promise.resolve();
    return this.#announced;
  }

  async #actionOf(nodeRun: NodeRun, index: number): Promise<Result<Action, Infra>> {
    const { stage, node, items } = nodeRun.state;
    const item = items[index]!;
    const needs = this.#needs(nodeRun, index);
    const parts = await stage.parts(node, item, needs, this.#services);
    if (!parts.ok) return fault(parts.fault);
    const preimage = itemPreimage(stage, parts.value);
    const address = this.#opening.addressOf(node.address, item.name);
    const key = actionKey(preimage);
    const expected = this.#options.given?.keys.get(item.name);
    if (expected !== undefined && expected.key !== key) return fault(anotherKey(expected, parts.value));
    return success({ node, stage, item, needs, key, preimage, address });
  }

  #faultEnd(error: unknown): ItemEnd {
    return { kind: 'fault', outcome: faultOf(error, this.#services.signal), log: this.#traceOf(error) };
  }

  #actionEnvironment({ state }: NodeRun, index: number): ActionEnvironment {
    const { run, emit, retryPauses } = this.#options;
    const alone: RunAlone = (seconds, work) => this.#alone.run(seconds, work);
    const pauses = retryPauses ?? RETRY_PAUSES;
    const stopping = this.#opening.services.signal;
    const resources = state.stage.resources(state.items[index]!);
    const own = this.#options.signalOf?.(state.address, state.items[index]!.name) ?? null;
    const signal = own === null ? this.#services.signal : AbortSignal.any([this.#services.signal, own]);
    if (own !== null) setMaxListeners(0, signal);
    const services = { ...this.#services, signal, rest: this.#rests.of(resources) };
    const restWaiting = this.#rests.ofWaiting(resources);
    return { services, run, emit, retryPauses: pauses, alone, stopping, restWaiting };
  }

  /** What stops an item before it is looked at: a need without an answer, or with a fault for one. */
  #heldBy(nodeRun: NodeRun, index: number): 'planned' | 'not-requested' | Infra | null {
    for (const [role, name] of Object.entries(nodeRun.state.items[index]!.needs)) {
      const upstream = nodeRun.inputs[role]!.state;
      const unanswered = upstream.unanswered(name);
      if (unanswered !== null) return unanswered;
      const entry = upstream.entry(name);
      if (entry !== null && isFault(entry.outcome))
        return upstreamFault(addressOf(upstream.address, name), entry.outcome);
    }
    return null;
  }

  #needs(nodeRun: NodeRun, index: number): Records {
    const records: Records = {};
    for (const [role, name] of Object.entries(nodeRun.state.items[index]!.needs)) {
      const upstream = nodeRun.inputs[role]!.state;
      const record = upstream.record(name);
      if (record === null) throw new Error(`${addressOf(upstream.address, name)} has no record`);
      records[role] = record;
    }
    return records;
  }

  /** Takes down what became of an item, once, and goes on to those that waited for it. */
  async #end({ nodeRun, index }: Task, end: ItemEnd): Promise<void> {
    const { state } = nodeRun;
    const { name } = state.items[index]!;
    switch (end.kind) {
      case 'answered':
        if (end.executed) this.#options.emit(finishedEvent(state.address, name, end));
        state.remember(name, end.record);
        state.answer(index, end.key, end.record.outcome, end.record.digest, end.executed);
        this.#options.onAnswered?.(state.address, name, end.record);
        break;
      case 'fault':
        state.answer(index, null, end.outcome, digestOf(`infra ${end.outcome.reason}`), false);
        this.#options.emit(finishedEvent(state.address, name, end));
        break;
      case 'planned':
        nodeRun.reasons.set(end.reason, (nodeRun.reasons.get(end.reason) ?? 0) + 1);
        state.leaveOut(index, 'planned');
        nodeRun.freshnessKnown.resolve();
        break;
      case 'not-requested':
        state.leaveOut(index, 'not-requested');
        nodeRun.freshnessKnown.resolve();
    }
    await this.#passOn(nodeRun, index);
  }

  /** Wakes the items that waited for this one, and ends the node with its last item. */
  async #passOn(nodeRun: NodeRun, index: number): Promise<void> {
    const { state } = nodeRun;
    const name = state.items[index]!.name;
    for (const waiter of state.waiters.get(name) ?? []) {
      waiter.state.pending[waiter.index]! -= 1;
      if (waiter.state.pending[waiter.index] === 0) {
        const nodeRun = this.#nodes.get(waiter.state.address)!;
        this.#own(this.#lookUps.add({ nodeRun, index: waiter.index }));
      }
    }
    state.waiters.delete(name);
    if (state.remaining === 0) await this.#finish(nodeRun);
  }

  async #finish(nodeRun: NodeRun): Promise<void> {
    const { state } = nodeRun;
    // The last item and an expansion that left nothing to do may both come here.
    if (nodeRun.ended) return;
    nodeRun.ended = true;
    const fault = await this.#keep(nodeRun);
    if (fault !== null) return this.#block(nodeRun, fault);
    this.#options.emit({
      type: 'stage-finished',
      stage: state.address,
      items: state.size(),
      cached: state.cached,
      executed: state.executed,
      counts: state.counts,
      durationMs: Date.now() - state.startedAt,
      manifest: state.listedIn,
    });
    this.#settle(nodeRun);
  }

  /** Remembers a finished node. The fault that kept it from that, such as a full disk, also ends what is below. */
  async #keep(nodeRun: NodeRun): Promise<Infra | null> {
    try {
      if (nodeRun.state.isComplete()) nodeRun.state.root = nodeRun.state.computeRoot();
      if (!this.#options.dryRun) await publishNode(nodeRun, this.#opening);
      return null;
    } catch (error) {
      return faultOf(error, this.#services.signal);
    }
  }

  /** The log of an error: where a bug of ours happened. */
  #traceOf(error: unknown): string {
    const bug = bugOf(error);
    return bug === null ? '' : this.#services.secrets.redact(bugTrace(bug));
  }

  #block(nodeRun: NodeRun, outcome: Outcome, log = ''): void {
    nodeRun.blocked = outcome;
    const stage = nodeRun.state.address;
    this.#options.emit({ type: 'stage-blocked', stage, outcome, ...(log === '' ? {} : { log }) });
    this.#settle(nodeRun);
  }

  #settle(nodeRun: NodeRun): void {
    this.#endAsking(nodeRun);
    nodeRun.opened.resolve();
    nodeRun.freshnessKnown.resolve();
    nodeRun.finished.resolve();
  }
}

/** `stage.dataset@item`, or the stage alone for its single item. */
export function addressOf(stage: string, item: string): string {
  return item === '' ? stage : `${stage}@${item}`;
}

/** This machine would make an answer with another key than the requested one, so it makes none. */
function anotherKey({ parts }: ExpectedKey, own: Record<string, Part>): Infra {
  const digests = partDigests(own);
  const names = [...new Set([...Object.keys(parts), ...Object.keys(digests)])].sort();
  const other = names.filter((name) => parts[name] !== digests[name]);
  return infra(
    'node-differs',
    `this machine would make something else; what differs: ${other.join(', ') || 'the versions of swemake'}`,
  );
}

/** A digest for each part of a key. */
export function partDigests(parts: Record<string, Part>): Record<string, Digest> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, digestOf(canonicalJson(part))]),
  );
}

function endOf(nodeRun: NodeRun): NodeEnd {
  return { state: nodeRun.state, blocked: nodeRun.blocked, reasons: nodeRun.reasons };
}
