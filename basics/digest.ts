/**
 * Digests name contents; keys name actions. Both are sha256 in lower-case hex and must never be mixed,
 * so each has a brand of its own.
 */
import { hash } from 'node:crypto';

declare const brand: unique symbol;

/** sha256 of some bytes, 64 lower-case hex digits. */
export type Digest = string & { readonly [brand]: 'digest' };

/** sha256 of an action's framed preimage, 64 lower-case hex digits. */
export type ActionKey = string & { readonly [brand]: 'key' };

/** The digest of `bytes` (text is UTF-8). */
export function digestOf(bytes: Uint8Array | string): Digest {
  return hash('sha256', bytes, 'hex') as Digest;
}

/** True when `text` has the form of a digest or key. */
export function isDigest(text: string): text is Digest {
  return /^[0-9a-f]{64}$/.test(text);
}
