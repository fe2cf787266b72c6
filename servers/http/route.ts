/**
 * Each route has one description. Requests are checked by it, and the server's OpenAPI description is written from
 * it, so that the two cannot disagree.
 */
import type { Readable } from 'node:stream';
import type { Json } from '../../basics/canonical.ts';

/** A request whose body fits its schema. */
export interface Call {
  readonly body: Readonly<Record<string, unknown>>;
  /** Parts of the path that are named with a colon. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  header(name: string): string | null;
  /** The body of a route that takes bytes. */
  bytes(): Readable;
}

export type Answer =
  | { json: Readonly<Record<string, unknown>>; status?: number }
  | { text: string; type: string }
  | { stream: Readable; headers: Readonly<Record<string, string>> };

interface Described {
  /** `:name` stands for one part of it. */
  readonly path: string;
  readonly summary: string;
  /** `open`: on loopback it is answered without the token. It must not change anything, and must say nothing of tasks. */
  readonly access: 'token' | 'open';
  /** Error message when a required key is missing; absent: the schema's own. */
  readonly required?: string;
  /** JSON schema of the answer with status 200. */
  readonly answer: Json;
  run(call: Call): Promise<Answer>;
}

/** What a request brings: nothing, JSON that fits a schema, or bytes of a declared type. */
type Taken =
  | { readonly method: 'get' }
  | {
      readonly method: 'post';
      readonly body: Json;
      /** Bytes that a body may have. */
      readonly limit?: number;
    }
  | { readonly method: 'put'; readonly bytes: `${string}/${string}` };

export type Route = Described & Taken;

/** Values of `error_code` in the answer to a request that failed. */
export type RefusalCode =
  | 'bad_request'
  | 'unauthorized'
  | 'not_found'
  | 'foreign'
  | 'unsupported_type'
  | 'too_large'
  | 'too_slow'
  | 'unknown_lease'
  | 'unknown_container'
  | 'image_unavailable'
  | 'layers_missing'
  | 'unsuitable'
  | 'refused'
  | 'capacity_limited'
  | 'create_timeout'
  | 'lease_lost'
  | 'node_unreachable'
  | 'draining'
  | 'infra'
  | 'internal';

/** A refusal as an answer. It has no reward; `more` says that where a verdict was asked for. */
export function refusal(
  status: number,
  code: RefusalCode,
  error: string,
  more: Readonly<Record<string, unknown>> = {},
): Answer {
  const retryable = status === 503 || status === 504 || status === 429;
  return { status, json: { ok: false, error, error_code: code, retryable, ...more } };
}

/** Added to the answer when a fault occurred where a verdict was requested. */
export const NO_VERDICT = { outcome: 'infra', reward: null } as const;
