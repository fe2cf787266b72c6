/**
 * Where an engine is: what a deployment says, else DOCKER_HOST, else the socket of this machine. TLS is set up by the
 * variables that Docker's own client reads.
 */

import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { decodedLogin } from '../../basics/uri.ts';
import { readHostKeys, verifyBy } from './known-hosts.ts';

export type EngineAddress = UnixAddress | TcpAddress | SshAddress;

interface UnixAddress {
  kind: 'unix';
  path: string;
}

interface TcpAddress {
  kind: 'tcp';
  host: string;
  port: number;
  /** Folder of `ca.pem`, `cert.pem` and `key.pem`; null: nothing is encrypted. */
  certificates: string | null;
}

interface SshAddress {
  kind: 'ssh';
  host: string;
  port: number;
  user: string;
}

const DEFAULT = 'unix:///var/run/docker.sock';

/** The fault says what is wrong with the text. */
export function engineAddress(
  written: string | undefined,
  env: NodeJS.ProcessEnv,
): Result<EngineAddress, string> {
  const text = written || env.DOCKER_HOST || DEFAULT;
  if (text.startsWith('unix://')) return success({ kind: 'unix', path: text.slice('unix://'.length) });
  if (text.startsWith('/')) return success({ kind: 'unix', path: text });
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.hostname === '') return fault(`${text} is not the address of an engine`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'ssh:') {
    const port = url.port === '' ? 22 : Number(url.port);
    return success({ kind: 'ssh', host, port, user: decodedLogin(url.username) || 'root' });
  }
  if (!['tcp:', 'http:', 'https:'].includes(url.protocol))
    return fault(`${text}: write unix://, tcp:// or ssh://`);
  // What is usual for the web is left out of `url.port`, and is not usual here.
  const given = /^[^/]+\/\/[^/]*:(\d+)(?:\/|$)/.exec(text)?.[1] ?? '';
  const isSecure = url.protocol === 'https:' || given === '2376' || (env.DOCKER_TLS_VERIFY ?? '') !== '';
  const port = given === '' ? (isSecure ? 2376 : 2375) : Number(given);
  if (!isSecure) return success({ kind: 'tcp', host, port, certificates: null });
  return success({
    kind: 'tcp',
    host,
    port,
    certificates: env.DOCKER_CERT_PATH || join(env.HOME || homedir(), '.docker'),
  });
}

/** The address as text. */
export function addressText(address: EngineAddress): string {
  switch (address.kind) {
    case 'unix':
      return `unix://${address.path}`;
    case 'tcp':
      return `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
    case 'ssh':
      return `ssh://${address.user}@${address.host}:${address.port}`;
  }
}

/** Variables that make Docker's own client use this engine. */
export function clientVariables(address: EngineAddress): Record<string, string> {
  const certificates = address.kind === 'tcp' ? address.certificates : null;
  const tls = certificates === null ? {} : { DOCKER_CERT_PATH: certificates };
  return {
    ...{ DOCKER_HOST: addressText(address), DOCKER_CONTEXT: '' },
    ...{ DOCKER_TLS_VERIFY: certificates === null ? '' : '1', ...tls },
  };
}

/** What every summary must say about the connection to the engine; null: nothing. */
export function addressWarning(address: EngineAddress): string | null {
  if (address.kind !== 'tcp' || address.certificates !== null) return null;
  return `${addressText(address)} is not encrypted: anyone who can reach it has all rights on its host; set DOCKER_TLS_VERIFY and DOCKER_CERT_PATH`;
}

/** As the client of the engine takes it. @throws where a certificate cannot be read. */
export function clientOptions(address: EngineAddress, env: NodeJS.ProcessEnv): Record<string, unknown> {
  switch (address.kind) {
    case 'unix':
      return { socketPath: address.path, host: undefined, protocol: 'http' };
    case 'ssh': {
      const { host, port, user } = address;
      const keys = readHostKeys(env.HOME || homedir(), host, port);
      return {
        ...{ protocol: 'ssh', host, port, username: user },
        sshOptions: { agent: env.SSH_AUTH_SOCK, ...verifyBy(keys) },
      };
    }
    case 'tcp': {
      const { host, port, certificates } = address;
      if (certificates === null) return { protocol: 'http', host, port };
      const pem = (name: string) => readFileSync(join(certificates, `${name}.pem`));
      return { protocol: 'https', host, port, ca: pem('ca'), cert: pem('cert'), key: pem('key') };
    }
  }
}
