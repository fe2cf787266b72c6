/**
 * Agents as the door meets them, played from a seed: they fork, compact, ask beside their work, let sub-agents work at the
 * same time, lose connections, and send back what they were answered in their own way. Who asks is known, and is what the
 * tree should find.
 */
import { nextPrompt } from '../../../agent/client/token-in.ts';
import type { ChatMessage, Reply, ToolDefinition } from '../../../agent/policy.ts';
import type { CallLabel } from '../../../agent/tree/canonical.ts';
import { requestDigest } from '../../../agent/tree/canonical.ts';
import { type CallHandle, CallTree } from '../../../agent/tree/tree.ts';
import { Engine, type Random, seeded } from './engine.ts';

export const tool = (name: string): ToolDefinition => ({
  name,
  description: `${name} it`,
  parameters: { type: 'object', properties: {} },
});

/** Whether its model thinks, and what an agent does to a reply when it sends it back. */
interface Manner {
  keepsThoughts: boolean;
  rewritesArguments: boolean;
  renamesIds: boolean;
  thinks: boolean;
}

type Who = 'main' | 'sub' | 'beside';

export interface Played {
  tree: CallTree;
  engine: Engine;
  /** By call: who asked. */
  who: Who[];
  /** By call: the messages that were sent. */
  requests: ChatMessage[][];
  kinds: Set<string>;
  manner: Manner;
}

/** A line of work: what one agent would send next. */
interface Line {
  who: Who;
  tools: ToolDefinition[];
  label: CallLabel;
  history: ChatMessage[];
}

const NOBODY: CallLabel = { agent: null, kind: null };

export class Player implements Played {
  readonly tree = new CallTree();
  readonly engine: Engine;
  readonly who: Who[] = [];
  readonly requests: ChatMessage[][] = [];
  readonly kinds = new Set<string>();
  readonly manner: Manner;
  readonly #random: Random;
  readonly #render: 'chat' | 'exact';
  #words = 0;

  /** `render`: as model.render has it. */
  constructor(seed: number, render: 'chat' | 'exact' = 'chat') {
    this.#render = render;
    this.#random = seeded(seed);
    this.engine = new Engine(this.#random, this.#chance(0.8), this.#chance(0.6) ? 0 : 0.4);
    this.manner = {
      keepsThoughts: this.#chance(0.5),
      rewritesArguments: this.#chance(0.3),
      renamesIds: this.#chance(0.2),
      thinks: this.#chance(0.3),
    };
  }

  /** A whole rollout; its agent goes on to the end, whatever happens beside it. */
  play(): Played {
    let main = this.#line('main', [tool('bash'), tool('edit')]);
    this.#step(main);
    for (let turn = Math.floor(this.#random() * 8); turn >= 0; turn--) {
      const chosen = this.#random();
      if (chosen < 0.12) this.#forked(main);
      else if (chosen < 0.24) main = this.#compacted(main);
      else if (chosen < 0.36) this.#withSubAgents(main);
      else if (chosen < 0.46) this.#titled();
      else if (chosen < 0.58) this.#continuedByCommand(main);
      else if (chosen < 0.68) this.#replayed(main);
      else if (chosen < 0.78) this.#lost(main);
      this.#step(main);
    }
    this.#step(main);
    return this;
  }

  /** Calls that only follow one another, sent back as they were. */
  playLine(length: number): Played {
    const main = this.#line('main', [tool('bash')]);
    for (let turn = 0; turn < length; turn++) this.#step(main);
    return this;
  }

  #line(who: Who, tools: ToolDefinition[], label = NOBODY): Line {
    const history: ChatMessage[] = [
      { role: 'system', content: `system of ${who}` },
      { role: 'user', content: this.#text() },
    ];
    return { who, tools, label, history };
  }

  /** Asks, and adds the reply and what its tools said. */
  #step(line: Line): void {
    const reply = this.#ask(line);
    line.history.push(this.#sentBack(reply));
    this.#addAnswers(line);
  }

  #addAnswers(line: Line): void {
    for (const { id } of line.history.at(-1)!.tool_calls ?? [])
      line.history.push({ role: 'tool', content: this.#text(), tool_call_id: id });
  }

  #ask(line: Line, isDelivered = true): Reply {
    const messages = structuredClone(line.history);
    const request = { messages, tools: line.tools, label: line.label };
    const handle = this.tree.begin(request);
    this.who.push(line.who);
    this.requests.push(messages);
    const reply = this.#reply(handle, messages, line.tools);
    this.tree.answer(handle, reply);
    if (isDelivered) this.tree.delivered(handle);
    return reply;
  }

  #reply(handle: CallHandle, messages: ChatMessage[], tools: ToolDefinition[]): Reply {
    const said = this.#said(tools);
    const before = this.#render === 'exact' ? this.tree.before(handle) : null;
    if (before === null) return this.engine.reply(messages, tools, said);
    const next = nextPrompt({ messages, tools }, before, this.engine.tokenizer(), undefined);
    if ('ids' in next) return { ...this.engine.replyTo(next.ids, said), tokenIn: true };
    return { ...this.engine.reply(messages, tools, said), fellBack: next.why };
  }

  #said(tools: readonly ToolDefinition[]): Pick<Reply, 'content' | 'reasoning' | 'toolCalls'> {
    const call = { id: `call-${this.#words}`, name: 'bash', arguments: `{"command":  "${this.#text()}"}` };
    return {
      content: this.#text(),
      reasoning: this.manner.thinks && this.#chance(0.6) ? this.#text() : null,
      toolCalls: tools.length === 0 ? [] : [call],
    };
  }

