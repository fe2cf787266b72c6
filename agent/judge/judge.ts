/** Scores the steps of a rollout while it runs. A judge model is asked for several votes on each step, all at once. */

import { isFault } from '../../schemas/outcome.ts';
import { type Asker, askBeside, type ChatMessage } from '../policy.ts';
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

/**
 * A judge for one rollout. A vote that cannot be read, that was cut at its token limit, that a content filter stops, or whose prompt is too long for the
 * judge, is null and is not asked again. A fault of the endpoint rejects with that fault, so that a missing vote never counts.
 */
export function createJudge(settings: JudgeSettings, asker: Asker): Judge {
  return {
    async score(step, signal) {
      if (step.submits && settings.skip_submit) return null;
      const messages = judgePrompt(step, settings.history_steps);
      const votes = await votesOn(messages, settings.votes, asker, signal, readVote);
      return { value: stepValue(votes), votes };
    },
  };
}

/** Asks for as many votes at once. `read`: the vote in a reply; null where there is none. */
export async function votesOn<Vote extends number>(
  messages: ChatMessage[],
  count: number,
  asker: Asker,
  signal: AbortSignal,
  read: (reply: string) => Vote | null,
): Promise<(Vote | null)[]> {
  const vote = async (number: number): Promise<Vote | null> => {
    const reply = await askBeside(asker, messages, number, signal);
    // A thought that was cut may name any score.
    if (reply.ok) return reply.value.truncated ? null : read(reply.value.content);
    if (isFault(reply.fault)) throw reply.fault;
    return null;
  };
  return Promise.all(Array.from({ length: count }, (_, number) => vote(number)));
}
