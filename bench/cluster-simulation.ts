/**
 * A cluster on paper: rollouts and their grades on nodes of 128 sandboxes, event by event, with the real decisions of how
 * items are gathered into jobs (`sizeJob`), which of those that wait goes first (`ReadyItems`) and what a machine still has
 * (`ResourcePool`). Times are drawn from distributions around what was measured, by a seed, so that a figure comes out
 * twice. It says how long things wait, how much of the cluster works, and what breaks first when it grows.
 */
import { sizeJob } from '../app/dispatch/amounts.ts';
import type { Resources } from '../contract/stage.ts';
import { ReadyItems } from '../engine/ready.ts';
import { ResourcePool } from '../engine/resources.ts';
import type { Machine } from '../executors/job-service.ts';
import type { BenchResult } from './measure.ts';

interface Plan {
  title: string;
  nodes: number;
  instances: number;
  /** Rollouts of each instance. */
  samples: number;
  /** First states are made once for an instance and shared; else in each workspace. */
  sharesStates: boolean;
  /** Items that are sent together, and that run at once. */
  items: number;
  atOnce: number;
  /** Requests that the model’s servers answer at once. */
  modelPlaces: number;
  /** Layers come from a remote cache; else each node builds its environments. */
  remote: boolean;
  /** Bytes a second that the remote cache gives, to all nodes together. */
  remoteRate: number;
}

/** Seconds and bytes. Measured: docs/internal/performance.md, and the quickstart. Assumed: the model, and the repositories. */
const TIMES = {
  job: { median: 2, spread: 0.2 },
  open: { median: 0.0052, spread: 0.4 },
  /** Of a processor; 6,000 files. */
  firstState: { median: 1.3, spread: 0.3 },
  command: { median: 0.05, spread: 1.8 },
  model: { median: 3, spread: 0.8 },
  grade: { median: 12, spread: 0.9 },
  environment: { median: 26, spread: 0.5 },
};
const STEPS = { median: 18, spread: 0.6, most: 100 };
const ENVIRONMENTS = 130;
const LAYER_BYTES = 150e6;
const NODE_RATE = 1.25e9;
const CAPACITY = { cpu: 64, sandbox: 128, sandbox_start_up: 128, tar_io: 40 };
const KINDS: Record<string, Resources> = {
  rollouts: { rollout: 1, sandbox: 1 },
  grade: { cpu: 1, sandbox: 1 },
};
const SPARE = 1;

const NORMAL: Plan = {
  ...{ title: '16 nodes × 128 sandboxes', nodes: 16, instances: 1024, samples: 8, sharesStates: true },
  ...{ items: 32, atOnce: 8, modelPlaces: 2048, remote: true, remoteRate: 1.25e9 },
};

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const plans: Plan[] = [
    NORMAL,
    { ...NORMAL, title: 'first states made in each workspace', sharesStates: false },
    { ...NORMAL, title: 'every node builds its environments', remote: false },
    { ...NORMAL, title: 'a remote cache behind 1 Gbit/s', remoteRate: 0.125e9 },
    { ...NORMAL, title: 'model servers for half of the rollouts', modelPlaces: 1024 },
    { ...NORMAL, title: 'jobs of 8 items', items: 8 },
    { ...NORMAL, title: 'jobs of 1 item', items: 1, atOnce: 1 },
    { ...NORMAL, title: '10 × the nodes and the work', nodes: 160, instances: 10_240, modelPlaces: 20_480 },
  ];
  print(
    '| | seconds | sandboxes in use | processors in use | wait for a place, p50 / p99 | wait for layers, p99 | jobs | calls to the head, a second |',
  );
  print('|---|---|---|---|---|---|---|---|');
  const ends = plans.map((plan) => {
    const end = simulate(plan, 1);
    const cells = [
      end.seconds.toFixed(0),
      `${(end.sandboxUse * 100).toFixed(0)} %`,
      `${(end.cpuUse * 100).toFixed(0)} %`,
      `${quantile(end.placeWaits, 0.5).toFixed(0)} / ${quantile(end.placeWaits, 0.99).toFixed(0)} s`,
      `${quantile(end.layerWaits, 0.99).toFixed(1)} s`,
      String(end.jobs),
      (end.calls / end.seconds).toFixed(0),
    ];
    print(`| ${plan.title} | ${cells.join(' | ')} |`);
    return end;
  });
  const again = simulate(NORMAL, 1);
  if (again.seconds !== ends[0]!.seconds) throw new Error('the same seed came to another end');
  const [ours, peer] = [ends[0]!.seconds, ends[1]!.seconds];
  return { name: 'cluster-simulation', ours, peer, ratio: ours / peer, promise: 1, holds: ours <= peer };
}

