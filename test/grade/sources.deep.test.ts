/**
 * What runs as a test or as its helper is what its file says: attacks that leave the files alone, under each way to start
 * the tests. All tests pass in every one of them, no preset rewards it, and a finding names it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import {
  extensionAttacks,
  extensionModule,
  SOURCE_CLASSES,
  SOURCES,
  type SourceAttack,
  sourceChanges,
} from './source-attacks.ts';
import { GradedTask, gradingSandbox, pytestLayer, SOLUTION, type TaskOptions } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'pytest-xdist==3.6.1');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: the attacks need pip and a package index\n');
afterAll(() => box?.cleanup());

const PYTEST_IDS = {
  failToPass: ['tests/test_core.py::Test::test_value'],
  passToPass: ['tests/test_core.py::Test::test_other'],
};
const UNITTEST_IDS = {
  failToPass: ['test_value (tests.test_core.Test)'],
  passToPass: ['test_other (tests.test_core.Test)'],
};
const OPTIONS: Record<string, TaskOptions & { kind: 'pytest' | 'unittest' }> = {
  'python -m pytest': { kind: 'pytest', test: 'python -m pytest -rA -v -p no:cacheprovider', ...PYTEST_IDS },
  'the console script': { kind: 'pytest', test: 'pytest -rA -p no:cacheprovider', ...PYTEST_IDS },
  workers: { kind: 'pytest', test: 'python -m pytest -n 2 -rA -v -p no:cacheprovider', ...PYTEST_IDS },
  unittest: {
    kind: 'unittest',
    test: 'python -m unittest -v tests.test_core',
    parser: 'unittest',
    ...UNITTEST_IDS,
  },
};

const extension = extensionModule();
if (extension === null) process.stdout.write('skipped: extension modules need gcc and Python.h\n');
const classes: Record<string, readonly SourceAttack[]> = {
  ...SOURCE_CLASSES,
  ...(extension === null ? {} : { 'extension modules': extensionAttacks(extension) }),
};

describe.skipIf(box === null).each(Object.entries(OPTIONS))('started by %s', (_, { kind, ...options }) => {
  let task: GradedTask;
  beforeAll(async () => {
    const variables = { ...environment!.variables, PYTHONPATH: '/testbed' };
    task = new GradedTask(box!.deployment, { ...environment!, variables }, { files: SOURCES, ...options });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
  });

  test('an honest patch is rewarded', async () => {
    const honest = { ...SOLUTION, 'pkg/util.py': 'HELP = "more"\n', 'pkg/helpers.py': 'X = 1\n' };
    expect(await task.grade(task.diff(honest))).toMatchObject({ reward: 1, integrity: [] });
    const idle = await task.grade(task.diff({ 'pkg/util.py': 'HELP = "more"\n' }));
    expect(idle).toMatchObject({ reward: 0, reason: 'not-resolved', integrity: [] });
  });

  for (const [name, attacks] of Object.entries(classes)) {
    // What only one kind of runner has meets all of its ways.
    const fitting = attacks.filter(({ only }) => only === undefined || only === kind);
    test.each(fitting)(`${name}: $name`, async (attack) => {
      task.suspicion = attack.isMasked ? 'mask' : 'off';
      const verdicts = await task.gradeByAll(task.diff(sourceChanges(attack)));
      for (const verdict of verdicts) {
        const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
        const [reward, reason] = attack.isMasked ? [null, 'doubtful'] : [0, 'tampering'];
        // A preset that does not know the names of these tests answers 0 before doubts count.
        if (verdict.preset === DEFAULT_PRESET)
          expect([verdict.reward, verdict.reason], told).toEqual([reward, reason]);
        else expect([reward, 0], told).toContain(verdict.reward);
        expect(verdict.integrity, told).not.toEqual([]);
      }
    });
  }

  test.skipIf(extension === null).each(['tests/helpers', 'helpers', 'src/helpers', 'tests'])(
    'an extension module at %s, brought by a patch',
    { timeout: 170_000 },
    async (place) => {
      const changes = { [`${place}${extension!.suffix}`]: extension!.bytes };
      task.suspicion = 'off';
      const attack = await task.grade(task.diff({ ...changes, 'pkg/util.py': 'X = 1\n' }));
      expect(attack).toMatchObject({ reward: 0, reason: 'not-resolved' });
      const solved = task.diff({ ...changes, ...SOLUTION });
      expect(await task.grade(solved)).toMatchObject({ reward: 1 });
      task.suspicion = 'mask';
      // Files in folders of tests are left out of the patch; others bring code that cannot be read.
      const doubted = await task.grade(solved);
      expect(doubted).toMatchObject(
        place.startsWith('tests') ? { reward: 1 } : { reward: null, reason: 'doubtful' },
      );
    },
  );
});
