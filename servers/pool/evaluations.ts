/**
 * Verdicts on patches, in unused containers. A repeated request for the same lease gets the same answer. If a node fails there is no
 * verdict, and another node evaluates.
 */
import { randomBytes } from 'node:crypto';
import { type Answer, NO_VERDICT } from '../http/route.ts';
import { asAnswer, lostAnswer } from './answers.ts';
import type { Containers } from './containers.ts';
import { atWork, type Lease, type PoolCounts } from './lease.ts';
import type { NodeReply } from './node-client.ts';

/** Nodes that are asked. */
const MAX_TRIES = 3;

export class Evaluations {
  /** The last one of each lease. */
  readonly #last = new WeakMap<Lease, { of: string; answer: Promise<Answer> }>();

  constructor(
    readonly containers: Containers,
    readonly counts: PoolCounts,
    /** Milliseconds that another container is waited for. */
    readonly longestWait: number,
  ) {}

  /** `seconds`: what the tests may take. */
  evaluate(lease: Lease, body: Readonly<Record<string, unknown>>, seconds: number): Promise<Answer> {
    const of = JSON.stringify([body.patch, body.eval_script, body.cwd, seconds]);
    const before = this.#last.get(lease);
    if (before?.of === of) return before.answer;
    const answer = (before?.answer ?? Promise.resolve()).then(() =>
      atWork(lease, () => this.#evaluate(lease, body, seconds)),
    );
    const entry = { of, answer };
    this.#last.set(lease, entry);
    const forget = () => {
      if (this.#last.get(lease) === entry) this.#last.delete(lease);
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
    let last = await this.#evaluateThere(lease, request, timeout);
    for (let tries = 1; tries < MAX_TRIES && !isVerdict(last); tries += 1) {
      const opened = await this.#openLike(lease);
      if (!opened.ok) return withoutReward(opened.fault);
      const container = opened.value;
      try {
        const own = { ...request, container_id: container.containerId };
        const { client } = this.containers.node(container.node)!;
        last = asAnswer(await client.postTwice('/container/evaluate', own, { timeout }));
      } finally {
        await this.containers.end(container);
      }
    }
    return isVerdict(last) ? last : withoutReward(last);
  }

  /** Another container as the lease's own was asked for, on any node. */
  #openLike({ record: { image, needs = null, more = {} } }: Lease) {
    const deadline = Date.now() + this.longestWait;
    return this.containers.open({ image, needs, more, deadline, role: 'evaluation' });
  }

  /** On the lease's own node. If its container was used, the node opens another one, which needs a slot. */
  async #evaluateThere(lease: Lease, request: object, timeout: number): Promise<Answer> {
    const node = this.containers.node(lease.record.node);
    if (node === null || lease.lost) return lostAnswer(lease.record);
    const own = { ...request, container_id: lease.record.containerId };
    const work = (): Promise<NodeReply> => {
      lease.touched = true;
      return node.client.postTwice('/container/evaluate', own, { timeout });
    };
    if (!lease.touched) return asAnswer(await work());
    const { slots } = this.containers;
    const slot = await slots.take({
      ...{ role: 'evaluation', image: lease.record.image, node: node.url },
      ...{ except: new Set<string>(), needs: null, deadline: Date.now() + timeout },
    });
    if (!slot.ok) return this.containers.noSlot(slot.fault);
    try {
      return asAnswer(await work());
    } finally {
      slots.free(slot.value);
    }
  }
}

function isVerdict(answer: Answer): boolean {
  return 'json' in answer && answer.json.ok === true && typeof answer.json.resolved === 'boolean';
}

function withoutReward(answer: Answer): Answer {
  return 'json' in answer ? { ...answer, json: { ...answer.json, ...NO_VERDICT } } : answer;
}