interface End {
  seconds: number;
  sandboxUse: number;
  cpuUse: number;
  placeWaits: number[];
  layerWaits: number[];
  jobs: number;
  /** Requests to the head: one to begin each job, one every half second while it is under way. */
  calls: number;
}

interface Item {
  kind: 'rollouts' | 'grade';
  instance: number;
  readyAt: number;
}

interface Job {
  items: Item[];
  atOnce: number;
  running: number;
  amounts: Resources;
  sentAt: number;
}

function simulate(plan: Plan, seed: number): End {
  return new Simulation(plan, seed).run();
}

class Simulation {
  readonly #plan: Plan;
  readonly #random: () => number;
  readonly #events = new Heap();
  #now = 0;
  readonly #lines = { rollouts: [] as Item[], grade: [] as Item[] };
  readonly #nodes: SimulatedNode[];
  readonly #machines: Machine[];
  readonly #sent = new ReadyItems<Job>(['rollouts', 'grade'], ({ amounts }) => amounts);
  #flying = 0;
  readonly #model: Servers;
  readonly #remote: Servers;
  readonly #states = new Set<string>();
  readonly #end: End = {
    ...{ seconds: 0, sandboxUse: 0, cpuUse: 0, placeWaits: [], layerWaits: [], jobs: 0, calls: 0 },
  };
  #left: number;

  constructor(plan: Plan, seed: number) {
    this.#plan = plan;
    this.#random = generator(seed);
    const at = (when: number, what: () => void) => this.#events.push(when, what);
    this.#model = new Servers(plan.modelPlaces, at);
    // As many transfers at once as nodes; each has its share of the rate.
    this.#remote = new Servers(plan.nodes, at);
    this.#nodes = Array.from({ length: plan.nodes }, () => ({
      pool: new ResourcePool(CAPACITY),
      cpu: new Servers(CAPACITY.cpu, at),
      layers: new Map<number, number>(),
    }));
    this.#machines = this.#nodes.map((_, index) => ({
      ...{ name: `${index}`, address: '', isAlive: true, isHead: false, amounts: CAPACITY },
    }));
    this.#left = plan.instances * plan.samples * 2;
    for (let instance = 0; instance < plan.instances; instance += 1)
      for (let sample = 0; sample < plan.samples; sample += 1)
        this.#lines.rollouts.push({ kind: 'rollouts', instance, readyAt: 0 });
  }

  run(): End {
    this.#gather();
    while (this.#left > 0) {
      const event = this.#events.pop();
      if (event === null) throw new Error('nothing is left to happen, and items wait');
      this.#now = event.when;
      event.what();
    }
    const { nodes } = this.#plan;
    this.#end.seconds = this.#now;
    this.#end.sandboxUse /= this.#now * nodes * CAPACITY.sandbox;
    this.#end.cpuUse =
      this.#nodes.reduce((sum, { cpu }) => sum + cpu.busy, 0) / (this.#now * nodes * CAPACITY.cpu);
    return this.#end;
  }

  /** Seconds around a median; no two kinds of work have the same tail. */
  #draw({ median, spread }: { median: number; spread: number }): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
    return median * Math.exp(spread * normal);
  }

  /** As the dispatcher does: what is further down first, as many jobs as the machines hold and some that wait. */
  #gather(): void {
    for (const kind of ['grade', 'rollouts'] as const) {
      const line = this.#lines[kind];
      while (line.length > 0) {
        const size = sizeJob(KINDS[kind]!, 1, this.#plan.atOnce, this.#machines);
        if (this.#flying >= size.jobs * (1 + SPARE)) break;
        const share = Math.ceil(line.length / size.jobs);
        const items = line.splice(0, Math.min(this.#plan.items, Math.max(share, size.atOnce)));
        this.#flying += 1;
        this.#end.jobs += 1;
        this.#sent.add(kind, {
          items,
          atOnce: size.atOnce,
          running: 0,
          amounts: size.amounts,
          sentAt: this.#now,
        });
      }
    }
    this.#place();
  }

  /** One on each machine in turn, as a cluster spreads its jobs. */
  #place(): void {
    for (let placed = -1; placed !== 0; ) {
      placed = 0;
      for (const node of this.#nodes) {
        let room = 1;
        const start = (job: Job, free: () => void) => {
          room -= 1;
          placed += 1;
          this.#events.push(this.#now + this.#draw(TIMES.job), () => this.#begin(job, node, free));
        };
        this.#sent.startAll(node.pool, () => room > 0, start);
      }
    }
  }

  #begin(job: Job, node: SimulatedNode, free: () => void): void {
    while (job.running < job.atOnce && job.items.length > 0) {
      const item = job.items.shift()!;
      job.running += 1;
      this.#end.placeWaits.push(this.#now - item.readyAt);
      const began = this.#now;
      const done = () => {
        job.running -= 1;
        this.#end.sandboxUse += this.#now - began;
        this.#left -= 1;
        if (item.kind === 'rollouts') this.#lines.grade.push({ ...item, kind: 'grade', readyAt: this.#now });
        this.#begin(job, node, free);
      };
      this.#open(item, node, () =>
        item.kind === 'rollouts' ? this.#step(node, this.#steps(), done) : this.#grade(node, done),
      );
    }
    if (job.running > 0 || job.items.length > 0) return;
    free();
    this.#flying -= 1;
    this.#end.calls += 1 + (this.#now - job.sentAt) * 2;
    this.#gather();
  }

  #steps(): number {
    return Math.min(STEPS.most, Math.max(1, Math.round(this.#draw(STEPS))));
  }

  /** The layer of the environment, the first state, the workspace. */
  #open({ instance }: Item, node: SimulatedNode, then: () => void): void {
    const began = this.#now;
    this.#layer(instance % ENVIRONMENTS, node, () => {
      this.#end.layerWaits.push(this.#now - began);
      const state = `${this.#nodes.indexOf(node)} ${instance}`;
      const isMade = this.#plan.sharesStates && this.#states.has(state);
      this.#states.add(state);
      node.cpu.take(this.#now, this.#draw(TIMES.open) + (isMade ? 0 : this.#draw(TIMES.firstState)), then);
    });
  }

  #layer(environment: number, node: SimulatedNode, then: () => void): void {
    const there = node.layers.get(environment);
    if (there !== undefined) {
      this.#events.push(Math.max(this.#now, there), then);
      return;
    }
    const { remote, remoteRate, nodes } = this.#plan;
    const seconds = LAYER_BYTES / Math.min(NODE_RATE, remoteRate / nodes);
    const ended = remote
      ? this.#remote.take(this.#now, seconds, then)
      : node.cpu.take(this.#now, this.#draw(TIMES.environment), then);
    node.layers.set(environment, ended);
  }

  #step(node: SimulatedNode, left: number, done: () => void): void {
    if (left === 0) {
      done();
      return;
    }
    const command = () =>
      node.cpu.take(this.#now, this.#draw(TIMES.command), () => this.#step(node, left - 1, done));
    this.#model.take(this.#now, this.#draw(TIMES.model), command);
  }

  #grade(node: SimulatedNode, done: () => void): void {
    node.cpu.take(this.#now, this.#draw(TIMES.grade), done);
  }
}

