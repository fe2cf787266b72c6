/**
 * Judges a reply by the state after it: the next messages of the user or the tools. For agents that live elsewhere, of whose commands
 * and exit codes nothing is known but the text.
 */
import type { StepReward } from '../../schemas/trajectory.ts';
import { cutText } from '../context/code-points.ts';
import type { Asker, ChatMessage } from '../policy.ts';
import { type JudgeSettings, votesOn } from './judge.ts';
import { boxed, stepValue } from './score.ts';

export interface NextState {
  /** What the agent was asked for, in its own words. */
  task: string;
  /** The whole reply, with its tool calls. */
  reply: string;
  /** All messages until the next reply. */
  next: string;
}

export interface NextStateJudge {
  /** Rejects with the fault of the judge's endpoint. */
  score(state: NextState, signal: AbortSignal): Promise<StepReward>;
}

/** Characters (code points) of what the judge sees of each part. */
const MOST = 8000;

const SYSTEM = `You judge single replies of an assistant by what came after them.
You are given the task, the reply, and the next state: what the user answered, or what the tools gave.`;

const RULES = `## Scoring
1: the next state shows that the reply helped: it did what was meant, or the user goes on content.
-1: the next state shows that it did not: an error that was not to be expected, a correction, a complaint, the same wish again.
0: the next state shows neither.

Think step by step. Then give the score, once, as \\boxed{1}, \\boxed{-1} or \\boxed{0}.`;

export function createNextStateJudge(settings: Pick<JudgeSettings, 'votes'>, asker: Asker): NextStateJudge {
  return {
    async score(state, signal) {
      const votes = await votesOn(nextStatePrompt(state), settings.votes, asker, signal, readScore);
      return { value: stepValue(votes), votes };
    },
  };
}

function nextStatePrompt({ task, reply, next }: NextState): ChatMessage[] {
  const sections = [
    `## Task\n${cutText(task, MOST)}`,
    `## Reply\n${cutText(reply, MOST)}`,
    `## Next state\n${cutText(next, MOST)}`,
    RULES,
  ];
  return [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: sections.join('\n\n') },
  ];
}

function readScore(reply: string): number | null {
  const value = boxed(reply);
  return value !== null && [-1, 0, 1].includes(value) ? value : null;
}
