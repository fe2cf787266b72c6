/**
 * Several agent servers behind one address. A rollout is sent to the server with most room, and to another one if
 * that is full or gone: a server ends a rollout that no client waits for, so each answer comes once. An id names one
 * rollout, so while it runs, requests with its id go to the server that has it. A session stays on the server where
 * it was opened. Messages to all servers are sent again to a server that comes back.
 */
import { type Answer, refusal } from '../http/route.ts';
import { NodeClient, type NodeReply } from '../pool/node-client.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Milliseconds. */
const LOOK = 10_000;
const TELL = 60_000;
/** A rollout has limits of its own. */
const ROLLOUT = 7 * 24 * 3_600_000;
/** Failed checks in a row after which a server counts as gone. */
const FAILURES = 3;
/** Sessions whose server is remembered. */
const SESSIONS = 100_000;
const NO_REWARD = { reward: null };

class AgentNode {
  readonly client: NodeClient;
  isWell = false;
  problem = 'not looked at yet';
  /** Its last `/status`. */
  status: Body = {};
  /** Requests under way. */
  taken = 0;
  /**
   * Open sessions: the number in its last status, with those that were opened since. A session takes a place even
   * while it is idle.
   */
  sessions = 0;
  #missed = 0;

  constructor(address: string, token: string | null) {
    this.client = new NodeClient(address, token);
  }

  get url(): string {
    return this.client.url;
  }

  /** Share of its places that is taken; above 1: some requests wait. */
  get load(): number {
    const { size = 1 } = (this.status.places ?? {}) as { size?: number };
    return (this.taken + this.sessions) / Math.max(1, size);
  }

  /** True when it has just come back. */
  async look(): Promise<boolean> {
    const reply = await this.client.get('/status', LOOK);
    if (reply.kind === 'answer' && reply.json.ok === true) {
      const isBack = !this.isWell;
      Object.assign(this, { status: reply.json, isWell: true, problem: '' });
      this.sessions = Number(reply.json.sessions ?? 0);
      this.#missed = 0;
      return isBack;
    }
    this.failed(problemOf(reply));
    return false;
  }

  /** One more failure in a row. Requests that wait for a machine that went down get an error. */
  failed(problem: string): void {
    this.problem = problem;
    this.#missed += 1;
    if (this.#missed < FAILURES && this.isWell) return;
    this.isWell = false;
    this.client.giveUp();
  }
}

export class AgentFleet {
  readonly nodes: readonly AgentNode[];
  readonly #log: (text: string) => void;
  /** Id of a rollout under way -> its server, and how many ask for it. */
  readonly #rollouts = new Map<string, { node: AgentNode; askers: number }>();
  /** Session -> its server; the longest unused first. */
  readonly #sessions = new Map<string, AgentNode>();
  readonly #timers: NodeJS.Timeout[] = [];
  /** The message about weights that a server gets when it comes back. */
  #weights: { path: string; body: Body } | null = null;

  constructor(addresses: readonly string[], token: string | null, log: (text: string) => void) {
    this.nodes = addresses.map((address) => new AgentNode(address, token));
    this.#log = log;
  }

  /** Looks at all servers once, and from then on again and again. */
  async start(every: number): Promise<void> {
    await Promise.all(this.nodes.map((node) => this.#look(node)));
    for (const node of this.nodes) {
      let looking = false;
      const timer = setInterval(() => {
        if (looking) return;
        looking = true;
        void this.#look(node).finally(() => {
          looking = false;
        });
      }, every);
      this.#timers.push(timer);
    }
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.nodes.map(({ client }) => client.close()));
  }

  async run(id: string, body: Body, signal: AbortSignal): Promise<Answer> {
    const refused = new Set<AgentNode>();
    let last = refusal(503, 'node_unreachable', this.#problems(), NO_REWARD);
    while (!signal.aborted) {
      const known = this.#rollouts.get(id);
      const node = known !== undefined && !refused.has(known.node) ? known.node : this.#freest(refused);
      if (node === null) break;
      const held = known?.node === node ? known : { node, askers: 0 };
      this.#rollouts.set(id, held);
      held.askers += 1;
      const reply = await this.#ask(node, '/run', body, { timeout: ROLLOUT, signal }).finally(() => {
        held.askers -= 1;
        if (held.askers === 0 && this.#rollouts.get(id) === held) this.#rollouts.delete(id);
      });
      if (!isElsewhere(reply)) return answerOf(reply);
      last = answerOf(reply);
      refused.add(node);
    }
    return last;
  }

