/**
 * Sends items to clusters. It gathers items of one stage into shards, so that a job pays for its start once, and
 * keeps as many jobs running as the machines hold. Each item ends with an answer, a fault, or in another job.
 */
import { randomBytes } from 'node:crypto';
import type { RemoteCache } from '../../cache/remote/remote.ts';
import type { RemoteStore } from '../../cache/remote/store.ts';
import type { DeploymentConfig } from '../../contract/config.ts';
import type { Action, ActionEnd } from '../../engine/action.ts';
import type { Dispatch, DispatchRequest } from '../../engine/dispatch.ts';
import { faultOf } from '../../engine/item-action.ts';
import type { Amounts, Machine } from '../../executors/job-service.ts';
import { type ClusterKind, deploymentKinds } from '../../executors/kind.ts';
import { KINDS } from '../../executors/registry.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { closeAll } from '../close-all.ts';
import { openRemoteStore, type RemoteRun } from '../remote.ts';
import { Allocations, candidatesFor } from './allocations.ts';
import { sizeJob } from './amounts.ts';
import type { Batch, BatchItem, Cluster, Sender } from './batch.ts';
import { Mailbox } from './mailbox.ts';
import { runBatch } from './run-batch.ts';

/** Items under way at once: those that wait for a machine, too. */
const MAX_ITEMS = 4096;
/** Milliseconds in which items are gathered. */
const GATHER = 200;
/** Milliseconds for which it is believed what machines there are, and that it cannot be known. */
const MACHINES_TTL_MS = 30_000;
const UNKNOWN = 2000;

/** Items of one stage that wait to be sent. */
interface Line {
  cluster: Cluster;
  waiting: BatchItem[];
  /** Since when no machine is known that could run them; 0: one is. */
  stuckSince: number;
}

/** Runs the items of deployments that are clusters; null when the project has none. */
export async function openDispatcher(
  sender: Sender,
  run: Pick<RemoteRun, 'cache' | 'problem'> | null,
  drain: AbortSignal,
): Promise<Dispatching | null> {
  const kinds = deploymentKinds(KINDS);
  const { config } = sender.project;
  const clusters = Object.entries(config.deployments).flatMap(([name, one]) => {
    const kind = kinds.get(one.type)!;
    return kind.opens === 'jobs' ? [{ name, config: one, kind }] : [];
  });
  if (clusters.length === 0 || run === null) return null;
  const names = new Set(clusters.map(({ name }) => name));
  if (run.cache === null) return refusing(names, run.problem);
  const opened = await openRemoteStore(sender.project, sender.services.secrets);
  if (opened === null || 'problem' in opened) return refusing(names, opened?.problem ?? '');
  return new Dispatcher(sender, { remote: run.cache, store: opened.store, drain }, clusters);
}

type Dispatching = Dispatch & { close(): Promise<void> };

/** Items of a cluster are run nowhere else: users who name a cluster do not expect this machine to do its work. */
function refusing(names: ReadonlySet<string>, problem: string): Dispatching {
  const outcome = infra(
    'network',
    `the remote cache, through which answers travel, cannot be used: ${problem}`,
  );
  return {
    capacity: MAX_ITEMS,
    takes: (deployment) => names.has(deployment),
    run: async () => ({ kind: 'fault', outcome, log: '' }),
    close: async () => undefined,
  };
}

interface Ways {
  remote: RemoteCache;
  store: RemoteStore;
  drain: AbortSignal;
}

