/**
 * Notices that other weights answer than at the start of a run. A name stays when a server is started with another
 * model, so everything is compared that servers say about their weights, in `/v1/models` and in replies. What was seen
 * first counts; what a server does not say is not compared.
 */
import { type Fields, fieldsOf } from '../../basics/json.ts';

/** What a server says about its weights, by where it says it. */
export type Marks = Record<string, string>;

/** One thing that is not as it was. */
export interface Change {
  mark: string;
  before: string;
  now: string;
}

/** Fields of an entry of /v1/models that say which weights are behind a name. */
export const DIGEST_KEYS = [
  'digest',
  'sha256',
  'model_digest',
  'model_hash',
  'hash',
  'revision',
  'model_revision',
];

/** Fields of an entry of /v1/models that are compared. `created` is missing: most servers take it from the clock. */
const LISTED = ['id', 'root', 'version', 'weight_version', ...DIGEST_KEYS];

/** The weights that answer to one name at one endpoint. */
export class SeenWeights {
  readonly #first = new Map<string, string>();
  /** By mark and value. */
  readonly #others = new Map<string, Change>();
  #fingerprint: string | null = null;
  /** The first change; from then on no reply is taken. Null: there was none. */
  change: Change | null = null;
  /** The question that is asked before the first request; null: not yet. */
  begun: Promise<void> | null = null;
  /** Gets the first change. */
  onChange: (change: Change) => void = () => undefined;

  /** What an earlier run saw after a change: not the weights of this name. */
  refuse(change: Change): void {
    this.#others.set(JSON.stringify([change.mark, change.now]), change);
  }

  /** Compares `marks` with the first of their kind. */
  see(marks: Marks): Change | null {
    for (const [mark, now] of Object.entries(marks)) {
      const before = this.#first.get(mark);
      const known = this.#others.get(JSON.stringify([mark, now]));
      if (this.change !== null) break;
      if (known !== undefined) this.change = known;
      else if (before === undefined) this.#first.set(mark, now);
      else if (before !== now) {
        this.change = { mark, before, now };
        this.onChange(this.change);
      }
    }
    return this.change;
  }

  /** A line for the log when the fingerprint is another than before: another machine or version of the server. */
  fingerprint(body: unknown): string | null {
    const now = fieldsOf(body).system_fingerprint;
    if (typeof now !== 'string' || now === '' || now === this.#fingerprint) return null;
    const before = this.#fingerprint;
    this.#fingerprint = now;
    return before === null
      ? null
      : `system_fingerprint was ${before}, is ${now}; the weights count as the same`;
  }
}

/** What an entry of /v1/models says. */
export function marksOfEntry(entry: Fields | null): Marks {
  const places: [string, Fields][] = [
    ['', fieldsOf(entry)],
    ['meta.', fieldsOf(entry?.meta)],
  ];
  return Object.fromEntries(
    places.flatMap(([prefix, place]) =>
      LISTED.flatMap((key) => marked(`${prefix}${key} in /v1/models`, place[key])),
    ),
  );
}

/** What a reply says: SGLang's version of the weights stands in `meta_info` or `metadata`. */
export function marksOfReply(body: unknown): Marks {
  return Object.fromEntries([
    ...marked('model in replies', fieldsOf(body).model),
    ...marked('weight_version in replies', versionOf(body)),
  ]);
}

/** The version of the weights that wrote a reply; undefined: it does not say. */
export function weightsOfReply(body: unknown): string | undefined {
  return marked('', versionOf(body))[0]?.[1];
}

function versionOf(body: unknown): unknown {
  const { choices, metadata, weight_version: own } = fieldsOf(body);
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : null);
  return fieldsOf(choice.meta_info).weight_version ?? fieldsOf(metadata).weight_version ?? own;
}

function marked(mark: string, value: unknown): [string, string][] {
  const isKnown = (typeof value === 'string' && value !== '') || typeof value === 'number';
  return isKnown ? [[mark, String(value)]] : [];
}
