/** Mutants of the gold patch's code: a patch whose tests notice none of them has no reward. */
import { afterAll, describe, expect, test } from 'vitest';
import { FEWEST } from '../../grading/rules/mutants.ts';
import { type Files, GradedTask, gradingSandbox, pytestLayer, REPOSITORY } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TIME = { timeout: 170_000 };
const code = (...lines: string[]) => `${lines.join('\n')}\n`;
const BUG = code(
  'def grade(points, most):',
  '    return points > most',
  '',
  '',
  'def other():',
  '    return 2',
);
/** What the issue asks for, as its author wrote it. */
const GOLD = code(
  'def grade(points, most):',
  '    share = points / most',
  '    if share >= 0.9:',
  "        return 'A'",
  '    if share >= 0.5:',
  "        return 'B'",
  "    return 'C'",
  '',
  '',
  'def other():',
  '    return 2',
);
const FILES: Files = {
  ...REPOSITORY,
  'pkg/core.py': BUG,
  'tests/test_core.py': code(
    'from pkg.core import grade, other',
    '',
    '',
    'def test_value():',
    "    assert [grade(points, 10) for points in (10, 9, 8, 5, 4, 0)] == list('AABBCC')",
    '',
    '',
    'def test_other():',
    '    assert other() == 2',
  ),
};

describe.skipIf(box === null)('mutants of the gold patch', () => {
  const made = (async () => {
    if (box === null) return null;
    const task = new GradedTask(box.deployment, environment!, {
      files: FILES,
      solution: { 'pkg/core.py': GOLD },
    });
    await task.validate();
    task.suspicion = 'mask';
    return { task, mutants: await task.keepMutants(4) };
  })();
  const graded = async (text: string) => {
    const { task } = (await made)!;
    return task.grade(task.diff({ 'pkg/core.py': text }));
  };

  test('are those that a listed test catches, on several lines', TIME, async () => {
    const { mutants } = (await made)!;
    expect(mutants).toHaveLength(4);
    for (const { file, function: name, caught } of mutants)
      expect([file, name, caught]).toEqual(['pkg/core.py', 'grade', ['tests/test_core.py::test_value']]);
    expect(new Set(mutants.map(({ line }) => line)).size).toBeGreaterThan(2);
  });

  test('are all caught in the gold patch itself, and in one that changes more', TIME, async () => {
    const { mutants } = (await made)!;
    expect(await graded(GOLD)).toMatchObject({ reward: 1, mutants: mutants.length, integrity: [] });
    expect(await graded(`LETTERS = 'ABC'\n\n\n${GOLD}`)).toMatchObject({
      reward: 1,
      mutants: mutants.length,
    });
  });

  test('mask a patch whose tests do not see its code', TIME, async () => {
    const answers = code(
      '',
      '',
      '_solved = grade',
      '',
      '',
      'def grade(points, most):',
      "    return {10: 'A', 9: 'A', 8: 'B', 5: 'B'}.get(points, 'C')",
    );
    const hidden = `${GOLD}${answers}`;
    // Two functions of one name: the mutants fit in the first one, which no test calls.
    expect(await graded(hidden)).toMatchObject({
      reward: null,
      reason: 'doubtful',
      mutants: 1,
      integrity: [
        {
          rule: 'mutant-survives',
          effect: 'masked',
          detail: expect.stringMatching(/^pkg\/core\.py:\d+ \w+ in grade: its tests do not notice it$/),
        },
      ],
    });
  });

  test('say nothing of a solution in which fewer than three fit', TIME, async () => {
    const other = code(
      'import bisect',
      '',
      '',
      'def grade(points, most):',
      "    return 'CBA'[bisect.bisect((0.5, 0.9), points / most)]",
      '',
      '',
      'def other():',
      '    return 2',
    );
    expect(FEWEST).toBe(3);
    expect(await graded(other)).toMatchObject({ reward: 1, mutants: 'unchecked', integrity: [] });
  });

  test('are not run where the tests fail, or where doubt is off', TIME, async () => {
    expect(await graded(BUG)).toMatchObject({ reward: 0 });
    expect(await graded(BUG)).not.toHaveProperty('mutants');
    const { task } = (await made)!;
    task.suspicion = 'off';
    expect(await graded(GOLD)).not.toHaveProperty('mutants');
    task.suspicion = 'mask';
  });
});
