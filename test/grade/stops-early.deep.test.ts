/** A repository whose configuration ends a run of the tests at the first failure: all listed tests are run nevertheless. */
import { afterAll, describe, expect, test } from 'vitest';
import { GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'pytest-xdist==3.6.1');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TESTS = String(REPOSITORY['tests/test_core.py']);
/** Its first test fails always, and is listed nowhere. */
const FILES = {
  ...REPOSITORY,
  'tests/test_core.py': TESTS.replace(
    'def test_value',
    'def test_fails():\n    assert False\n\n\ndef test_value',
  ),
};

describe.skipIf(box === null).each(['-x', '--maxfail=1', '-x -n 2'])('%s', (options) => {
  test('a listed test behind a failure', { timeout: 170_000 }, async () => {
    const files = { ...FILES, 'pytest.ini': `[pytest]\naddopts = ${options}\n` };
    const task = new GradedTask(box!.deployment, environment!, { files });
    expect(await task.validate()).toMatchObject({ witness: 'tests' });
    expect(await task.grade(task.diff(SOLUTION)), task.logs.at(-1)).toMatchObject({ reward: 1 });
    const wrong = { 'pkg/core.py': String(SOLUTION['pkg/core.py']).replace('return 2', 'return 3') };
    expect(await task.grade(task.diff(wrong)), task.logs.at(-1)).toMatchObject({ reward: 0 });
  });
});
