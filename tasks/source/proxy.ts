/**
 * Which connections go through a proxy, decided for each origin by the usual variables. undici's own agent for
 * this prints a warning to the user's terminal, so the choice is made here.
 */
import { createSecureContext, rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { readableText } from '../../basics/readable.ts';

export interface ConnectionOptions {
  env: NodeJS.ProcessEnv;
  /** Files with certificates to trust besides Node's own. */
  certificates: string[];
  /** Seconds without a byte after which a request is given up. */
  timeout: number;
}

/** An undici dispatcher that connects as `options` say; loads undici on the first use. */
export async function connections(options: ConnectionOptions): Promise<Dispatcher> {
  const { Agent, Pool, ProxyAgent } = await import('undici');
  const ca = [...rootCertificates, ...options.certificates.map(readableText).filter((text) => text !== '')];
  // Read once: a connection that is given certificates reads all of them again.
  const tls = { secureContext: createSecureContext({ ca }) };
  const limits = { headersTimeout: options.timeout * 1000, bodyTimeout: options.timeout * 1000 };
  const connect = { ...tls, timeout: Math.min(options.timeout, 20) * 1000 };
  return new Agent({
    ...limits,
    factory(origin) {
      const proxy = proxyFor(new URL(origin), options.env);
      if (proxy === null) return new Pool(origin, { ...limits, connect, connections: 16 });
      return new ProxyAgent({ ...limits, uri: proxy, requestTls: tls, proxyTls: tls });
    },
  });
}

/** The proxy for a URL, or null. Lower-case names win, as in curl. */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): string | null {
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const proxy =
    env[`${scheme}_proxy`] ?? env[`${scheme.toUpperCase()}_PROXY`] ?? env.all_proxy ?? env.ALL_PROXY ?? '';
  if (proxy.trim() === '' || isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '')) return null;
  return /^[a-z]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((rule) => {
      const [, name = '', rulePort] = /^(.*?)(?::(\d+))?$/.exec(rule) ?? [];
      if (rulePort !== undefined && rulePort !== port) return false;
      const suffix = name.replace(/^\*?\./, '');
      return name === '*' || host === suffix || host.endsWith(`.${suffix}`);
    });
}
