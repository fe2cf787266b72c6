/**
 * A dialect is the form in which an agent asks a model over HTTP, as a vendor defined it: how its requests are read
 * as messages and tools, and how a reply is written, whole or as server-sent events. Pure functions: no network, no
 * state.
 */

import type { Json } from '../../basics/canonical.ts';
import type { Result } from '../../basics/result.ts';
import type { ChatMessage, Reply, ToolDefinition } from '../policy.ts';
import type { CallLabel } from '../tree/canonical.ts';

/** The headers of a request. `Headers` of the web fits. */
export interface RequestHeaders {
  get(name: string): string | null;
}

/** What a request asks for. `stream` and `model` where the path says so; null: the body says it. */
export type Route =
  | { action: 'generate' | 'count'; stream: boolean | null; model: string | null }
  | { action: 'models' };

/** The session and the agent that send a request, by its headers or metadata; null: not known. side: such as a title or a summary. */
export interface Label extends CallLabel {
  session: string | null;
}

/** How the calls of a tool are written, where the dialect has other forms than a function's. */
export interface CallForm {
  form: 'function' | 'free-text' | 'local-shell';
  namespace: string | null;
  /** Within its namespace. */
  name: string;
}

export interface DialectRequest {
  /** As they are rendered: a system message is the first one, or there is none. */
  messages: ChatMessage[];
  tools: ToolDefinition[];
  stream: boolean;
  /** What the request says beside messages and tools. It is kept for the record, and never passed on. */
  sent: Record<string, unknown>;
  label: Label;
  /** Sentences on what no template can render, and what became of it. */
  leftOut: string[];
  /** By the name of a tool in `tools`; absent: a function of this name. */
  callForms: ReadonlyMap<string, CallForm>;
}

/** What an answer says about itself. */
export interface AnswerIds {
  /** Letters, digits, `_` and `-`; unlike that of every other answer of the session. */
  id: string;
  /** The model's name as the agent knows it. */
  model: string;
  /** Seconds since 1970. */
  created: number;
}

/** Why there is no answer. `limit`: the rollout reached one. `context`: the prompt is longer than the model's context. */
export type ErrorCode = 'invalid' | 'limit' | 'context' | 'auth' | 'not-found' | 'internal' | 'too-large';

interface DialectError {
  /** One that the official clients do not retry. */
  status: number;
  body: Json;
  /** The same within a stream that has begun, complete with its blank line. */
  event: string;
}

/** What is written of a reply. */
export type Written = Pick<
  Reply,
  'content' | 'reasoning' | 'toolCalls' | 'truncated' | 'promptTokens' | 'completionTokens'
>;

export interface Dialect {
  name: string;
  /** null: the request is of no route of this dialect. */
  route(method: string, path: string, query: URLSearchParams, headers: RequestHeaders): Route | null;
  /** Never throws. The fault names the field that is wrong. */
  read(body: unknown, headers: RequestHeaders, route: Route): Result<DialectRequest, string>;
  write(reply: Written, request: DialectRequest, ids: AnswerIds): Json;
  /** The same as server-sent events, each complete with its blank line, in the order that the official clients expect. */
  stream(reply: Written, request: DialectRequest, ids: AnswerIds): string[];
  /** An event that clients ignore, for the time before the answer. */
  keepAlive: string;
  error(code: ErrorCode, message: string): DialectError;
  /** The answer to a count of a prompt's tokens. Dialects without such a route have one too. */
  count(tokens: number): Json;
  /** `context`: tokens of prompt and reply together; null: unknown. */
  models(name: string, context: number | null): Json;
}
