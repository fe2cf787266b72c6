/**
 * Entries of the remote store as bytes, and back. Nothing from there is trusted: an entry has a checksum, its key is
 * computed again from the preimage, and the answer's digest from the answer. An entry that does not match, has
 * another format, or is no answer (a fault, a stop) is ignored.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { type ActionKey, type Digest, digestOf, isDigest } from '../../basics/digest.ts';
import type { Absence, Sought } from '../../schemas/absence.ts';
import { FAILED_REASONS, type FailedReason, type Outcome } from '../../schemas/outcome.ts';
import type { ActionRecord, Output, StageRecord } from '../../schemas/record.ts';
import type { Blob } from '../blobs.ts';
import { recordDigest } from '../cache.ts';
import { actionKey, type Preimage } from '../key.ts';
import { type Judgement, judge, type Signer, type Trust } from './signature.ts';

/** Bumped when what is written changes its meaning; entries of another format are misses. */
const FORMAT = 1;

export interface ItemEntry {
  key: ActionKey;
  preimage: Preimage;
  record: ActionRecord;
  /** Layer -> the blob that says how its files are packed. */
  layers: Record<Digest, Blob>;
}

/** A blob that holds the entries of some items in a row. */
export interface Bundle extends Blob {
  items: number;
}

export interface StageEntry {
  record: StageRecord;
  bundles: Bundle[];
}

/** Bytes of one answer. What is of this host alone stays here. */
export function sealItem({ key, preimage, record, layers }: ItemEntry, signer: Signer | null = null): Buffer {
  const { remote: _, replaced: __, ...kept } = record;
  return seal({ format: FORMAT, kind: 'item', key, preimage, record: kept, layers }, signer);
}

export function sealStage({ record, bundles }: StageEntry, signer: Signer | null = null): Buffer {
  return seal({ format: FORMAT, kind: 'stage', record, bundles }, signer);
}

/** The answer in these bytes; null when there is none, or not the one under `key`. */
export function openItem(bytes: Uint8Array, key?: ActionKey): ItemEntry | null {
  const entry = parsed(unseal(bytes, 'item'), itemOf);
  return entry !== null && (key === undefined || entry.key === key) ? entry : null;
}

/** The finished stage in these bytes; null when there is none, or its trace begins elsewhere. */
export function openStage(bytes: Uint8Array, base: ActionKey): StageEntry | null {
  const entry = parsed(unseal(bytes, 'stage'), stageOf);
  return entry?.record.base === base ? entry : null;
}

/** Whether somebody who trusts these keys takes the entry. Null: everybody is trusted. */
export function judgeEntry(bytes: Uint8Array, trust: Trust | null): Judgement {
  if (trust === null) return 'trusted';
  const text = Buffer.from(bytes).toString('utf8');
  return judge(text.slice(text.indexOf('\n') + 1), trust);
}

type Members = Record<string, unknown>;

function seal(value: unknown, signer: Signer | null): Buffer {
  const json = JSON.stringify(value);
  const text = signer === null ? json : signer.sign(json);
  return Buffer.from(`${digestOf(text)}\n${text}`);
}

function unseal(bytes: Uint8Array, kind: string): Members | null {
  const text = Buffer.from(bytes).toString('utf8');
  const end = text.indexOf('\n');
  if (end !== 64 || digestOf(text.slice(end + 1)) !== text.slice(0, end)) return null;
  const value = parsed(text.slice(end + 1), (body) => members(JSON.parse(body)));
  return value?.format === FORMAT && value.kind === kind ? value : null;
}

/** What `parse` makes of the value; null when it throws. */
function parsed<A, T>(value: A | null, parse: (value: A) => T | null): T | null {
  try {
    return value === null ? null : parse(value);
  } catch {
    return null;
  }
}

