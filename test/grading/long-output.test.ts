/** What a run says whose output was not kept whole. */
import { expect, test } from 'vitest';
import type { RunResult } from '../../grading/logs/log.ts';
import { isOutputCut, withCutOutput } from '../../grading/logs/long-output.ts';
import type { Status } from '../../parsers/status.ts';

const run = (statuses: Record<string, Status>, exitCode: number | null = 0): RunResult => ({
  statusMap: new Map(Object.entries(statuses)),
  exitCode,
  timedOut: exitCode === null,
  gradable: { ok: true },
});
const isCut = (one: RunResult, ids: string[]) => isOutputCut(withCutOutput(one, true, ids));

test('a listed test that is not seen has no result', () => {
  expect(isCut(run({ a: 'PASSED' }), ['a', 'b'])).toBe(true);
  expect(isCut(run({ a: 'PASSED', b: 'PASSED' }), ['a', 'b'])).toBe(false);
  expect(isOutputCut(withCutOutput(run({ a: 'PASSED' }), false, ['a', 'b']))).toBe(false);
});

test('where tests are still to be found, all output is needed', () => {
  expect(isCut(run({ a: 'PASSED' }), [])).toBe(true);
});

test('what made the command fail has to be seen', () => {
  expect(isCut(run({ a: 'PASSED' }, 1), ['a'])).toBe(true);
  expect(isCut(run({ a: 'PASSED', b: 'FAILED' }, 1), ['a'])).toBe(false);
});

test('a time limit is the reason that counts', () => {
  expect(isCut(run({ a: 'PASSED' }, null), ['a', 'b'])).toBe(false);
});
