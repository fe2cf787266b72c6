/**
 * The journal of an open session: a line for each thing that happens, so that a server that was killed goes on where it was. Messages,
 * tools and ids that were written before are named, not written again.
 */

import type { DialectRequest, Label } from '../../agent/dialects/dialect.ts';
import type { Keeper, KeptEvent } from '../../agent/door/session.ts';
import type { ChatMessage, NoReply, Reply, ToolDefinition } from '../../agent/policy.ts';
import { storeTokens } from '../../agent/tokens/store.ts';
import type { CallHandle } from '../../agent/tree/tree.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { machineFault } from '../../basics/machine-fault.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { CallTokens, ExitStatus, StepReward } from '../../schemas/trajectory.ts';
import { LineFile } from './line-file.ts';

/** What a session is, from its beginning. */
export interface SessionAbout {
  id: string;
  /** Its own API key. */
  key: string;
  /** What it works on, as its caller names it; else its own name. */
  instance: string;
  sample: string;
  seed: number;
  /** Milliseconds since 1970. */
  begun: number;
  limits: { steps: number; cost: number; tokens?: number };
}

/** How it ended. */
export interface SessionEnded {
  exit_status: ExitStatus;
  detail: string;
  /** Given by its caller; null: its outcome was not judged. */
  reward: 0 | 1 | null;
  /** Given by its caller; empty: none. */
  patch: string;
  /** The machine or an endpoint is to blame, and not the agent; null: nothing is. */
  fault: Infra | null;
}

/** A reply that went out as a sample before the end of its session. */
export interface Judged {
  call: number;
  reward: StepReward | null;
}

type Line =
  | { about: SessionAbout }
  | {
      begun: number[];
      /** Those that are new. */
      messages: ChatMessage[];
      tools: number;
      /** Absent: a known list. */
      offered?: readonly ToolDefinition[];
      label: Label;
      sent: Record<string, unknown>;
    }
  | { answered: number; reply: Omit<Reply, 'tokens'>; tokens: CallTokens | null }
  | { unanswered: number; why: NoReply }
  | { delivered: number }
  | { judged: Judged }
  | { ended: SessionEnded };

export interface ReadJournal {
  journal: SessionJournal;
  about: SessionAbout;
  events: KeptEvent[];
  judged: Judged[];
  ended: SessionEnded | null;
}

export class SessionJournal implements Keeper {
  readonly #file: LineFile;
  readonly #vocabulary: Vocabulary;
  #problem: NodeJS.ErrnoException | null = null;
  #isClosed = false;

  private constructor(file: LineFile, vocabulary: Vocabulary) {
    this.#file = file;
    this.#vocabulary = vocabulary;
  }

  static begin(path: string, about: SessionAbout): SessionJournal {
    const journal = new SessionJournal(
      LineFile.open(path, () => undefined),
      new Vocabulary(),
    );
    journal.#add({ about });
    return journal;
  }

  /** What stands in a journal; null: nothing whole does. */
  static read(path: string): ReadJournal | null {
    const vocabulary = new Vocabulary();
    const events: KeptEvent[] = [];
    const judged: Judged[] = [];
    let about: SessionAbout | null = null;
    let ended: SessionEnded | null = null;
    const file = LineFile.open<Line>(path, (line) => {
      if ('about' in line) about = line.about;
      else if ('ended' in line) ended = line.ended;
      else if ('judged' in line) judged.push(line.judged);
      else if ('begun' in line) {
        const { begun, messages, tools, offered, label, sent } = line;
        vocabulary.learn(messages, offered);
        const request = { messages: vocabulary.messages(begun), tools: vocabulary.tools(tools), label, sent };
        events.push({ begun: request });
      } else if ('answered' in line) {
        const { answered, reply, tokens } = line;
        events.push({ answered, reply: { ...reply, tokens: vocabulary.whole(tokens) } });
      } else events.push(line);
    });
    if (about === null) {
      void file.close();
      return null;
    }
    return { journal: new SessionJournal(file, vocabulary), about, events, judged, ended };
  }

