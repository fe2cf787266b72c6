/**
 * The calls of an agent that drives itself, as a tree: a call continues the one whose prompt and reply its own prompt
 * begins with. So sub-agents that work at the same time, histories that were cut or summarised, and calls beside the
 * work are distinguished, and each call keeps exactly what the model saw and wrote.
 */
import type { Digest } from '../../basics/digest.ts';
import type { ModelCall, OfferedTool, TrajectoryMessage, TrajectoryStep } from '../../schemas/trajectory.ts';
import {
  type CallBefore,
  completionTokensOf,
  type NoReply,
  type Reply,
  type ReplyTiming,
  type ToolDefinition,
} from '../policy.ts';
import { callBefore, StoredIds, storeTokens } from '../tokens/store.ts';
import { requestDigest, type TreeRequest } from './canonical.ts';
import { type Labelled, labelsOf } from './labels.ts';
import { type FoundPrompt, MessageTree } from './messages.ts';
import { stepsOf } from './steps.ts';

/** A request that was begun. */
export interface CallHandle {
  /** Index of the call in the record. */
  readonly index: number;
  /** As `requestDigest` gives it. */
  readonly digest: Digest;
  /** Null while it is open. Kept until it is delivered. */
  answer: Reply | NoReply | null;
  isDelivered: boolean;
}

/** What the record of a call holds beside the request and its reply. */
export interface CallRecord {
  /** What the agent asked beside messages and tools. */
  sent?: Record<string, unknown>;
}

/** The parts of a trajectory that a tree of calls makes. */
export interface TreeRecord {
  messages: TrajectoryMessage[];
  calls: ModelCall[];
  tools: OfferedTool[][];
  /** A step for each answered call. */
  steps: TrajectoryStep[];
  /** By call; zeros for one without a reply. */
  timings: ReplyTiming[];
}

interface OpenCall extends Labelled {
  handle: CallHandle;
  found: FoundPrompt;
}

export class CallTree {
  readonly #tree = new MessageTree();
  readonly #open: OpenCall[] = [];
  readonly #calls: ModelCall[] = [];
  readonly #timings: ReplyTiming[] = [];
  readonly #ids = new StoredIds(this.#calls);
  readonly #tools: OfferedTool[][] = [];
  /** By digest: the newest call whose answer may still be asked for. */
  readonly #waiting = new Map<Digest, CallHandle>();
  readonly #toolLists = new Map<string, number>();
  /** US dollars of all replies. */
  cost = 0;
  /** Characters of what calls sent beside messages, and of tools. */
  #beside = 0;

  /** How many calls were begun. */
  get size(): number {
    return this.#calls.length;
  }

  /** Characters that are kept of all requests and replies. */
  get kept(): number {
    return this.#tree.characters + this.#beside;
  }

  /**
   * The call of the same request that is open, or whose answer was not delivered; null: it is a new one. An agent that
   * lost its connection asks the same again, and gets the answer that there is.
   */
  find(digest: Digest): CallHandle | null {
    return this.#waiting.get(digest) ?? null;
  }

