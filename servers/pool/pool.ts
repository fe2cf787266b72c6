/**
 * A pool of leases over node servers. Its table on disk says which leases exist. The pool compares it with the
 * containers on nodes again and again, and ends a container of this pool that has no lease. So after a crash of the
 * pool, of a node or of the network the state becomes right again.
 */
import { randomBytes } from 'node:crypto';
import { awakeNow } from '../../basics/awake.ts';
import { type Answer, NO_VERDICT, refusal } from '../http/route.ts';
import type { Needs } from '../http/schema.ts';
import { asAnswer, leaseAnswer, lostAnswer } from './answers.ts';
import { Containers, FULL_PAUSE } from './containers.ts';
import { Evaluations } from './evaluations.ts';
import type { FleetNode } from './fleet.ts';
import { atWork, type Lease, newLease, noEvents } from './lease.ts';
import type { LeaseRecord, LeaseTable, Role } from './lease-table.ts';
import type { NodeReply } from './node-client.ts';

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

export class LeasePool {
  readonly counts = noEvents();
  readonly containers: Containers;
  readonly evaluations: Evaluations;
  readonly #options: PoolOptions;
  readonly #leases = new Map<string, Lease>();
  readonly #allocating = new Map<string, Promise<Answer>>();
  readonly #timers: NodeJS.Timeout[] = [];
  constructor(options: PoolOptions) {
    const { table, nodes, maxLeases: max, createTimeout, layers, log } = options;
    this.#options = options;
    const { counts } = this;
    const owner = table.identity;
    this.containers = new Containers({ nodes, max, createTimeout, layers, counts, log, owner });
    this.evaluations = new Evaluations(this.containers, counts, options.longestWait);
    const drained = table.drained();
    for (const node of nodes) node.drained = drained.has(node.url);
    for (const record of table.all()) {
      this.#leases.set(record.id, newLease(record, true));
      this.containers.adopt(record);
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
    this.#every(FULL_PAUSE / 4, () => this.containers.slots.serve());
  }

  #every(milliseconds: number, work: () => void): void {
    this.#timers.push(setInterval(work, milliseconds));
  }

  get nodes(): readonly FleetNode[] {
    return this.#options.nodes;
  }

  get waiting(): number {
    return this.containers.slots.waiting;
  }

  leases(): Lease[] {
    return [...this.#leases.values()];
  }

  find(id: string): Lease | null {
    return this.#leases.get(id) ?? null;
  }

  nodeOf({ record }: Lease): FleetNode | null {
    return this.containers.node(record.node);
  }

  taken(node: FleetNode): number {
    return this.containers.slots.taken(node.url);
  }

  drain(url: string, drained: boolean): boolean {
    const node = this.containers.node(url);
    if (node === null) return false;
    node.drained = drained;
    this.#options.table.setDrained(new Set(this.nodes.filter((one) => one.drained).map((one) => one.url)));
    this.containers.slots.serve();
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
    const { image, instanceId, key, longestWait, needs, more, signal } = request;
    const role = roleOf(instanceId);
    const deadline = Date.now() + (longestWait ?? this.#options.longestWait);
    // A repeated request with the key must find the lease, so it is made even if no client waits any more.
    const stop = key === null ? signal : undefined;
    const made = await this.containers.open({ image, needs, more, role, deadline, signal: stop });
    if (!made.ok) {
      this.counts.refused += 1;
      return made.fault;
    }
    const record: LeaseRecord = {
      id: `swe-lease-${randomBytes(8).toString('hex')}`,
      ...made.value,
      ...{ image, instanceId, key, needs, more },
      createdAt: Date.now(),
    };
    try {
      this.#options.table.put(record);
    } catch (error) {
      await this.containers.end(record);
      throw error;
    }
    this.#leases.set(record.id, newLease(record, false));
    this.counts.allocated += 1;
    if (stop?.aborted === true) {
      await this.close(record.id);
      return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
    }
    return leaseAnswer(record);
  }

  /** Ends a lease; one that is unknown has ended already. */
  async close(id: string): Promise<void> {
    const lease = this.#leases.get(id);
    if (lease === undefined) return;
    this.#leases.delete(id);
    this.#forget(id);
    this.counts.closed += 1;
    await this.containers.end(lease.record, lease.lost);
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

  /** Passes a request on to the lease's container. It is sent again when a connection breaks. */
  async forward(
    lease: Lease,
    route: string,
    body: Readonly<Record<string, unknown>>,
    { timeout, touches }: { timeout: number; touches: boolean },
  ): Promise<Answer> {
    const node = this.nodeOf(lease);
    if (node === null || lease.lost) return lostAnswer(lease.record);
    if (touches) lease.touched = true;
    const own = { ...body, container_id: lease.record.containerId };
    const reply = await atWork(lease, () => node.client.postTwice(route, own, { timeout }));
    if (isUnknownContainer(reply)) {
      this.#lose(lease);
      return lostAnswer(lease.record);
    }
    if (reply.kind === 'unreachable') node.failed(reply.detail);
    return asAnswer(reply);
  }

  #lose(lease: Lease): void {
    if (lease.lost) return;
    lease.lost = true;
    this.counts.lost += 1;
    this.#options.log(`${lease.record.id}: its container on ${lease.record.node} is gone`);
  }

  #reap(): void {
    const now = awakeNow();
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
    const there = await this.containers.compare(node);
    if (there === null) return;
    for (const lease of this.#leases.values()) {
      const { record } = lease;
      if (record.node === node.url && record.createdAt < since && !there.has(record.containerId))
        this.#lose(lease);
    }
  }

  /** `isEnd`: leases end with the pool; else the next pool continues them. */
  async stop(isEnd: boolean): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    if (isEnd) await Promise.all(this.leases().map(({ record }) => this.close(record.id)));
    await Promise.all(this.nodes.map(({ client }) => client.close()));
    this.#options.table.close();
  }
}

/** Clients of swe-rl's server ask for a container to evaluate in by a suffix of the instance. */
function roleOf(instanceId: string): Role {
  return instanceId.endsWith('__eval') ? 'evaluation' : 'agent';
}

function isUnknownContainer(reply: NodeReply): boolean {
  return reply.kind === 'answer' && reply.json.error_code === 'unknown_container';
}
