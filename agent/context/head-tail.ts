/**
 * Fits a long history into a budget of tokens. It keeps the beginning of the conversation, whole turns from the start
 * (a share of the tokens) and whole turns from the end (the rest). A message between them says how many turns are
 * missing. The newest turn is always kept, unlike in the original scheme: a model that does not see the result of its
 * last command repeats the command.
 */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { Costs } from './cost.ts';
import { fitTurn } from './fit.ts';
import type { Turns } from './turns.ts';

export interface Budget {
  /** Tokens of the prompt. */
  tokens: number;
  /** Share of the available tokens that the first turns get. */
  head: number;
}

/** The message for turns that are left out. Models were trained on these words, so they must not change. */
function marker(turns: number): PromptPart {
  return {
    role: 'user',
    content: `[... ${turns} turn(s) of interaction history omitted due to context window limit ...]`,
    stands_for: null,
  };
}

/** Tokens of all. */
export async function priceOf({ beginning, turns }: Turns, costs: Costs): Promise<number> {
  let all = await costs.prompt(beginning);
  for (const turn of turns) all += await costs.turn(turn);
  return all;
}

/** The parts that fit; all of them when they do. */
export async function headTail(
  messages: readonly TrajectoryMessage[],
  { beginning, turns }: Turns,
  budget: Budget,
  costs: Costs,
): Promise<PromptPart[]> {
  const parts = [...beginning, ...turns.flat()];
  const bare = await costs.prompt(beginning);
  const prices: number[] = [];
  for (const turn of turns) prices.push(await costs.turn(turn));
  if (bare + sum(prices) <= budget.tokens || turns.length === 0) return parts;

  const newest = turns.at(-1)!;
  if (turns.length === 1) {
    return [...beginning, ...(await fitTurn(messages, newest, budget.tokens - bare, costs))];
  }
  const available = budget.tokens - (await costs.prompt([...beginning, marker(0)]));
  const { head, tail } = choose(prices, available, budget.head);
  const omitted = tail - head;
  if (omitted <= 0) return parts;
  const end = turns.slice(tail);
  if (prices.at(-1)! > available) end.splice(-1, 1, await fitTurn(messages, newest, available, costs));
  return [...beginning, ...turns.slice(0, head).flat(), marker(omitted), ...end.flat()];
}

/**
 * How many turns are kept at the start, and the index of the first that is kept at the end. The last turn is always
 * kept.
 */
function choose(prices: readonly number[], available: number, share: number): { head: number; tail: number } {
  const last = prices.length - 1;
  const newest = prices[last]!;
  const headBudget = Math.min(Math.floor(available * share), available - newest);
  let head = 0;
  let used = 0;
  while (head < last && used + prices[head]! <= headBudget) used += prices[head++]!;

  const tailBudget = available - Math.floor(available * share);
  let tail = last;
  let spent = newest;
  while (tail > head && spent + prices[tail - 1]! <= tailBudget) spent += prices[--tail]!;
  // The available tokens were counted with a marker of one digit. A longer number may need a token for each further
  // digit.
  const digits = String(tail - head).length - 1;
  while (tail < last && used + spent + digits > available) spent -= prices[tail++]!;
  return { head, tail };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
