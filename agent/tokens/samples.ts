/**
 * Training samples of a rollout: token ids with a mask that is 1 on what the model wrote. They are made of the
 * prompts that the model really saw. Calls are joined only while each prompt begins with the one before. So a
 * shortened history, or a template that drops old thoughts, begins a new sample.
 */
import type { ModelCall, Trajectory } from '../../schemas/trajectory.ts';
import { type CallIds, idsOfCalls } from './store.ts';
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
  source: CallIds['source'];
}

/**
 * The samples of a rollout, in order. Ids come from the endpoint where they are stored, else from the tokenizer;
 * a call that has neither gives no sample.
 */
export function trainingSamples(
  trajectory: Trajectory,
  unit: SampleUnit,
  tokenizer: ModelTokenizer | null,
): TrainingSample[] {
  const samples: TrainingSample[] = [];
  let open: { sample: TrainingSample; text: string | null } | null = null;
  for (const piece of pieces(trajectory, unit, tokenizer)) {
    const rest: number[] | null =
      unit === 'step' || open === null ? null : continuation(open, piece, tokenizer);
    if (rest === null || open === null) {
      open = { sample: emptySample(piece), text: null };
      samples.push(open.sample);
    }
    append(open.sample, rest ?? piece.prompt(), piece);
    open.text = piece.written === null ? null : piece.written.prompt + piece.written.reply;
  }
  return samples;
}

/** How many replies are in no sample, since neither the endpoint nor a tokenizer gives their ids. */
export function repliesWithoutIds({ calls }: Trajectory, tokenizer: ModelTokenizer | null): number {
  if (tokenizer !== null) return 0;
  const known = idsOfCalls(calls);
  return calls.filter((call, index) => hasReply(call) && (known[index]?.prompt ?? null) === null).length;
}

/** One call and the part of it that is trained. */
interface Piece {
  call: number;
  /** Ids of the whole prompt. */
  prompt(): number[];
  reply: number[];
  logprobs: number[] | null;
  source: CallIds['source'];
  /** As text, where the prompt's ids are made from it; null: they are known. */
  written: { prompt: string; reply: string } | null;
}

function* pieces(
  trajectory: Trajectory,
  unit: SampleUnit,
  tokenizer: ModelTokenizer | null,
): Generator<Piece> {
  const known = idsOfCalls(trajectory.calls);
  for (const [index, call] of trajectory.calls.entries()) {
    if (!hasReply(call)) continue;
    if (unit === 'trajectory' && trajectory.messages[call.reply]!.kind === 'rejected') continue;
    const ids = known[index] ?? null;
    const piece = pieceOf(trajectory, index, call, ids, tokenizer);
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
  ids: CallIds | null,
  tokenizer: ModelTokenizer | null,
): Piece | null {
  if (ids !== null && ids.prompt !== null) {
    const { prompt, ...rest } = ids;
    return { call: index, ...rest, prompt: () => prompt, written: null };
  }
  if (tokenizer === null) return null;
  const written = writtenCall(trajectory, call, tokenizer);
  const reply = ids ?? {
    reply: tokenizer.encode(written.reply),
    logprobs: null,
    source: 'tokenizer' as const,
  };
  return { ...reply, call: index, prompt: () => tokenizer.encode(written.prompt), written };
}

/** The ids between an open sample and the piece's reply, when its prompt begins with all of the sample. */
function continuation(
  open: { sample: TrainingSample; text: string | null },
  piece: Piece,
  tokenizer: ModelTokenizer | null,
): number[] | null {
  if (open.sample.source !== piece.source) return null;
  if (piece.written === null) {
    const prompt = piece.prompt();
    const { ids } = open.sample;
    const begins = open.text === null && ids.every((id, index) => id === prompt[index]);
    return begins ? prompt.slice(ids.length) : null;
  }
  if (open.text === null || !piece.written.prompt.startsWith(open.text)) return null;
  return tokenizer!.encode(piece.written.prompt.slice(open.text.length));
}

function emptySample({ call, source }: Piece): TrainingSample {
  return { ids: [], loss_mask: [], logprobs: [], calls: [call, call], source };
}

function append(sample: TrainingSample, prompt: readonly number[], piece: Piece): void {
  // Long lists: spread into push would overflow the stack.
  const { ids, loss_mask } = sample;
  sample.ids = ids.concat(prompt, piece.reply);
  sample.loss_mask = loss_mask.concat(Array<0>(prompt.length).fill(0), Array<1>(piece.reply.length).fill(1));
  sample.logprobs =
    sample.logprobs === null || piece.logprobs === null
      ? null
      : sample.logprobs.concat(Array<number>(prompt.length).fill(0), piece.logprobs);
  sample.calls = [sample.calls[0], piece.call];
}
