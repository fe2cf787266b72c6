/**
 * A shard that was sent. What it needs is written to the remote store, a job is given to the cluster, its reports are
 * read, and each item is finished as soon as its answer is here. A lost job is revoked. Items that it had finished
 * count, and the others are sent again once the job can write nothing more.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { sleepUnless } from '../../basics/sleep.ts';
import { lookUp } from '../../cache/cache.ts';
import { faultOf } from '../../engine/item-action.ts';
import type { JobState } from '../../executors/job-service.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Batch, BatchItem } from './batch.ts';
import { Heartbeat } from './heartbeat.ts';
import { commandOf, prepare } from './prepare.ts';
import type { ItemReport, Report } from './shard.ts';

/** Number of jobs in which an item is tried before its loss is a fault. */
const TRIES = 3;
/** Milliseconds between two looks. */
const LOOK = 500;
/** Milliseconds for an answer that was reported to be had from the store. */
const BRING = 60_000;
/** Milliseconds that a stopped run waits for the last reports of its jobs. */
const LAST_WORDS = 5000;

/** How one job ended; `lacks`: it could not be given what it needs. `elsewhere`: its machine gave it no place. */
type JobEnd =
  | { kind: 'ended' | 'lacks' | 'elsewhere' }
  | { kind: 'lost'; detail: string }
  | { kind: 'fault'; fault: Infra };

/** Settles every item. Never throws. */
export async function runBatch(batch: Batch): Promise<void> {
  let left = batch.items;
  let last: Infra = infra('node-lost', 'its job ended before it');
  let machine: string | null = batch.machine;
  try {
    for (let [job, tries] = [1, 1]; tries <= TRIES && left.length > 0; job += 1) {
      const running = new BatchJob(batch, `${batch.id}-${job}`, left, machine);
      const end = await running.run(job > 1);
      left = running.unsettled();
      if (end.kind === 'fault') {
        last = end.fault;
        break;
      }
      if (end.kind === 'lost') last = infra('node-lost', end.detail);
      if (end.kind === 'lacks')
        last = infra('network', 'the remote cache does not hold what was written to it');
      if (end.kind !== 'elsewhere') tries += 1;
      if (isStopped(batch)) break;
      if (left.length > 0) machine = await otherMachine(batch, machine);
    }
  } catch (error) {
    last = faultOf(error, batch.sender.services.signal);
  }
  const outcome = isStopped(batch) ? infra('cancelled', 'the run was stopped') : last;
  for (const { settle } of left) settle({ kind: 'fault', outcome, log: '' });
}

/** For what one machine did not do: another one with room, else any, as the cluster finds. */
async function otherMachine(
  { id, cluster, machines }: Batch,
  machine: string | null,
): Promise<string | null> {
  const known = (await cluster.service.machines()) ?? machines;
  const amounts = cluster.allocations.release(id);
  const placement = cluster.allocations.find(amounts, known, new Set(machine === null ? [] : [machine]));
  if (placement === null) return null;
  cluster.allocations.hold(id, placement.address, amounts);
  return placement.address;
}

function isStopped({ drain, sender }: Pick<Batch, 'drain' | 'sender'>): boolean {
  return drain.aborted || sender.services.signal.aborted;
}

class BatchJob {
  readonly #batch: Batch;
  readonly #id: string;
  readonly #machine: string | null;
  readonly #byName: ReadonlyMap<string, BatchItem>;
  readonly #settled = new Set<string>();
  readonly #bringing = new Map<string, Promise<void>>();
  readonly #heartbeat: Heartbeat;
  readonly #lease: number;
  readonly #wait: number;
  #beat = 0;
  #heardAt = performance.now();

  /** `machine`: where it is to run; null: where there is room. */
  constructor(batch: Batch, id: string, items: readonly BatchItem[], machine: string | null) {
    this.#batch = batch;
    this.#id = id;
    this.#machine = machine;
    this.#byName = new Map(items.map((one) => [one.action.item.name, one]));
    const { lease, wait } = batch.cluster.config;
    this.#lease = lease * 1000;
    this.#wait = wait * 1000;
    this.#heartbeat = new Heartbeat(batch.mailbox, id, this.#lease, batch.drain);
  }

