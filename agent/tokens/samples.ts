/**
 * Training samples of a rollout: token ids with a mask that is 1 on what the model wrote. They are made of the
 * prompts that the model really saw. Calls are joined only while each prompt begins with the one before. So a
 * shortened history, or a template that drops old thoughts, begins a new sample. In a tree of calls the one before is
 * the parent, so each way from a root to a leaf is a sample, and a reply that several of them share is trained in one.
 */
import type { ModelCall, Trajectory } from '../../schemas/trajectory.ts';
import { isTrained, type Trained } from '../tree/labels.ts';
import { StoredIds } from './store.ts';
import type { ModelTokenizer } from './tokenizer.ts';
import { writtenCall } from './written.ts';

/**
 * step: a sample per reply. turns: as few as the prompts allow, with each reply once, as trainers of RL need them. trajectory: the same
 * without rejected replies, which are nothing to imitate.
 */
export type SampleUnit = 'step' | 'turns' | 'trajectory';

export interface TrainingSample {
  ids: number[];
  /** For each id: 1 for what the model wrote, with the end of its turn; else 0. */
  loss_mask: (0 | 1)[];
  /** Per id, 0 where the mask is 0; null when those of any reply are not known. */
  logprobs: number[] | null;
  /** First and last call in it. */
  calls: [number, number];
  /** endpoint: ids as sampled. tokenizer: of text that was tokenised again. */
  source: 'endpoint' | 'tokenizer';
  /** Of a tree: who asked. */
  agent?: string;
  /** Of a tree: the calls that it trains. */
  trained_calls?: number[];
}

/**
 * The samples of a rollout, in order. Ids come from the endpoint where they are stored, else from the tokenizer;
 * a call that has neither gives no sample. `only`: the calls that are wanted; absent: all.
 */
export function trainingSamples(
  trajectory: Trajectory,
  unit: SampleUnit,
  tokenizer: ModelTokenizer | null,
  trained: Trained = 'main',
  only: (call: number) => boolean = () => true,
): TrainingSample[] {
  const samples: TrainingSample[] = [];
  const lines = new Lines(trajectory);
  for (const piece of pieces(trajectory, unit, tokenizer, trained, only)) {
    const open = unit === 'step' ? null : lines.before(piece);
    const rest = open === null ? null : continuation(open, piece, tokenizer);
    const sample = rest === null || open === null ? emptySample(piece) : open.sample;
    if (rest === null) samples.push(sample);
    append(sample, rest ?? piece.prompt(), piece);
    lines.goOn(piece, sample, rest === null ? null : open);
  }
  return samples;
}

/** How many replies are in no sample, since neither the endpoint nor a tokenizer gives their ids. */
export function repliesWithoutIds(
  { calls }: Trajectory,
  tokenizer: ModelTokenizer | null,
  trained: Trained = 'main',
): number {
  if (tokenizer !== null) return 0;
  const stored = new StoredIds(calls);
  return calls.filter(
    (call, index) => hasReply(call) && isTrained(call, trained) && stored.promptLength(index) === 0,
  ).length;
}

/** One call and the part of it that is trained. */
interface Piece {
  call: number;
  agent: string | undefined;
  /** Ids of the whole prompt. */
  prompt(): number[];
  /** The prompt's ids after those of an earlier call and its reply; null: it does not begin with them. Only where ids are known. */
  after(earlier: number): number[] | null;
  reply: number[];
  logprobs: number[] | null;
  source: TrainingSample['source'];
  /** As text, where the prompt's ids are made from it; null: they are known. */
  written: { prompt: string; reply: string } | null;
}

/** A sample that may go on after the last piece in it. */
interface Open {
  sample: TrainingSample;
  piece: Piece;
}

/** The samples that may go on: without a tree the newest; in a tree that of each call which no sample continues yet. */
class Lines {
  readonly #calls: readonly ModelCall[];
  /** By the call of a piece; null: another one has continued it. */
  readonly #open = new Map<number, Open | null>();
  #newest: Open | null = null;

  constructor({ calls }: Trajectory) {
    this.#calls = calls;
  }