function itemOf({ key, preimage, record, layers }: Members): ItemEntry | null {
  const made = preimage as Preimage;
  if (made.domain !== 'item' || actionKey(made) !== key) return null;
  const answer = recordOf(members(record));
  if (answer === null) return null;
  const lists = Object.entries(members(layers)).map(
    ([layer, blob]) => [digest(layer), blobOf(blob)] as const,
  );
  return { key: key as ActionKey, preimage: made, record: answer, layers: Object.fromEntries(lists) };
}

function recordOf(found: Members): ActionRecord | null {
  const outcome = outcomeOf(members(found.outcome));
  const outputs = outputsOf(found.outputs);
  if (outcome === null || recordDigest(outcome, outputs) !== found.digest) return null;
  return {
    outcome,
    outputs,
    notes: outputsOf(found.notes),
    digest: found.digest as Digest,
    startedAt: number(found.startedAt),
    durationMs: number(found.durationMs),
    run: text(found.run),
    ...(found.absent === undefined ? {} : { absent: list(found.absent).map(absenceOf) }),
    ...(found.adopted === true ? { adopted: true } : {}),
  };
}

/** Only answers; a fault has no place in a cache, wherever it comes from. */
function outcomeOf({ status, reason, detail }: Members): Outcome | null {
  switch (status) {
    case 'ok':
      return { status };
    case 'failed':
      if (!FAILED_REASONS.includes(reason as FailedReason)) return null;
      return { status, reason: reason as FailedReason, detail: text(detail) };
    case 'flaky':
      return reason === 'repeats-disagree' ? { status, reason, detail: text(detail) } : null;
    case 'timeout':
      return reason === 'time-limit' ? { status, reason, detail: text(detail) } : null;
    default:
      return null;
  }
}

/** What is asked again is told by its kind; one of another version of swemake is not asked. */
function absenceOf(value: unknown): Absence {
  const { sought, answer, asked, rows } = members(value);
  text(members(sought).kind);
  const about = sought as Sought;
  return {
    sought: about,
    answer: text(answer),
    asked: number(asked),
    ...(rows === undefined ? {} : { rows: number(rows) }),
  };
}

function outputsOf(value: unknown): Record<string, Output> {
  return Object.fromEntries(
    Object.entries(members(value)).map(([name, output]) => [name, outputOf(members(output))]),
  );
}

function outputOf(output: Members): Output {
  const name = digest(output.digest);
  switch (output.kind) {
    case 'inline':
      if (digestOf(text(output.text)) !== name)
        throw new Error('an inline text that does not fit its digest');
      return { kind: 'inline', digest: name, text: text(output.text) };
    case 'blob':
    case 'pieces':
      return { kind: output.kind, ...blobOf(output) };
    case 'layer':
      return { kind: 'layer', digest: name };
    default:
      throw new Error('an output of an unknown kind');
  }
}

function stageOf({ record, bundles }: Members): StageEntry {
  const found = members(record);
  const trace = list(found.trace).map((asked) => {
    const { kind, argument, answer } = members(asked);
    return {
      kind: text(kind),
      argument: JSON.parse(canonicalJson(argument)),
      answer: digest(answer),
    };
  });
  const counts = Object.entries(members(found.counts)).map(([name, count]) => [name, number(count)] as const);
  return {
    record: {
      manifest: blobOf(found.manifest),
      root: digest(found.root),
      counts: Object.fromEntries(counts),
      items: number(found.items),
      base: digest(found.base) as string as ActionKey,
      trace,
      durationMs: number(found.durationMs),
    },
    bundles: list(bundles).map((bundle) => ({ ...blobOf(bundle), items: number(members(bundle).items) })),
  };
}

export function blobOf(value: unknown): Blob {
  const blob = members(value);
  const size = number(blob.size);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('an invalid size');
  return { digest: digest(blob.digest), size };
}

export function members(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no object');
  return value as Members;
}

export function list(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('no list');
  return value;
}

export function digest(value: unknown): Digest {
  if (typeof value !== 'string' || !isDigest(value)) throw new Error('no digest');
  return value;
}

export function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error('no number');
  return value;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error('no text');
  return value;
}