  unsettled(): BatchItem[] {
    return [...this.#byName].filter(([name]) => !this.#settled.has(name)).map(([, one]) => one);
  }

  /** `again`: what was believed to be in the remote store is written once more. */
  async run(again: boolean): Promise<JobEnd> {
    const { cluster } = this.#batch;
    const sent = await this.#untilWell(() => prepare(this.#batch, this.unsettled(), again));
    if ('fault' in sent) return { kind: 'fault', fault: sent.fault };
    const { shard, amounts } = sent.value;
    const machine = this.#machine;
    if (machine !== null) cluster.allocations.hold(this.#batch.id, machine, amounts);
    const granted = await this.#untilWell(() => this.#heartbeat.begin());
    if ('fault' in granted) return { kind: 'fault', fault: granted.fault };
    const command = commandOf(this.#batch, this.#id, shard);
    try {
      const taken = await this.#untilWell(async () => {
        const refused = await cluster.service.submit({ id: this.#id, command, amounts, machine });
        if (refused === null) return { value: null };
        const fault = infra('node-lost', `${cluster.service.name}: ${refused.detail}`);
        return refused.kind === 'refused' ? { fault } : { again: fault };
      });
      if ('fault' in taken) return { kind: 'fault', fault: taken.fault };
      return await this.#watch();
    } finally {
      await Promise.all(this.#bringing.values());
      this.#heartbeat.end();
    }
  }

  /** Until it goes well, or for as long as the project says. */
  async #untilWell<T>(
    attempt: () => Promise<{ value: T } | { fault: Infra } | { again: Infra }>,
  ): Promise<{ value: T } | { fault: Infra }> {
    const began = performance.now();
    for (let pause = LOOK; ; pause = Math.min(2 * pause, 10_000)) {
      const end = await attempt();
      if (!('again' in end)) return end;
      if (isStopped(this.#batch) || performance.now() - began > this.#wait) return { fault: end.again };
      this.#tell(`waits: ${end.again.detail}`, 'waits');
      await this.#pause(pause);
    }
  }

  async #watch(): Promise<JobEnd> {
    const { sender, cluster } = this.#batch;
    let [ended, troubledSince, waitsSince] = [0, 0, 0];
    this.#heardAt = performance.now();
    for (;;) {
      await this.#pause(LOOK);
      const report = await this.#read();
      if (report !== null && report !== 'unread' && report.hasEnded) return this.#endOf(report);
      if (sender.services.signal.aborted) return this.#recall('the run was stopped');
      const state = await cluster.service.look(this.#id);
      // If the store does not answer, no report can be read. When it answers again, the machines get the time to
      // report.
      if (report === 'unread') this.#heardAt = performance.now();
      if (report === 'unread' || (state.kind === 'unreachable' && report === null)) {
        troubledSince ||= performance.now();
        if (performance.now() - troubledSince > this.#wait)
          return this.#recall(
            `nothing was heard of it: ${'detail' in state ? state.detail : 'the remote cache is down'}`,
          );
        continue;
      }
      troubledSince = 0;
      if (state.kind === 'waiting') {
        this.#heardAt = performance.now();
        this.#tell(`waits for a place in the cluster: ${state.detail}`, 'waits');
        waitsSince ||= performance.now();
        // Others use its machine, or it is gone.
        if (this.#machine !== null && performance.now() - waitsSince > this.#lease) {
          await this.#recall('its machine has no place for it');
          return { kind: 'elsewhere' };
        }
      }
      ended = state.kind === 'ended' ? ended + 1 : 0;
      const lost = this.#lossOf(state, ended);
      if (lost !== null) return this.#recall(lost);
    }
  }

  /**
   * Why the job must be given up; null while it may go on. A cluster that forgot the job may have a machine that
   * still works on it.
   */
  #lossOf(state: JobState, endedFor: number): string | null {
    const silent = performance.now() - this.#heardAt;
    if (state.kind === 'ended' && endedFor > 2) return `its job ended: ${state.detail}`;
    if (silent < 1.5 * this.#lease) return null;
    return state.kind === 'unknown'
      ? 'the cluster does not know its job any more'
      : `its machine said nothing for ${Math.round(silent / 1000)} s`;
  }

  /** The machine's last report; null when there is none yet. Items that it is done with are settled on the way. */
  async #read(): Promise<Report | null | 'unread'> {
    const message = await this.#batch.mailbox.read<Report>('report', this.#id);
    if (message.kind === 'fault') return 'unread';
    if (message.kind === 'absent') return null;
    const report = message.value;
    if (report.beat !== this.#beat) {
      this.#beat = report.beat;
      this.#heardAt = performance.now();
    }
    for (const [name, { kind, text }] of Object.entries(report.notes))
      this.#byName.get(name)?.request[kind](text);
    for (const [name, item] of Object.entries(report.items)) this.#take(name, item);
    return report;
  }

  #take(name: string, report: ItemReport): void {
    const item = this.#byName.get(name);
    if (item === undefined || this.#bringing.has(name) || this.#settled.has(name)) return;
    if (report.kind === 'fault') {
      // An item that was stopped because its job was has no outcome of its own.
      if (report.outcome.status !== 'stopped') this.#settle(name, item, report);
      return;
    }
    const bringing = this.#bring(item, report)
      .catch((error: unknown) => {
        // Such as a cache that cannot be read here. It is no doing of the job.
        const outcome = faultOf(error, this.#batch.sender.services.signal);
        this.#settle(name, item, { kind: 'fault', outcome, log: '' });
      })
      .finally(() => this.#bringing.delete(name));
    this.#bringing.set(name, bringing);
  }

  /** The answer must be the one that was reported: another job's would have another time, and perhaps another result. */
  async #bring({ action, settle }: BatchItem, { digest, executed }: ItemReport & { kind: 'answered' }) {
    const { remote, sender } = this.#batch;
    const { key, address, item } = action;
    const began = performance.now();
    for (;;) {
      const isThere = await remote.fetchItem(key, address);
      const record = isThere ? lookUp(sender.cache, key) : null;
      if (record?.digest === digest) {
        this.#settled.add(item.name);
        settle({ kind: 'record', record, executed });
        return;
      }
      if (performance.now() - began > BRING || sender.services.signal.aborted) return;
      await sleep(1000);
    }
  }

  #settle(name: string, { settle }: BatchItem, { outcome, log }: ItemReport & { kind: 'fault' }): void {
    this.#settled.add(name);
    settle({ kind: 'fault', outcome, log });
  }

  async #endOf(report: Report): Promise<JobEnd> {
    await Promise.all(this.#bringing.values());
    if (report.fault !== null) return { kind: 'fault', fault: report.fault };
    return { kind: report.lacks.length > 0 ? 'lacks' : 'ended' };
  }

  /** After this nothing of the job is written any more; what it had finished is taken. */
  async #recall(why: string): Promise<JobEnd> {
    const { cluster, sender } = this.#batch;
    const log = await cluster.service.tail(this.#id);
    const detail = log === '' ? why : `${why}; the end of its log:\n${sender.services.secrets.redact(log)}`;
    const revoked = await this.#untilWell(() => this.#heartbeat.revoke());
    await cluster.service.stop(this.#id);
    if ('fault' in revoked) return { kind: 'fault', fault: infra('node-lost', detail) };
    const since = performance.now();
    const most = sender.services.signal.aborted ? Math.min(LAST_WORDS, this.#lease) : 1.5 * this.#lease;
    while (performance.now() - since < most) {
      const report = await this.#read();
      if (report !== null && report !== 'unread' && report.hasEnded) break;
      await sleep(LOOK);
    }
    await this.#read();
    await Promise.all(this.#bringing.values());
    return { kind: 'lost', detail };
  }

  #tell(text: string, kind: 'waits' | 'progress'): void {
    for (const { request } of this.unsettled()) request[kind](text);
  }

  /** Less long when the run is stopped. */
  #pause(milliseconds: number): Promise<void> {
    return sleepUnless(milliseconds, this.#batch.sender.services.signal);
  }
}
