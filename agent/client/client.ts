/** A configured model as its users see it: settings, endpoint, and ways to ask. */
import type { Result } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Policy } from '../policy.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelSettings } from './request.ts';
import type { HttpResponse } from './transport.ts';

export interface PolicyOptions {
  /** Most tokens of a reply, when that is less than the model's max_tokens. */
  maxTokens?: number;
  /** Gets a line for each fault that is waited out. */
  log?: (text: string) => void;
}

export interface RouteCall {
  method: 'get' | 'post';
  /** After base_url, or a whole address. */
  path: string;
  body?: Record<string, unknown>;
  signal: AbortSignal;
  /** Statuses that are waited out; others are answers. */
  passing: (status: number) => boolean;
  /** Milliseconds for which it is tried again; absent: as chat requests are. */
  span?: number;
  /** Gets the milliseconds that were not the last request's. */
  waited?: (ms: number) => void;
  /** Told of each failure that is waited out. */
  log?: (text: string) => void;
}

export interface ModelClient {
  readonly settings: ModelSettings;
  readonly endpoint: Endpoint;
  policy(options?: PolicyOptions): Policy;
  /** What the endpoint says of itself and the model; waits until it answers. Asked once. */
  info(signal: AbortSignal, log?: (text: string) => void): Promise<Result<ModelInfo, Infra>>;
  /** A request to a route beside the chat's. */
  call(call: RouteCall): Promise<Result<WholeAnswer, Infra>>;
}

export type WholeAnswer = Exclude<HttpResponse, { kind: 'broken' }>;

export interface ModelInfo {
  /** The model's entry in the endpoint's list; null: there is no list, or the name is not in it. */
  entry: Record<string, unknown> | null;
  /** Tokens that the model takes in all, as the endpoint reports or the project says; null: unknown. */
  context: number | null;
}