interface SimulatedNode {
  pool: ResourcePool;
  cpu: Servers;
  /** Environment -> when its layer is there. */
  layers: Map<number, number>;
}

/** So many at once, the others in turn. */
class Servers {
  busy = 0;
  readonly #free: Float64Array;
  readonly #at: (when: number, what: () => void) => void;

  /** `free` is a heap of the times at which each is free. */
  constructor(count: number, at: (when: number, what: () => void) => void) {
    this.#free = new Float64Array(count);
    this.#at = at;
  }

  /** When it will have ended. */
  take(now: number, seconds: number, then: () => void): number {
    const ended = Math.max(now, this.#free[0]!) + seconds;
    this.busy += seconds;
    this.#free[0] = ended;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < this.#free.length && this.#free[left]! < this.#free[least]!) least = left;
      if (right < this.#free.length && this.#free[right]! < this.#free[least]!) least = right;
      if (least === index) break;
      [this.#free[index], this.#free[least]] = [this.#free[least]!, this.#free[index]!];
      index = least;
    }
    this.#at(ended, then);
    return ended;
  }
}

interface Event {
  when: number;
  order: number;
  what: () => void;
}

/** What happens next; of two at one time, what was said first. */
class Heap {
  readonly #events: Event[] = [];
  #order = 0;

  push(when: number, what: () => void): void {
    const events = this.#events;
    events.push({ when, order: this.#order++, what });
    for (let index = events.length - 1; index > 0; ) {
      const above = (index - 1) >> 1;
      if (!isBefore(events[index]!, events[above]!)) break;
      [events[index], events[above]] = [events[above]!, events[index]!];
      index = above;
    }
  }

  pop(): Event | null {
    const events = this.#events;
    const first = events[0];
    if (first === undefined) return null;
    const last = events.pop()!;
    if (events.length > 0) events[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < events.length && isBefore(events[left]!, events[least]!)) least = left;
      if (right < events.length && isBefore(events[right]!, events[least]!)) least = right;
      if (least === index) return first;
      [events[index], events[least]] = [events[least]!, events[index]!];
      index = least;
    }
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.when < other.when || (one.when === other.when && one.order < other.order);
}

function quantile(values: number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