  /** The sample that the piece may continue: in a tree that of the nearest piece on its way, if the same agent asked. */
  before({ call, agent }: Piece): Open | null {
    let { parent } = this.#calls[call]!;
    if (parent === undefined) return this.#newest;
    while (parent !== null && !this.#open.has(parent)) parent = this.#calls[parent]!.parent ?? null;
    const open = parent === null ? null : this.#open.get(parent)!;
    return open?.piece.agent === agent ? open : null;
  }

  /** Notes that the piece is now the last one of the sample, after `earlier` if it continues that. */
  goOn(piece: Piece, sample: TrainingSample, earlier: Open | null): void {
    this.#newest = { sample, piece };
    if (this.#calls[piece.call]!.parent === undefined) return;
    if (earlier !== null) this.#open.set(earlier.piece.call, null);
    this.#open.set(piece.call, this.#newest);
  }
}

function* pieces(
  trajectory: Trajectory,
  unit: SampleUnit,
  tokenizer: ModelTokenizer | null,
  trained: Trained,
  only: (call: number) => boolean,
): Generator<Piece> {
  const stored = new StoredIds(trajectory.calls);
  for (const [index, call] of trajectory.calls.entries()) {
    if (!hasReply(call) || !isTrained(call, trained) || !only(index)) continue;
    if (unit === 'trajectory' && trajectory.messages[call.reply]!.kind === 'rejected') continue;
    const piece = pieceOf(trajectory, index, call, stored, tokenizer);
    if (piece !== null && piece.reply.length > 0) yield piece;
  }
}

function hasReply(call: ModelCall): call is ModelCall & { reply: number } {
  return call.reply !== null;
}

function pieceOf(
  trajectory: Trajectory,
  index: number,
  call: ModelCall & { reply: number },
  stored: StoredIds,
  tokenizer: ModelTokenizer | null,
): Piece | null {
  const { agent, tokens } = call;
  if (tokens !== null && stored.promptLength(index) > 0) {
    const { ids: reply, logprobs, source } = tokens;
    const prompt = () => stored.prompt(index)!;
    return {
      call: index,
      agent,
      prompt,
      after: (earlier) => stored.after(earlier, index),
      reply,
      logprobs,
      source,
      written: null,
    };
  }
  if (tokenizer === null) return null;
  const written = writtenCall(trajectory, call, tokenizer);
  const {
    ids: reply,
    logprobs,
    source,
  } = tokens ?? {
    ids: tokenizer.encode(written.reply),
    logprobs: null,
    source: 'tokenizer' as const,
  };
  const prompt = () => tokenizer.encode(written.prompt);
  return { call: index, agent, prompt, after: () => null, reply, logprobs, source, written };
}

/** The ids between an open sample and the piece's reply, when its prompt begins with all of the sample. */
function continuation(
  { piece: last }: Open,
  piece: Piece,
  tokenizer: ModelTokenizer | null,
): number[] | null {
  if (last.source !== piece.source) return null;
  if (piece.written === null) return last.written === null ? piece.after(last.call) : null;
  if (last.written === null) return null;
  const before = last.written.prompt + last.written.reply;
  if (!piece.written.prompt.startsWith(before)) return null;
  return tokenizer!.encode(piece.written.prompt.slice(before.length));
}

function emptySample({ call, agent, source }: Piece): TrainingSample {
  const ofTree = agent === undefined ? {} : { agent, trained_calls: [] };
  return { ids: [], loss_mask: [], logprobs: [], calls: [call, call], source, ...ofTree };
}

function append(sample: TrainingSample, prompt: readonly number[], { call, reply, logprobs }: Piece): void {
  // Long lists: spread into push would overflow the stack.
  for (const id of prompt) sample.ids.push(id);
  for (const id of reply) sample.ids.push(id);
  for (const _ of prompt) sample.loss_mask.push(0);
  for (const _ of reply) sample.loss_mask.push(1);
  if (logprobs === null) sample.logprobs = null;
  else if (sample.logprobs !== null) {
    for (const _ of prompt) sample.logprobs.push(0);
    for (const one of logprobs) sample.logprobs.push(one);
  }
  sample.calls = [sample.calls[0], call];
  sample.trained_calls?.push(call);
}
