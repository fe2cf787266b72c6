/** Makes a turn fit by cutting inside its observations: the last resort, for the newest turn only. */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import { pointsOf } from './code-points.ts';
import type { Costs } from './cost.ts';
import { capped } from './observations.ts';

/** Each probe is a count; a cut that uses nine tenths of the budget is good enough. */
const PROBES = 6;
const GOOD_ENOUGH = 0.9;

/**
 * The turn with its observations cut to one common number of characters, so that it costs at most `budget` tokens.
 * With nothing left of the observations and still too large (a long reply), it is returned so.
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
  for (let probe = 0; probe < PROBES && low.cost < GOOD_ENOUGH * budget; probe++) {
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

/** Where a straight line between two counts meets the budget, a little to the safe side. */
function between(low: Probe, high: Probe, budget: number): number {
  const share = (0.97 * budget - low.cost) / Math.max(1, high.cost - low.cost);
  const step = Math.floor(share * (high.characters - low.characters));
  return low.characters + Math.max(1, step);
}

/** Cuts an observation to so many characters of the original, whether it was cut before or not. */
function cutPart(messages: readonly TrajectoryMessage[], part: PromptPart, characters: number): PromptPart {
  const index = typeof part === 'number' ? part : part.stands_for!;
  const isLonger = contentOf(messages, part).length > characters;
  return messages[index]!.kind === 'observation' && isLonger ? capped(messages, index, characters) : part;
}

function longest(messages: readonly TrajectoryMessage[], turn: readonly PromptPart[]): number {
  return Math.max(0, ...turn.map((part) => pointsOf(contentOf(messages, part)).length));
}

function contentOf(messages: readonly TrajectoryMessage[], part: PromptPart): string {
  return typeof part === 'number' ? messages[part]!.content : part.content;
}
