/** The prompt of one step. It is stored with the call, so training samples equal the rollout. */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { ContextSettings } from '../settings.ts';
import { type Costs, costsOf } from './cost.ts';
import type { TokenCounter } from './counter.ts';
import { headTail, priceOf } from './head-tail.ts';
import { shownParts } from './observations.ts';
import { SUMMARY_REQUEST, turnsSinceSummary } from './summary.ts';
import { turnsOf } from './turns.ts';

/**
 * The next prompt. Use one list of messages per rollout and only append to it, since counts are remembered by that
 * list. With a bound a prompt exceeds the budget only if its beginning and the newest reply alone do. Rejects when
 * the counter does, for example when its endpoint is down.
 */
export async function viewOf(
  messages: readonly TrajectoryMessage[],
  settings: ContextSettings,
  counter: TokenCounter | null,
): Promise<PromptPart[]> {
  const parts = shownParts(messages, settings);
  const bound = boundOf(messages, settings, counter);
  if (bound === null) return parts;
  const { tokens, costs } = bound;
  return settings.strategy === 'summary'
    ? headTail(messages, turnsSinceSummary(messages, parts), { tokens, head: 0 }, costs)
    : headTail(messages, turnsOf(messages, parts), { tokens, head: settings.head }, costs);
}

/**
 * What the model has to summarise before its next step, because it no longer fits: all but the newest turn. null: nothing. Rejects
 * as {@link viewOf} does.
 */
export async function summaryDue(
  messages: readonly TrajectoryMessage[],
  settings: ContextSettings,
  counter: TokenCounter | null,
): Promise<PromptPart[] | null> {
  const bound = settings.strategy === 'summary' ? boundOf(messages, settings, counter) : null;
  if (bound === null) return null;
  const { tokens, costs } = bound;
  const { beginning, turns } = turnsSinceSummary(messages, shownParts(messages, settings));
  if (turns.length < 2 || (await priceOf({ beginning, turns }, costs)) <= tokens) return null;
  const request = await costs.turn([{ role: 'user', content: SUMMARY_REQUEST, stands_for: null }]);
  const left = Math.max(1, tokens - request);
  return headTail(messages, { beginning, turns: turns.slice(0, -1) }, { tokens: left, head: 0 }, costs);
}

/** Tokens of a prompt; null: no bound. */
function boundOf(
  messages: readonly TrajectoryMessage[],
  { strategy, max_tokens: most, max_response_tokens: reply }: ContextSettings,
  counter: TokenCounter | null,
): { tokens: number; costs: Costs } | null {
  if (strategy === 'full' || most === null) return null;
  if (counter === null) throw new Error(`context strategy ${strategy} needs a token counter`);
  return { tokens: Math.max(1, most - reply), costs: costsOf(messages, counter) };
}