class Dispatcher implements Dispatching {
  readonly capacity = MAX_ITEMS;
  readonly #sender: Sender;
  readonly #ways: Ways;
  readonly #kinds: ReadonlyMap<string, { config: DeploymentConfig; kind: ClusterKind }>;
  readonly #clusters = new Map<string, Promise<Cluster | Infra>>();
  readonly #lines = new Map<string, Line>();
  readonly #batches = new Set<Promise<void>>();
  readonly #machines = new Map<
    string,
    { at: number; believed: number; machines: Promise<Machine[] | null> }
  >();
  /** In every job's id: no id is ever used twice. */
  readonly #series = randomBytes(6).toString('hex');
  #jobs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    sender: Sender,
    ways: Ways,
    clusters: readonly { name: string; config: DeploymentConfig; kind: ClusterKind }[],
  ) {
    this.#sender = sender;
    this.#ways = ways;
    this.#kinds = new Map(clusters.map(({ name, config, kind }) => [name, { config, kind }]));
    for (const signal of [ways.drain, sender.services.signal])
      signal.addEventListener('abort', () => this.#giveUpWaiting());
  }

  takes(deployment: string): boolean {
    return this.#kinds.has(deployment);
  }

  async run(action: Action, request: DispatchRequest): Promise<ActionEnd> {
    if (this.#isStopped()) return cancelled();
    const cluster = await this.#cluster(request.deployment);
    if ('status' in cluster) return { kind: 'fault', outcome: cluster, log: '' };
    const address = `${request.deployment} ${action.node.address}`;
    const line = this.#lines.get(address) ?? { cluster, waiting: [], stuckSince: 0 };
    this.#lines.set(address, line);
    return new Promise((settle) => {
      line.waiting.push({ action, request, settle });
      this.#pumpSoon();
    });
  }

  /** Settles every item; jobs of a run that ends by an error are given up. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await Promise.allSettled(this.#batches.keys());
    const clusters = await Promise.all(this.#clusters.values());
    const services = clusters.flatMap((one) => ('service' in one ? [one.service] : []));
    await closeAll([...services.map((service) => () => service.close()), () => this.#ways.store.close()]);
  }

  #cluster(name: string): Promise<Cluster | Infra> {
    const known = this.#clusters.get(name);
    if (known !== undefined) return known;
    const { config, kind } = this.#kinds.get(name)!;
    const made = kind
      .connect(config)
      .then((service) =>
        service.ok ? { name, config, service: service.value, allocations: new Allocations() } : service.fault,
      );
    this.#clusters.set(name, made);
    return made;
  }

  #isStopped(): boolean {
    return this.#ways.drain.aborted || this.#sender.services.signal.aborted;
  }

  #giveUpWaiting(): void {
    for (const line of this.#lines.values())
      for (const { settle } of line.waiting.splice(0)) settle(cancelled());
  }

  #pumpSoon(pause = GATHER): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#pump().catch((error: unknown) => this.#fail(error));
    }, pause);
  }

  #fail(error: unknown): void {
    const outcome = faultOf(error, this.#sender.services.signal);
    for (const line of this.#lines.values())
      for (const { settle } of line.waiting.splice(0)) settle({ kind: 'fault', outcome, log: '' });
  }

  /**
   * Lines further down the graph first, so that what is begun gets finished. A job is sent when a machine has room for it,
   * and no larger than that; what other stages run there takes room, too.
   */
  async #pump(): Promise<void> {
    for (const line of [...this.#lines.values()].reverse()) {
      while (line.waiting.length > 0) {
        const { config, allocations } = line.cluster;
        const machines = await this.#machinesOf(line.cluster);
        const first = line.waiting[0];
        if (first === undefined) break;
        const needed = first.action.stage.resources(first.action.item);
        const one = sizeJob(needed, 1, 1, machines ?? []).amounts;
        const able = candidatesFor(one, machines ?? []);
        if (machines === null || able.length === 0) {
          this.#waitForMachines(line, machines);
          break;
        }
        line.stuckSince = 0;
        const placement = allocations.find(one, machines);
        if (placement === null) break;
        const isCounted = Object.keys(one).length > 0;
        const most = isCounted ? Math.min(config.at_once, placement.times) : config.at_once;
        const size = sizeJob(needed, 1, most, machines);
        const share = Math.ceil(line.waiting.length / size.jobs);
        const fair = Math.ceil(line.waiting.length / able.length);
        const count = Math.min(config.items, Math.max(share, Math.min(size.atOnce, fair)));
        const items = line.waiting.splice(0, count);
        this.#send(line, { items, machines, atOnce: size.atOnce, machine: placement.address }, size.amounts);
      }
    }
  }

  /** A job that asks for nothing would run on the head, so nothing is sent before it is known what to ask for. */
  #waitForMachines(line: Line, machines: readonly Machine[] | null): void {
    const { service, config } = line.cluster;
    const why =
      machines === null
        ? `${service.name} does not say which machines it has`
        : `${service.name} has no machine that runs jobs`;
    line.stuckSince ||= performance.now();
    if (performance.now() - line.stuckSince > config.wait * 1000) {
      const outcome = infra('node-lost', why);
      for (const { settle } of line.waiting.splice(0)) settle({ kind: 'fault', outcome, log: '' });
      line.stuckSince = 0;
      return;
    }
    for (const { request } of line.waiting) request.waits(why);
    this.#pumpSoon(UNKNOWN);
  }

  #send(line: Line, sent: Pick<Batch, 'items' | 'machines' | 'atOnce' | 'machine'>, amounts: Amounts): void {
    this.#jobs += 1;
    const { remote, store, drain } = this.#ways;
    const id = `swemake-${this.#series}-${this.#jobs}`;
    const { allocations } = line.cluster;
    allocations.hold(id, sent.machine, amounts);
    const batch: Batch = {
      ...sent,
      id,
      cluster: line.cluster,
      sender: this.#sender,
      remote,
      store,
      mailbox: new Mailbox(store),
      drain,
    };
    const running = runBatch(batch).finally(() => {
      allocations.release(id);
      this.#batches.delete(running);
      this.#pumpSoon();
    });
    this.#batches.add(running);
  }

  /** Null: the cluster does not say. */
  async #machinesOf({ name, service }: Cluster): Promise<Machine[] | null> {
    const known = this.#machines.get(name);
    if (known !== undefined && performance.now() - known.at < known.believed) return known.machines;
    const asked = { at: performance.now(), believed: MACHINES_TTL_MS, machines: service.machines() };
    this.#machines.set(name, asked);
    const machines = await asked.machines;
    // Machines that jobs can run on may come at any time.
    if (machines === null || candidatesFor({}, machines).length === 0) asked.believed = UNKNOWN;
    return machines;
  }
}

function cancelled(): ActionEnd {
  return { kind: 'fault', outcome: infra('cancelled', 'the run was stopped'), log: '' };
}
