/**
 * Connects to an allowed target. Directly: the name is resolved once and exactly the checked addresses are used, so
 * that the name cannot change in between. Or through the host's own proxy.
 */

import { lookup } from 'node:dns/promises';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { decodedLogin } from '../../basics/uri.ts';
import type { AddressRules } from './address.ts';
import type { AllowList, Target } from './allow-list.ts';

export interface Rules {
  allow: AllowList;
  addresses: AddressRules;
  /** The host's own proxy for a URL, or null; names are resolved there then. */
  upstream: (url: URL) => string | null;
}

/** The way to a target, or why there is none. */
export type Route =
  | { kind: 'straight'; addresses: string[] }
  | { kind: 'upstream'; proxy: URL }
  | { kind: 'denied'; reason: string }
  | { kind: 'failed'; reason: string };

const CONNECT_TIMEOUT_MS = 30_000;

/** Decides how `target` is reached. */
export async function findRoute(target: Target, scheme: 'http' | 'https', rules: Rules): Promise<Route> {
  const grant = rules.allow.grant(target);
  if (grant === null) return { kind: 'denied', reason: 'not on the allow-list' };
  const proxy = rules.upstream(new URL(`${scheme}://${hostText(target)}:${target.port}`));
  if (proxy !== null)
    return URL.canParse(proxy)
      ? { kind: 'upstream', proxy: new URL(proxy) }
      : { kind: 'failed', reason: 'the address of the host’s proxy is wrong' };
  const found = await resolve(target.host);
  if (found.length === 0) return { kind: 'failed', reason: 'the name does not resolve' };
  const refusals = found.map((address) => rules.addresses.refusal(address, target.host, grant));
  const addresses = found.filter((_, at) => refusals[at] === null);
  if (addresses.length > 0) return { kind: 'straight', addresses };
  // The network decides at this moment to which address a name resolves, and no key holds it: this is no answer.
  return { kind: 'failed', reason: `it resolves to ${found[0]}, ${refusals[0]}` };
}

/** A connection to the target, bytes to be passed as they are. */
export function openTunnel(
  target: Target,
  route: Route & { kind: 'straight' | 'upstream' },
): Promise<Socket> {
  return route.kind === 'straight' ? connectTo(target, route.addresses) : tunnelThrough(target, route.proxy);
}

/** Answers a lookup with addresses that were checked before. */
export function fixedLookup(addresses: string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]!.address, all[0]!.family);
  };
}

/** Credentials of a proxy's URL as its header, if there are any. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const login = `${decodedLogin(proxy.username)}:${decodedLogin(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
}

/** A target's host as it stands in URLs. */
export function hostText(target: Target): string {
  return isIP(target.host) === 6 ? `[${target.host}]` : target.host;
}

async function resolve(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // Whatever the resolver says, the host is not reached.
  const found = await lookup(host, { all: true, verbatim: true }).catch(() => []);
  return found.map((entry) => entry.address);
}

function connectTo(target: Target, addresses: string[]): Promise<Socket> {
  const socket = connect({
    host: target.host,
    port: target.port,
    lookup: fixedLookup(addresses),
    autoSelectFamily: addresses.length > 1,
    allowHalfOpen: true,
  });
  return new Promise((done, reject) => {
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.setTimeout(0);
      socket.off('error', reject);
      done(socket);
    });
  });
}

function tunnelThrough(target: Target, proxy: URL): Promise<Socket> {
  const send = proxy.protocol === 'https:' ? secureRequest : request;
  const path = `${hostText(target)}:${target.port}`;
  const opening = send({
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path,
    headers: { host: path, ...proxyAuthorization(proxy) },
    timeout: CONNECT_TIMEOUT_MS,
    agent: false,
  });
  return new Promise((done, reject) => {
    opening.once('error', reject);
    opening.once('timeout', () => opening.destroy(new Error('the proxy of the host does not answer')));
    opening.once('response', (response) => {
      response.resume();
      reject(new Error(`the proxy of the host says ${response.statusCode}`));
    });
    opening.once('connect', (response, socket, head) => {
      if (response.statusCode !== 200)
        return reject(new Error(`the proxy of the host says ${response.statusCode}`));
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      done(socket);
    });
    opening.end();
  });
}
