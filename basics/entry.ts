/**
 * Which requests a server on this machine lets in. Pages of other sites run in browsers on the same machine and can
 * send requests to any port of it. Browsers say so in headers that scripts cannot change, and these rules read them.
 * Every server of ours uses them, whatever library it is made with.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Denied {
  status: 401 | 403 | 415 | 421;
  why: string;
}

/** `hosts`: values of the Host header that are let in; null: any. Null: the request comes from no page of another site. */
export function denyForeign(headers: IncomingHttpHeaders, hosts: ReadonlySet<string> | null): Denied | null {
  const host = (headers.host ?? '').toLowerCase();
  if (hosts !== null && !hosts.has(host))
    return { status: 421, why: 'this server is not known by that name; ask it as localhost' };
  const { origin } = headers;
  if (origin !== undefined && !isOrigin(origin.toLowerCase(), host)) return ANOTHER_SITE;
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none' ? null : ANOTHER_SITE;
}

const ANOTHER_SITE: Denied = { status: 403, why: 'a page of another site may not ask this server' };

function isOrigin(origin: string, host: string): boolean {
  return host !== '' && (origin === `http://${host}` || origin === `https://${host}`);
}

/** `token`: what clients must send; null: they need none. */
export function denyWithoutToken(
  { authorization }: IncomingHttpHeaders,
  token: string | null,
): Denied | null {
  if (token === null || isSameText(givenToken(authorization ?? ''), token)) return null;
  return { status: 401, why: 'a token is needed: Authorization: Bearer TOKEN' };
}

/** A bearer token, or the password of a name and password, which clients that know only addresses can send. */
function givenToken(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return '';
  const text = Buffer.from(value, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

/** Pages can send a body without a question before it only if it says that it is plain text or a form. */
export function denyOtherType(headers: IncomingHttpHeaders, type: string): Denied | null {
  const given = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return given === type ? null : { status: 415, why: `the body must be sent with Content-Type: ${type}` };
}

/** Compares in constant time, so that the time does not reveal the text. */
export function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** Values of the Host header for a server on loopback. */
export function loopbackNames(host: string, port: number): Set<string> {
  const names = ['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host];
  const isUsual = port === 80 || port === 443;
  return new Set(names.flatMap((name) => (isUsual ? [name, `${name}:${port}`] : [`${name}:${port}`])));
}
