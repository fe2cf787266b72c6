/**
 * A stage is one object: how it appears in the graph, what its items are, what decides an item's result, and
 * how an item is run. The engine knows stages only through this interface; adding one touches its own file, its
 * schema slice and one line of the registry.
 */
import type { Json } from '../basics/canonical.ts';
import type { ActionKey, Digest } from '../basics/digest.ts';
import type { Result } from '../basics/result.ts';
import type { Part } from '../cache/key.ts';
import type { Asked, Question } from '../cache/traces.ts';
import type { Workspace } from '../executors/deployment.ts';
import type { RunAlone } from '../executors/hindrance.ts';
import type { Absence } from '../schemas/absence.ts';
import type { Attempt, Infra, Outcome } from '../schemas/outcome.ts';
import type { ActionRecord, Output } from '../schemas/record.ts';
import type { ResolvedConfig } from './config.ts';
import type { MachinePart, Services } from './machine.ts';

/** How a stage over a dataset is written in targets, in journals and in names of folders. */
export function addressOf(stage: string, dataset: string): string {
  return `${stage}.${dataset}`;
}

/** A stage's place in one project's graph. */
export interface StageNode {
  /** See `addressOf`. */
  address: string;
  stage: string;
  dataset: string;
  /** Role -> address of the upstream node. */
  inputs: Record<string, string>;
  /** Its outputs and notes are files for the user. */
  exports: boolean;
}

/** One element of a stage's keyed collection. */
export interface Item<T = unknown> {
  /** Unique within the node; empty for a stage that has just one item. */
  name: string;
  /** Role -> name of the upstream item that must be answered first. */
  needs: Record<string, string>;
  data: T;
}

/**
 * Items that belong together, so that they can be found answered together. `digest` names all that decides them but
 * the inputs in `pipelined`.
 */
export interface Chunk<T = unknown> {
  digest: Digest;
  size: number;
  items(): Item<T>[];
}

/** An answered item as others see it. */
export interface Entry {
  name: string;
  key: ActionKey | null;
  outcome: Outcome;
  digest: Digest;
}

/** Answered items that follow each other and are kept together: those of a chunk, or all of a node without chunks. */
export interface EntryList {
  /** Of all that its entries hold. */
  digest: Digest;
  size: number;
  /** None when what is stored turns out damaged. */
  entries(): Entry[];
}

/** The items of a node: known once it is open, answered one by one. */
export interface Collection {
  address: string;
  size(): number;
  has(name: string): boolean;
  /** null until the item is answered. */
  entry(name: string): Entry | null;
  /** In the node's own order; only for nodes that are finished. */
  entries(): Entry[];
  /** The same in lists, none of which is read before its entries are asked for; only for nodes that are finished. */
  lists(): EntryList[];
  /** Digest over names and what every item contributes to keys; only for nodes that are finished. */
  computeRoot(): Digest;
  /** The stored record; null when the item is not answered or is an `infra` fault. */
  record(name: string): ActionRecord | null;
}

export type Collections = Record<string, Collection>;
export type Records = Record<string, ActionRecord>;

/** What a running item may do with the machine that it is on. */
export type ActionContext = Services & RunningItem;

/** What is known of a running item, and to whom it speaks. */
export interface RunningItem {
  /** The item has an answer and is made anew all the same: what was kept on the way to it counts for nothing. */
  isForced?: boolean;
  /** Its answer that is made anew because something that it did not find may be there now. */
  overturned?: ActionRecord;
  /** Runs work without other items beside it, where that costs them little; absent: beside them. */
  alone?: RunAlone;
  /** Appends to the item's log, kept beside the result. */
  log(text: string): void;
  /** As `log`, and shown to people who watch: the item waits for something outside, such as an endpoint that is down. */
  waits(text: string): void;
  /** Shown to people who watch, and kept nowhere: how far an item is that takes long by itself. */
  progress?(text: string): void;
}

export interface ActionResult {
  outcome: Outcome;
  /** What downstream keys are made of. */
  outputs: Record<string, Output>;
  /** Kept beside, in no key. */
  notes?: Record<string, Output>;
  /** What it rests on that was not found, beside what its outcome says of that. */
  absent?: readonly Absence[];
}

