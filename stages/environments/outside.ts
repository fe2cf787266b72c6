/**
 * Failures that come from outside of a build and are not the recipe's answer: a network that was lost, tools of ours that
 * do not work. What the proxy and the kernel counted decides. Words in the output decide only where nothing counts. What
 * a step lacked of the machine is judged in executors/lack.ts.
 */
import { freemem } from 'node:os';
import type { ExecResult, NetworkSeen } from '../../executors/deployment.ts';
import { isOverLimit } from '../../executors/lack.ts';

/** A connection failed. With a proxy, the proxy would have seen that. */
const UNREACHED: readonly RegExp[] = [
  /Temporary failure in name resolution|Could not resolve host|Name or service not known/,
  /NewConnectionError|ConnectTimeoutError|Network is unreachable|No route to host/,
  /Connection (?:refused|timed out)|[Cc]onnection timed out|Tunnel connection failed|ProxyError/,
  // Node, Go, cargo and Java.
  /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)\b/,
  /connect: connection refused|dial tcp\b.*(?:no such host|i\/o timeout)|UnknownHostException|Unknown host\b/,
  /Failed to connect to|Couldn't connect to server|Proxy CONNECT aborted|HTTP code (?:429|5\d\d) from proxy/,
];

/** A connection was cut off, or a server answered with an error. A tunnel does not show that to the proxy. */
const CUT_OFF: readonly RegExp[] = [
  /ReadTimeoutError|ProtocolError\(|RemoteDisconnected|Connection (?:reset by peer|aborted)/,
  /(?:HTTP error|HTTP Error|status code|Client Error|Server Error):? ?(?:429|5\d\d)|\b(?:429|50[0234]) (?:Too Many|Server Error|Bad Gateway|Service Unavailable|Gateway)/,
  /SSLError|SSL: CERTIFICATE_VERIFY_FAILED|TLS connection was non-properly terminated|gnutls_handshake\(\) failed/,
  /error: (?:Failed to fetch|Request failed after)|[Oo]peration timed out/,
  // git, curl and wget.
  /unable to access '.*(?:timed out|returned error: (?:429|5\d\d))|Empty reply from server|RPC failed|early EOF/,
  /ERROR (?:429|5\d\d):|IncompleteRead\(|ChunkedEncodingError/,
  // cargo, npm and Maven.
  /successful HTTP response from .* got (?:429|5\d\d)|\[(?:28|52|56)\] |ERR_SOCKET_TIMEOUT|Premature end of Content-Length|Connection reset\b/,
  /socket\.timeout|TimeoutError: (?:timed out|The read operation)/,
];

/**
 * Why a step failed because of the network and not because of the task, or null. `seen` is what the proxy saw while
 * it ran; null without a proxy.
 */
export function networkFault(output: string, seen: NetworkSeen | null): string | null {
  if (seen === null) return lineWith([...UNREACHED, ...CUT_OFF], output);
  if (seen.lost !== null) return `the proxy lost ${seen.lost}`;
  // A tunnel that the build proxy itself refused was not cut off.
  const lines =
    seen.refused.length === 0 ? output : output.replace(/^.*CONNECT tunnel failed, response 403.*$/gm, '');
  return seen.passed ? lineWith(CUT_OFF, lines) : null;
}

/** The same for a step that ran into its timeout: connections that it had before say nothing then. */
export function networkStall(output: string, seen: NetworkSeen | null): string | null {
  if (seen?.isOver === true) return null;
  return networkFault(output.trimEnd().split('\n').slice(-3).join('\n'), seen);
}

/**
 * Which hosts the proxy refused to a step that failed, and the key that lets them through; empty if it refused none. Other
 * builds use the same proxy, so a host counts if the step names it or says that it was forbidden.
 */
export function refusal(command: string, output: string, seen: NetworkSeen | null): string {
  const isForbidden = /(?:Forbidden|error|proxy).*\b403\b|\b403\b.*(?:Forbidden|proxy)/i.test(output);
  const hosts = (seen?.refused ?? []).filter((host) => isForbidden || `${command}\n${output}`.includes(host));
  if (hosts.length === 0) return '';
  return `the build proxy refused ${hosts.join(', ')}; allow_hosts of the deployment would let it through`;
}

/** A program that uses a proxy looks up no name. Names of this machine have no dot. */
const LOOKED_UP =
  /(?:getaddrinfo (?:EAI_AGAIN|ENOTFOUND)|dial tcp: lookup|Could not resolve host:|UnknownHostException:|Unknown host|Failed to resolve '|resolving host address|unable to resolve host address [‘'])\s*((?:[\w-]+\.)+[a-z][\w-]*)/;

/** Python's words, which name no host. */
const UNRESOLVED = /gaierror|Temporary failure in name resolution/;

/** Which host a step that failed looked up past the proxy, and what to do; empty if it looked up none. */
export function unproxied(output: string, seen: NetworkSeen | null): string {
  const host = LOOKED_UP.exec(output)?.[1] ?? (UNRESOLVED.test(output) ? 'a host' : null);
  if (seen === null || host === null) return '';
  return `a program asked for ${host} past the build proxy, as it does not read http_proxy: fetch that with curl in pre_install, turn the download off, or set network.build: host in the deployment`;
}

/** If the workspace's own limit ended it, that is the task's answer: the limit is in its key. */
export function isOwnLimit(
  { output, metMemoryLimit }: ExecResult,
  limit: number | undefined,
  hostHas: () => number = freemem,
): boolean {
  if (isOverLimit(output) || metMemoryLimit === true) return true;
  // Where the kernel does not count, each process has an rlimit. If the host has more memory than that, the host
  // refused nothing.
  return metMemoryLimit === undefined && limit !== undefined && hostHas() > limit;
}

function lineWith(signs: readonly RegExp[], output: string): string | null {
  const line = output.split('\n').find((one) => signs.some((sign) => sign.test(one)));
  return line === undefined ? null : line.trim().slice(0, 300);
}
