/** The instance's report.json in SWE-bench's shape, so that its tools read what we graded. */

import type { GradeVerdict } from './grade-verdict.ts';
import { infraHint } from './logs/infra.ts';

/** Text of report.json. `log` is null when nothing was run. */
export function instanceReport(instance: string, verdict: GradeVerdict, log: string | null): string {
  const { tests_status, patch, reason } = verdict;
  const hint = log === null || verdict.resolved ? null : infraHint(log);
  const groups = { FAIL_TO_FAIL: { success: [], failure: [] }, PASS_TO_FAIL: { success: [], failure: [] } };
  const report = {
    patch_is_None: false,
    patch_exists: patch.bytes > 0,
    patch_successfully_applied: tests_status !== null,
    resolved: verdict.resolved,
    ...(tests_status === null ? {} : { tests_status: { ...tests_status, ...groups } }),
    infra_failure: hint?.tier === 'environment',
    ...(hint === null ? {} : { infra_failure_reason: hint.reason }),
    // Not upstream's: why, and under which rules.
    swemake: {
      preset: verdict.preset,
      relaxations: verdict.relaxations,
      reason,
      integrity: verdict.integrity,
    },
  };
  return `${JSON.stringify({ [instance]: report }, null, 2)}\n`;
}
