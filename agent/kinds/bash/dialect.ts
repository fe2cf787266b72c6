/** Describes a dialect: the loop that models were trained with, for agents with a shell. */
import type { Count, Marks } from '../../actions/fence.ts';
import type { LoopRules } from '../../rules.ts';
import type { ActionFormat, AgentTemplates, RolloutLimits } from '../../settings.ts';

export interface Dialect {
  readonly limits: RolloutLimits;
  readonly rules: LoopRules;
  /** Expression for a command with actions: fence. */
  readonly fence: string;
  readonly count: Count;
  /** Whether replies may be native tool calls. */
  readonly readsToolCalls: boolean;
  /** Files and texts of mini-swe-agent are written for it: their form of actions and their way to hand in count. */
  readonly fitsFiles: boolean;
  /** `regex` replaces the expression of `fence`. */
  templates(actions: ActionFormat, regex: string | null): AgentTemplates;
  /** Texts that show how a command is written. */
  readonly showing: readonly (keyof AgentTemplates)[];
  /** The marks in which they show one where this expression is read; null: in those that it does not read. */
  shownFor(regex: string): Marks | null;
}
