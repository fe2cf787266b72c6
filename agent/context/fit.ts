/** Shortens the observations of a turn until it fits. Used only for the newest turn, when it alone is too long. */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import { pointsOf } from './code-points.ts';
import type { Costs } from './cost.ts';
import { capped } from './observations.ts';

/** Most counts in the search, after the counts of both ends. The search ends when a cut uses nine tenths of the budget. */
const MAX_PROBES = 6;
const GOOD_ENOUGH = 0.9;

/**
 * The turn with all observations cut to the same number of characters, so that it has at most `budget` tokens. If it
 * is too long even without observations (a long reply), it is returned that way.
 */
export async function fitTurn(
  messages: readonly TrajectoryMessage[],
  turn: readonly PromptPart[],
  budget: number,
  costs: Costs,
): Promise<PromptPart[]> {
  const cutTo = (characters: number) => turn.map((part) => cutPart(messages, part, characters));
  let low = { characters: 0, cost: await costs.turn(cutTo(0)) };
  if (low.cost >= budget) return cutTo(0);
  let high = { characters: longest(messages, turn), cost: await costs.turn(turn) };
  for (let probe = 0; probe < MAX_PROBES && low.cost < GOOD_ENOUGH * budget; probe++) {
    const characters = between(low, high, budget);
    if (characters <= low.characters || characters >= high.characters) break;
    const cost = await costs.turn(cutTo(characters));
    if (cost <= budget) low = { characters, cost };
    else high = { characters, cost };
  }
  return cutTo(low.characters);
}

interface Probe {
  characters: number;
  cost: number;
}

/** The next number of characters to try: a line between two counts, slightly below where it meets the budget. */
function between(low: Probe, high: Probe, budget: number): number {
  const share = (0.97 * budget - low.cost) / Math.max(1, high.cost - low.cost);
  const step = Math.floor(share * (high.characters - low.characters));
  return low.characters + Math.max(1, step);
}

/** Cuts an observation to at most `characters` code points. The cut starts from the original text, even if `part` was cut before. */
function cutPart(messages: readonly TrajectoryMessage[], part: PromptPart, characters: number): PromptPart {
  const index = typeof part === 'number' ? part : part.stands_for!;
  const isLonger = pointsOf(contentOf(messages, part)).length > characters;
  return messages[index]!.kind === 'observation' && isLonger ? capped(messages, index, characters) : part;
}

function longest(messages: readonly TrajectoryMessage[], turn: readonly PromptPart[]): number {
  return Math.max(0, ...turn.map((part) => pointsOf(contentOf(messages, part)).length));
}

function contentOf(messages: readonly TrajectoryMessage[], part: PromptPart): string {
  return typeof part === 'number' ? messages[part]!.content : part.content;
}