  async reset(body: Body, signal: AbortSignal): Promise<Answer> {
    const refused = new Set<AgentNode>();
    let last = refusal(503, 'node_unreachable', this.#problems(), NO_REWARD);
    for (let node = this.#freest(refused); node !== null; node = this.#freest(refused)) {
      const reply = await this.#ask(node, '/reset', body, { timeout: ROLLOUT, signal });
      if (!isElsewhere(reply)) {
        if (reply.kind === 'answer' && reply.json.done === false) {
          node.sessions += 1;
          this.#remember(String(reply.json.session_id), node);
        }
        return answerOf(reply);
      }
      last = answerOf(reply);
      refused.add(node);
    }
    return last;
  }

  /** A step or an end of a session, at its server. */
  async session(path: '/step' | '/close', id: string, body: Body, signal: AbortSignal): Promise<Answer> {
    const known = this.#sessions.get(id);
    // After a restart the router does not know where sessions are, so it asks all servers.
    const asked = known === undefined ? this.nodes.filter(({ isWell }) => isWell) : [known];
    // One that is away may have it.
    let last =
      known !== undefined || asked.length === this.nodes.length
        ? refusal(404, 'not_found', 'there is no such session, or it has ended')
        : refusal(
            503,
            'node_unreachable',
            this.#problems('the session may be where nothing answers'),
            NO_REWARD,
          );
    for (const node of asked) {
      const reply = await this.#ask(node, path, body, { timeout: ROLLOUT, signal });
      if (known === undefined && reply.kind === 'answer' && reply.status === 404) continue;
      if (known === undefined && reply.kind !== 'answer') {
        last = answerOf(reply);
        continue;
      }
      last = answerOf(reply);
      if (reply.kind !== 'answer') break;
      if (path === '/close' || reply.json.done === true || reply.status === 404) {
        if (this.#sessions.delete(id)) node.sessions = Math.max(0, node.sessions - 1);
      } else this.#remember(id, node);
      break;
    }
    return last;
  }

  /**
   * Sent to all healthy servers; a fault when one of them could not be reached. `isKept`: also sent to servers that
   * come back later.
   */
  async tellAll(path: string, body: Body, isKept: boolean): Promise<Body[] | Answer> {
    if (isKept) this.#weights = { path, body };
    const well = this.nodes.filter(({ isWell }) => isWell);
    if (well.length === 0) return refusal(503, 'node_unreachable', this.#problems());
    const replies = await Promise.all(well.map(({ client }) => client.post(path, body, { timeout: TELL })));
    const failed = replies.findIndex((reply) => reply.kind !== 'answer' || reply.json.ok !== true);
    if (failed < 0) return replies.map((reply) => (reply as { json: Body }).json);
    const reply = replies[failed]!;
    if (reply.kind === 'answer' && reply.status < 500) return answerOf(reply);
    return refusal(503, 'node_unreachable', `${well[failed]!.url}: ${problemOf(reply)}`);
  }

  #freest(refused: ReadonlySet<AgentNode>): AgentNode | null {
    const left = this.nodes.filter((node) => node.isWell && !refused.has(node));
    const [first, ...others] = left;
    if (first === undefined) return null;
    return others.reduce((best, node) => (node.load < best.load ? node : best), first);
  }

  async #ask(
    node: AgentNode,
    path: string,
    body: Body,
    options: { timeout: number; signal: AbortSignal },
  ): Promise<NodeReply> {
    node.taken += 1;
    const reply = await node.client.post(path, body, options).finally(() => {
      node.taken -= 1;
    });
    if (reply.kind === 'unreachable') node.failed(reply.detail);
    return reply;
  }

  #remember(session: string, node: AgentNode): void {
    this.#sessions.delete(session);
    this.#sessions.set(session, node);
    if (this.#sessions.size > SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value!);
  }

  async #look(node: AgentNode): Promise<void> {
    const wasWell = node.isWell;
    const isBack = await node.look();
    if (wasWell && !node.isWell) this.#log(`${node.url} is gone: ${node.problem}`);
    if (!isBack || this.#weights === null) return;
    const { path, body } = this.#weights;
    const reply = await node.client.post(path, body, { timeout: TELL });
    // It gets no rollout before it knows the current weights.
    if (reply.kind !== 'answer' || reply.json.ok !== true) node.isWell = false;
  }

  #problems(what = 'no agent server is well'): string {
    const problems = this.nodes.map(({ url, problem }) => `${url}: ${problem || 'well'}`);
    return `${what}. ${problems.join('; ')}`;
  }
}

/** Whether the server is full or gone, so that another server may do it. */
function isElsewhere(reply: NodeReply): boolean {
  if (reply.kind !== 'answer') return reply.kind === 'unreachable';
  return reply.status === 503 && reply.json.error_code === 'capacity_limited';
}

function answerOf(reply: NodeReply): Answer {
  if (reply.kind === 'answer') return { status: reply.status, json: reply.json };
  return refusal(503, 'node_unreachable', problemOf(reply), NO_REWARD);
}

function problemOf(reply: NodeReply): string {
  if (reply.kind === 'cancelled') return 'the client that asked is gone';
  return reply.kind === 'unreachable'
    ? reply.detail
    : String(reply.json.error ?? 'it does not answer as an agent server does');
}
