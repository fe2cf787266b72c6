/** A test of Hypothesis that fails by the time that it takes: a busy machine may be the cause, so it is run once more, alone. */
import { afterAll, describe, expect, test } from 'vitest';
import { GradedTask, gradingSandbox, pytestLayer, REPOSITORY, SOLUTION } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'hypothesis==6.122.3');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TESTS = [
  'from hypothesis import given, settings, strategies',
  'from pkg.core import other, value',
  '',
  '',
  '@settings(max_examples=3)',
  '@given(strategies.integers())',
  'def test_value(number):',
  '    assert value() + number == number + 1',
  '',
  '',
  'def test_other():',
  '    assert other() == 2',
  '',
].join('\n');
const slow =
  'import time\n\n\ndef value():\n    time.sleep(0.3)\n    return 1\n\n\ndef other():\n    return 2\n';

describe.skipIf(box === null)('a patch', () => {
  test('that is slower than the deadline fails by its second run', { timeout: 170_000 }, async () => {
    const files = { ...REPOSITORY, 'tests/test_core.py': TESTS };
    const task = new GradedTask(box!.deployment, environment!, { files });
    await task.validate();
    const again = 'had tests that fail by the time that they take, and is run once more';
    expect(await task.grade(task.diff(SOLUTION))).toMatchObject({ reward: 1, integrity: [] });
    expect(task.logs.join('')).not.toContain(again);
    expect(await task.grade(task.diff({ 'pkg/core.py': slow }))).toMatchObject({ reward: 0 });
    expect(task.logs.join('')).toContain(again);
  });
});