  /** Notes a request that goes to the model. Its place in the tree is fixed now. */
  begin(request: TreeRequest, { sent }: CallRecord = {}): CallHandle {
    const found = this.#tree.find(request.messages);
    const { prompt, parent } = found;
    const tools = this.#listOf(request.tools);
    const handle: CallHandle = {
      index: this.#calls.length,
      digest: requestDigest(request),
      answer: null,
      isDelivered: false,
    };
    if (sent !== undefined) this.#beside += JSON.stringify(sent).length;
    this.#calls.push({ ...UNANSWERED, prompt, parent, tools, ...(sent !== undefined && { sent }) });
    this.#timings.push({ waited: 0, took: 0, attempts: 0 });
    const { isForeign, restates } = found;
    const hasTools = request.tools.length > 0;
    this.#open.push({
      handle,
      found,
      prompt,
      parent,
      tools,
      hasTools,
      isForeign,
      restates,
      label: request.label,
    });
    this.#waiting.set(handle.digest, handle);
    return handle;
  }

  /** The call that this one continues; null: none. */
  before({ index }: CallHandle): CallBefore | null {
    const { parent, tools } = this.#open[index]!;
    return parent === null ? null : callBefore(this.#calls, this.#ids, parent, tools);
  }

  /** Notes the reply of a call. */
  answer(handle: CallHandle, reply: Reply): void {
    const { weights, malformed, tokenIn, fellBack } = reply;
    const { found } = this.#take(handle, reply);
    const { index } = handle;
    const before = found.parent === null ? null : this.#ids.whole(found.parent);
    this.cost += reply.cost ?? 0;
    this.#timings[index] = { ...reply.timing };
    Object.assign(this.#calls[index]!, {
      reply: this.#tree.addReply(index, found, reply),
      finish_reason: reply.finishReason,
      truncated: reply.truncated,
      max_tokens: reply.maxTokens,
      prompt_tokens: reply.promptTokens ?? reply.tokens?.promptIds?.length ?? null,
      completion_tokens: completionTokensOf(reply),
      cost: reply.cost,
      tokens: reply.tokens === null ? null : storeTokens(reply.tokens, before).stored,
      ...(weights !== undefined && { weights }),
      ...(malformed !== undefined && { malformed }),
      ...(tokenIn !== undefined && { token_in: tokenIn }),
      ...(fellBack !== undefined && { fell_back: fellBack }),
    } satisfies Partial<ModelCall>);
  }

  /** Notes that a call gets no reply: its prompt did not fit, or a content filter stopped it. */
  unanswered(handle: CallHandle, why: NoReply): void {
    this.#take(handle, why);
  }

  /** Notes that the agent has the answer. The same request is a new call from now on. */
  delivered(handle: CallHandle): void {
    handle.isDelivered = true;
    handle.answer = null;
    if (this.#waiting.get(handle.digest) === handle) this.#waiting.delete(handle.digest);
  }

  /** Forgets that a call waits for its answer: a fault ended it, and nothing will come. */
  abandon(handle: CallHandle): void {
    if (this.#waiting.get(handle.digest) === handle) this.#waiting.delete(handle.digest);
  }

  /** All that happened so far. The whole of it decides which part of the agent asked. */
  record(): TreeRecord {
    const { agents, rejected } = labelsOf(this.#open, {
      message: (index) => this.#tree.messages[index]!,
      replyOf: (call) => this.#replyOf(call),
    });
    const calls = this.#calls.map((call, index): ModelCall => ({ ...call, agent: agents[index]! }));
    const messages = [...this.#tree.messages];
    for (const call of rejected) {
      const reply = calls[call]!.reply!;
      messages[reply] = { ...messages[reply]!, kind: 'rejected' };
    }
    return {
      messages,
      calls,
      tools: this.#tools,
      steps: stepsOf(messages, calls),
      timings: this.#timings.map((timing) => ({ ...timing })),
    };
  }

  #replyOf(call: number): TrajectoryMessage | null {
    const { reply } = this.#calls[call]!;
    return reply === null ? null : this.#tree.messages[reply]!;
  }

  /** @throws for a call that has its answer: a reply must never be noted twice. */
  #take(handle: CallHandle, answer: Reply | NoReply): OpenCall {
    const open = this.#open[handle.index];
    if (open?.handle !== handle) throw new Error(`call ${handle.index} is of another tree`);
    if (handle.answer !== null || handle.isDelivered)
      throw new Error(`call ${handle.index} was answered before`);
    handle.answer = answer;
    return open;
  }

  #listOf(tools: readonly ToolDefinition[]): number {
    const text = JSON.stringify(tools);
    const known = this.#toolLists.get(text);
    if (known !== undefined) return known;
    this.#beside += text.length;
    const index =
      this.#tools.push(
        tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      ) - 1;
    this.#toolLists.set(text, index);
    return index;
  }
}

const UNANSWERED: Omit<ModelCall, 'prompt'> = {
  reply: null,
  finish_reason: '',
  truncated: false,
  max_tokens: null,
  prompt_tokens: null,
  completion_tokens: null,
  cost: null,
  tokens: null,
};
