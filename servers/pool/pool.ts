/**
 * A pool of leases over node servers. Its table on disk says which leases exist. The pool compares it with the
 * containers on nodes again and again, and ends a container of this pool that has no lease. So after a crash of the
 * pool, of a node or of the network the state becomes right again.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Answer, NO_VERDICT, refusal } from '../http/route.ts';
import { type Needs, unmet } from '../http/schema.ts';
import type { FleetNode, SeenContainer } from './fleet.ts';
import type { LeaseRecord, LeaseTable, Role } from './lease-table.ts';
import type { NodeReply } from './node-client.ts';
import { type Slot, Slots } from './slots.ts';

export interface PoolOptions {
  table: LeaseTable;
  nodes: readonly FleetNode[];
  /** Leases on all nodes together. */
  maxLeases: number;
  /** Milliseconds after which an idle lease ends. */
  ttl: number;
  /** Milliseconds that a request for a lease waits. */
  longestWait: number;
  /** Seconds that a node may take to open a container. */
  createTimeout: number;
  /** Milliseconds between two looks at a node. */
  lookEvery: number;
  /** The folder of layers for nodes. */
  layers: string;
  log(text: string): void;
}

export interface Lease {
  readonly record: LeaseRecord;
  /** Milliseconds of Date.now(). */
  lastUsed: number;
  /** Running requests. A busy lease does not expire. */
  busy: number;
  /** A command may have run in its container. */
  touched: boolean;
  /** Its container is gone without having been closed. */
  lost: boolean;
  /** The last evaluation. */
  evaluation: { of: string; answer: Promise<Answer> } | null;
}

export interface AllocateRequest {
  image: string;
  instanceId: string;
  key: string | null;
  /** Milliseconds. */
  longestWait: number | null;
  needs: Needs | null;
  /** Passed on to the node as they are. */
  more: Readonly<Record<string, unknown>>;
  signal: AbortSignal;
}

type OpenRequest = Pick<AllocateRequest, 'image' | 'needs' | 'more'> & {
  role: Role;
  /** Milliseconds of Date.now(). */
  deadline: number;
  signal: AbortSignal | undefined;
};

const DESTROY_TIMEOUT = 60_000;
/** Milliseconds without requests after a node reported that it is full. */
const FULL_PAUSE = 1000;
const EVALUATION_TRIES = 3;
const LAYER_TIMEOUT = 1_800_000;

