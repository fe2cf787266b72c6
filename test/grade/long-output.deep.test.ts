/** Tests that print a lot: all results are read, and where they cannot be kept the verdict says so. */
import { afterAll, describe, expect, test } from 'vitest';
import { MAX_TEST_OUTPUT } from '../../grading/logs/long-output.ts';
import { GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

/** Each test prints so many bytes when it is over, and pytest writes its result before. */
function printing(bytes: number): GradedTask {
  const conftest = [
    'import pytest',
    '@pytest.fixture',
    'def two():',
    '    return 2',
    'def pytest_runtest_teardown():',
    `    print("\\n" + ${bytes >> 6} * (63 * "x" + "\\n"))`,
  ];
  const files = { ...REPOSITORY, 'tests/conftest.py': conftest.join('\n'), 'setup.cfg': '' };
  return new GradedTask(box!.deployment, environment!, {
    files,
    solution: SOLUTION,
    test: 'python -m pytest -v -s -p no:cacheprovider',
  });
}

describe.skipIf(box === null)('tests that print a lot', () => {
  test('a result in the middle of much output counts', { timeout: 120_000 }, async () => {
    const task = printing(MAX_TEST_OUTPUT / 4);
    await task.validate();
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1 });
    expect(await task.grade('')).toMatchObject({ reward: 0 });
  });

  test('a result that was not kept is not taken for a test that fails', { timeout: 120_000 }, async () => {
    const task = printing(MAX_TEST_OUTPUT);
    await task.validate();
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({
      reason: 'not-gradable',
      detail: expect.stringContaining('output-cut: the tests print more than the 32 MiB that are kept'),
      tests_status: null,
    });
  });
});
