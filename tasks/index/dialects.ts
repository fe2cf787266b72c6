/** The dialects at work: each is opened by its first request, and all of them share what fetches and keeps. */

import { fault, type Result } from '../../basics/result.ts';
import { decodedPart } from '../../basics/uri.ts';
import type { Registry } from '../../contract/build-index.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { httpClient } from '../source/http.ts';
import { type Answer, absent, type Connection, refused } from './answer.ts';
import { momentOf } from './as-of.ts';
import type { Dialect, OpenDialect, SharedParts } from './dialect.ts';
import { Documents } from './documents.ts';
import type { FileStore } from './file-store.ts';
import { Files } from './files.ts';
import { DIALECTS } from './registry.ts';
import { IndexReports } from './reports.ts';

export interface DialectsOptions {
  env: NodeJS.ProcessEnv;
  store: FileStore;
  /** See HttpOptions. */
  pause?: number;
  tries?: number;
  /** See DocumentsOptions and FilesOptions. */
  maxBytes?: number;
}

/** In addresses, for the registry of today. */
const EVER = 'now';

export class Dialects {
  readonly reports = new IndexReports();
  readonly #options: DialectsOptions;
  readonly #open = new Map<string, OpenDialect>();
  readonly #ended = new AbortController();

  constructor(options: DialectsOptions) {
    this.#options = options;
  }

  /** Where its clients find it below `origin`. Few of them send a credential of an address, so it is moved into the path. */
  registry(name: string, origin: string, asOf: string | null): Registry {
    const { protocol, host, password } = new URL(origin);
    const below = password === '' ? origin : `${protocol}//${host}/${password}`;
    const url = `${below}/${name}/${encodeURIComponent(asOf ?? EVER)}`;
    return { url, origin, ...dialectOf(name).client(url) };
  }

  /** See BuildIndex.versions. */
  async versions(dialect: string, name: string, asOf: string | null): Promise<Result<string[], Infra>> {
    if (asOf !== null && momentOf(asOf) === null)
      return fault(infra('package-index', `"${asOf}" is neither a day nor a moment`));
    return this.#opened(dialectOf(dialect)).versions(name, asOf);
  }

  /** What is answered below a dialect, and who is asked; null: the path is below none. `origin`: how the client names this server. */
  async serve(
    origin: string,
    path: string,
    accept = '',
  ): Promise<{ answer: Answer; speaker: string } | null> {
    const [, name = '', day = '', rest = ''] = /^\/([^/?#]+)\/([^/?#]+)(?:\/([^?#]*))?/.exec(path) ?? [];
    const dialect = DIALECTS.find((one) => one.name === name);
    if (dialect === undefined) return null;
    const speaker = `the ${name} registry`;
    const [asOf, below] = [decodedPart(day), decodedPart(rest)];
    const moment = asOf === null || asOf === EVER ? null : momentOf(asOf);
    if (asOf === null || below === null || (asOf !== EVER && moment === null))
      return { answer: refused(absent('no such path')), speaker };
    const answer = await this.#opened(dialect).serve({
      path: below,
      asOf: asOf === EVER ? null : asOf,
      moment,
      base: `${origin}/${name}/${day}`,
      accept,
    });
    return { answer, speaker };
  }

  close(): void {
    this.#ended.abort();
  }

  #opened(dialect: Dialect): OpenDialect {
    let open = this.#open.get(dialect.name);
    if (open === undefined) {
      open = dialect.open(this.#options.env, this.#sharedParts(dialect.name));
      this.#open.set(dialect.name, open);
    }
    return open;
  }

  #sharedParts(dialect: string): SharedParts {
    const { env: _, store, ...options } = this.#options;
    const { signal } = this.#ended;
    const common = (connection: Connection) => ({
      ...options,
      http: httpClient({ ...connection, ...options }),
      connection,
      signal,
    });
    return {
      documents: (connection) => new Documents(common(connection)),
      files: (connection) => new Files({ ...common(connection), store }),
      reports: this.reports.of(dialect),
    };
  }
}

function dialectOf(name: string): Dialect {
  const found = DIALECTS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the index has no dialect ${name}`);
  return found;
}
