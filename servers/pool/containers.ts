/**
 * The containers of a pool on its nodes. Each has a slot and a name of the pool's own, from the moment that a node is asked for it until it
 * is ended. A container that a node reports and that the pool does not know is ended.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Answer, NO_VERDICT, refusal } from '../http/route.ts';
import { type Needs, unmet } from '../http/schema.ts';
import { asAnswer } from './answers.ts';
import type { FleetNode, SeenContainer } from './fleet.ts';
import type { PoolCounts } from './lease.ts';
import type { Role } from './lease-table.ts';
import type { NodeReply } from './node-client.ts';
import { type Slot, Slots } from './slots.ts';

export interface ContainersOptions {
  nodes: readonly FleetNode[];
  /** The pool's name on its containers. */
  owner: string;
  /** Containers on all nodes together. */
  max: number;
  /** Seconds that a node may take to open a container. */
  createTimeout: number;
  /** The folder of layers for nodes. */
  layers: string;
  counts: PoolCounts;
  log(text: string): void;
}

export interface Container extends Slot {
  containerId: string;
  /** Chosen by the pool. */
  name: string;
}

export interface OpenRequest {
  image: string;
  needs: Needs | null;
  /** Passed on to the node as they are. */
  more: Readonly<Record<string, unknown>>;
  role: Role;
  /** Milliseconds of Date.now(). */
  deadline: number;
  signal?: AbortSignal | undefined;
}

/** Milliseconds. */
const DESTROY_TIMEOUT = 60_000;
const LAYER_TIMEOUT = 1_800_000;
/** Milliseconds without requests after a node reported that it is full. */
export const FULL_PAUSE = 1000;
/** Times that layers are sent for one container. */
const MAX_SENDS = 4;

export class Containers {
  readonly slots: Slots;
  readonly #options: ContainersOptions;
  readonly #nodes: ReadonlyMap<string, FleetNode>;
  /** By name, from the request on. */
  readonly #open = new Map<string, Slot>();
  /** Those that could not be ended, by name. They hold their slots. */
  readonly #leaving = new Map<string, Slot>();

  constructor(options: ContainersOptions) {
    this.#options = options;
    this.#nodes = new Map(options.nodes.map((node) => [node.url, node]));
    this.slots = new Slots(options.nodes, options.max);
  }

  node(url: string): FleetNode | null {
    return this.#nodes.get(url) ?? null;
  }

  /** Takes over a container of an earlier process. */
  adopt({ name, node, role }: Container): void {
    this.#open.set(name, { node, role });
    this.slots.occupy({ node, role });
  }

