/** What tests were without, by their log: told for failures that it may explain, and for no others. */
import { expect, test } from 'vitest';
import { missingIn, missingOf, withMissing } from '../../grading/logs/missing.ts';
import type { Outcome } from '../../schemas/outcome.ts';

const NAMES =
  "E   socket.gaierror: [Errno -2] Name or service not known\nE   requests.exceptions.ConnectionError: HTTPConnectionPool(host='a'): [Errno -2] Name or service not known\n";
const REFUSED = 'psycopg2.OperationalError: connection to server failed: Connection refused\n';
const failed = (reason: string): Outcome => ({ status: 'failed', reason, detail: 'it fails' }) as Outcome;

test.each([
  [NAMES, 'without network (2 errors in its log: Name or service not known)'],
  [REFUSED, 'without service (1 error in its log: Connection refused)'],
  [`${REFUSED}${NAMES}`, 'without network (2 errors in its log: Name or service not known)'],
  ['retrying: Connection refused\n12 passed\n', null],
  ['E   AssertionError: assert 1 == 2\n', null],
])('%j', (log, lack) => {
  expect(missingIn(log)).toBe(lack);
});

test('an outcome that it may explain says it, with the count', () => {
  const told = withMissing(failed('gold-fails'), NAMES);
  expect(told).toMatchObject({ detail: expect.stringMatching(/^it fails; without network \(2 errors/) });
  expect(missingOf(told)).toBe('network');
  expect(missingOf(withMissing(failed('pass-to-pass-broken'), REFUSED))).toBe('service');
});

test('others are what they are', () => {
  for (const outcome of [
    { status: 'ok' } as Outcome,
    failed('workspace-killed'),
    failed('empty-patch-passes'),
  ]) {
    expect(withMissing(outcome, NAMES)).toBe(outcome);
    expect(missingOf(outcome)).toBeNull();
  }
});
