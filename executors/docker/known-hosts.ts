/**
 * Host keys of machines, from the files of ssh. A machine that answers with another key may belong to somebody else,
 * and would get all files of the work.
 */
import { createHmac } from 'node:crypto';
import { readableText } from '../../basics/readable.ts';

export interface HostKey {
  type: string;
  /** As the machine sends it. */
  bytes: Buffer;
}

/** Keys of `host` in such a file. A name with wildcards matches no host. */
export function hostKeys(text: string, host: string, port: number): HostKey[] {
  const name = port === 22 ? host : `[${host}]:${port}`;
  return text.split('\n').flatMap((line) => {
    const [names = '', type, bytes] = line.trim().split(/\s+/);
    const isOf =
      type !== undefined && bytes !== undefined && names.split(',').some((one) => isName(one, name));
    return isOf ? [{ type, bytes: Buffer.from(bytes, 'base64') }] : [];
  });
}

function isName(written: string, name: string): boolean {
  const [, salt, hash] = /^\|1\|([^|]+)\|([^|]+)$/.exec(written) ?? [];
  if (salt === undefined || hash === undefined) return written === name;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}

export function readHostKeys(home: string, host: string, port: number): HostKey[] {
  return [`${home}/.ssh/known_hosts`, '/etc/ssh/ssh_known_hosts'].flatMap((path) =>
    hostKeys(readableText(path), host, port),
  );
}

/** Accepts only known keys. */
export function verifyBy(keys: readonly HostKey[]): Record<string, unknown> {
  const types = [...new Set(keys.flatMap(({ type }) => (type === 'ssh-rsa' ? RSA : [type])))];
  return {
    hostVerifier: (sent: Buffer) => keys.some(({ bytes }) => bytes.equals(sent)),
    ...(types.length === 0 ? {} : { algorithms: { serverHostKey: types } }),
  };
}

const RSA = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'];
