/**
 * A dialect of the local index: one registry’s protocol, such as npm’s or that of Go’s module proxies. Each is a folder of this one and a
 * line of registry.ts.
 *
 * A builder asks `BuildIndex.registry(NAME, network, asOf)`, and gets the address below which the dialect answers, and the variables
 * and files by which its clients use that address. `BuildIndex.missing` then names what was asked for and was not there, and
 * `BuildIndex.notes` where the registry of that day is not quite what it was.
 */
import type { Result } from '../../basics/result.ts';
import type { ClientSettings } from '../../contract/build-index.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Answer, Connection } from './answer.ts';
import type { Documents } from './documents.ts';
import type { Files } from './files.ts';

export interface Dialect {
  /** In addresses, and what callers say. */
  name: string;
  /** What its clients are told to use the registry at `url`, which has no slash at its end. */
  client(url: string): ClientSettings;
  /** Settings, proxies and certificates of this machine’s own client. Nothing is connected before the first request. */
  open(env: NodeJS.ProcessEnv, shared: SharedParts): OpenDialect;
}

/** What fetches and keeps for all dialects. */
export interface SharedParts {
  documents(connection: Connection): Documents;
  files(connection: Connection): Files;
  reports: Reporter;
}

export interface OpenDialect {
  /** Answers a GET or HEAD. */
  serve(request: IndexRequest): Promise<Answer>;
  /** Versions that there were of a package at `asOf` (null: that there are); none for a package that is not there. */
  versions(name: string, asOf: string | null): Promise<Result<string[], Infra>>;
}

export interface IndexRequest {
  /** Below the dialect’s address, decoded, without a slash at its beginning and without a query. */
  path: string;
  /** The day or moment whose registry is seen; null: today’s. */
  asOf: string | null;
  /** The same in milliseconds: what came then or later is not seen. */
  moment: number | null;
  /** The dialect’s address as the client names it, without a slash at the end. */
  base: string;
  accept: string;
}

/** Takes what a request showed and builds report, by name and moment. */
export interface Reporter {
  /** Where what is shown of a package is not what was there; null: it is. */
  note(name: string, asOf: string | null, text: string | null): void;
  /** `version` null: the whole package. `why` is a sentence for people. */
  missing(name: string, version: string | null, asOf: string | null, why: string): void;
}
