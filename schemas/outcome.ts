/**
 * How an action ended. The statuses are closed: `ok`, `failed`, `flaky` and `timeout` are answers and are
 * cached. Three ends are no answer, so they are journaled, never cached and never a reward: `stopped`, by the user;
 * `config`, which no other try mends before the project or its key is changed; and `infra`, a fault of the machine, the
 * network or a service, which the next build tries again.
 */

import type { Result } from '../basics/result.ts';
import type { Absence } from './absence.ts';

/** The task's own answers. */
export const FAILED_REASONS = [
  'invalid-row',
  'install-failed',
  'environment-failed',
  // An agent that is a program could not be installed, or does not start.
  'agent-failed',
  'patch-does-not-apply',
  'no-failing-test',
  'pass-to-pass-broken',
  'empty-patch-passes',
  'gold-fails',
  'no-tests-ran',
  // What the tests need does not compile.
  'build-failed',
  'workspace-killed',
  'empty-patch',
  'patch-refused',
  'not-resolved',
  'not-gradable',
  'tampering',
  // Its tests pass, and its code is doubtful: neither a reward nor none.
  'doubtful',
  // A content filter stopped the model: there is no reward, neither 1 nor 0.
  'content-filtered',
  'weak-isolation',
  'nothing-to-train-on',
  // Counted as failed by hand, since it never came to an answer.
  'given-up',
] as const;
export type FailedReason = (typeof FAILED_REASONS)[number];

/** Why there is no answer. */
export const INFRA_REASONS = [
  'network',
  'package-index',
  'source-fetch',
  'python-missing',
  'tool-missing',
  // The deployment cannot do what the project asks of it.
  'deployment',
  // The container engine does not answer, or refuses.
  'engine',
  // The pool server does not answer, or refuses.
  'pool',
  // The process that holds a workspace ended, or did not begin.
  'workspace-lost',
  // A program of swemake, on this machine or in a workspace, did not do its work.
  'helper',
  // The official evaluation harness broke off.
  'harness',
  // The operating system refused a call.
  'machine',
  'disk-full',
  'out-of-memory',
  'no-processes',
  'killed',
  // It speaks of a lack of room, memory or processes, and nothing here counts whether there was one.
  'uncounted',
  // The machine, a container or a process of ours stood still while a time limit went on.
  'paused',
  // The machine had too little processor time while a time limit of code that is trusted went on.
  'busy',
  'upstream-infra',
  // An output of an earlier answer is gone from the cache, or damaged; the next build makes it again.
  'output-lost',
  // A machine of a cluster was lost, or the cluster; or it is another than what the key says.
  'node-lost',
  'node-differs',
  'lock-drift',
  'endpoint',
  'endpoint-refused',
  // The weights that answer are not those that the key names.
  'model-changed',
  // What the project calls a model names no weights.
  'identity-unknown',
  'environment-broken',
  'service-not-ready',
  'secret-missing',
  // The project or an answer holds a secret, so it is not sent to other machines.
  'secret-held',
  'template',
  // The program of an agent ended before it asked its model.
  'agent-failed',
  'training',
  // A bug of swemake; its stack is in the log.
  'internal',
  'cancelled',
] as const;
export type InfraReason = (typeof INFRA_REASONS)[number];

/** Ends without an answer. */
export const FAULT_STATUSES = ['stopped', 'config', 'infra'] as const;
export type FaultStatus = (typeof FAULT_STATUSES)[number];

/** Reasons that no machine or service is to blame for; of all others the status is `infra`. */
const STATUS_OF: Readonly<Partial<Record<InfraReason, FaultStatus>>> = {
  cancelled: 'stopped',
  deployment: 'config',
  'endpoint-refused': 'config',
  'identity-unknown': 'config',
  'secret-held': 'config',
  'secret-missing': 'config',
  template: 'config',
};

export type Outcome =
  | { status: 'ok' }
  /** `absent`: what it rests on, if that was not found; a record has it beside the outcome. */
  | { status: 'failed'; reason: FailedReason; detail: string; absent?: readonly Absence[] }
  | { status: 'flaky'; reason: 'repeats-disagree'; detail: string }
  | { status: 'timeout'; reason: 'time-limit'; detail: string }
  | Infra;

/** A value, or the outcome in its place. */
export type Attempt<T> = Promise<Result<T, Outcome>>;

export type OutcomeStatus = Outcome['status'];

/** An end without an answer, as a value. */
export interface Infra {
  status: FaultStatus;
  reason: InfraReason;
  detail: string;
}

/** The reason says which kind of end it is. */
export function infra(reason: InfraReason, detail: string): Infra {
  return { status: STATUS_OF[reason] ?? 'infra', reason, detail };
}

/** An answer against the task, or against a patch. */
export function failed(reason: FailedReason, detail: string): Extract<Outcome, { status: 'failed' }> {
  return { status: 'failed', reason, detail };
}

/** Repeats that disagree. */
export function flaky(detail: string): Outcome {
  return { status: 'flaky', reason: 'repeats-disagree', detail };
}

/** Tests that ran into their limit. */
export function timeout(detail: string): Extract<Outcome, { status: 'timeout' }> {
  return { status: 'timeout', reason: 'time-limit', detail };
}

/** True for an end without an answer. */
export function isFault<T extends { status: string }>(outcome: T): outcome is Extract<T, Infra> {
  return (FAULT_STATUSES as readonly string[]).includes(outcome.status);
}

/** Only answers may enter the cache. */
export function isCacheable(outcome: Outcome): boolean {
  return !isFault(outcome);
}
