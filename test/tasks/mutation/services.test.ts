/** Tests of mutated code beside services that are lost. */
import { expect, test } from 'vitest';
import { runClean } from '../../../app/mutation/measure.ts';
import { type ChangedFile, type RunTests, withServices } from '../../../app/mutation/test-run.ts';
import { fault, success } from '../../../basics/result.ts';
import { infra } from '../../../schemas/outcome.ts';

const CHANGE: ChangedFile = { path: 'a.py', bytes: new Uint8Array() };
const LISTS = { FAIL_TO_PASS: ['a'], PASS_TO_PASS: ['b'] };
const PASSED = success({ statuses: new Map([['a', 'PASSED' as const]]), timedOut: false });
const LOST = fault(infra('service-not-ready', 'service web ended with code 3'));
const DOWN = fault(infra('engine', 'no workspace'));

type Ended = Awaited<ReturnType<RunTests>>;

/** Runs that end so, one after the other, and which code each of them was of. */
function runsOf(...ends: Ended[]) {
  const ran: string[] = [];
  const run = withServices(async (changed) => {
    ran.push(changed === null ? 'clean' : 'changed');
    return ends[ran.length - 1]!;
  });
  return { run, ran };
}

test.each([
  ['once', [LOST, PASSED], PASSED, ['changed', 'changed']],
  ['never', [PASSED], PASSED, ['changed']],
  ['in the clean source too', [LOST, LOST, LOST], LOST, ['changed', 'changed', 'clean']],
  ['and then the machine', [LOST, DOWN], DOWN, ['changed', 'changed']],
  ['and the machine with the clean source', [LOST, LOST, DOWN], DOWN, ['changed', 'changed', 'clean']],
])('a mutation whose tests lose a service %s', async (_, ends, end, order) => {
  const { run, ran } = runsOf(...ends);
  expect(await run(CHANGE, LISTS, 1)).toEqual(end);
  expect(ran).toEqual(order);
});

test('a mutation that breaks a service makes no task', async () => {
  const { run } = runsOf(LOST, LOST, PASSED);
  const { detail: broke } = LOST.fault;
  expect(await run(CHANGE, null, 1)).toEqual(success({ statuses: new Map(), timedOut: false, broke }));
});

test('a clean source whose tests lose a service twice is a fault and no measurement', async () => {
  expect(await runClean(runsOf(PASSED, LOST, LOST).run, 2, 1)).toEqual(LOST);
  const again = await runClean(runsOf(LOST, PASSED, PASSED).run, 2, 1);
  expect(again.ok && [...again.value.stable]).toEqual(['a']);
});
