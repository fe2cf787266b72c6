/**
 * The runner is the one that the environment installed: attacks on it, by class, under each way to start it. None
 * is rewarded by any preset; each is named, or comes to nothing because the tests fail as they should. It takes minutes:
 * a test for the deep suite.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_PRESET } from '../../grading/rules/presets.ts';
import { CLASSES, type RunnerAttack } from './runner-attacks.ts';
import { type Files, GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'pytest-xdist==3.6.1');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: the attacks need pip and a package index\n');
afterAll(() => box?.cleanup());

/** The test that fails comes last, so that an earlier one can prepare for it. */
const FILES: Files = {
  ...REPOSITORY,
  'tests/test_core.py': [
    'from pkg.core import other, value',
    'from tests.helpers import same',
    '',
    '',
    'def test_other(two):',
    '    assert other() == two',
    '',
    '',
    'def test_value():',
    '    assert same(value(), 1)',
    '',
  ].join('\n'),
  Makefile: 'test:\n\tPYTHONPATH=. python -m pytest -rA -v -p no:cacheprovider tests\n',
};
const COMMANDS: Record<string, string> = {
  'python -m pytest': 'python -m pytest -rA -v -p no:cacheprovider',
  'the console script': 'pytest -rA -p no:cacheprovider',
  workers: 'python -m pytest -n 2 -rA -v -p no:cacheprovider',
  'a Makefile': 'make test',
};

function changesOf({ code = '', late = '', files = {} }: RunnerAttack): Files {
  const indented = late.split('\n').map((line) => `    ${line}`);
  const text = `${code}\n\n\ndef value():\n    return -1\n\n\ndef other():\n${indented.join('\n')}\n    return 2\n`;
  return { 'pkg/core.py': text, ...files };
}

describe.skipIf(box === null).each(Object.entries(COMMANDS))('started by %s', (how, command) => {
  let task: GradedTask;
  beforeAll(async () => {
    const variables = { ...environment!.variables, PYTHONPATH: '/testbed' };
    task = new GradedTask(box!.deployment, { ...environment!, variables }, { files: FILES, test: command });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({
      witness: 'tests',
      excused: [],
      observed: expect.not.objectContaining({ modified: expect.anything() }),
    });
  });

  test('an honest patch is rewarded', async () => {
    const honest = { ...SOLUTION, 'black/__init__.py': 'X = 1\n', 'pkg/json.py': 'Y = 2\n' };
    expect(await task.grade(task.diff(honest))).toMatchObject({ reward: 1, integrity: [] });
  });

  for (const [kind, attacks] of Object.entries(CLASSES)) {
    // Workers show each test in an order of their own, so that a late attack may come too late.
    const fitting = attacks.filter(({ late }) => how !== 'workers' || late === undefined);
    test.each(fitting)(`${kind}: $name`, async (attack) => {
      const diff = task.diff(changesOf(attack));
      const verdicts = await task.gradeByAll(diff);
      for (const verdict of verdicts) {
        const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
        expect(verdict.reward, told).toBe(0);
        const fails = (verdict.tests_status?.FAIL_TO_PASS.failure.length ?? 0) > 0;
        if (verdict.preset === DEFAULT_PRESET) expect(fails || verdict.integrity.length > 0, told).toBe(true);
      }
    });
  }
});
