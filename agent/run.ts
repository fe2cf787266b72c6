/** State that the parts of a running rollout share. */

import type { Result } from '../basics/result.ts';
import type { Infra } from '../schemas/outcome.ts';
import type { ActionHandler } from './action-handler.ts';
import type { ActionFormat } from './actions/action.ts';
import type { Clock } from './clock.ts';
import type { Ending } from './ending.ts';
import type { Judging } from './judging.ts';
import type { RolloutInput } from './rollout.ts';
import type { LoopRules } from './rules.ts';
import type { AgentTexts, Progress } from './texts.ts';
import type { Transcript } from './transcript.ts';
import type { User } from './user.ts';

/** Everything that a rollout works with. */
export interface Run {
  input: RolloutInput;
  texts: AgentTexts;
  rules: LoopRules;
  format: ActionFormat;
  handler: ActionHandler;
  transcript: Transcript;
  clock: Clock;
  judging: Judging;
  user: User;
  /** Token ids of the newest call that had any. */
  ids: number[] | null;
}

/** null: the rollout continues. */
export type TurnEnd = Result<Ending | null, Infra>;

/** Progress of the rollout, for templates. */
export function progressOf({ transcript, clock }: Run): Progress {
  return {
    n_model_calls: transcript.begun,
    model_cost: transcript.cost,
    elapsed_seconds: clock.worked(),
  };
}
