/**
 * Values at assertions of tests whose examples hypothesis makes by chance: some may be empty where gold's are not, and a patch whose
 * values are all empty has nothing that was compared.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Files, GradedTask, gradingSandbox, pytestLayer } from './task.ts';

const environment = pytestLayer('pytest==8.3.5', 'hypothesis==6.115.6');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: the environment needs pip and a package index\n');
afterAll(() => box?.cleanup());

const core = (value: number, kept: string) =>
  `def value():\n    return ${value}\n\n\ndef first(items):\n    return ${kept}\n\n\ndef second(items):\n    return ${kept}\n`;
const GOLD = core(1, '[0] + [one for one in items if one > 0]');
const FILES: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': core(0, '[0]'),
  'tests/test_core.py': [
    'from hypothesis import given, strategies',
    'from pkg.core import first, second, value',
    'def test_value():',
    '    assert value() == 1',
    '@given(strategies.lists(strategies.integers(-2, 2), max_size=3))',
    'def test_both(items):',
    '    assert first(items) == second(items)',
    '',
  ].join('\n'),
};

describe.skipIf(box === null)('values of examples', () => {
  let task: GradedTask;
  const graded = (kept: string) => task.grade(task.diff({ 'pkg/core.py': core(1, kept) }));
  beforeAll(async () => {
    const variables = { ...environment!.variables, PYTHONPATH: '/testbed' };
    task = new GradedTask(
      box!.deployment,
      { ...environment!, variables },
      {
        ...{ files: FILES, solution: { 'pkg/core.py': GOLD } },
        ...{ failToPass: ['tests/test_core.py::test_value'], passToPass: ['tests/test_core.py::test_both'] },
        test: 'python -m pytest -rA -v -p no:cacheprovider -p no:randomly',
      },
    );
    Object.assign(task, { isTyped: true, repeats: 1, suspicion: 'mask' });
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
  });

  test('may be empty now and then', async () => {
    const verdict = await graded('sorted(one for one in items if one > 0)');
    expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  });

  test.each(['[]', '""', 'items[:0]'])('may not all be %s', async (kept) => {
    const verdict = await graded(kept);
    expect(verdict, task.logs.at(-1)).toMatchObject({
      ...{ reward: null, reason: 'doubtful' },
      integrity: [{ rule: 'assertions-missed', detail: expect.stringContaining('in all examples') }],
    });
  });
});
