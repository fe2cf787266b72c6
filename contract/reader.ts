/**
 * The interface through which a stage reads while it plans. A plan reader keeps the trace of what was asked; an item reader
 * turns what decides one item into its inputs. There is no other way to the project, to files or to the machine.
 */
import type { Json } from '../basics/canonical.ts';
import type { Digest } from '../basics/digest.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { digestOfList } from '../cache/key.ts';
import type { Asked } from '../cache/traces.ts';
import type { Attempt, Infra, Outcome } from '../schemas/outcome.ts';
import { infra } from '../schemas/outcome.ts';
import type { Output } from '../schemas/record.ts';
import type { ResolvedConfig } from './config.ts';
import { type Input, makeInput, valueInput } from './input.ts';
import type { Services } from './machine.ts';
import { PROJECT } from './project.ts';
import { answerDigest, ask, type QuestionKind, TABLE } from './question.ts';
import type { Collection, Collections, Entry, Records, StageNode } from './stage.ts';

/** What an item came to, as those see it whose key holds its digest. */
export interface ItemResult {
  readonly outcome: Outcome;
  readonly outputs: Record<string, Output>;
  readonly digest: Digest;
}

/** A chosen part of a collection: names and results that are in the key together. */
export interface ItemResults {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** @throws for a name that is not among them. */
  outcome(name: string): Outcome;
  outputs(name: string): Record<string, Output>;
  /** What lies beside the result: for notes and for people, never for outputs. */
  notes(name: string): Record<string, Output>;
  /** Milliseconds that the action took; for notes. */
  durationMs(name: string): number | null;
}

/** The output of an item if it has the digest that another input says; else null. */
export type OutputsByDigest = (item: string, output: string, digest: Digest) => Output | null;

/** Asks for a stage, and remembers what was asked. */
export class PlanReader {
  /** The node's dataset. */
  readonly dataset: string;
  readonly #node: StageNode;
  readonly #inputs: Collections;
  readonly #services: Services;
  readonly #kinds: readonly QuestionKind<never>[];
  /** Null while there is no answer. */
  readonly #asked = new Map<string, Asked | null>();

  constructor(
    node: StageNode,
    inputs: Collections,
    services: Services,
    kinds: readonly QuestionKind<never>[],
  ) {
    this.dataset = node.dataset;
    this.#node = node;
    this.#inputs = inputs;
    this.#services = services;
    this.#kinds = kinds;
  }

  /** A value of the project, without what decides nothing in it; undefined when it is not there. */
  async config<A extends keyof ResolvedConfig>(a: A): Promise<ResolvedConfig[A]>;
  async config<A extends keyof ResolvedConfig, B extends keyof NonNullable<ResolvedConfig[A]>>(
    a: A,
    b: B,
  ): Promise<NonNullable<ResolvedConfig[A]>[B]>;
  async config<
    A extends keyof ResolvedConfig,
    B extends keyof NonNullable<ResolvedConfig[A]>,
    C extends keyof NonNullable<NonNullable<ResolvedConfig[A]>[B]>,
  >(a: A, b: B, c: C): Promise<NonNullable<NonNullable<ResolvedConfig[A]>[B]>[C]>;
  async config(...path: string[]): Promise<unknown> {
    const value = await this.ask(PROJECT, path);
    if (!value.ok) throw new Error(`the project cannot be read at ${path.join('.')}`);
    return value.value ?? undefined;
  }

  /** A table in the code that the stage declares. */
  async table<V>(name: string): Promise<V> {
    const kind = this.#kinds.find((known) => known.name === TABLE) as QuestionKind<string>;
    const answer = await this.ask(kind, name);
    if (!answer.ok || answer.value === null) throw new Error(`there is no table "${name}"`);
    return answer.value as V;
  }

