/** Tests of mutated code that a busy machine keeps from their limit. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { searchTasks } from '../../../app/mutation/measure.ts';
import { type RunTests, withLongerLimit } from '../../../app/mutation/test-run.ts';
import { fault, success } from '../../../basics/result.ts';
import type { Status } from '../../../parsers/status.ts';
import { infra } from '../../../schemas/outcome.ts';
import { listMutations } from '../../../tasks/mutation/derive.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';

const BUSY = fault(infra('busy', 'the tests met the time limit'));
const DOWN = fault(infra('engine', 'no workspace'));
const ended = (statuses: Record<string, Status>) =>
  success({ statuses: new Map(Object.entries(statuses)), timedOut: false });
const PASSED = ended({ a: 'PASSED', b: 'PASSED' });

type Ended = Awaited<ReturnType<RunTests>>;

test.each<[string, Ended[], Ended, number[]]>([
  ['once', [BUSY, PASSED], PASSED, [5, 20]],
  ['twice', [BUSY, BUSY], BUSY, [5, 20]],
  ['never', [PASSED], PASSED, [5]],
  ['by a machine that is down', [DOWN], DOWN, [5]],
])('are kept from it %s', async (_, ends, end, limits) => {
  const given: number[] = [];
  const run = withLongerLimit(async (_change, _lists, timeout) => {
    given.push(timeout);
    return ends[given.length - 1]!;
  });
  expect(await run(null, null, 5)).toEqual(end);
  expect(given).toEqual(limits);
});

test('a change of which a busy machine says nothing is left out, and the search goes on', async () => {
  const sourceFolder = mkdtempSync(join(tmpdir(), 'swemake-busy-'));
  onTestFinished(() => rmSync(sourceFolder, { recursive: true }));
  writeFileSync(
    join(sourceFolder, 'm.py'),
    'def f(a):\n    if a > 1:\n        return a + 1\n    return a - 1\n',
  );
  const found = await findInterpreter(null, { env: process.env });
  if (!found.ok) throw new Error(found.fault.detail);
  const python = found.value.executable;
  const candidates = await listMutations([], { sourceFolder, python }, ['.py']);
  if (!candidates.ok) throw new Error(candidates.fault.detail);
  const FAILED = ended({ a: 'FAILED', b: 'PASSED' });
  const search = async (...ends: Ended[]) => {
    const [said, made]: string[][] = [[], []];
    const end = await searchTasks({
      ...{ sourceFolder, python, candidates: candidates.value, count: 1, timeout: 5, passToPass: 9 },
      stable: new Set(['a', 'b']),
      runTests: async () => ends.shift()!,
      found: (task) => made!.push(task.FAIL_TO_PASS.join()),
      rejected: (_, why) => said!.push(why),
    });
    return { end, said, made };
  };
  const whole = await search(BUSY, FAILED, FAILED, PASSED);
  expect(whole).toEqual({ end: success(1), said: ['the tests met the time limit'], made: ['a'] });
  expect((await search(DOWN)).end).toEqual(DOWN);
});
