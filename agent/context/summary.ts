/**
 * Context strategy summary: when the history no longer fits, the model is asked to say what matters of it, and goes on from that. The call
 * is one of the rollout's own, with its prompt and reply, so what it wrote is trained like any other reply. The newest turn is not part of
 * it and is kept whole, since a model that does not see the result of its last command repeats the command.
 */
import type { PromptPart, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { Turns } from './turns.ts';
import { turnsOf } from './turns.ts';

/** What the model is asked. It is in prompts of training data. */
export const SUMMARY_REQUEST = `The conversation has become too long, and what came before this message will be removed. Write down all that you need to go on without it: what the task asks for, what you found out and where, what you changed and why, what failed, and what is left to do. Answer with this text alone; nothing of it is run.`;

/** What stands before a summary in later prompts. */
const LEAD = 'What was done so far was removed from this conversation. This is your own summary of it:\n\n';

/** The turns that a prompt shows. If there is a summary: the newest one, the last turn before it, and all turns after it. */
export function turnsSinceSummary(
  messages: readonly TrajectoryMessage[],
  parts: readonly PromptPart[],
): Turns {
  const summary = messages.findLastIndex(({ kind }) => kind === 'summary');
  const shown = parts.filter((part) => !/^summary/.test(messages[indexOf(part)]!.kind));
  const all = turnsOf(messages, shown);
  if (summary === -1) return all;
  const part: PromptPart = { role: 'user', content: LEAD + messages[summary]!.content, stands_for: null };
  const kept = all.turns.findLastIndex((turn) => indexOf(turn[0]!) < summary);
  return { beginning: [...all.beginning, part], turns: all.turns.slice(Math.max(0, kept)) };
}

function indexOf(part: PromptPart): number {
  return typeof part === 'number' ? part : part.stands_for!;
}
