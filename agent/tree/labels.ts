/**
 * Who made each call of a tree: the agent itself (`main`), a sub-agent (its name), or a side call that is not trained
 * (`side`: titles, summaries, what a command of the agent asked; `foreign`: after a reply that was never sampled). The form of the
 * whole tree says it: only what came later shows which of two continuations the agent went on from. What a request says of itself
 * counts where its client is trusted. Of others only the name of a sub-agent is taken.
 */
import type { ModelCall, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { CallLabel } from './canonical.ts';

export const MAIN = 'main';
const SIDE = 'side';
const FOREIGN = 'foreign';

/** Whose replies are trained. main: the agent's. agents: its sub-agents' too. all: every reply, also of calls beside the work. */
export type Trained = 'main' | 'agents' | 'all';

/** Whether the call's reply is among those that are trained. Without a tree all calls are the agent's. */
export function isTrained({ agent = MAIN }: Pick<ModelCall, 'agent'>, trained: Trained): boolean {
  if (trained === 'all') return true;
  return trained === 'main' ? agent === MAIN : agent !== SIDE && agent !== FOREIGN;
}

/** Characters of a name that an agent gives a sub-agent. */
const LONGEST_NAME = 100;
/** Shorter lines do not identify a summary. */
const MIN_CHARACTERS = 24;

/** A call, as far as labels need it. */
export interface Labelled {
  prompt: readonly number[];
  parent: number | null;
  /** Which list of tools it offers. */
  tools: number;
  hasTools: boolean;
  isForeign: boolean;
  restates: boolean;
  label: CallLabel;
}

export interface Labels {
  /** By call. */
  agents: string[];
  /** Calls whose replies the agent did not take: the next prompt goes on without them. */
  rejected: number[];
}

/** `message`: the text of a message by its index; `replyOf`: the reply of a call, null without one. */
export interface Messages {
  message(index: number): TrajectoryMessage;
  replyOf(call: number): TrajectoryMessage | null;
}

export function labelsOf(calls: readonly Labelled[], messages: Messages): Labels {
  return new Labelling(calls, messages).all();
}

class Labelling {
  readonly #calls: readonly Labelled[];
  readonly #messages: Messages;
  readonly #agents: string[] = [];
  readonly #rejected = new Set<number>();
  readonly #children: number[][];
  /** By call: the newest call that continues it, or one of those; itself where there is none. */
  readonly #newest: number[];
  /** By call: the call with which its line of work goes on. */
  readonly #own: (number | null)[];
  /** The call with which the agent begins; null: there is none. */
  readonly #first: number | null;
  /** The calls with which it began: after each loss of its history it begins anew. */
  readonly #begins: number[] = [];
  #subAgents = 0;

  constructor(calls: readonly Labelled[], messages: Messages) {
    this.#calls = calls;
    this.#messages = messages;
    this.#children = calls.map(() => []);
    this.#newest = calls.map((_, call) => call);
    for (const [call, { parent }] of calls.entries()) if (parent !== null) this.#children[parent]!.push(call);
    for (let call = calls.length - 1; call >= 0; call--) {
      const { parent } = calls[call]!;
      if (parent !== null) this.#newest[parent] = Math.max(this.#newest[parent]!, this.#newest[call]!);
    }
    this.#first = this.#firstOfMain();
    this.#own = calls.map((_, call) => this.#continuationOf(call));
  }

  all(): Labels {
    for (const [call, one] of this.#calls.entries()) this.#agents.push(this.#labelOf(call, one));
    return { agents: this.#agents, rejected: [...this.#rejected].sort((a, b) => a - b) };
  }

  #labelOf(call: number, { isForeign, label, parent }: Labelled): string {
    if (isForeign) return FOREIGN;
    const { kind, agent } = trustedOf(label);
    if (kind === SIDE) return SIDE;
    if (agent !== null) return agent;
    return parent === null ? this.#labelOfRoot(call) : this.#labelOfChild(call, parent);
  }

  #labelOfRoot(call: number): string {
    const { hasTools } = this.#calls[call]!;
    if (call === this.#first) {
      this.#begins.push(call);
      return MAIN;
    }
    const first = this.#first === null ? null : this.#calls[this.#first]!;
    if (first === null || (first.hasTools && !hasTools)) return SIDE;
    const begun = this.#begins.at(-1);
    if ((begun !== undefined && this.#beginsAnew(call, begun)) || this.#saysMain(call)) {
      this.#begins.push(call);
      return MAIN;
    }
    // Also what the agent itself asked before, word for word: somebody sent it again.
    if (!hasTools || this.#repeats(call)) return SIDE;
    const { agent } = saidBy(this.#calls[call]!.label);
    if (agent !== null) return agent;
    this.#subAgents += 1;
    return `agent-${this.#subAgents}`;
  }

  #saysMain(call: number): boolean {
    return trustedOf(this.#calls[call]!.label).kind === MAIN;
  }

  /** Whether the agent began with the same prompt. */
  #repeats(root: number): boolean {
    const { length } = this.#calls[root]!.prompt;
    return this.#begins.some(
      (begun) => this.#calls[begun]!.prompt.length === length && this.#extends(root, begun),
    );
  }

  #labelOfChild(call: number, parent: number): string {
    const agent = this.#agents[parent]!;
    const own = this.#own[parent]!;
    if (agent === FOREIGN || agent === SIDE) return SIDE;
    if (call === own) return this.#isAside(call, parent) ? SIDE : agent;
    if (own === null || !this.#isRejected(call, own)) return SIDE;
    this.#rejected.add(call);
    return agent;
  }

  /** A summary or a title that is asked after the history, without tools, and that nothing goes on from. */
  #isAside(call: number, parent: number): boolean {
    return (
      this.#calls[parent]!.hasTools && !this.#calls[call]!.hasTools && this.#children[call]!.length === 0
    );
  }

  /** Whether the agent asked again, as if the reply of `call` had not been given. */
  #isRejected(call: number, next: number): boolean {
    const isOver = this.#children[call]!.length === 0 && call < next;
    return isOver && this.#messages.replyOf(call) !== null && this.#extends(next, call);
  }

  /** The prompt of `next` begins with that of `call`. */
  #extends(next: number, call: number): boolean {
    const { prompt } = this.#calls[next]!;
    return this.#calls[call]!.prompt.every((message, at) => message === prompt[at]);
  }

  /**
   * Of several continuations the one that the agent went on from is its own: one with tools before one without, one that
   * shows what the tools answered before one that does not, and one that is continued before one that is not; then the one that
   * was continued last, and of several that nothing continues the last: commands run before the agent shows what they answered.
   */
  #continuationOf(call: number): number | null {
    const { hasTools, label } = this.#calls[call]!;
    const { agent } = trustedOf(label);
    const candidates = this.#children[call]!.filter((child) => {
      const { isForeign, label: own } = this.#calls[child]!;
      const who = trustedOf(own);
      return !isForeign && who.kind !== SIDE && (who.agent === null || who.agent === agent);
    });
    const rank = (child: number): number[] => {
      const { hasTools: has } = this.#calls[child]!;
      const goesOn = this.#children[child]!.length > 0;
      return [
        Number(this.#saysMain(child)),
        Number(has || !hasTools),
        Number(this.#answers(child, call)),
        Number(goesOn),
        this.#newest[child]!,
      ];
    };
    return candidates.map((child) => ({ child, rank: rank(child) })).sort(byRank)[0]?.child ?? null;
  }

  /** Whether the prompt of `child` shows an answer to each tool call of its parent's reply. */
  #answers(child: number, parent: number): boolean {
    const asked = this.#messages.replyOf(parent)?.tool_calls?.length ?? 0;
    const after = this.#calls[parent]!.prompt.length + 1;
    const shown = this.#calls[child]!.prompt.slice(after, after + asked);
    return shown.length === asked && shown.every((index) => this.#messages.message(index).role === 'tool');
  }

  /** The first root that may be the agent's; of an agent without tools the first that goes on, if any does. */
  #firstOfMain(): number | null {
    const roots = this.#calls.flatMap((one, call) => {
      const { kind, agent } = trustedOf(one.label);
      return one.parent === null && !one.isForeign && kind !== SIDE && agent === null ? [call] : [];
    });
    const withTools = roots.find((call) => this.#calls[call]!.hasTools);
    const goesOn = (call: number) => this.#children[call]!.length > 0;
    return withTools ?? roots.find(goesOn) ?? roots[0] ?? null;
  }

  /**
   * Whether the agent begins anew with this root, after it cut or summarised its history: with its tools and system message,
   * after the end of its line, and the line did end or the root says again what was said in it. A sub-agent's line begins while
   * the agent waits for it.
   */
  #beginsAnew(root: number, begun: number): boolean {
    const end = this.#endOf(begun);
    const [now, was] = [this.#calls[root]!, this.#calls[begun]!];
    if (end > root || now.tools !== was.tools || this.#systemOf(root) !== this.#systemOf(begun)) return false;
    const reply = this.#messages.replyOf(end);
    const isRejected = this.#isRejected(end, root);
    const isOver = (reply?.tool_calls ?? []).length === 0 || this.#children[end]!.length > 0;
    if (!isRejected && !isOver && !now.restates) return false;
    if (isRejected) this.#rejected.add(end);
    else if (this.#calls[end]!.parent !== null && isOver && this.#isSummarised(root, reply))
      this.#agents[end] = SIDE;
    return true;
  }

  #endOf(begun: number): number {
    for (let call = begun; ; ) {
      const next = this.#own[call]!;
      if (next === null) return call;
      call = next;
    }
  }

  #systemOf(call: number): number | null {
    const first = this.#calls[call]!.prompt[0];
    return first !== undefined && this.#messages.message(first).role === 'system' ? first : null;
  }

  /** Whether the prompt of `root` holds a long line of the reply: the reply is the summary that it begins with. */
  #isSummarised(root: number, reply: TrajectoryMessage | null): boolean {
    const lines = (reply?.content ?? '').split('\n').map((line) => line.trim());
    const long = lines.filter((line) => line.length >= MIN_CHARACTERS);
    return this.#calls[root]!.prompt.some((index) => {
      const { role, content } = this.#messages.message(index);
      return role === 'user' && long.some((line) => content.includes(line));
    });
  }
}

interface Ranked {
  child: number;
  rank: number[];
}

function byRank(left: Ranked, right: Ranked): number {
  const at = left.rank.findIndex((one, place) => one !== right.rank[place]);
  return at === -1 ? 0 : right.rank[at]! - left.rank[at]!;
}

/** What the request's headers say of its caller, where they are trusted; else nothing. */
function trustedOf(label: CallLabel): CallLabel {
  return label.isTrusted === true ? saidBy(label) : { agent: null, kind: null };
}

/** Names that mean something else here name no sub-agent. */
function saidBy({ agent, kind }: CallLabel): CallLabel {
  if (agent === MAIN) return { agent: null, kind: kind ?? MAIN };
  if (agent === SIDE || agent === FOREIGN) return { agent: null, kind: SIDE };
  return { agent: agent === null || agent === '' ? null : agent.slice(0, LONGEST_NAME), kind };
}
