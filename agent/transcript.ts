/** The record of a rollout: messages, calls and steps as they come, and the sums that limits are compared with. */
import { isDeepStrictEqual } from 'node:util';
import type {
  CallTokens,
  ModelCall,
  PromptPart,
  StepReward,
  TrajectoryAction,
  TrajectoryMessage,
  TrajectoryObservation,
  TrajectoryStep,
} from '../schemas/trajectory.ts';
import { type Action, commandOf } from './actions/action.ts';
import { type CallBefore, completionTokensOf, type Reply } from './policy.ts';
import type { RolloutTimings } from './rollout.ts';
import { callBefore, StoredIds } from './tokens/store.ts';

export class Transcript {
  /** Only ever appended to: the context manager remembers counts by this list. */
  readonly messages: TrajectoryMessage[] = [];
  readonly calls: ModelCall[] = [];
  readonly steps: TrajectoryStep[] = [];
  readonly #ids = new StoredIds(this.calls);
  readonly timings: Pick<RolloutTimings, 'calls' | 'steps'> = { calls: [], steps: [] };
  /** Calls that were begun, also those without an answer. */
  begun = 0;
  /** US dollars. */
  cost = 0;
  /** Tokens of all replies. */
  written = 0;
  /** Replies in a row without a well-formed action, and how many of those were cut. */
  malformed = { inARow: 0, cut: 0 };

  /** Adds a message; its index. */
  add(message: TrajectoryMessage): number {
    return this.messages.push(message) - 1;
  }

  addReply(reply: Reply, kind: 'reply' | 'rejected' | 'summary'): number {
    return this.add({
      role: 'assistant',
      kind,
      content: reply.content,
      ...(reply.toolCalls.length === 0 ? {} : { tool_calls: reply.toolCalls }),
      ...(reply.reasoning === null ? {} : { reasoning: reply.reasoning }),
    });
  }

  /** Notes an answered call; `reply` is the index of its message. */
  addCall(prompt: PromptPart[], reply: Reply, index: number, tokens: CallTokens | null): void {
    this.cost += reply.cost ?? 0;
    this.written += completionTokensOf(reply) ?? 0;
    this.timings.calls.push({ ...reply.timing });
    this.calls.push({
      prompt,
      reply: index,
      finish_reason: reply.finishReason,
      truncated: reply.truncated,
      max_tokens: reply.maxTokens,
      prompt_tokens: reply.promptTokens ?? reply.tokens?.promptIds?.length ?? null,
      completion_tokens: completionTokensOf(reply),
      cost: reply.cost,
      tokens,
      ...(reply.malformed !== undefined && { malformed: reply.malformed }),
      ...(reply.tokenIn !== undefined && { token_in: reply.tokenIn }),
      ...(reply.fellBack !== undefined && { fell_back: reply.fellBack }),
    });
  }

  /** The newest call whose prompt and reply this prompt begins with; null: none. */
  continuedBy(prompt: readonly PromptPart[]): CallBefore | null {
    const call = this.calls.findLastIndex(
      ({ prompt: before, reply }) =>
        reply !== null &&
        prompt[before.length] === reply &&
        isDeepStrictEqual(before, prompt.slice(0, before.length)),
    );
    return call === -1 ? null : callBefore(this.calls, this.#ids, call, undefined);
  }

  /** Notes a call without a reply: its prompt did not fit, or a content filter stopped it. */
  addUnanswered(prompt: PromptPart[]): void {
    const unknown = { prompt_tokens: null, completion_tokens: null, cost: null, tokens: null };
    this.calls.push({
      prompt,
      reply: null,
      finish_reason: '',
      truncated: false,
      max_tokens: null,
      ...unknown,
    });
  }

  /** Notes a step of the newest call, and how long its commands took; its number. */
  addStep(actions: Action[], observations: TrajectoryObservation[], took: number): number {
    this.timings.steps.push(took);
    const call = this.calls.length - 1;
    return this.steps.push({ call, actions: actions.map(stored), observations, reward: null }) - 1;
  }

  /** How often in a row action `at` of the newest step was given, itself counted. */
  timesInARow(at: number): number {
    const given = this.steps.flatMap(({ actions }) => actions);
    const behind = this.steps.at(-1)!.actions.length - at - 1;
    const upTo = given.slice(0, given.length - behind).reverse();
    const other = upTo.findIndex(
      ({ tool, command }) => tool !== upTo[0]!.tool || command !== upTo[0]!.command,
    );
    return other === -1 ? upTo.length : other;
  }

  setReward(step: number, reward: StepReward | null): void {
    this.steps[step]!.reward = reward;
  }
}

function stored(action: Action): TrajectoryAction {
  const command = commandOf(action);
  return { tool: action.tool, command, ...(action.id === undefined ? {} : { tool_call_id: action.id }) };
}
