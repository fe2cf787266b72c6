/**
 * Decides whether a request is answered. It must come from a browser on this machine that was opened with the address
 * that the command printed. The token in it becomes a cookie that scripts cannot read and other sites cannot send.
 * The Host header must be this server's exact name. Only GET is answered.
 */
import { randomBytes } from 'node:crypto';
import { denyForeign, isSameText, loopbackNames } from '../../basics/entry.ts';

export type Entry =
  | { kind: 'in' }
  /** The token was right: the cookie to set, and the address without the token. */
  | { kind: 'welcome'; cookie: string; location: string }
  | { kind: 'refused'; status: 401 | 403 | 405 | 415 | 421; why: string };

export interface Asked {
  method: string;
  host: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  /** Sec-Fetch-Site. */
  site: string | undefined;
  url: URL;
}

export class BrowserAccess {
  readonly token = randomBytes(24).toString('base64url');
  readonly #session = randomBytes(24).toString('base64url');
  readonly #hosts: ReadonlySet<string>;
  readonly #name: string;

  /** Cookies are shared by all ports of a host, so the port is part of the cookie's name. */
  constructor(host: string, port: number) {
    this.#hosts = loopbackNames(host, port);
    this.#name = `swemake-ui-${port}`;
  }

  enter({ method, host, cookie, origin, site, url }: Asked): Entry {
    // A link may lead here from anywhere.
    const isLink = url.pathname === '/' && origin === undefined;
    const headers = { host, origin, ...(isLink ? {} : { 'sec-fetch-site': site }) };
    const denied = denyForeign(headers, this.#hosts);
    if (denied !== null) return { kind: 'refused', status: denied.status, why: denied.why };
    if (method !== 'GET') return { kind: 'refused', status: 405, why: 'this page only shows: GET alone' };
    const given = url.searchParams.get('token');
    if (given !== null && url.pathname === '/') return this.#welcome(given);
    if (isSameText(cookieIn(cookie ?? '', this.#name), this.#session)) return { kind: 'in' };
    return { kind: 'refused', status: 401, why: 'open the address that swemake ui printed, with its token' };
  }

  #welcome(given: string): Entry {
    if (!isSameText(given, this.token))
      return { kind: 'refused', status: 401, why: 'this token is not, or no more, the right one' };
    const cookie = `${this.#name}=${this.#session}; Path=/; HttpOnly; SameSite=Strict`;
    return { kind: 'welcome', cookie, location: '/' };
  }
}

function cookieIn(header: string, name: string): string {
  for (const part of header.split(/; */)) if (part.startsWith(`${name}=`)) return part.slice(name.length + 1);
  return '';
}
