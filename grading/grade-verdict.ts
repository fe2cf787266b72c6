/** What grading says of one patch: the `verdict` output of the stage. */

import { type FailedReason, failed, flaky, type Outcome, timeout } from '../schemas/outcome.ts';
import type { Finding } from './rules/findings.ts';
import { relaxations, type UsedPreset } from './rules/presets.ts';
import type { TestsStatus } from './rules/verdict.ts';

export interface GradedPatch {
  /** How many files it touches. */
  files: number;
  bytes: number;
  /** Files that were restored to the task's content. */
  dropped: string[];
}

export interface GradeVerdict {
  /** Null: it passes only sometimes, its code is doubtful, or the model was kept from working, which is neither. */
  reward: 0 | 1 | null;
  resolved: boolean;
  /** Some but not all of FAIL_TO_PASS pass, and all of PASS_TO_PASS. */
  partial: boolean;
  /** Name of the rules, and where they are laxer than the default. */
  preset: string;
  relaxations: string[];
  /** Why there is no reward; null with one. */
  reason: FailedReason | 'time-limit' | 'repeats-disagree' | null;
  detail: string;
  /** Which listed tests passed; null when that cannot be said. */
  tests_status: TestsStatus | null;
  /** Findings of the integrity checks. Only those with effect `voided` or `masked` took a reward away. */
  integrity: Finding[];
  patch: GradedPatch;
  /** How many times it was graded again after it passed. */
  repeats: number;
  /**
   * With how many mutants in its code its tests were run; `unchecked`: too few fit in it. Absent where validation kept
   * none, or the patch did not pass.
   */
  mutants?: number | 'unchecked';
}

/** An answer that stands for no reward. */
export type Lost = Extract<Outcome, { status: 'failed' | 'timeout' }>;

/** The verdict of a patch that was not run, or whose run says nothing. There may be no reward at all. */
export function unrewarded(
  outcome: Lost,
  preset: UsedPreset,
  patch: GradedPatch,
  integrity: Finding[],
): GradeVerdict {
  return {
    reward: rewardOf(outcome) === 0 ? 0 : null,
    resolved: false,
    partial: false,
    preset: preset.name,
    relaxations: relaxations(preset.rules),
    reason: outcome.reason,
    detail: outcome.detail,
    tests_status: null,
    integrity,
    patch,
    repeats: 0,
  };
}

/** Answers that are neither a reward nor none. */
const UNREWARDED: readonly FailedReason[] = ['doubtful', 'content-filtered'];

/** The reward that an outcome of a grade stands for. Null: neither, as for one that passes only sometimes, or a fault. */
export function rewardOf(outcome: Outcome): 0 | 1 | null {
  if (outcome.status === 'ok') return 1;
  if (outcome.status === 'timeout') return 0;
  return outcome.status === 'failed' && !UNREWARDED.includes(outcome.reason) ? 0 : null;
}

/** What the item's outcome is: the verdict's reason. */
export function outcomeOf({ reward, reason, detail }: GradeVerdict): Outcome {
  if (reward === 1 || reason === null) return { status: 'ok' };
  if (reason === 'repeats-disagree') return flaky(detail);
  if (reason === 'time-limit') return timeout(detail);
  return failed(reason, detail);
}
