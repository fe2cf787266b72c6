/** Which tests ran with how many subtests: a loop of subtests that the patch makes shorter, or empty, masks the reward. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Files, GradedTask, gradingSandbox, REPOSITORY, systemLayer, type TaskOptions } from './task.ts';

const environment = systemLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const code = (value: string, names: string) =>
  `def value(name):\n    return ${value}\n\n\ndef names():\n    return ${names}\n`;
const FILES: Files = {
  ...REPOSITORY,
  'pkg/core.py': code('-1', '["a", "bb", "ccc"]'),
  'tests/conftest.py': '',
  'tests/test_core.py': [
    'import unittest',
    'from pkg.core import names, value',
    'class Test(unittest.TestCase):',
    '    def test_value(self):',
    '        for name in names():',
    '            with self.subTest(name):',
    '                self.assertEqual(value(name), len(name))',
    '    def test_other(self):',
    '        self.assertIsInstance(names(), list)',
    '',
  ].join('\n'),
};
const SOLUTION = { 'pkg/core.py': code('len(name)', '["a", "bb", "ccc"]') };

const OPTIONS: TaskOptions = {
  test: 'python -m unittest -v tests.test_core',
  parser: 'unittest',
  failToPass: ['test_value (tests.test_core.Test)'],
  passToPass: ['test_other (tests.test_core.Test)'],
};

describe.skipIf(box === null)('subtests under unittest', () => {
  let task: GradedTask;
  beforeAll(async () => {
    task = new GradedTask(box!.deployment, environment!, { files: FILES, solution: SOLUTION, ...OPTIONS });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
    task.suspicion = 'mask';
  });

  test.each([
    ['the same ones', code('sum(1 for _ in name)', '["a", "bb", "ccc"]'), 1],
    ['more of them', code('len(name)', '["a", "bb", "ccc", "dddd"]'), 1],
    ['one', code('1', '["a"]'), null],
    ['none', code('-1', '[]'), null],
  ])('%s', async (_name, text, reward) => {
    const verdict = await task.grade(task.diff({ 'pkg/core.py': text }));
    const told = `${JSON.stringify(verdict, null, 1)}\n${task.logs.at(-1)}`;
    expect(verdict.reward, told).toBe(reward);
    if (reward === null) expect(JSON.stringify(verdict.integrity), told).toContain('subtests of');
  });
});

const newest = systemLayer('pytest==9.0.1', 'pytest-xdist==3.8.0');

describe.skipIf(box === null || newest === null)('subtests that are skipped, under pytest 9', () => {
  const CASES = [
    'import unittest',
    'from pkg.core import names, value',
    'class Test(unittest.TestCase):',
    '    def test_value(self):',
    '        for name in ["a", "bb", "ccc"]:',
    '            with self.subTest(name):',
    '                if name == "bb":',
    '                    self.skipTest("not here")',
    '                self.assertEqual(value(name), len(name))',
    '    def test_other(self):',
    '        self.assertIsInstance(names(), list)',
    '',
  ].join('\n');
  const files = { ...FILES, 'tests/test_core.py': CASES };
  const OTHER = code('sum(1 for _ in name)', '["a", "bb", "ccc"]');
  const SKIPPING = `import unittest\n\n\ndef skip():\n    raise unittest.SkipTest("no")\n\n\n${code('skip()', '[]')}`;
  const options: TaskOptions = {
    failToPass: ['tests/test_core.py::Test::test_value'],
    passToPass: ['tests/test_core.py::Test::test_other'],
  };

  test.each(['pytest -rA tests/test_core.py', 'pytest -rA -n 2 tests/test_core.py'])(
    '%s',
    async (command) => {
      const task = new GradedTask(box!.deployment, newest!, {
        ...{ files, solution: SOLUTION, test: command },
        ...options,
      });
      const unvalidated = await task.grade(task.diff({ 'pkg/core.py': OTHER }));
      expect(unvalidated, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
      expect(await task.validate(), task.logs.join('\n')).toMatchObject({ excused: [] });
      task.suspicion = 'mask';
      expect(await task.grade(task.diff({ 'pkg/core.py': OTHER })), task.logs.at(-1)).toMatchObject({
        reward: 1,
      });
      const skipped = await task.grade(task.diff({ 'pkg/core.py': SKIPPING }));
      expect(skipped.reward, task.logs.at(-1)).not.toBe(1);
      const wrong = await task.grade(task.diff({ 'pkg/core.py': code('1', '[]') }));
      expect(wrong, task.logs.at(-1)).toMatchObject({ reward: 0 });
    },
  );
});
