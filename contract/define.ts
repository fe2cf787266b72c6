/**
 * Defining a stage: `plan` reads through a reader and gives items, each item's inputs are its key, and `run` gets those
 * inputs and tools. Whatever else it could reach might decide a result without being in the key.
 */
import { canonicalJson, type Json } from '../basics/canonical.ts';
import { type Digest, digestOf } from '../basics/digest.ts';
import { type Result, success } from '../basics/result.ts';
import { digestOfList, type Part } from '../cache/key.ts';
import type { Asked, Question } from '../cache/traces.ts';
import { type Attempt, type Infra, infra } from '../schemas/outcome.ts';
import type { ResolvedConfig } from './config.ts';
import { type Inputs, type Opened, openInputs, partsOf } from './input.ts';
import type { Services } from './machine.ts';
import { type Machine, type MachinePart, machineOf } from './machine.ts';
import { PROJECT } from './project.ts';
import { answerDigest, ask, type QuestionKind, TABLE } from './question.ts';
import { ItemReader, PlanReader } from './reader.ts';
import {
  type ActionResult,
  addressOf,
  type BesideTraining,
  type Collections,
  type DigestChange,
  type Item,
  type ItemsOf,
  type OpenedItem,
  type OpenItemOptions,
  type Records,
  type Resources,
  type Stage,
  type StageNode,
} from './stage.ts';
import { type Tools, toolsOf } from './tools.ts';

/** Where a stage stands in a project's graph. */
export type NodeShape = Pick<StageNode, 'dataset' | 'inputs'>;

/** One element of a stage's keyed collection. */
export interface PlannedItem<D> {
  /** Unique within the node; empty for a stage that has just one item. */
  name: string;
  /** Role -> name of the upstream item that must be answered first. */
  needs: Record<string, string>;
  resources: Resources;
  /** In whose workspaces it runs, so that it may run on the machines of that deployment; absent: only here. */
  deployment?: string;
  /** What the plan knows of it; a run gets only what `inputs` makes of it. */
  data: D;
}

/**
 * Items that belong together, so that they can be found answered together. `digest` names what of the inputs' content
 * decides them; what else the plan has read is known.
 */
export interface PlannedChunk<D> {
  digest: Digest;
  size: number;
  items(): PlannedItem<D>[];
}

type Planned<D> = PlannedItem<D>[] | { chunks: PlannedChunk<D>[] };

export interface StageDefinition<D, I extends Inputs> {
  readonly name: string;
  /** Bumped when the same inputs would give another result. */
  readonly version: number;
  /** Kinds of questions that it asks, beside those about the project. */
  readonly asks?: readonly QuestionKind<never>[];
  /** Parts of the machine that it works with; `inside` gives no other. */
  readonly uses?: readonly MachinePart[];
  /** Tables in the code that decide what comes out, such as the rules of a preset; read by `reader.table`. */
  readonly tables?: Readonly<Record<string, () => Json>>;
  /** Roles whose items are waited for one by one; every other input must be finished before `plan`. */
  readonly pipelined?: readonly string[];
  /** See Stage. */
  readonly itemsOf?: ItemsOf;
  /** It only reads rows or answers that are there, runs and asks nothing: a plan may run it to see what is below. */
  readonly isLight?: boolean;
  /** See Stage. */
  readonly besideTraining?: BesideTraining;
  /** An item that comes to no answer may be counted as failed by hand: its tasks are left out, and nothing is rewarded. */
  readonly mayBeGivenUp?: boolean;
  /** Whether its outputs and notes are files for people and other tools: every build writes them below `out/`. */
  readonly exports: boolean;
  /** Notes that say what is in an output, such as a list of packages; `why` shows how they differ. */
  readonly comparedNotes?: readonly string[];
  /** The nodes that it contributes to a project. */
  nodes(config: ResolvedConfig): NodeShape[];
  plan(reader: PlanReader, machine: Machine): Attempt<Planned<D>>;
  /** What decides one item's result, and all that its run sees. */
  inputs(item: ItemReader, data: D, machine: Machine): Result<I, Infra> | Promise<Result<I, Infra>>;
  run(inputs: Opened<I>, tools: Tools): Promise<ActionResult>;
  /** The workspace of an item, for `shell`; absent where an item has none. */
  open?(inputs: Opened<I>, tools: Tools, options: OpenItemOptions): Attempt<OpenedItem>;
  /** What a digest in a key stood for and stands for, for `why`; null when that is not known any more. */
  describe?(
    node: StageNode,
    change: DigestChange,
    machine: Machine,
  ): Promise<{ before: Json; now: Json } | null>;
}

/** What a node's plan came to in one run. */
interface Made<I extends Inputs> {
  reader: PlanReader;
  inputs: Collections;
  opened: WeakMap<object, I>;
}

/** The items of a stage that has just one. */
export function singleItem<D>(
  needs: Record<string, string>,
  data: D,
  resources: Resources = { cpu: 1 },
): PlannedItem<D>[] {
  return [{ name: '', needs, resources, data }];
}

