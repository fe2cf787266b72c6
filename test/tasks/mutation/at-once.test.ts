/** Mutations that are tried at once make the rows that they make one after the other. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type PassToPass, searchTasks } from '../../../app/mutation/measure.ts';
import type { RunTests } from '../../../app/mutation/test-run.ts';
import { success } from '../../../basics/result.ts';
import type { Status } from '../../../parsers/status.ts';
import { listMutations } from '../../../tasks/mutation/derive.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { until } from '../../rig/until.ts';

const CODE = Array.from({ length: 6 }, (_, at) => `def f${at}(a):\n    return a + ${at + 1}\n`).join('\n');

test('the rows are the same, and so many run at a time', async () => {
  const sourceFolder = temporaryFolder();
  writeFileSync(join(sourceFolder, 'm.py'), CODE);
  const found = await findInterpreter(null, { env: process.env });
  if (!found.ok) throw new Error(found.fault.detail);
  const python = found.value.executable;
  const listed = await listMutations([], { sourceFolder, python }, ['.py']);
  if (!listed.ok) throw new Error(listed.fault.detail);
  const candidates = listed.value;
  const search = async (jobs: number) => {
    let running = 0;
    let most = 0;
    const rows: string[] = [];
    const rejected: string[] = [];
    const runTests: RunTests = async (changed) => {
      running += 1;
      most = Math.max(most, running);
      const text = changed === null ? CODE : Buffer.from(changed.bytes).toString();
      // None ends before so many run.
      await until(() => most >= jobs);
      running -= 1;
      const at = CODE.split('\n').findIndex((line, index) => line !== text.split('\n')[index]);
      // Changes of every other function are seen.
      const statuses: [string, Status][] = [
        ['a', at >= 0 && at % 2 === 0 ? 'FAILED' : 'PASSED'],
        ['b', 'PASSED'],
      ];
      return success({ statuses: new Map(statuses), timedOut: false });
    };
    const name = ({ file, line, kind, index }: (typeof candidates)[number]) =>
      [file, line, kind, index].join();
    const end = await searchTasks({
      ...{
        sourceFolder,
        python,
        candidates,
        count: 4,
        timeout: 5,
        passToPass: null,
        failToPass: null,
        jobs,
        runTests,
      },
      stable: new Set(['a', 'b']),
      found: ({ candidate }) => rows.push(name(candidate)),
      rejected: (candidate) => rejected.push(name(candidate)),
    });
    expect(end).toEqual(success(4));
    expect(running).toBe(0);
    return { rows, rejected, most };
  };
  // Tests may be running on the source, so it is never changed.
  const times = () => statSync(join(sourceFolder, 'm.py')).ctimeMs;
  const before = times();
  const [one, three] = [await search(1), await search(3)];
  expect(times()).toBe(before);
  expect(one.most).toBe(1);
  expect(three.most).toBe(3);
  expect([three.rows, three.rejected]).toEqual([one.rows, one.rejected]);
});

test.each([
  [{ 't/a.py::x': 'FAILED', 't/a.py::y': 'PASSED', 't/b.py::z': 'PASSED' }, null, ['t/a.py::y']],
  [
    { 't/a.py::x': 'FAILED', 't/a.py::y': 'PASSED', 't/b.py::z': 'PASSED' },
    'all',
    ['t/a.py::y', 't/b.py::z'],
  ],
  [{ 't/a.py::x': 'FAILED', 't/b.py::z': 'PASSED' }, null, ['t/b.py::z']],
] as [Record<string, Status>, PassToPass, string[]][])(
  'of %j with --pass-to-pass %j the other tests of a task are %j',
  async (ran, passToPass, wanted) => {
    const sourceFolder = temporaryFolder();
    writeFileSync(join(sourceFolder, 'm.py'), CODE);
    const found = await findInterpreter(null, { env: process.env });
    const python = found.ok ? found.value.executable : '';
    const listed = await listMutations([], { sourceFolder, python }, ['.py']);
    const passing = new Map(Object.keys(ran).map((id): [string, Status] => [id, 'PASSED']));
    const lists: string[][] = [];
    await searchTasks({
      ...{ sourceFolder, python, count: 1, timeout: 5, passToPass, failToPass: null, jobs: 1 },
      candidates: listed.ok ? listed.value.slice(0, 1) : [],
      runTests: async (changed) =>
        success({ statuses: changed === null ? passing : new Map(Object.entries(ran)), timedOut: false }),
      stable: new Set(passing.keys()),
      found: ({ PASS_TO_PASS }) => lists.push(PASS_TO_PASS),
      rejected: () => undefined,
    });
    expect(lists).toEqual([wanted]);
  },
);

test.each([
  [[], 'no test fails, and 2 of 2 tests did not run: the change may not compile, or end their run'],
  [['a'], 'no test fails, and 1 of 2 tests did not run: the change may not compile, or end their run'],
  [['a', 'b'], 'no test fails'],
])('tests that do not run are told: %j run', async (ran, why) => {
  const sourceFolder = temporaryFolder();
  writeFileSync(join(sourceFolder, 'm.py'), CODE);
  const found = await findInterpreter(null, { env: process.env });
  const python = found.ok ? found.value.executable : '';
  const listed = await listMutations([], { sourceFolder, python }, ['.py']);
  const reasons = new Set<string>();
  await searchTasks({
    ...{ sourceFolder, python, count: 1, timeout: 5, passToPass: null, failToPass: null, jobs: 1 },
    candidates: listed.ok ? listed.value.slice(0, 2) : [],
    runTests: async () => success({ statuses: new Map(ran.map((id) => [id, 'PASSED'])), timedOut: false }),
    stable: new Set(['a', 'b']),
    found: () => undefined,
    rejected: (_candidate, reason) => reasons.add(reason),
  });
  expect([...reasons]).toEqual([why]);
});

test.each([1, 3])('two candidates with one change make one task, with %i at once', async (jobs) => {
  const sourceFolder = temporaryFolder();
  writeFileSync(join(sourceFolder, 'm.py'), 'def f(a=1):\n    return a\n');
  const found = await findInterpreter(null, { env: process.env });
  const python = found.ok ? found.value.executable : '';
  const listed = await listMutations([], { sourceFolder, python }, ['.py']);
  const kinds = ['change_default', 'increase_constant', 'decrease_constant'];
  const candidates = kinds.flatMap((kind) =>
    (listed.ok ? listed.value : []).filter((one) => one.kind === kind),
  );
  const seen: string[] = [];
  const passing = new Map<string, Status>([
    ['a', 'PASSED'],
    ['b', 'PASSED'],
  ]);
  const end = await searchTasks({
    ...{ sourceFolder, python, candidates, count: 2, timeout: 5, passToPass: null, failToPass: null, jobs },
    runTests: async (changed) =>
      success({
        statuses: changed === null ? passing : new Map([...passing, ['a', 'FAILED']]),
        timedOut: false,
      }),
    stable: new Set(passing.keys()),
    found: ({ candidate }) => seen.push(candidate.kind),
    rejected: ({ kind }, why) => seen.push(`${kind}: ${why}`),
  });
  expect(end).toEqual(success(2));
  expect(seen).toEqual([
    'change_default',
    'increase_constant: the same change as an earlier one',
    'decrease_constant',
  ]);
});
