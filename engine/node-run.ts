/**
 * A node during a run: it waits for its inputs, and is then found finished in the cache or opened into items. The run
 * itself decides what happens to the items.
 */

import type { ActionKey, Digest } from '../basics/digest.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type Cache, holderOf } from '../cache/cache.ts';
import { removalsOf } from '../cache/removals.ts';
import { type ItemList, readItems } from '../cache/stage-manifest.ts';
import { followTrace } from '../cache/traces.ts';
import { noteUse } from '../cache/uses.ts';
import type { Services } from '../contract/machine.ts';
import type { Chunk, Collections, Entry, Item, Stage, StageNode } from '../contract/stage.ts';
import { type Infra, infra, isFault, type Outcome } from '../schemas/outcome.ts';
import type { StageRecord } from '../schemas/record.ts';
import type { AnsweredChunk } from './answered-chunk.ts';
import { chunkNames, findChunk, keepChunk } from './chunk-cache.ts';
import { type Deferred, deferred } from './deferred.ts';
import { type EventSink, noCounts } from './events.ts';
import { upstreamFault } from './item-action.ts';
import { type FoundChunk, NodeState } from './node-state.ts';
import { isParanoid, unlikeList, unlikeStage } from './paranoid.ts';
import type { RestingAnswers } from './resting.ts';
import type { Selection } from './selection.ts';
import {
  findStage,
  isRemembered,
  noteUsed,
  outputsArePresent,
  publishStage,
  readLists,
  readManifest,
  rememberEntries,
  rememberStage,
  stageKey,
} from './stage-cache.ts';
import type { Wanted } from './wanted.ts';

export interface NodeRun {
  state: NodeState;
  inputs: Record<string, NodeRun>;
  /** Its items are known. */
  opened: Deferred<void>;
  /** It is known whether everything was answered before: it is finished, or some item is not. */
  freshnessKnown: Deferred<void>;
  /** Its items are answered, or it is blocked. */
  finished: Deferred<void>;
  /** Indices of items that nodes below ask for, where these say which items are made. */
  asked: Set<number>;
  /** Mark of the last answer that was removed or replaced when the node was opened. */
  removals: string;
  /** The presence of this process when the run began; see cache/presence.ts. */
  holder: string;
  blocked: Outcome | null;
  /** Why items were planned: reason -> how many. */
  reasons: Map<string, number>;
  ended: boolean;
}

export function newNodeRun(
  node: StageNode,
  stage: Stage,
  inputs: Record<string, NodeRun>,
  cache: Cache,
): NodeRun {
  return {
    state: new NodeState(node, stage, cache),
    inputs,
    opened: deferred(),
    freshnessKnown: deferred(),
    finished: deferred(),
    asked: new Set(),
    removals: '',
    holder: holderOf(cache),
    blocked: null,
    reasons: new Map(),
    ended: false,
  };
}

export interface OpenContext {
  services: Services;
  selection: Selection;
  wanted: Wanted;
  emit: EventSink;
  /** What an item's last answer is remembered under, from its node and name. */
  addressOf(node: string, item: string): string;
  /** Nothing is run, and nothing remembered as used. */
  dryRun: boolean;
  /** Answers of upstream nodes, where another machine has opened those. */
  given: ReadonlyMap<string, Entry[]>;
  /** Of the store's folders when the run began; what this run adds does not make earlier outputs doubtful. */
  fingerprint: string;
  /** Answers that rest on something that was not found. */
  resting: RestingAnswers;
}

/** Waits for what the node needs, then restores or expands it. Returns why it cannot be opened, or null. */
export async function openNode(nodeRun: NodeRun, context: OpenContext): Promise<Outcome | null> {
  const { state } = nodeRun;
  const { stage, node } = state;
  const given = context.given.get(state.address);
  if (given !== undefined) {
    state.give(given);
    return null;
  }
  const inputs = Object.entries(nodeRun.inputs);
  const whole = inputs.filter(([role]) => !stage.pipelined.includes(role)).map(([, input]) => input);
  await Promise.all([
    ...inputs.map(([, input]) => input.opened.promise),
    ...whole.map((input) => input.finished.promise),
  ]);
  const lost = inputs.find(([, input]) => input.blocked !== null)?.[1];
  if (lost !== undefined) return blockedBelow(lost);
  const failure = whole.map((input) => failureOf(input.state)).find((one) => one !== null);
  if (failure !== undefined) return failure;
  nodeRun.removals = removalsOf(context.services.cache.database);
  if (await restoreNode(nodeRun, context)) return isParanoid() ? checkRestored(nodeRun, context) : null;
  const isLeft = (input: NodeState) => input.left > 0 && !context.wanted.isNarrowed(node, input.node);
  const held = whole.find((input) => input.state.planned > 0 || isLeft(input.state));
  if (held !== undefined) return infra('upstream-infra', `${held.state.address} is not finished`);
  const damaged = inputs.find(([, input]) => input.state.isDamaged())?.[1];
  if (damaged !== undefined)
    return infra(
      'output-lost',
      `${damaged.state.address}: the list of its items was damaged and is set aside`,
    );
  const items = await stage.expand(node, collectionsOf(nodeRun), context.services);
  if (!items.ok) return items.fault;
  const chunks = await chunksOf(nodeRun, items.value, context);
  if (!chunks.ok) return chunks.fault;
  state.open(chunks.value);
  context.emit({
    type: 'stage-opened',
    stage: state.address,
    items: state.size(),
    now: () => state.progress(),
  });
  return null;
}

