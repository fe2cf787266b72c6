/**
 * A policy gives the replies of a rollout: a model behind an endpoint, or a script such as the oracle's. The loop
 * uses only this interface, so baselines take the same path as models.
 */

import type { Result } from '../basics/result.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { ToolCall } from '../schemas/trajectory.ts';

/** A message in the form that endpoints take. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** Of a reply: what the model thought, where the agent sends it back. */
  reasoning?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
}

/** A tool offered to the model, as an OpenAI function. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Record<string, unknown>;
}

export interface ReplyRequest {
  messages: readonly ChatMessage[];
  /** Empty: no tools are offered. */
  tools: readonly ToolDefinition[];
  seed: number;
  /** One name per rollout, so that routers send its requests to one server. */
  session: string;
  signal: AbortSignal;
  /** The call whose prompt and reply these messages begin with; null: there is none; absent: it is not known. */
  before?(): CallBefore | null;
}

/** A call that another one continues. */
export interface CallBefore {
  /** How many messages its prompt and its reply are. */
  messages: number;
  /** Of its prompt and its reply, which are left as they are; null: those of the prompt are not known. */
  ids: readonly number[] | null;
  /** How many of them are its prompt. */
  promptLength: number;
  /** Its prompt was sent as ids. */
  isTokenIn: boolean;
  /** It offered the same tools. */
  hasSameTools: boolean;
}

/** Token ids of one reply, where the endpoint gives them. */
export interface ReplyTokens {
  /** Ids of the whole prompt; null where only the reply's are given. */
  promptIds: number[] | null;
  ids: number[];
  logprobs: number[] | null;
}

export interface Reply {
  /** Text; empty when there is none. */
  content: string;
  reasoning: string | null;
  /** Every one with an id. */
  toolCalls: ToolCall[];
  /** How its text breaks the model's tool format, in a sentence; absent: it does not, or nothing looked. */
  malformed?: string;
  /** As the endpoint reports it. `truncated` says whether it means that the reply was cut. */
  finishReason: string;
  /** The reply was cut at its token limit. */
  truncated: boolean;
  /** The limit that was sent in place of the configured one, so that the prompt fits; null: the configured one. */
  maxTokens: number | null;
  promptTokens: number | null;
  completionTokens: number | null;
  /** US dollars; null without a price. */
  cost: number | null;
  tokens: ReplyTokens | null;
  /** Version of the weights that wrote it; absent: neither the endpoint nor the trainer names one. */
  weights?: string;
  /** Its prompt was sent as the ids of the call before and of the new messages. */
  tokenIn?: true;
  /** Why the endpoint rendered a prompt that continues a call, though the project wants ids to be sent. */
  fellBack?: string;
  timing: ReplyTiming;
}

/** Milliseconds. */
export interface ReplyTiming {
  /** Waiting for the limiter and for an endpoint that is down. No limit includes it. */
  waited: number;
  /** The request that succeeded. */
  took: number;
  /** Requests made, failed ones included. */
  attempts: number;
}

/** The prompt is longer than the model's context. This ends the rollout and is no fault. */
export interface ContextExceeded {
  status: 'context-exceeded';
  detail: string;
}

/**
 * The endpoint's content filter refused the prompt or its replies, also after sampling again. This ends the rollout
 * without a reward: neither the agent nor a machine is to blame.
 */
export interface ContentFiltered {
  status: 'content-filtered';
  detail: string;
}

/** Why a sound endpoint gives no reply. */
export type NoReply = ContextExceeded | ContentFiltered;

export interface Policy {
  /** Never throws because of an endpoint. When the signal is aborted, the fault is `cancelled`. */
  reply(request: ReplyRequest): Promise<Result<Reply, Infra | NoReply>>;
  /** Request parameters other than messages, for the trajectory. Without secrets. */
  parameters(): Record<string, unknown>;
  /** Optional parameters that the endpoint did not know. */
  dropped(): string[];
}

/** Tokens of a reply; null: the endpoint does not say. */
export function completionTokensOf({ completionTokens, tokens }: Reply): number | null {
  return completionTokens ?? tokens?.ids.length ?? null;
}

/** A model that is asked beside the one that works, and the names for its requests. */
export interface Asker {
  policy: Policy;
  /** The rollout's seed; each request has its own, counted on from here. */
  seed: number;
  /** One name per rollout. */
  session: string;
}

/** Seeds stay within 31 bits, which every server takes. */
const SEEDS = 2 ** 31;

/** The reply of such a model to the request of that number. */
export function askBeside(
  { policy, seed, session }: Asker,
  messages: readonly ChatMessage[],
  number: number,
  signal: AbortSignal,
): ReturnType<Policy['reply']> {
  return policy.reply({ messages, tools: [], seed: (seed + number) % SEEDS, session, signal });
}
