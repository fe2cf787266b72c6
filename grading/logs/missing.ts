/**
 * Finds in the log of a run that tests had no network, or no service that they need. If that may be the reason of an
 * outcome, its detail says so, with the number of errors. The report counts instances by it.
 */
import type { Outcome } from '../../schemas/outcome.ts';

/** What errors say where a network or a service is missing. */
const SIGNS: readonly [name: string, words: string][] = [
  [
    'network',
    'Name or service not known|Temporary failure in name resolution|No address associated with hostname|Network is unreachable|getaddrinfo failed|nodename nor servname provided',
  ],
  ['service', 'Connection refused|could not connect to server'],
];
/** Lines that report an error, unlike other output of a program. */
const ERROR = '^(?:E\\s|[\\w.]*(?:Error|Exception|Failure|gaierror)\\b)';
/** Outcomes that a missing network or service may explain. */
const HELD: readonly string[] = ['gold-fails', 'pass-to-pass-broken', 'no-tests-ran', 'no-failing-test'];

/** `without network (44 errors in its log: Name or service not known)`; null when nothing was lacking. */
export function missingIn(log: string): string | null {
  for (const [name, words] of SIGNS) {
    const found = [...log.matchAll(new RegExp(`${ERROR}.*?(${words})`, 'gm'))];
    if (found.length === 0) continue;
    const errors = found.length === 1 ? '1 error' : `${found.length} errors`;
    return `without ${name} (${errors} in its log: ${found[0]![1]})`;
  }
  return null;
}

/** The outcome with what was missing in its detail. */
export function withMissing(outcome: Outcome, log: string): Outcome {
  if (outcome.status !== 'failed' || !HELD.includes(outcome.reason)) return outcome;
  const missing = missingIn(log);
  return missing === null ? outcome : { ...outcome, detail: `${outcome.detail}; ${missing}` };
}

/** What was missing according to an outcome; null when it says nothing. */
export function missingOf(outcome: Outcome): string | null {
  if (outcome.status !== 'failed') return null;
  const words = /; without (\w+) \(\d+ errors? in its log: /.exec(outcome.detail)?.[1];
  return words ?? null;
}