  /** Opens a container in a slot, on any node that can. */
  async open(request: OpenRequest): Promise<Result<Container, Answer>> {
    const { role, image, needs, deadline, signal } = request;
    const tried = new Map<string, Answer>();
    for (;;) {
      const suiting = this.#options.nodes.filter((node) => node.backend === '' || node.suits(needs));
      if (needs !== null && suiting.length === 0) return fault(this.#unsuitable(needs));
      const isLeft = suiting.some(({ url, healthy, drained }) => healthy && !drained && !tried.has(url));
      if (tried.size > 0 && !isLeft) return fault(worstOf(tried));
      const wanted = { role, image, needs, node: null, except: new Set(tried.keys()), deadline };
      const taken = await this.slots.take(signal === undefined ? wanted : { ...wanted, signal });
      if (!taken.ok) return fault(tried.size > 0 ? worstOf(tried) : this.noSlot(taken.fault, needs));
      const slot = taken.value;
      const node = this.#nodes.get(slot.node)!;
      const name = `swe-${randomBytes(6).toString('hex')}`;
      this.#open.set(name, slot);
      const reply = await this.#create(node, name, request);
      if (reply.kind === 'answer' && reply.json.ok === true)
        return success({ ...slot, containerId: String(reply.json.container_id), name });
      this.#free(name);
      if (reply.kind === 'answer' && reply.json.error_code === 'capacity_limited') {
        node.fullUntil = Date.now() + FULL_PAUSE;
        continue;
      }
      if (reply.kind === 'unreachable') node.failed(reply.detail);
      this.#options.counts.failovers += 1;
      tried.set(slot.node, asAnswer(reply));
    }
  }

  /** Ends a container and frees its slot. If that fails, the regular comparisons with its node try again. */
  async end({ containerId, name, node: url }: Container, isGone = false): Promise<void> {
    const node = this.#nodes.get(url);
    const isEnded = node === undefined || isGone || (await destroy(node, containerId));
    if (isEnded) return this.#free(name);
    this.#options.log(`${name} on ${url} could not be ended; it is tried again`);
    const slot = this.#open.get(name);
    if (slot !== undefined) this.#leaving.set(name, slot);
    this.#open.delete(name);
  }

  /**
   * Looks which containers a node has, and ends those that the pool does not know. Returns the ids of all; null: it does not answer.
   */
  async compare(node: FleetNode): Promise<ReadonlySet<string> | null> {
    // Containers that are known at the start are kept; if they are obsolete, the next comparison finds them.
    const before = new Set(this.#open.keys());
    const seen = await node.look().catch((error: Error) => {
      node.failed(error.message);
      return null;
    });
    if (seen === null) return null;
    const own = seen.filter(({ owner }) => owner === this.#options.owner);
    const orphans = own.filter(({ name }) => !before.has(name) && !this.#open.has(name));
    await Promise.all(orphans.map((orphan) => this.#endOrphan(node, orphan)));
    const names = new Set(own.map(({ name }) => name));
    for (const [name, slot] of this.#leaving)
      if (slot.node === node.url && !names.has(name)) this.#free(name);
    this.slots.serve();
    return new Set(seen.map(({ id }) => id));
  }

  async #endOrphan(node: FleetNode, { id, name }: SeenContainer): Promise<void> {
    this.#options.counts.orphans += 1;
    this.#options.log(`${name} on ${node.url} belongs to no lease and is ended`);
    if (await destroy(node, id)) this.#free(name);
  }

  #free(name: string): void {
    const slot = this.#open.get(name) ?? this.#leaving.get(name);
    this.#open.delete(name);
    this.#leaving.delete(name);
    if (slot !== undefined) this.slots.free(slot);
  }

  async #create(node: FleetNode, name: string, { image, needs, more }: OpenRequest): Promise<NodeReply> {
    const { createTimeout, layers, owner } = this.#options;
    const asked = needs === null ? more : { ...more, needs };
    const body = { timeout: createTimeout, ...asked, image, name, owner };
    // Longer than the node's own limit, so that the node reports the timeout.
    const timeout = (Number(body.timeout) + 30) * 1000;
    for (let sends = 0; ; sends += 1) {
      const reply = await node.client.postTwice('/container/create', body, { timeout });
      if (reply.kind !== 'answer' || reply.json.error_code !== 'layers_missing' || sends === MAX_SENDS)
        return reply;
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

  /** No node meets the needs, so waiting is useless. */
  #unsuitable(needs: Needs): Answer {
    const nodes = this.#options.nodes.map((node) => `${node.url}: ${unmet(node, needs) ?? 'it is'}`);
    const text = `no node of the pool is as it is asked for (${nodes.join('; ')})`;
    return refusal(409, 'unsuitable', text, NO_VERDICT);
  }

  noSlot(why: 'deadline' | 'gone', needs: Needs | null = null): Answer {
    if (why === 'gone') return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
    const { nodes } = this.#options;
    const places = nodes.map(
      (node) =>
        `${node.url}: ${this.slots.taken(node.url)} of ${node.max}${node.healthy ? '' : `, ${node.problem}`}${node.drained ? ', drained' : ''}`,
    );
    const isThere = nodes.some((node) => node.healthy && node.suits(needs));
    const code = isThere ? 'capacity_limited' : 'node_unreachable';
    return refusal(503, code, `no place became free in time. ${places.join('; ')}`, {
      ...NO_VERDICT,
      retry_after_sec: 2,
    });
  }
}

async function destroy(node: FleetNode, containerId: string): Promise<boolean> {
  const body = { container_id: containerId };
  const reply = await node.client.post('/container/destroy', body, { timeout: DESTROY_TIMEOUT });
  return reply.kind === 'answer' && reply.json.ok === true;
}

/** The most useful of the nodes' answers. "No such image" is the answer only when no other error occurred. */
function worstOf(tried: ReadonlyMap<string, Answer>): Answer {
  const all = [...tried.values()];
  return all.find((answer) => 'json' in answer && answer.json.error_code !== 'image_unavailable') ?? all[0]!;
}
