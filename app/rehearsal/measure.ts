/**
 * Compares what the engine wrote with what is trained. A trained token names by its log-probability which written token it is; where
 * there are none, or a program computed them from logits, the ids of whole replies are looked for.
 */
import type { DriverReport, Sequence } from './driver-report.ts';
import { type Call, type EngineLog, STEP } from './endpoint.ts';

export interface Measured {
  rollouts: RolloutFigures[];
  calls: number;
  /** Replies of rollouts that are handed over, and of them those of which at least one token is trained. */
  turns: { written: number; trained: number };
  written: number;
  /** Written tokens that are trained, in kept groups. */
  trained: number;
  /** Of the written tokens of rollouts that are handed over, but for those that ended with a fault; null: nothing was written in them. */
  share: number | null;
  /** Trained positions whose id is another one than the engine wrote. */
  drift: number;
  /** Trained positions that no reply has. */
  foreign: number;
  /** Written tokens that are trained more than once. */
  twice: number;
  /** Replies that are trained behind other ids than the model saw. */
  behind: number;
  /** Sequences whose mask or log-probabilities have another length than they must. */
  misaligned: number;
  sequences: number;
  judged: number;
}

export interface RolloutFigures {
  script: string;
  index: number | null;
  calls: number;
  written: number;
  sequences: number;
  trained: number;
  reward: number | null;
  stepRewards: number;
  status: string;
  longestPrompt: number;
}

interface Origin {
  call: Call;
  place: number;
}

export function measure(report: DriverReport, log: EngineLog): Measured {
  const origins = new Map<number, Origin>();
  for (const call of log.calls)
    call.ids.forEach((_, place) => void origins.set(call.first + place, { call, place }));
  const inBatch = report.trained;
  const seen = new Map<number, number>();
  const totals = newTotals();
  const kept = new Set<number | null>();
  for (const sequence of inBatch) {
    const rollout = follow(sequence, { origins, log, numbered: report.numbered ?? true }, seen, totals);
    // A fault has no reward, and nothing of it may be trained.
    if (sequence.status !== 'aborted' && rollout !== null) kept.add(rollout);
  }
  const replies = log.calls.filter(({ rollout }) => kept.has(rollout));
  const trainedReplies = new Set([...seen.keys()].map((one) => origins.get(one)!.call));
  const written = sum(replies.map(({ ids }) => ids.length));
  const trained = [...seen.keys()].length;
  const twice = [...seen.values()].filter((count) => count > 1).length;
  return {
    rollouts: figures(report, log, origins),
    turns: { written: replies.length, trained: trainedReplies.size },
    ...{ calls: log.calls.length, written, trained, twice, ...totals },
    share: written === 0 ? null : trained / written,
    sequences: inBatch.length,
    judged: log.judged,
  };
}

type Totals = Record<'drift' | 'foreign' | 'misaligned' | 'behind', number>;

/** What sequences are compared with. `numbered`: log-probabilities name written tokens. */
interface Written {
  origins: ReadonlyMap<number, Origin>;
  log: EngineLog;
  numbered: boolean;
}

function newTotals(): Totals {
  return { drift: 0, foreign: 0, misaligned: 0, behind: 0 };
}

/** The rollout of a sequence, by its first written token, trained or not; counts what is wrong with it. */
function follow(
  sequence: Sequence,
  { origins, log, numbered }: Written,
  seen: Map<number, number>,
  totals: Totals,
): number | null {
  const { tokens, response, mask, logprobs } = sequence;
  const ofResponse = tokens.slice(tokens.length - response);
  const trains = mask ?? ofResponse.map(() => 1);
  if (trains.length !== response || (logprobs !== null && logprobs.length !== response))
    totals.misaligned += 1;
  let rollout: number | null = null;
  const before = tokens.length - response;
  const replies = new Set<Call>();
  const isBehind = ({ call, place }: Origin, at: number) => {
    if (replies.has(call)) return;
    replies.add(call);
    const start = before + at - place;
    if (start !== call.shown.length || call.shown.some((id, index) => tokens[index] !== id))
      totals.behind += 1;
  };
  if (logprobs === null || !numbered) {
    const written = byIds(ofResponse, log);
    for (const [number, place] of written) {
      rollout ??= origins.get(number)!.call.rollout;
      if (trains[place] !== 1) continue;
      seen.set(number, (seen.get(number) ?? 0) + 1);
      isBehind(origins.get(number)!, place);
    }
    const known = new Set(written.map(([, place]) => place));
    totals.drift += trains.filter((one, place) => one === 1 && !known.has(place)).length;
    return rollout;
  }
  trains.forEach((one, place) => {
    const number = Math.round(-(logprobs[place] ?? 0) / STEP);
    const origin = origins.get(number);
    rollout ??= origin?.call.rollout ?? null;
    if (one !== 1) return;
    if (origin === undefined) {
      totals.foreign += 1;
      return;
    }
    seen.set(number, (seen.get(number) ?? 0) + 1);
    isBehind(origin, place);
    if (origin.call.ids[origin.place] !== ofResponse[place]) totals.drift += 1;
  });
  return rollout;
}

/** Numbers of written tokens with their places in `ids`, where whole replies are found. */
function byIds(ids: readonly number[], { calls }: EngineLog): [number, number][] {
  const found: [number, number][] = [];
  let from = 0;
  for (const call of calls) {
    // Text that is tokenised again may have no end of a turn.
    for (const part of [call.ids, call.ids.slice(0, -1)]) {
      const at = part.length === 0 ? -1 : indexOf(ids, part, from);
      if (at === -1) continue;
      part.forEach((_, place) => void found.push([call.first + place, at + place]));
      from = at + part.length;
      break;
    }
  }
  return found;
}

function indexOf(all: readonly number[], part: readonly number[], from: number): number {
  for (let at = from; at + part.length <= all.length; at += 1)
    if (part.every((id, place) => all[at + place] === id)) return at;
  return -1;
}

function figures(
  report: DriverReport,
  log: EngineLog,
  origins: ReadonlyMap<number, Origin>,
): RolloutFigures[] {
  const { numbered = true } = report;
  return report.rollouts
    .filter(({ evaluation }) => !evaluation)
    .map(({ samples, index }) => {
      const seen = new Map<number, number>();
      const totals = newTotals();
      const found = samples.map((one) => follow(one, { origins, log, numbered }, seen, totals));
      // An agent that forgets a refused reply begins another conversation, which is the same rollout.
      const own = new Set([...found, ...[...seen.keys()].map((one) => origins.get(one)?.call.rollout)]);
      const calls = log.calls.filter((one) => own.has(one.rollout));
      return {
        script: calls[0]?.script ?? '-',
        ...{ index, calls: calls.length, written: sum(calls.map(({ ids }) => ids.length)) },
        ...{ sequences: samples.length, trained: seen.size },
        // Of rows by step the last one has it.
        reward: samples.at(-1)?.reward ?? null,
        stepRewards: sum(samples.map(({ stepWise }) => stepWise?.step_scores?.length ?? 0)),
        status: samples[0]?.status ?? 'error',
        longestPrompt: Math.max(0, ...calls.map(({ prompt }) => prompt)),
      };
    });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
