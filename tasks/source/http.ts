/**
 * HTTP as sources need it: the proxy and certificates that the environment names, tries with growing pauses on
 * faults that may pass, and answers as values. Bodies are handed to the caller inside a try, so a connection
 * that breaks in the middle of a download is tried again too.
 */

import type { Dispatcher, Response } from 'undici';
import { fault, type Result } from '../../basics/result.ts';
import { sleepUnless } from '../../basics/sleep.ts';
import { decodedLogin } from '../../basics/uri.ts';
import { infra } from '../../schemas/outcome.ts';
import { errorCode, notFound, type SourceFault, withoutCredentials } from './fault.ts';
import { type ConnectionOptions, connections } from './proxy.ts';

export interface HttpOptions extends ConnectionOptions {
  /** First pause in milliseconds; doubles each time. Default 300. */
  pause?: number;
  /** Default 5. */
  tries?: number;
}

export interface GetOptions {
  /** HEAD asks for the headers alone. */
  method?: 'GET' | 'HEAD';
  accept?: string;
  signal?: AbortSignal | undefined;
  /** Further headers, asked for at each try; a redirect to another host drops `authorization`. */
  headers?: () => Record<string, string>;
  /** What a refusal means to the caller; null for the usual meaning. */
  refusal?: (response: Response) => SourceFault | null;
  /** Hands redirects to `use` instead of following them. */
  keepRedirects?: boolean;
}

export interface Http {
  /**
   * GETs `url`, follows redirects and gives the successful response to `use`. 404 and 410 are `invalid-row`.
   * `use` may return a fault, and may run more than once.
   */
  get<T>(
    url: string,
    options: GetOptions,
    use: (response: Response) => Promise<Result<T, SourceFault>>,
  ): Promise<Result<T, SourceFault>>;
}

type Attempt<T> = { result: Result<T, SourceFault>; again: boolean; after?: number };

/** Makes the client; connections are opened at the first request. */
export function httpClient(options: HttpOptions): Http {
  let dispatcher: Promise<Dispatcher> | undefined;
  const tries = options.tries ?? 5;
  return {
    async get(url, asked, use) {
      dispatcher ??= connections(options);
      const { accept, signal } = asked;
      const headers = { ...authorization(url), 'user-agent': 'swemake', ...(accept ? { accept } : {}) };
      for (let count = 1; ; count++) {
        const attempt = await tryOnce(bareUrl(url), headers, await dispatcher, asked, use);
        if (!attempt.again || count === tries) return attempt.result;
        const pause = Math.max(attempt.after ?? 0, (options.pause ?? 300) * 2 ** (count - 1));
        await sleepUnless(pause, signal);
      }
    },
  };
}

async function tryOnce<T>(
  url: string,
  headers: Record<string, string>,
  dispatcher: Dispatcher,
  { method = 'GET', signal, headers: further, refusal, keepRedirects }: GetOptions,
  use: (response: Response) => Promise<Result<T, SourceFault>>,
): Promise<Attempt<T>> {
  const shown = withoutCredentials(url);
  try {
    signal?.throwIfAborted();
    const { fetch } = await import('undici');
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...further?.() },
      dispatcher,
      ...(keepRedirects ? { redirect: 'manual' } : {}),
      // One that is dropped with its request: fetch leaves its listener on it, and many requests have one signal.
      ...(signal ? { signal: AbortSignal.any([signal]) } : {}),
    });
    const isRedirect = keepRedirects === true && response.status >= 300 && response.status < 400;
    if (response.ok || isRedirect) return { result: await use(response), again: false };
    await response.body?.cancel();
    const usual = refused<T>(response, url, shown);
    const meaning = refusal?.(response) ?? null;
    return meaning === null ? usual : { ...usual, result: fault(meaning) };
  } catch (error) {
    if (signal?.aborted) return { result: fault(infra('cancelled', `${shown}: cancelled`)), again: false };
    const code = errorCode(error);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      return { result: fault(infra('disk-full', `${shown}: no space left (${code})`)), again: false };
    }
    // fetch throws a TypeError for everything between the two ends; any other error is a bug of `use`.
    if (!(error instanceof TypeError) && code === undefined) throw error;
    return { result: fault(infra('network', `${shown}: ${code ?? 'connection failed'}`)), again: true };
  }
}

function refused<T>(response: Response, url: string, shown: string): Attempt<T> {
  const { status } = response;
  if (status === 404 || status === 410) {
    const meaning = notFound(`${shown}: not found (HTTP ${status})`, { kind: 'url', url });
    return { result: fault(meaning), again: false };
  }
  const after = Math.min(Number(response.headers.get('retry-after')) || 0, 30) * 1000;
  const again = status >= 500 || status === 429 || status === 408;
  return { result: fault(infra('package-index', `${shown}: HTTP ${status}`)), again, after };
}

/** fetch refuses URLs with credentials, and would send them on in redirects; a header it drops by itself. */
function authorization(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username === '' && password === '') return {};
  const pair = `${decodedLogin(username)}:${decodedLogin(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bareUrl(url: string): string {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare.href;
}
