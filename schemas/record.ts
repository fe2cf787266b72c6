/** What the action cache keeps for a key, and what it keeps for a whole stage. */
import type { ActionKey, Digest } from '../basics/digest.ts';
import type { Absence } from './absence.ts';
import type { Outcome } from './outcome.ts';

/** What JSON can hold. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [member: string]: JsonValue };

/**
 * One named output. Small ones lie in the record itself, others in the blob store; `layer`s in the layer store. Of one
 * in `pieces`, digest and size are those of the blob that lists them.
 */
export type Output =
  | { kind: 'inline'; digest: Digest; text: string }
  | { kind: 'blob'; digest: Digest; size: number }
  | { kind: 'pieces'; digest: Digest; size: number }
  | { kind: 'layer'; digest: Digest };

export interface ActionRecord {
  outcome: Outcome;
  /** Outputs that downstream keys are made of. */
  outputs: Record<string, Output>;
  /** Logs and the like: kept beside the result, in no key. */
  notes: Record<string, Output>;
  /** Digest over the outcome and `outputs`: what this action contributes to keys of other actions. */
  digest: Digest;
  /** What it rests on that was not found: questions that are asked again. They are no part of the answer. */
  absent?: readonly Absence[];
  /** Milliseconds since 1970; informational. */
  startedAt: number;
  durationMs: number;
  /** The run that made it. */
  run: string;
  /** Not made by running the action: `accept` took it over from elsewhere, or from another key. */
  adopted?: boolean;
  /** Taken from the remote cache, not made on this host. */
  remote?: true;
  /** Digest of the answer under the same key that it took the place of: `--force` or `retry` ran it again. */
  replaced?: Digest;
}

/** One item of a finished stage, as its manifest lists it. */
export interface ManifestItem {
  name: string;
  key: ActionKey;
  outcome: Outcome;
  /** The record's digest. */
  digest: Digest;
}

/** A finished stage: every item answered. Its items are in the blob `manifest`, one JSON array a line. */
export interface StageRecord {
  manifest: { digest: Digest; size: number };
  /** Merkle root over the items' names and digests. */
  root: Digest;
  counts: Record<string, number>;
  items: number;
  /** Where its trace begins: the key over the stage and the roots of its inputs. */
  base: ActionKey;
  /** What its plan asked, with the digests of the answers. */
  trace: { kind: string; argument: JsonValue; answer: Digest }[];
  /** Wall time of the run that finished it, milliseconds. */
  durationMs: number;
}
