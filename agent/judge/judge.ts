/** Scores the steps of a rollout while it runs. A judge model is asked for several votes on each step, all at once. */

import { isFault } from '../../schemas/outcome.ts';
import type { ChatMessage, Policy } from '../policy.ts';
import type { Judge } from '../rollout.ts';
import { judgePrompt } from './prompt.ts';
import { readVote, stepValue } from './score.ts';

export interface JudgeSettings {
  /** Votes per step. */
  votes: number;
  /** Earlier steps that the judge sees. */
  history_steps: number;
  /** Leave the submitting step out. */
  skip_submit: boolean;
}

/** The model that is asked, and the names for its requests. */
export interface Asker {
  policy: Policy;
  /** The rollout's seed; each vote has its own, counted on from here. */
  seed: number;
  /** One name per rollout. */
  session: string;
}

/** Seeds stay within 31 bits, which every server takes. */
const SEEDS = 2 ** 31;

/**
 * A judge for one rollout. A vote that cannot be read, that a content filter stops, or whose prompt is too long for the judge, is null and is not
 * asked again. A fault of the endpoint rejects with that fault, so that a missing vote never counts.
 */
export function createJudge(settings: JudgeSettings, { policy, seed, session }: Asker): Judge {
  const vote = async (
    messages: ChatMessage[],
    number: number,
    signal: AbortSignal,
  ): Promise<1 | -1 | null> => {
    const reply = await policy.reply({
      messages,
      tools: [],
      seed: (seed + number) % SEEDS,
      session,
      signal,
    });
    if (reply.ok) return readVote(reply.value.content);
    if (isFault(reply.fault)) throw reply.fault;
    return null;
  };
  return {
    async score(step, signal) {
      if (step.submits && settings.skip_submit) return null;
      const numbers = Array.from({ length: settings.votes }, (_, number) => number);
      const messages = judgePrompt(step, settings.history_steps);
      const votes = await Promise.all(numbers.map((number) => vote(messages, number, signal)));
      return { value: stepValue(votes), votes };
    },
  };
}
