/**
 * Action keys: sha256 over framed, typed parts. Every part has a role and is either the digest of an input's
 * contents or a canonical value. The preimage that is stored for `why` and the bytes that are hashed come from
 * the same traversal, so an explanation can never drift from the key.
 */
import { createHash, type Hash } from 'node:crypto';
import type { ActionKey, Digest } from '../schemas/digest.ts';
import { byCodeUnit, canonicalJson, type Json } from './canonical.ts';

/** One input of an action: contents by digest, or a small value that is itself the content. */
export type Part = { digest: Digest } | { value: Json };

/** Everything that decides an action, by role. */
export interface Preimage {
  /** What kind of thing the key names: `item` of a stage, or a whole `stage`. */
  domain: 'item' | 'stage';
  stage: string;
  version: number;
  parts: Record<string, Part>;
}

/** Bumped only when the framing below changes; old records then no longer match. */
const KEY_FORMAT = 'swemake key v1';

/** The key of `preimage`. Roles are framed with their parts, so neither order nor boundaries can collide. */
export function actionKey(preimage: Preimage): ActionKey {
  const hash = createHash('sha256');
  frame(hash, KEY_FORMAT);
  frame(hash, preimage.domain);
  frame(hash, preimage.stage);
  frame(hash, String(preimage.version));
  const roles = Object.keys(preimage.parts).sort(byCodeUnit);
  frame(hash, String(roles.length));
  for (const role of roles) {
    const part = preimage.parts[role]!;
    frame(hash, role);
    if ('digest' in part) {
      frame(hash, 'digest');
      frame(hash, part.digest);
    } else {
      frame(hash, 'value');
      frame(hash, canonicalJson(part.value));
    }
  }
  return hash.digest('hex') as ActionKey;
}

/** The digest of an ordered list of framed texts: Merkle roots of collections and trees. */
export function digestOfList(domain: string, texts: Iterable<string>): Digest {
  const hash = createHash('sha256');
  frame(hash, domain);
  for (const text of texts) frame(hash, text);
  return hash.digest('hex') as Digest;
}

/** Length in bytes, a colon, the text: no two lists of texts give the same bytes. */
function frame(hash: Hash, text: string): void {
  hash.update(`${Buffer.byteLength(text)}:`);
  hash.update(text);
}
