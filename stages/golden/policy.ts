/** Which trajectories are golden, and why each other one is not. */

import type { LeakFinding } from '../../agent/leaks/finding.ts';
import { hasLeak } from '../../agent/leaks/report.ts';
import type { GoldenConfig } from '../../schemas/generated/project.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';

type DropReason = 'no-trajectory' | 'exit' | 'flaky' | 'reward' | 'steps' | 'leak';

export interface Dropped {
  why: DropReason;
  detail: string;
}

export interface Judged {
  summary: RolloutSummary;
  /** null: neither, as for doubtful code. */
  reward: number | null;
  /** It passes only sometimes. */
  isFlaky: boolean;
  /** The detail of the verdict, for people. */
  verdict: string;
  findings: readonly LeakFinding[];
}

/** Why a trajectory is not golden, by the first rule that it breaks; null: it is. */
export function dropReason(
  { summary, reward, isFlaky, verdict, findings }: Judged,
  policy: GoldenConfig,
): Dropped | null {
  const { exit_status, steps } = summary;
  if (!(policy.exit as readonly string[]).includes(exit_status ?? ''))
    return { why: 'exit', detail: `it ended with ${exit_status ?? 'nothing'}` };
  if (isFlaky) return { why: 'flaky', detail: verdict };
  if (reward === null) return { why: 'reward', detail: `no reward: ${verdict}` };
  if (reward < policy.reward) return { why: 'reward', detail: `reward ${reward}: ${verdict}` };
  if (policy.max_steps !== undefined && steps > policy.max_steps)
    return { why: 'steps', detail: `${steps} steps, at most ${policy.max_steps}` };
  if (policy.leaks === 'drop' && hasLeak(findings)) {
    const { step, rule } = findings.find(({ severity }) => severity === 'leak')!;
    return { why: 'leak', detail: `${rule} at step ${step}` };
  }
  return null;
}