  /** The answer to a question of one of the stage's kinds. */
  async ask<A, V>(kind: QuestionKind<A, V>, argument: A): Attempt<V> {
    if (kind !== (PROJECT as unknown) && !this.#kinds.some((known) => known.name === kind.name))
      throw new Error(`stage ${this.#node.stage} does not declare that it asks for ${kind.name}`);
    const name = `${kind.name} ${JSON.stringify(argument)}`;
    // The order is that of asking, also where several are asked at once.
    if (!this.#asked.has(name)) this.#asked.set(name, null);
    const answer = await ask(kind, argument, this.#services);
    if (answer.ok)
      this.#asked.set(name, {
        kind: kind.name,
        argument: argument as Json,
        answer: answerDigest(answer.value),
      });
    return answer;
  }

  /** A value that many items share, made an input once for all of them. */
  value<T>(value: T): Input<T> {
    return valueInput(value);
  }

  /** The collection of an input. Its root is in the key of the finished stage. */
  input(role: string): Collection {
    const found = this.#inputs[role];
    if (found === undefined) throw new Error(`${this.#node.address} has no input "${role}"`);
    return found;
  }

  hasInput(role: string): boolean {
    return this.#inputs[role] !== undefined;
  }

  /** What the single item of an input came to; a fault when it is not known. */
  single(role: string): Result<ItemResult, Infra> {
    const record = this.input(role).record('');
    return record === null
      ? fault(infra('upstream-infra', `${this.input(role).address} is not known`))
      : success(record);
  }

  /** What was asked so far, in the order of asking. */
  trace(): Asked[] {
    return [...this.#asked.values()].filter((asked) => asked !== null);
  }
}

/** Makes the inputs of one item. */
export class ItemReader {
  readonly #needs: Records;
  readonly #inputs: Collections;
  readonly #address: string;

  constructor(address: string, needs: Records, inputs: Collections) {
    this.#address = address;
    this.#needs = needs;
    this.#inputs = inputs;
  }

  /** True when the item names an item of the input. */
  names(role: string): boolean {
    return this.#needs[role] !== undefined;
  }

  /** True when the node has such an input. */
  hasInput(role: string): boolean {
    return this.#inputs[role] !== undefined;
  }

  /** A value that the plan came to. */
  value<T>(value: T): Input<T> {
    return valueInput(value);
  }

  /** The digest of something that the run finds by other means. */
  named(digest: Digest): Input<Digest> {
    return makeInput({ '': { digest } }, () => digest);
  }

  /** What an upstream item that this one names came to. */
  need(role: string): Input<ItemResult> {
    const { outcome, outputs, digest } = this.result(role);
    return makeInput({ '': { digest } }, () => Object.freeze({ outcome, outputs, digest }));
  }

  /** One output of it alone, whatever else it came to; null when it has none of that name. */
  output(role: string, name: string): Input<Output | null> {
    const output = this.result(role).outputs[name];
    return output === undefined
      ? makeInput({ '': { value: null } }, () => null)
      : makeInput({ '': { digest: output.digest } }, () => output);
  }

  /** For deciding which inputs there are; what is used of it must be in an input, too. */
  result(role: string): ItemResult {
    const record = this.#needs[role];
    if (record === undefined) throw new Error(`${this.#address} does not name an item of "${role}"`);
    return record;
  }

  /** Results of an input's items, all or those that `wanted` picks, in the input's own order. */
  results(role: string, wanted: (entry: Entry) => boolean = () => true): Input<ItemResults> {
    const collection = this.#inputs[role];
    if (collection === undefined) throw new Error(`${this.#address} has no input "${role}"`);
    const entries = collection.entries().filter(wanted);
    const digest = digestOfList(
      'answers',
      entries.flatMap((entry) => [entry.name, entry.digest]),
    );
    return makeInput({ '': { digest } }, () => resultsOf(collection, entries));
  }

  /** Outputs of an input's items by their digests, which the caller has from another input; no others are given. */
  byDigest(role: string): Input<OutputsByDigest> {
    const collection = this.#inputs[role];
    if (collection === undefined) throw new Error(`${this.#address} has no input "${role}"`);
    return makeInput({}, () => (name, output, digest) => {
      const found = collection.record(name)?.outputs[output];
      return found?.digest === digest ? found : null;
    });
  }

  /**
   * What decides nothing and is in no key: where something is that the key names by its digest, or what only notes are
   * made of.
   */
  unkeyed<T>(value: T): Input<T> {
    return makeInput({}, () => value);
  }

  /** A whole collection, named by its root: for a reducer that reads it list by list. */
  collection(role: string): Input<Collection> {
    const collection = this.#inputs[role];
    if (collection === undefined) throw new Error(`${this.#address} has no input "${role}"`);
    return makeInput({ '': { digest: collection.computeRoot() } }, () => collection);
  }

  /**
   * Content with a name that says all of it, such as a row of a dataset.
   * @param named computes the digest from what was loaded; compared when everything is checked twice.
   */
  content<T>(digest: Digest, load: () => Promise<T>, named: (value: T) => Digest): Input<() => Promise<T>> {
    return makeInput({ '': { digest } }, () => async () => {
      const value = await load();
      if (process.env.SWEMAKE_PARANOID === '1' && named(value) !== digest)
        throw new Error(`${this.#address}: an input is not what its key says`);
      return value;
    });
  }
}

function resultsOf(collection: Collection, entries: readonly Entry[]): ItemResults {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const entry = (name: string): Entry => {
    const found = byName.get(name);
    if (found === undefined) throw new Error(`"${name}" of ${collection.address} is none of the inputs`);
    return found;
  };
  const record = (name: string) => collection.record(entry(name).name);
  return {
    names: [...byName.keys()],
    has: (name) => byName.has(name),
    outcome: (name) => entry(name).outcome,
    outputs: (name) => record(name)?.outputs ?? {},
    notes: (name) => record(name)?.notes ?? {},
    durationMs: (name) => record(name)?.durationMs ?? null,
  };
}
