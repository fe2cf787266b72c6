/**
 * How an action ended. The statuses are closed: `ok`, `failed`, `flaky` and `timeout` are answers and are
 * cached; `infra` says that no answer was obtained, so it is journaled and retried, never cached and never
 * a reward.
 */

/** The task's own answers. */
export const FAILED_REASONS = [
  'invalid-row',
  'install-failed',
  'environment-failed',
  'patch-does-not-apply',
  'no-failing-test',
  'pass-to-pass-broken',
  'empty-patch-passes',
  'gold-fails',
  'no-tests-ran',
  'workspace-killed',
  'empty-patch',
  'patch-refused',
  'not-resolved',
  'not-gradable',
  'tampering',
  'weak-isolation',
] as const;
export type FailedReason = (typeof FAILED_REASONS)[number];

/** Faults of the machine, the network or a service. */
const INFRA_REASONS = [
  'network',
  'package-index',
  'source-fetch',
  'python-missing',
  'tool-missing',
  'executor',
  'disk-full',
  'out-of-memory',
  'killed',
  'upstream-infra',
  'lock-drift',
  'endpoint',
  'endpoint-refused',
  'environment-broken',
  'service-not-ready',
  'template',
  'cancelled',
] as const;
export type InfraReason = (typeof INFRA_REASONS)[number];

export type Outcome =
  | { status: 'ok' }
  | { status: 'failed'; reason: FailedReason; detail: string }
  | { status: 'flaky'; reason: 'repeats-disagree'; detail: string }
  | { status: 'timeout'; reason: 'time-limit'; detail: string }
  | { status: 'infra'; reason: InfraReason; detail: string };

export type OutcomeStatus = Outcome['status'];

/** A fault of the machine or a service, as a value. */
export type Infra = Extract<Outcome, { status: 'infra' }>;

export function infra(reason: InfraReason, detail: string): Infra {
  return { status: 'infra', reason, detail };
}

/** Only answers may enter the cache. */
export function isCacheable(outcome: Outcome): boolean {
  return outcome.status !== 'infra';
}
