/** How registries are reached, and what becomes of their answers. */

/** How a registry is reached. */
export interface Connection {
  /** Variables with its proxies. */
  env: NodeJS.ProcessEnv;
  /** Files with certificates to trust besides Node’s own. */
  certificates: string[];
  /** Seconds without an answer after which a request is given up. */
  timeout: number;
  /** Headers that an address is asked with, such as credentials. Absent: none. */
  headersOf?(url: string): Record<string, string>;
}

export type Answer =
  | { kind: 'body'; type: string; body: string | Buffer; isNew: boolean }
  | { kind: 'file'; type: string; path: string; isNew: boolean }
  | ({ kind: 'refused' } & Refusal);

/** What a client is answered that is no document or file. */
export interface Refusal {
  status: number;
  detail: string;
  /**
   * true: the registry could not be asked, or refused, or did not answer as one; false: it has nothing of this name. A build
   * that met a fault has no answer.
   */
  isFault: boolean;
  /** The registry answers with success, and with something that is none of its documents. */
  isOfIndex?: boolean;
  /** The network was used to know it. Absent: it was not. */
  isNew?: boolean;
}

/** A value, and whether the network was used to have it. */
export interface Fetched<T> {
  value: T;
  isNew: boolean;
}

export function absent(detail: string): Refusal {
  return { status: 404, detail, isFault: false };
}

/** The machine's settings name no registry that could be asked. */
export function unasked(detail: string): Refusal {
  return { status: 502, detail, isFault: true };
}

export function unlikeRegistry(detail: string): Refusal {
  return { status: 502, detail, isFault: true, isOfIndex: true };
}

export function refused(refusal: Refusal): Answer {
  return { kind: 'refused', ...refusal };
}

/** A file of the store. */
export function fileAnswer({ value, isNew }: Fetched<string>): Answer {
  return { kind: 'file', type: 'application/octet-stream', path: value, isNew };
}

export function jsonAnswer({ value, isNew }: Fetched<unknown>): Answer {
  return { kind: 'body', type: 'application/json', body: JSON.stringify(value), isNew };
}
