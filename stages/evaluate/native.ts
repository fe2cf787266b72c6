/** Verdicts of our own grader: the outcomes of grade, in upstream's buckets. */
import type { InfraHint } from '../../grading/logs/infra.ts';
import { infra } from '../../schemas/outcome.ts';
import { bucketOf, type SampleVerdict, sampleVerdict } from './buckets.ts';
import type { Sample } from './sample.ts';

/** The result of each sample. */
export function evaluateNatively(samples: readonly Sample[]): Map<string, SampleVerdict> {
  return new Map(samples.map((sample) => [sample.instance_id, verdictOf(sample)]));
}

/** The result where no grading is needed: a fault, a missing prediction or an empty patch; else null. */
export function ungradedVerdict({ predicted, patch }: Sample): SampleVerdict | null {
  if (predicted.status !== 'ok') return bucketOf(predicted, null);
  if (patch === null) return sampleVerdict('incomplete');
  return patch.trim() === '' ? sampleVerdict('empty_patch') : null;
}

function verdictOf(sample: Sample): SampleVerdict {
  const ungraded = ungradedVerdict(sample);
  if (ungraded !== null) return ungraded;
  const graded = sample.graded ?? infra('upstream-infra', 'the patch is not graded');
  return bucketOf(graded, hintOf(sample));
}

/** What the instance's report.json says the log looks like. */
function hintOf({ report, instance_id }: Sample): InfraHint | null {
  const own = (report as Record<string, { infra_failure?: boolean; infra_failure_reason?: string }> | null)?.[
    instance_id
  ];
  if (own?.infra_failure_reason === undefined) return null;
  return { tier: own.infra_failure === true ? 'environment' : 'ambiguous', reason: own.infra_failure_reason };
}