async function checkRestored(nodeRun: NodeRun, { services }: OpenContext): Promise<Outcome | null> {
  const wrong = await unlikeStage(nodeRun.state, collectionsOf(nodeRun), services);
  return wrong.length === 0 ? null : notFresh(nodeRun, wrong);
}

function notFresh({ state }: NodeRun, wrong: readonly string[]): Infra {
  const named = wrong.slice(0, 5).join(', ');
  return infra(
    'internal',
    `${state.address} was found finished in the cache, but these items have another key now: ${named}`,
  );
}

function collectionsOf({ inputs }: NodeRun): Collections {
  return Object.fromEntries(Object.entries(inputs).map(([role, input]) => [role, input.state]));
}

/**
 * Items as chunks. A chunk is looked up as a whole when all inputs are finished, which is waited for as long as they
 * only find answers; beside running work, items are looked at one by one.
 */
async function chunksOf(
  nodeRun: NodeRun,
  found: Item[] | { chunks: Chunk[] },
  context: OpenContext,
): Promise<Result<FoundChunk[], Infra>> {
  const { services, selection } = context;
  if (Array.isArray(found)) return success([{ items: found, from: null }]);
  const { state } = nodeRun;
  const pipelined = pipelinedOf(nodeRun);
  await Promise.all(pipelined.map(([, input]) => input.freshnessKnown.promise));
  const whole =
    pipelined.every(([, input]) => input.state.root !== null) && !selection.touches(state.address);
  const nameOf = whole ? chunkNamesOf(nodeRun) : null;
  const chunks: FoundChunk[] = [];
  for (const chunk of found.chunks) {
    const answered = nameOf === null ? null : await chunkThatHolds(nodeRun, nameOf(chunk), context);
    const wrong =
      answered === null || !isParanoid() ? [] : await unlikeChunk(nodeRun, chunk, answered, services);
    if (wrong.length > 0) return fault(notFresh(nodeRun, wrong));
    chunks.push(answered === null ? { items: chunk.items(), from: chunk } : { answered });
  }
  if (!context.dryRun) await rememberChunks(chunks, state.address, context);
  return success(chunks);
}

/** Answers that another project has made are remembered as used by this one; the first item tells whether they are. */
async function rememberChunks(
  chunks: readonly FoundChunk[],
  address: string,
  { services: { cache }, addressOf }: OpenContext,
): Promise<void> {
  let isKnown = false;
  for (const chunk of chunks) {
    if (!('answered' in chunk) || isKnown) continue;
    const entries = readItems(cache.blobs, chunk.answered.list.digest) ?? [];
    isKnown = entries.length > 0 && isRemembered(cache, addressOf(address, entries[0]!.name), entries[0]!);
    if (!isKnown) await rememberEntries(cache, entries, (item) => addressOf(address, item));
  }
}

/** The chunk's answers, if they are known and none of them is overturned. */
async function chunkThatHolds(
  { state }: NodeRun,
  name: string,
  { services: { cache }, resting }: OpenContext,
): Promise<AnsweredChunk | null> {
  const found = findChunk(cache, name);
  if (found === null) return null;
  const entries = () => readItems(cache.blobs, found.list.digest) ?? [];
  return (await resting.areOverturned(state.stage.name, entries)) ? null : found;
}

function unlikeChunk(
  nodeRun: NodeRun,
  chunk: Chunk,
  { list }: AnsweredChunk,
  services: Services,
): Promise<string[]> {
  const entries = readItems(services.cache.blobs, list.digest);
  // A damaged list is found when it is read.
  if (entries === null) return Promise.resolve([]);
  return unlikeList(chunk.items(), entries, {
    state: nodeRun.state,
    inputs: collectionsOf(nodeRun),
    services,
  });
}

function pipelinedOf(nodeRun: NodeRun): [role: string, input: NodeRun][] {
  return Object.entries(nodeRun.inputs).filter(([role]) => nodeRun.state.stage.pipelined.includes(role));
}

function chunkNamesOf(nodeRun: NodeRun): (chunk: Chunk) => string {
  const pipelined = pipelinedOf(nodeRun).map(([role, input]) => [role, input.state] as const);
  return chunkNames(nodeRun.state, nodeRun.removals, Object.fromEntries(pipelined));
}

