/**
 * A test that neither passed nor failed is no way to a reward: skipped, expected to fail, gone or tried again, by
 * code under test, under every runner and every preset. Takes a minute or more; each case is a real run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import {
  PYTEST_ATTACKS,
  PYTEST_LISTS,
  PYTEST_TASK,
  type StatusAttack,
  UNITTEST_ATTACKS,
  UNITTEST_LISTS,
  UNITTEST_TASK,
} from './statuses.ts';
import { type Files, GradedTask, gradingSandbox, pytestLayer, type TaskOptions } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'pytest-xdist==3.6.1', 'pytest-rerunfailures==15.0');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const SOLVED = 'def value():\n    return 1\n\n\ndef other():\n    return 2\n';
const pytest = (test: string): TaskOptions => ({
  files: PYTEST_TASK,
  solution: { 'pkg/core.py': SOLVED },
  test,
  ...PYTEST_LISTS,
});
const unittest = (test: string): TaskOptions => ({
  files: UNITTEST_TASK,
  solution: { 'core.py': SOLVED },
  test,
  parser: 'unittest',
  ...UNITTEST_LISTS,
});

const RUNNERS: [name: string, options: TaskOptions, path: string, attacks: readonly StatusAttack[]][] = [
  ['pytest', pytest('pytest -rA -v -p no:cacheprovider'), 'pkg/core.py', PYTEST_ATTACKS],
  ['python -m pytest -v', pytest('python -m pytest -v -p no:cacheprovider'), 'pkg/core.py', PYTEST_ATTACKS],
  ['pytest -n 2', pytest('pytest -n 2 -rA -v -p no:cacheprovider'), 'pkg/core.py', PYTEST_ATTACKS],
  ['make test', pytest('make test'), 'pkg/core.py', PYTEST_ATTACKS],
  ['unittest', unittest('python -m unittest -v'), 'core.py', UNITTEST_ATTACKS],
  ['make check', unittest('make check'), 'core.py', UNITTEST_ATTACKS],
];

/** Rules of which each attack must break one. */
const NAMED = ['status-unlike-gold', 'tests-missing', 'runner-modified', 'runner-ended-early'];

describe.skipIf(box === null).each(RUNNERS)('under %s', (_name, options, path, attacks) => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(box!.deployment, environment!, options);
    const { reports } = await task.validate();
    expect(Object.keys(reports!.log), task.logs.at(-1)).toContain(
      options.passToPass!.find((id) => id.includes('known')),
    );
  });

  test('an honest patch is rewarded, with what the task itself skips and expects to fail', {
    timeout: 170_000,
  }, async () => {
    for (const verdict of await task.gradeByAll(task.diff({ [path]: SOLVED.replace('1', '2 - 1') }))) {
      const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
      if (verdict.preset !== 'minisandbox-compat') expect(verdict.reward, told).toBe(1);
      expect(verdict.integrity, told).toEqual([]);
    }
  });

  test.each(attacks)('$name', async ({ code }) => {
    const verdicts = await task.gradeByAll(task.diff({ [path]: code } as Files));
    for (const verdict of verdicts) {
      const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
      if (verdict.preset === DEFAULT_PRESET) expect(verdict.reward, told).toBe(0);
      // What upstream's rule rewards is said twice.
      if (verdict.reward === 1) expect(verdict.relaxations, told).not.toEqual([]);
      const failed = /\d+ (?:failed|error)|FAILED \((?:failures|errors)/.test(task.logs.at(-1)!);
      if (verdict.reward === 1 || !failed)
        expect(
          verdict.integrity.some(({ rule }) => NAMED.includes(rule)),
          told,
        ).toBe(true);
    }
  });
});
