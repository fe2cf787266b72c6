/** What the loop is given by a type of agent that it drives. */
import type { ActionHandler } from './action-handler.ts';
import type { Action, ActionFormat } from './actions/action.ts';
import type { RolloutInput } from './rollout.ts';

/** How replies are read, what runs their actions, and the rules in between. */
export interface Loop {
  format: ActionFormat;
  rules: LoopRules;
  /** The action that submits. */
  submit: Action;
  handler(input: RolloutInput): Promise<ActionHandler>;
}

export interface LoopRules {
  /** The system text is no template. */
  rawSystem: boolean;
  /**
   * What the agent is shown as an observation after a reply without an action, which stays in later prompts. null: it is shown the
   * format error, and later prompts do not have the reply.
   */
  noAction: string | null;
  /** What a shell command submits; null: nothing. */
  submission(command: string, output: string, exitCode: number | null): string | null;
  /** Text after an observation. `left`: calls that are left; null: no limit. */
  reminder(left: number | null): string;
}