  #sentBack({ content, reasoning, toolCalls }: Reply): ChatMessage {
    const { keepsThoughts, rewritesArguments, renamesIds } = this.manner;
    const calls = toolCalls.map((call) => ({
      ...call,
      id: renamesIds ? `own-${call.id}` : call.id,
      arguments: rewritesArguments ? JSON.stringify(JSON.parse(call.arguments)) : call.arguments,
    }));
    return {
      role: 'assistant',
      content,
      ...(keepsThoughts && reasoning !== null ? { reasoning } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
  }

  /** Goes back some turns and does them another way. */
  #forked(main: Line): void {
    this.kinds.add('forked');
    const answered = main.history.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []));
    const at = answered[Math.floor(this.#random() * answered.length)]!;
    for (let call = 0; call < this.who.length; call++)
      // What is left behind may count as work beside the agent's.
      if (this.who[call] === 'main' && this.requests[call]!.length > at) this.who[call] = 'sub';
    main.history.length = at + 1;
    this.#addAnswers(main);
    this.#step(main);
  }

  #compacted(main: Line): Line {
    this.kinds.add('compacted');
    const summarised = this.#chance(0.5);
    const [system, task] = main.history as [ChatMessage, ChatMessage];
    if (!summarised) {
      const kept = main.history.slice(main.history.findLastIndex(({ role }) => role === 'assistant'));
      return { ...main, history: [system, task, { role: 'user', content: '[cut]' }, ...kept] };
    }
    const asking = [...main.history, { role: 'user' as const, content: 'Summarise.' }];
    const { content } = this.#ask({ ...main, who: 'beside', tools: [], history: asking });
    const summary = { role: 'user' as const, content: `${this.#text()} Summary: ${content}` };
    return { ...main, history: [system, summary] };
  }

  /** Two at once, whose calls come between each other, while the agent waits. */
  #withSubAgents(_main: Line): void {
    this.kinds.add('parallel');
    const isNamed = this.#chance(0.5);
    const lines = [0, 1].map((number) => {
      const label = isNamed ? { agent: `helper-${this.#words}-${number}`, kind: null } : NOBODY;
      return this.#line('sub', [tool('bash')], label);
    });
    for (let turn = 0; turn < 4; turn++) this.#step(lines[this.#chance(0.5) ? 0 : 1]!);
  }

  #titled(): void {
    this.kinds.add('titled');
    this.#ask(this.#line('beside', []));
  }

  /** A command of the agent has its key, and goes on from the history with words of its own. */
  #continuedByCommand(main: Line): void {
    this.kinds.add('continued');
    const own = { role: 'user' as const, content: this.#text() };
    const end = main.history.findLastIndex(({ role }) => role === 'assistant') + 1;
    const history = [...main.history.slice(0, end), own];
    const line = { ...main, who: 'beside' as const, history, label: this.#forged() };
    this.#step(line);
    if (this.#chance(0.5)) this.#step(line);
  }

  /** A command of the agent sends what the agent sent before. */
  #replayed(main: Line): void {
    this.kinds.add('replayed');
    const end = main.history.findLastIndex(({ role }) => role === 'assistant');
    this.#ask({ ...main, who: 'beside', history: main.history.slice(0, end), label: this.#forged() });
  }

  /** What a command says of itself. */
  #forged(): CallLabel {
    const agent = this.#chance(0.3) ? 'forged' : null;
    return { agent, kind: ([null, 'main', 'side'] as const)[Math.floor(this.#random() * 3)]! };
  }

  /** The connection is lost before the answer comes, and the agent asks the same again. */
  #lost(main: Line): void {
    this.kinds.add('lost');
    const reply = this.#ask(main, false);
    const messages = structuredClone(main.history);
    const handle = this.tree.find(requestDigest({ messages, tools: main.tools, label: main.label }));
    if (handle === null || handle.answer !== reply) throw new Error('the reply that was lost is not found');
    this.tree.delivered(handle);
    main.history.push(this.#sentBack(reply));
    this.#addAnswers(main);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #text(): string {
    const length = 1 + Math.floor(this.#random() * 9);
    const letters = Array.from({ length }, () => String.fromCharCode(97 + Math.floor(this.#random() * 26)));
    this.#words += 1;
    return `${letters.join('')}${this.#words}`;
  }
}