export interface OpenItemOptions {
  /** With the patch that solves the task. */
  isSolved: boolean;
}

/** A workspace in which a user tries by hand what an item does. The caller closes it. */
export interface OpenedItem {
  workspace: Workspace;
  /** What it shows and how to go on, a sentence each. */
  about: string[];
}

/** A digest in an item's key that is not what it was at an earlier answer. */
export interface DigestChange {
  item: string;
  role: string;
  before: Digest;
  now: Digest;
  /** The item's own record at that answer. */
  recordBefore: ActionRecord;
  /** The item's own record now; null when it has none. */
  recordNow: ActionRecord | null;
  /** Records of an item that are still known, newest first. */
  records(address: string, item: string): ActionRecord[];
}

/** Integer amounts per resource name, for instance `{ sandbox: 1, cpu: 1 }`. */
export type Resources = Record<string, number>;

/**
 * `goal`: people want it for itself. `report`: it tells what others answered, and is made where all that it reads is
 * made anyway. A function says of a project whether the stage is a goal of it.
 */
export type BesideTraining = 'goal' | 'report' | ((config: ResolvedConfig) => boolean);

export type ItemsOf = 'instance' | 'sample';

export interface Stage<T = unknown> {
  readonly name: string;
  /** Bumped when the same inputs would give another result. */
  readonly version: number;
  /** Parts of the machine that it works with; the code behind them is part of the stage for the ledger. */
  readonly uses?: readonly MachinePart[];
  /** The nodes that this stage contributes to a project. */
  nodes(config: ResolvedConfig): StageNode[];
  /** What the node's plan asked of the world, with the answers; a finished stage is found again by it. */
  trace(node: StageNode, services: Services): Asked[];
  /** The answer to such a question now; null when there is none. */
  answer(question: Question, services: Services): Promise<Digest | null>;
  /**
   * Its items are named after an instance, or `INSTANCE#SAMPLE`. Of inputs with such items, an item reads only those of the same
   * instance and sample. So a target that names an item needs no others of them. Absent: items have other names.
   */
  readonly itemsOf?: ItemsOf;
  /** It only reads: a plan may run it to see what is below. */
  readonly isLight?: boolean;
  /** Which of its nodes a build without targets makes although the project trains; absent: those that are needed. */
  readonly besideTraining?: BesideTraining;
  /** An item that comes to no answer may be counted as failed by hand: its tasks are left out, and nothing is rewarded. */
  readonly mayBeGivenUp?: boolean;
  /** Roles whose items are waited for one by one; every other input must be finished before `expand`. */
  readonly pipelined: readonly string[];
  /**
   * The items, once every input is finished (those in `pipelined`: known). A stage that may have very many gives them
   * in chunks, cut by what the items are and never by how many there happen to be before.
   */
  expand(
    node: StageNode,
    inputs: Collections,
    services: Services,
  ): Attempt<Item<T>[] | { chunks: Chunk<T>[] }>;
  /** What decides one item's result. `needs` holds the answered upstream records. */
  parts(
    node: StageNode,
    item: Item<T>,
    needs: Records,
    services: Services,
  ): Promise<Result<Record<string, Part>, Infra>>;
  resources(item: Item<T>): Resources;
  /** The deployment in whose workspaces the item runs; null for one that runs beside the command. */
  deployment(item: Item<T>): string | null;
  run(node: StageNode, item: Item<T>, needs: Records, context: ActionContext): Promise<ActionResult>;
  /** The workspace of an item as it is when its tests or next step would run; absent where an item has none. */
  open?(
    node: StageNode,
    item: Item<T>,
    context: ActionContext,
    options: OpenItemOptions,
  ): Attempt<OpenedItem>;
  /** What a digest in a key stood for and stands for, for `why`; null when that is not known any more. */
  describe?(
    node: StageNode,
    change: DigestChange,
    services: Services,
  ): Promise<{ before: Json; now: Json } | null>;
  /** Notes that say what is in an output, such as a list of packages; `why` shows how they differ. */
  readonly comparedNotes?: readonly string[];
}

/** A stage whose item type the engine need not know. */
export type AnyStage = Stage<never> | Stage<unknown>;