/**
 * If a node cannot be made, the nodes after it cannot be made for the same reason: a fault stays a fault, and a wrong
 * input stays a wrong input.
 */
function blockedBelow({ state, blocked }: NodeRun): Outcome {
  const cause = blocked!;
  if (isFault(cause)) return upstreamFault(state.address, cause);
  return 'detail' in cause ? { ...cause, detail: `${state.address} is not made` } : cause;
}

/** A stage of one action that failed, such as a dataset without a readable row: what needs it cannot be made. */
function failureOf(state: NodeState): Outcome | null {
  if (state.counts.ok > 0 || state.size() !== 1) return null;
  const outcome = state.entry('')?.outcome;
  return outcome?.status === 'failed' ? { ...outcome, detail: `${state.address} failed` } : null;
}

/** One look-up for the whole stage, when all of its inputs are finished. */
async function restoreNode(nodeRun: NodeRun, context: OpenContext): Promise<boolean> {
  const { state } = nodeRun;
  const { cache } = context.services;
  const base = keyOf(nodeRun);
  if (base === null || context.selection.touches(state.address)) return false;
  if (await restoreFrom(nodeRun, base, context)) return true;
  const { stage, address } = state;
  const isBrought = await cache.remote?.fetchStage(
    base,
    (question) => stage.answer(question, context.services),
    (item) => context.addressOf(address, item),
  );
  return isBrought === true && restoreFrom(nodeRun, base, context);
}

async function restoreFrom({ state }: NodeRun, base: ActionKey, context: OpenContext): Promise<boolean> {
  const { cache } = context.services;
  const { stage } = state;
  const key = await followTrace(cache.database, base, (question) => stage.answer(question, context.services));
  const record = key === null ? null : findStage(cache, key);
  if (key === null || record === null) return false;
  if (!(await outputsHold(key, record, context))) return false;
  if (await context.resting.areOverturned(stage.name, () => readManifest(cache, record))) return false;
  noteUse(cache.database, key);
  cache.remote?.pushStage(key, false);
  state.restore(
    () => readLists(cache, record),
    record.items,
    () => readManifest(cache, record),
  );
  state.root = record.root;
  state.listedIn = record.manifest.digest;
  state.counts = { ...noCounts(), ...record.counts };
  const { address, counts, listedIn } = state;
  if (!context.dryRun)
    await rememberStage(cache, context.addressOf(address, ''), record, (item) =>
      context.addressOf(address, item),
    );
  context.emit({ type: 'stage-fresh', stage: address, items: record.items, counts, manifest: listedIn });
  return true;
}

/** Every answer of a finished stage is there: at once while no blob, tree or answer came or went, else one by one. */
async function outputsHold(key: ActionKey, record: StageRecord, context: OpenContext): Promise<boolean> {
  const { cache } = context.services;
  const { memos } = cache.database;
  // The list is named, too: a longer run may have written its own in place of the one that was looked at.
  const state = `${context.fingerprint} ${removalsOf(cache.database)} ${record.manifest.digest}`;
  if (record.items === 0 || memos.get(`verified ${key}`) === state) return true;
  if (!outputsArePresent(cache, readManifest(cache, record))) return false;
  await memos.put(`verified ${key}`, state);
  return true;
}

/**
 * Remembers a node whose items are all answered, so that the next run finds it by one look-up. It then stands for its
 * items' use; without it, each counts by itself.
 */
export async function publishNode(nodeRun: NodeRun, { services, addressOf }: OpenContext): Promise<void> {
  const { state } = nodeRun;
  const base = state.isComplete() ? keyOf(nodeRun) : null;
  if (base === null) {
    for (const { key } of state.entries()) if (key !== null) noteUse(services.cache.database, key);
    return;
  }
  const chunks = state.openedChunks();
  const nameOf = chunks.length === 0 ? null : chunkNamesOf(nodeRun);
  const lists = new Map<Chunk, ItemList>();
  for (const { chunk, entries } of chunks)
    lists.set(chunk, keepChunk(services.cache, nameOf!(chunk), state, entries));
  const trace = state.stage.trace(state.node, services);
  const manifest = state.manifest(lists);
  state.listedIn = await publishStage(services.cache, state, { manifest, base, trace }, nodeRun.holder);
  await noteUsed(services.cache, addressOf(state.address, ''), state.listedIn);
}

/** The stage's key; null while an input has no root. */
function keyOf(nodeRun: NodeRun): ActionKey | null {
  const roots: Record<string, Digest> = {};
  for (const [role, input] of Object.entries(nodeRun.inputs)) {
    if (input.state.root === null) return null;
    roots[role] = input.state.root;
  }
  return stageKey(nodeRun.state.stage, nodeRun.state.node, roots);
}
