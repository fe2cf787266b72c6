/** The interface to a configured model: its settings, its endpoint, and ways to ask it. */
import type { Result } from '../../basics/result.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Policy } from '../policy.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelSettings } from './request.ts';
import type { HttpResponse } from './transport.ts';

export interface PolicyOptions {
  /** Most tokens of a reply, when that is less than the model's max_tokens. */
  maxTokens?: number;
  /** Gets a line for each failure after which the request is repeated. */
  log?: (text: string) => void;
  /** The weights change on purpose, as in training. Absent: other weights than at the start of the run are a fault. */
  weightsChange?: boolean;
}

export interface RouteCall {
  method: 'get' | 'post';
  /** A path below base_url, or a whole URL of its origin. */
  path: string;
  body?: Record<string, unknown>;
  signal: AbortSignal;
  /** Statuses after which the request is repeated; others are answers. */
  passing: (status: number) => boolean;
  /** Milliseconds for which it is repeated; absent: as long as chat requests. */
  span?: number;
  /** Gets the milliseconds that were spent on failed requests and pauses. */
  waited?: (ms: number) => void;
  /** Gets a line for each failure after which the request is repeated. */
  log?: (text: string) => void;
}

export interface ModelClient {
  readonly settings: ModelSettings;
  readonly endpoint: Endpoint;
  policy(options?: PolicyOptions): Policy;
  /** What the endpoint reports about itself and the model. Waits until it answers. It is asked once. */
  info(signal: AbortSignal, log?: (text: string) => void): Promise<Result<ModelInfo, Infra>>;
  /**
   * Asks the endpoint whether it still has the weights of the start of the run. Null: it says nothing else. Those who
   * wait together share a request, and it begins after each of them asked.
   */
  changedWeights(): Promise<Infra | null>;
  /** A request to another route than that of chat completions. */
  call(call: RouteCall): Promise<Result<WholeAnswer, Infra>>;
}

export type WholeAnswer = Exclude<HttpResponse, { kind: 'broken' }>;

export interface ModelInfo {
  /** The model's entry in the endpoint's list; null: there is no list, or the name is not in it. */
  entry: Record<string, unknown> | null;
  /** Context length of the model in tokens, as the endpoint or the project says; null: unknown. */
  context: number | null;
}
