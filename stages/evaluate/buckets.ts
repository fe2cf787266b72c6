/**
 * The buckets of SWE-bench's run-level report. A patch that could not be graded is an error there and never
 * unresolved. The reason why it could not be graded is kept beside it.
 */
import type { InfraHint } from '../../grading/logs/infra.ts';
import type { FailedReason, Outcome } from '../../schemas/outcome.ts';

export type Bucket = 'resolved' | 'unresolved' | 'empty_patch' | 'error' | 'incomplete';

/** The result of one instance. */
export interface SampleVerdict {
  bucket: Bucket;
  /**
   * Why it is not resolved: one of swemake's reasons, `infra: …`, or a reason of the official harness; null when it
   * is resolved, or was not graded.
   */
  reason: string | null;
  detail: string;
  /** The machine failed: there is no answer yet. */
  isInfra: boolean;
  /** What the log looks like; advice only. */
  hint: InfraHint | null;
}

/** Reasons of patches whose tests ran and did not pass; upstream writes a report for these. */
const GRADED: readonly FailedReason[] = [
  'not-resolved',
  'build-failed',
  'not-gradable',
  'tampering',
  'doubtful',
];

export function sampleVerdict(bucket: Bucket, more: Partial<SampleVerdict> = {}): SampleVerdict {
  return { bucket, reason: null, detail: '', isInfra: false, hint: null, ...more };
}

/** The bucket of a patch by its verdict's outcome. */
export function bucketOf(outcome: Outcome, hint: InfraHint | null): SampleVerdict {
  switch (outcome.status) {
    case 'ok':
      return sampleVerdict('resolved');
    case 'stopped':
    case 'config':
    case 'infra':
      return sampleVerdict('error', {
        reason: `${outcome.status}: ${outcome.reason}`,
        detail: outcome.detail,
        isInfra: true,
      });
    case 'failed': {
      const { reason, detail } = outcome;
      if (reason === 'empty-patch') return sampleVerdict('empty_patch');
      if (!GRADED.includes(reason)) return sampleVerdict('error', { reason, detail, hint });
      return sampleVerdict('unresolved', { reason: reason === 'not-resolved' ? null : reason, detail, hint });
    }
    default:
      return sampleVerdict('error', { reason: outcome.reason, detail: outcome.detail, hint });
  }
}

/** The run-level report in upstream's form, schema version 2. Lists are sorted. */
export function runReport(verdicts: ReadonlyMap<string, SampleVerdict>) {
  const idsOf = (wanted: (one: SampleVerdict) => boolean) =>
    [...verdicts].flatMap(([id, one]) => (wanted(one) ? [id] : [])).sort();
  const inBucket = (...buckets: Bucket[]) => idsOf(({ bucket }) => buckets.includes(bucket));
  const submitted = idsOf(({ bucket }) => bucket !== 'incomplete');
  const completed = inBucket('resolved', 'unresolved');
  const infra = idsOf(
    (one) => one.isInfra || (one.bucket !== 'resolved' && one.hint?.tier === 'environment'),
  );
  const ambiguous = idsOf(
    (one) => !one.isInfra && one.bucket !== 'resolved' && one.hint?.tier === 'ambiguous',
  );
  const reasons = [...verdicts].flatMap(([id, { bucket, reason, hint }]): [string, string][] => {
    const why = reason ?? (bucket === 'resolved' ? null : (hint?.reason ?? null));
    return why === null ? [] : [[id, why]];
  });
  return {
    total_instances: verdicts.size,
    submitted_instances: submitted.length,
    completed_instances: completed.length,
    resolved_instances: inBucket('resolved').length,
    unresolved_instances: inBucket('unresolved').length,
    infra_failure_instances: infra.length,
    ambiguous_failure_instances: ambiguous.length,
    empty_patch_instances: inBucket('empty_patch').length,
    error_instances: inBucket('error').length,
    // Containers that upstream's harness left behind; here there are none.
    unstopped_instances: 0,
    completed_ids: completed,
    incomplete_ids: inBucket('incomplete'),
    empty_patch_ids: inBucket('empty_patch'),
    submitted_ids: submitted,
    resolved_ids: inBucket('resolved'),
    unresolved_ids: inBucket('unresolved'),
    infra_failure_ids: infra,
    ambiguous_failure_ids: ambiguous,
    failure_reasons: Object.fromEntries(reasons.sort(([a], [b]) => (a < b ? -1 : 1))),
    error_ids: inBucket('error'),
    unstopped_containers: [],
    unremoved_images: [],
    schema_version: 2,
  };
}