  begun(_: CallHandle, { messages, tools, label, sent }: DialectRequest): void {
    this.#add({ ...this.#vocabulary.named(messages, tools), label, sent });
  }

  async answered({ index }: CallHandle, { tokens, ...reply }: Reply): Promise<Infra | null> {
    this.#add({ answered: index, reply, tokens: this.#vocabulary.shortened(tokens) });
    return this.safe();
  }

  unanswered({ index }: CallHandle, why: NoReply): void {
    this.#add({ unanswered: index, why });
  }

  delivered({ index }: CallHandle): void {
    this.#add({ delivered: index });
  }

  judged(judged: Judged): void {
    this.#add({ judged });
  }

  ended(ended: SessionEnded): void {
    this.#add({ ended });
  }

  /** Resolves when all is on the disk; the fault says why it is not. */
  async safe(): Promise<Infra | null> {
    try {
      await this.#file.flush();
    } catch (error) {
      this.#problem ??= error as NodeJS.ErrnoException;
    }
    if (this.#problem === null) return null;
    const isFull = ['ENOSPC', 'EDQUOT'].includes(this.#problem.code ?? '');
    const why = machineFault(this.#problem) ?? this.#problem.message;
    return infra(isFull ? 'disk-full' : 'machine', `the session cannot be kept: ${why}`);
  }

  /** Nothing is kept from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#file.close();
  }

  /** After a line that the disk did not take no other is written: what is kept has no gap. */
  #add(line: Line): void {
    if (this.#problem !== null || this.#isClosed) return;
    try {
      this.#file.add(line);
    } catch (error) {
      this.#problem = error as NodeJS.ErrnoException;
    }
  }
}

/** What was written of a session, by its number. */
class Vocabulary {
  readonly #messages: ChatMessage[] = [];
  readonly #numbers = new Map<Digest, number>();
  readonly #lists: (readonly ToolDefinition[])[] = [];
  readonly #listNumbers = new Map<Digest, number>();
  /** Prompt and reply of the answer before. */
  #before: number[] | null = null;

  named(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]) {
    const before = this.#messages.length;
    const begun = messages.map((message) => this.#numberOf(message));
    const isKnown = this.#listNumbers.has(digestOf(JSON.stringify(tools)));
    return {
      begun,
      messages: this.#messages.slice(before),
      tools: this.#listOf(tools),
      ...(isKnown ? {} : { offered: tools }),
    };
  }

  learn(messages: readonly ChatMessage[], offered: readonly ToolDefinition[] | undefined): void {
    for (const message of messages) this.#numberOf(message);
    if (offered !== undefined) this.#listOf(offered);
  }

  messages(numbers: readonly number[]): ChatMessage[] {
    return numbers.map((number) => ({ ...this.#messages[number]! }));
  }

  tools(number: number): readonly ToolDefinition[] {
    return this.#lists[number]!;
  }

  shortened(tokens: Reply['tokens']): CallTokens | null {
    if (tokens === null) return null;
    const { stored, whole } = storeTokens(tokens, this.#before);
    this.#before = whole;
    return stored;
  }

  whole(tokens: CallTokens | null): Reply['tokens'] {
    if (tokens === null) return null;
    const { shared, prompt_ids, ids, logprobs } = tokens;
    const prompt = [...(this.#before ?? []).slice(0, shared), ...prompt_ids];
    this.#before = prompt.length === 0 ? null : [...prompt, ...ids];
    return { promptIds: prompt.length === 0 ? null : prompt, ids, logprobs };
  }

  #numberOf(message: ChatMessage): number {
    const digest = digestOf(JSON.stringify(message));
    const known = this.#numbers.get(digest);
    if (known !== undefined) return known;
    const number = this.#messages.push(message) - 1;
    this.#numbers.set(digest, number);
    return number;
  }

  #listOf(tools: readonly ToolDefinition[]): number {
    const digest = digestOf(JSON.stringify(tools));
    const known = this.#listNumbers.get(digest);
    if (known !== undefined) return known;
    const number = this.#lists.push(tools) - 1;
    this.#listNumbers.set(digest, number);
    return number;
  }
}