export function defineStage<D, I extends Inputs>(definition: StageDefinition<D, I>): Stage<PlannedItem<D>> {
  const { name, version, pipelined = [], comparedNotes, uses = [] } = definition;
  const kinds = [...(definition.asks ?? []), tablesOf(definition.tables ?? {})];
  const made = new WeakMap<object, Map<string, Made<I>>>();
  const madeFor = (node: StageNode, { cache }: Services): Made<I> => made.get(cache)!.get(node.address)!;
  const toItem = (planned: PlannedItem<D>): Item<PlannedItem<D>> => ({
    name: planned.name,
    needs: planned.needs,
    data: planned,
  });
  return {
    name,
    version,
    uses,
    pipelined,
    isLight: definition.isLight ?? false,
    ...(definition.itemsOf === undefined ? {} : { itemsOf: definition.itemsOf }),
    ...(definition.besideTraining === undefined ? {} : { besideTraining: definition.besideTraining }),
    mayBeGivenUp: definition.mayBeGivenUp ?? false,
    ...(comparedNotes === undefined ? {} : { comparedNotes }),
    nodes: (config) =>
      definition.nodes(config).map(({ dataset, inputs }) => ({
        address: addressOf(name, dataset),
        exports: definition.exports,
        stage: name,
        dataset,
        inputs,
      })),
    async expand(node, inputs, services) {
      const reader = new PlanReader(node, inputs, services, kinds);
      const nodes = made.get(services.cache) ?? new Map<string, Made<I>>();
      made.set(services.cache, nodes.set(node.address, { reader, inputs, opened: new WeakMap() }));
      const planned = await definition.plan(reader, machineOf(services, name, uses));
      if (!planned.ok) return planned;
      if (Array.isArray(planned.value)) return success(planned.value.map(toItem));
      // What the plan has read decides every chunk.
      const read = digestOf(canonicalJson(reader.trace()));
      const chunks = planned.value.chunks.map((chunk) => ({
        digest: digestOfList('planned chunk', [chunk.digest, read]),
        size: chunk.size,
        items: () => chunk.items().map(toItem),
      }));
      return success({ chunks });
    },
    async parts(node, item, needs, services): Promise<Result<Record<string, Part>, Infra>> {
      const { inputs, opened } = madeFor(node, services);
      const found = await definition.inputs(
        new ItemReader(node.address, needs, inputs),
        item.data.data,
        machineOf(services, name, uses),
      );
      if (!found.ok) return found;
      opened.set(item, found.value);
      return success(partsOf(found.value));
    },
    resources: (item) => item.data.resources,
    deployment: (item) => item.data.deployment ?? null,
    async run(node, item, _needs: Records, context): Promise<ActionResult> {
      const { reader, opened } = madeFor(node, context);
      const result = await definition.run(openInputs(name, opened.get(item)!), toolsOf(context, name, uses));
      const changed = await changedSince(reader.trace(), kinds, context);
      return changed === null ? result : { outcome: changed, outputs: {} };
    },
    trace: (node, services) => madeFor(node, services).reader.trace(),
    async answer(question, services) {
      const kind = kindOf(question, kinds);
      // Questions of another version of the stage are not asked again.
      const answer = kind === undefined ? null : await ask(kind, question.argument as never, services);
      return answer?.ok ? answerDigest(answer.value) : null;
    },
    ...(definition.open === undefined
      ? {}
      : {
          open: (node, item, context, options) => {
            const inputs = openInputs(name, madeFor(node, context).opened.get(item)!);
            return definition.open!(inputs, toolsOf(context, name, uses), options);
          },
        }),
    ...(definition.describe === undefined
      ? {}
      : {
          describe: (node, change, services) =>
            definition.describe!(node, change, machineOf(services, name, uses)),
        }),
  };
}

function tablesOf(tables: Readonly<Record<string, () => Json>>): QuestionKind<string> {
  return { name: TABLE, changes: false, answer: async (name) => success(tables[name]?.() ?? null) };
}

/** A fault when something that the item read was changed while it ran. */
async function changedSince(
  trace: readonly Asked[],
  kinds: readonly QuestionKind<never>[],
  services: Services,
): Promise<Infra | null> {
  for (const asked of trace) {
    const kind = kindOf(asked, kinds);
    if (kind?.changes !== true) continue;
    const answer = await kind.answer(asked.argument as never, services);
    if (!answer.ok || answerDigest(answer.value) !== asked.answer)
      return infra(
        'source-fetch',
        `${kind.name} ${canonicalJson(asked.argument)} changed during the run; build again`,
      );
  }
  return null;
}

function kindOf({ kind }: Question, kinds: readonly QuestionKind<never>[]): QuestionKind<never> | undefined {
  return [PROJECT, ...kinds].find(({ name }) => name === kind);
}