export class LeasePool {
  readonly #options: PoolOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #slots: Slots;
  readonly #nodes: ReadonlyMap<string, FleetNode>;
  /** Names of containers that are being opened, or that are used without a lease. */
  readonly #known = new Set<string>();
  /** Slots of containers that could not be ended, by their names. */
  readonly #leaving = new Map<string, Slot>();
  readonly #allocating = new Map<string, Promise<Answer>>();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly counts = {
    allocated: 0,
    closed: 0,
    expired: 0,
    lost: 0,
    orphans: 0,
    failovers: 0,
    refused: 0,
    evaluations: 0,
  };

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#nodes = new Map(options.nodes.map((node) => [node.url, node]));
    this.#slots = new Slots(options.nodes, options.maxLeases);
    const drained = options.table.drained();
    for (const node of options.nodes) node.drained = drained.has(node.url);
    const now = Date.now();
    for (const record of options.table.all()) {
      this.#leases.set(record.id, newLease(record, now, true));
      this.#slots.occupy(record);
    }
  }

  /** Checks all nodes now, and then regularly. */
  async start(): Promise<void> {
    const { nodes, lookEvery, ttl } = this.#options;
    await Promise.all(nodes.map((node) => this.#look(node)));
    for (const node of nodes) {
      let looking = false;
      this.#every(lookEvery, () => {
        if (looking) return;
        looking = true;
        void this.#look(node).finally(() => {
          looking = false;
        });
      });
    }
    this.#every(Math.min(1000, Math.max(50, ttl / 4)), () => this.#reap());
    this.#every(FULL_PAUSE / 4, () => this.#slots.serve());
  }

  #every(milliseconds: number, work: () => void): void {
    this.#timers.push(setInterval(work, milliseconds));
  }

  get nodes(): readonly FleetNode[] {
    return this.#options.nodes;
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  leases(): Lease[] {
    return [...this.#leases.values()];
  }

  find(id: string): Lease | null {
    return this.#leases.get(id) ?? null;
  }

  nodeOf({ record }: Lease): FleetNode | null {
    return this.#nodes.get(record.node) ?? null;
  }

  taken(node: FleetNode): number {
    return this.#slots.taken(node.url);
  }

  drain(url: string, drained: boolean): boolean {
    const node = this.#nodes.get(url);
    if (node === undefined) return false;
    node.drained = drained;
    this.#options.table.setDrained(new Set(this.nodes.filter((one) => one.drained).map((one) => one.url)));
    this.#slots.serve();
    return true;
  }

  /** A lease. The same key gets the same lease. */
  allocate(request: AllocateRequest): Promise<Answer> {
    const { key } = request;
    if (key === null) return this.#allocate(request);
    const lease = this.leases().find(({ record }) => record.key === key);
    if (lease !== undefined) return Promise.resolve(leaseAnswer(lease.record));
    const known = this.#allocating.get(key);
    if (known !== undefined) return known;
    const making = this.#allocate(request).finally(() => this.#allocating.delete(key));
    this.#allocating.set(key, making);
    return making;
  }

  async #allocate(request: AllocateRequest): Promise<Answer> {
    const { image, instanceId, key, longestWait, signal } = request;
    const role: Role = instanceId.endsWith('__eval') ? 'evaluation' : 'agent';
    const deadline = Date.now() + (longestWait ?? this.#options.longestWait);
    // A repeated request with the key must find the lease, so it is made even if no client waits any more.
    const stop = key === null ? signal : undefined;
    const made = await this.#open({ ...request, role, deadline, signal: stop });
    if (!made.ok) {
      this.counts.refused += 1;
      return made.fault;
    }
    const { slot, containerId, name } = made.value;
    const record: LeaseRecord = {
      id: `swe-lease-${randomBytes(8).toString('hex')}`,
      ...{ node: slot.node, containerId, name, image, instanceId, role, key },
      createdAt: Date.now(),
    };
    try {
      this.#options.table.put(record);
    } catch (error) {
      await this.#end(record, containerId, name);
      throw error;
    }
    this.#leases.set(record.id, newLease(record, record.createdAt, false));
    this.#known.delete(name);
    this.counts.allocated += 1;
    if (stop?.aborted === true) {
      await this.close(record.id);
      return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
    }
    return leaseAnswer(record);
  }

  /** Opens a container in a slot, on any node that can. Its name is known until it has a lease. */
  async #open(
    request: OpenRequest,
  ): Promise<Result<{ slot: Slot; containerId: string; name: string }, Answer>> {
    const { role, image, needs, more, deadline, signal } = request;
    const tried = new Map<string, Answer>();
    for (;;) {
      const suiting = this.nodes.filter((node) => node.backend === '' || node.suits(needs));
      if (needs !== null && suiting.length === 0) return fault(this.#unsuitable(needs));
      const isLeft = suiting.some(({ url, healthy, drained }) => healthy && !drained && !tried.has(url));
      if (tried.size > 0 && !isLeft) return fault(worstOf(tried));
      const wanted = { role, image, needs, node: null, except: new Set(tried.keys()), deadline };
      const taken = await this.#slots.take(signal === undefined ? wanted : { ...wanted, signal });
      if (!taken.ok) return fault(tried.size > 0 ? worstOf(tried) : this.#noSlot(taken.fault, needs));
      const slot = taken.value;
      const node = this.#nodes.get(slot.node)!;
      const name = `swe-${randomBytes(6).toString('hex')}`;
      this.#known.add(name);
      const asked = needs === null ? more : { ...more, needs };
      const reply = await this.#create(node, { ...asked, image, name, owner: this.#options.table.identity });
      if (reply.kind === 'answer' && reply.json.ok === true)
        return success({ slot, containerId: String(reply.json.container_id), name });
      this.#known.delete(name);
      this.#slots.free(slot);
      if (reply.kind === 'answer' && reply.json.error_code === 'capacity_limited') {
        node.fullUntil = Date.now() + FULL_PAUSE;
        continue;
      }
      if (reply.kind === 'unreachable') node.failed(reply.detail);
      this.counts.failovers += 1;
      tried.set(slot.node, asAnswer(reply));
    }
  }

  /** No node meets the needs, so waiting is useless. */
  #unsuitable(needs: Needs): Answer {
    const told = this.nodes.map((node) => `${node.url}: ${unmet(node, needs) ?? 'it is'}`);
    const text = `no node of the pool is as it is asked for (${told.join('; ')})`;
    return refusal(409, 'unsuitable', text, NO_VERDICT);
  }

  #noSlot(why: 'deadline' | 'gone', needs: Needs | null = null): Answer {
    if (why === 'gone') return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
    const told = this.nodes.map(
      (node) =>
        `${node.url}: ${this.taken(node)} of ${node.max}${node.healthy ? '' : `, ${node.problem}`}${node.drained ? ', drained' : ''}`,
    );
    const isThere = this.nodes.some((node) => node.healthy && node.suits(needs));
    const code = isThere ? 'capacity_limited' : 'node_unreachable';
    return refusal(503, code, `no place became free in time. ${told.join('; ')}`, {
      ...NO_VERDICT,
      retry_after_sec: 2,
    });
  }

  async #create(node: FleetNode, body: Readonly<Record<string, unknown>>): Promise<NodeReply> {
    const { createTimeout, layers } = this.#options;
    const wanted = { timeout: createTimeout, ...body };
    // Longer than the node's own limit, so that the node reports the timeout.
    const timeout = (Number(wanted.timeout) + 30) * 1000;
    for (let round = 0; ; round += 1) {
      const reply = await node.client.postTwice('/container/create', wanted, { timeout });
      if (reply.kind !== 'answer' || reply.json.error_code !== 'layers_missing' || round > 3) return reply;
      for (const digest of reply.json.missing as string[]) {
        const file = join(layers, `${digest}.tar`);
        if (!existsSync(file)) return reply;
        const put = await node.client.putFile(`/layers/${digest}`, file, LAYER_TIMEOUT);
        if (put.kind === 'answer' && put.json.ok === true) continue;
        // The layer's bytes do not match its digest, as after a crash. It is removed here, and the next client that
        // needs it sends it again.
        if (put.kind === 'answer' && put.json.error_code === 'bad_request') rmSync(file, { force: true });
        return put;
      }
    }
  }

  /** Ends a lease; one that is unknown has ended already. */
  async close(id: string): Promise<void> {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    this.#leases.delete(id);
    this.#known.add(lease.record.name);
    this.#forget(id);
    this.counts.closed += 1;
    await this.#end(lease.record, lease.record.containerId, lease.record.name, lease.lost);
  }

  /** If this cannot be written, the next pool finds the lease without its container, and counts it as lost. */
  #forget(id: string): void {
    try {
      this.#options.table.remove(id);
    } catch (error) {
      this.#options.log(
        `${id} ended, and the table of leases could not be updated: ${(error as Error).message}`,
      );
    }
  }

  /** Ends a container and frees its slot. If that fails, the regular checks of its node try again. */
  async #end(slot: Slot, containerId: string, name: string, isGone = false): Promise<void> {
    const node = this.#nodes.get(slot.node);
    const reply =
      node === undefined || isGone
        ? null
        : await node.client.post(
            '/container/destroy',
            { container_id: containerId },
            { timeout: DESTROY_TIMEOUT },
          );
    this.#known.delete(name);
    if (reply === null || (reply.kind === 'answer' && reply.json.ok === true)) {
      this.#slots.free({ node: slot.node, role: slot.role });
      return;
    }
    this.#options.log(`${name} on ${slot.node} could not be ended; it is tried again`);
    this.#leaving.set(name, { node: slot.node, role: slot.role });
  }

  /** Passes a request on to the lease's container. */
  async forward(
    lease: Lease,
    route: string,
    body: Readonly<Record<string, unknown>>,
    {
      timeout,
      touches,
      signal,
      twice,
    }: { timeout: number; touches: boolean; signal?: AbortSignal; twice: boolean },
  ): Promise<Answer> {
    const node = this.nodeOf(lease);
    if (node === null || lease.lost) return lostAnswer(lease);
    if (touches) lease.touched = true;
    const own = { ...body, container_id: lease.record.containerId };
    const options = signal === undefined ? { timeout } : { timeout, signal };
    const reply = await this.atWork(lease, () =>
      twice ? node.client.postTwice(route, own, options) : node.client.post(route, own, options),
    );
    if (isUnknownContainer(reply)) {
      this.#lose(lease);
      return lostAnswer(lease);
    }
    if (reply.kind === 'unreachable') node.failed(reply.detail);
    return asAnswer(reply);
  }

  /** Keeps the lease from expiring while `work` runs. */
  async atWork<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
    lease.busy += 1;
    try {
      return await work();
    } finally {
      lease.busy -= 1;
      lease.lastUsed = Date.now();
    }
  }

  /**
   * The verdict on a patch, in an unused container. A repeated request for the same lease gets the same
   * answer. If a node fails there is no verdict, and another node evaluates.
   */
  evaluate(lease: Lease, body: Readonly<Record<string, unknown>>, seconds: number): Promise<Answer> {
    const of = JSON.stringify([body.patch, body.eval_script, body.cwd, seconds]);
    const before = lease.evaluation;
    if (before !== null && before.of === of) return before.answer;
    const answer = (before?.answer ?? Promise.resolve()).then(() =>
      this.atWork(lease, () => this.#evaluate(lease, body, seconds)),
    );
    const entry = { of, answer };
    lease.evaluation = entry;
    const forget = () => {
      if (lease.evaluation === entry) lease.evaluation = null;
    };
    // A fault is no verdict: a repeated request evaluates again.
    answer.then((end) => isVerdict(end) || forget(), forget);
    this.counts.evaluations += 1;
    return answer;
  }

  async #evaluate(lease: Lease, body: Readonly<Record<string, unknown>>, seconds: number): Promise<Answer> {
    const timeout = (seconds + 900) * 1000;
    const key = randomBytes(8).toString('hex');
    const request = { ...body, timeout: seconds, idempotency_key: key };
    let last: Answer = lostAnswer(lease);
    const node = this.nodeOf(lease);
    if (node !== null && !lease.lost) {
      const there = await this.#besides(lease, timeout, () => {
        lease.touched = true;
        const own = { ...request, container_id: lease.record.containerId };
        return node.client.postTwice('/container/evaluate', own, { timeout });
      });
      if (isVerdict(there)) return there;
      last = there;
    }
    for (let round = 1; round < EVALUATION_TRIES; round += 1) {
      const opened = await this.#open({
        ...{ role: 'evaluation', image: lease.record.image, needs: null, more: {} },
        deadline: Date.now() + this.#options.longestWait,
        signal: undefined,
      });
      if (!opened.ok) return withoutReward(opened.fault);
      const { slot, containerId, name } = opened.value;
      try {
        const own = { ...request, container_id: containerId };
        const reply = await this.#nodes
          .get(slot.node)!
          .client.postTwice('/container/evaluate', own, { timeout });
        last = asAnswer(reply);
        if (isVerdict(last)) return last;
      } finally {
        await this.#end(slot, containerId, name);
      }
    }
    return withoutReward(last);
  }

  /** If the lease's container was used, the node opens another one, which needs a slot. */
  async #besides(lease: Lease, timeout: number, work: () => Promise<NodeReply>): Promise<Answer> {
    const { image, node } = lease.record;
    if (!lease.touched) return asAnswer(await work());
    const wanted = {
      role: 'evaluation',
      image,
      node,
      except: new Set<string>(),
      needs: null,
      deadline: Date.now() + timeout,
    } as const;
    const slot = await this.#slots.take(wanted);
    if (!slot.ok) return this.#noSlot(slot.fault);
    try {
      return asAnswer(await work());
    } finally {
      this.#slots.free(slot.value);
    }
  }

  #lose(lease: Lease): void {
    if (lease.lost) return;
    lease.lost = true;
    this.counts.lost += 1;
    this.#options.log(`${lease.record.id}: its container on ${lease.record.node} is gone`);
  }

  #reap(): void {
    const now = Date.now();
    for (const lease of this.#leases.values()) {
      if (lease.busy > 0 || now - lease.lastUsed < this.#options.ttl) continue;
      this.counts.expired += 1;
      this.#options.log(`${lease.record.id} was not used for ${this.#options.ttl / 1000} s and ends`);
      void this.close(lease.record.id).catch((error: Error) => this.#options.log(error.message));
    }
  }

  /** Compares the containers of a node with the leases. */
  async #look(node: FleetNode): Promise<void> {
    const since = Date.now();
    // Containers that are known at the start are kept; if they are obsolete, the next check finds them.
    const known = new Set([...this.#known, ...this.leases().map(({ record }) => record.name)]);
    const seen = await node.look().catch((error: Error) => {
      node.failed(error.message);
      return null;
    });
    if (seen === null) return;
    const own = seen.filter(({ owner }) => owner === this.#options.table.identity);
    this.#findLost(node, seen, since);
    await Promise.all(own.map((container) => this.#endOrphan(node, container, known)));
    for (const [name, slot] of this.#leaving)
      if (slot.node === node.url && !own.some((container) => container.name === name)) {
        this.#leaving.delete(name);
        this.#slots.free(slot);
      }
    this.#slots.serve();
  }

  #findLost(node: FleetNode, seen: readonly SeenContainer[], since: number): void {
    const there = new Set(seen.map(({ id }) => id));
    for (const lease of this.#leases.values()) {
      const { record } = lease;
      if (record.node === node.url && record.createdAt < since && !there.has(record.containerId))
        this.#lose(lease);
    }
  }

  async #endOrphan(node: FleetNode, { id, name }: SeenContainer, before: ReadonlySet<string>): Promise<void> {
    if (before.has(name) || this.#known.has(name)) return;
    if (this.leases().some(({ record }) => record.name === name)) return;
    this.counts.orphans += 1;
    this.#options.log(`${name} on ${node.url} belongs to no lease and is ended`);
    const reply = await node.client.post(
      '/container/destroy',
      { container_id: id },
      { timeout: DESTROY_TIMEOUT },
    );
    const slot = this.#leaving.get(name);
    if (slot === undefined || reply.kind !== 'answer' || reply.json.ok !== true) return;
    this.#leaving.delete(name);
    this.#slots.free(slot);
  }

  /** `isEnd`: leases end with the pool; else the next pool continues them. */
  async stop(isEnd: boolean): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (isEnd) await Promise.all(this.leases().map(({ record }) => this.close(record.id)));
    await Promise.all(this.nodes.map(({ client }) => client.close()));
    this.#options.table.close();
  }
}

function newLease(record: LeaseRecord, now: number, touched: boolean): Lease {
  return { record, lastUsed: now, busy: 0, touched, lost: false, evaluation: null };
}

function leaseAnswer({ id, containerId, node }: LeaseRecord): Answer {
  return { json: { ok: true, lease_id: id, container_id: containerId, node_url: node } };
}

function lostAnswer({ record }: Lease): Answer {
  return refusal(410, 'lease_lost', `the container of ${record.id} is gone with its node`, NO_VERDICT);
}

function isUnknownContainer(reply: NodeReply): boolean {
  return reply.kind === 'answer' && reply.json.error_code === 'unknown_container';
}

function isVerdict(answer: Answer): boolean {
  return 'json' in answer && answer.json.ok === true && typeof answer.json.resolved === 'boolean';
}

/** A node's reply as an answer of the pool. */
function asAnswer(reply: NodeReply): Answer {
  if (reply.kind === 'answer') return { status: reply.status, json: reply.json };
  if (reply.kind === 'cancelled') return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
  return refusal(503, 'node_unreachable', reply.detail, NO_VERDICT);
}

/** The most useful of the nodes' answers. "No such image" is the answer only when no other error occurred. */
function worstOf(tried: ReadonlyMap<string, Answer>): Answer {
  const all = [...tried.values()];
  return all.find((answer) => 'json' in answer && answer.json.error_code !== 'image_unavailable') ?? all[0]!;
}

function withoutReward(answer: Answer): Answer {
  return 'json' in answer ? { ...answer, json: { ...answer.json, ...NO_VERDICT } } : answer;
}
