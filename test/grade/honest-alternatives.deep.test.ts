/**
 * Honest solutions that are written in another way than the gold patch: each is rewarded with all that can mask a patch,
 * which are its code, the values at assertions and mutants. The share of false masks is printed.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { FEWEST } from '../../grading/rules/mutants.ts';
import { type Files, GradedTask, gradingSandbox, pytestLayer, REPOSITORY, type TaskOptions } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const TIME = { timeout: 300_000 };
const code = (...lines: string[]) => `${lines.join('\n')}\n`;
/** Functions of the solution, by their names. */
const GOLD = {
  grade: code(
    'def grade(points, most):',
    '    share = points / most',
    '    if share >= 0.9:',
    "        return 'A'",
    '    if share >= 0.5:',
    "        return 'B'",
    "    return 'C'",
  ),
  best: code(
    'def best(table, count=2):',
    '    names = sorted(table, key=table.get, reverse=True)',
    '    return names[:count]',
  ),
  split: code(
    'def split(text):',
    '    found = []',
    "    for part in text.split(','):",
    "        name, mark, number = part.strip().partition('=')",
    '        if not mark:',
    '            raise ValueError(part)',
    '        found.append((name, int(number)))',
    '    return found',
  ),
};
type Name = keyof typeof GOLD;
const BUG = code(
  'def grade(points, most): return None',
  'def best(table, count=2): return None',
  'def split(text): return []',
);
const LIST = ['(10, 10)', '(9, 10)', '(8, 10)', '(5, 10)', '(4, 10)', '(0, 10)'];
const TABLE = "{'ann': 3, 'bob': 9, 'cy': 5}";

/** Each replaces one function; further files may come with it. */
const ALTERNATIVES: [what: string, name: Name, text: string, more?: Files][] = [
  ['other names', 'grade', GOLD.grade.replaceAll('share', 'ratio')],
  ['a chain', 'grade', GOLD.grade.replace('    if share >= 0.5', '    elif share >= 0.5')],
  [
    'one expression',
    'grade',
    code(
      "def grade(points, most): return 'A' if points / most >= 0.9 else 'B' if points / most >= 0.5 else 'C'",
    ),
  ],
  [
    'a table',
    'grade',
    code(
      "LEAST = ((0.9, 'A'), (0.5, 'B'))",
      'def grade(points, most):',
      '    for least, letter in LEAST:',
      '        if points / most >= least:',
      '            return letter',
      "    return 'C'",
    ),
  ],
  [
    'bisection',
    'grade',
    code('import bisect', "def grade(points, most): return 'CBA'[bisect.bisect((0.5, 0.9), points / most)]"),
  ],
  [
    'a helper',
    'grade',
    code('def _share(points, most):', '    return points / most', '') +
      GOLD.grade.replace('points / most', '_share(points, most)'),
  ],
  [
    'a module of its own',
    'grade',
    code('from pkg.limits import LIMITS') +
      GOLD.grade.replace('0.9', 'LIMITS[0]').replace('0.5', 'LIMITS[1]'),
    { 'pkg/limits.py': 'LIMITS = (0.9, 0.5)\n' },
  ],
  [
    'integers',
    'grade',
    code(
      'def grade(points, most):',
      "    return 'A' if points * 10 >= most * 9 else 'B' if points * 2 >= most else 'C'",
    ),
  ],
  [
    'fractions',
    'grade',
    code('from fractions import Fraction') +
      GOLD.grade
        .replace('points / most', 'Fraction(points, most)')
        .replace('0.9', 'Fraction(9, 10)')
        .replace('0.5', 'Fraction(1, 2)'),
  ],
  [
    'decimals',
    'grade',
    code('from decimal import Decimal') +
      GOLD.grade
        .replace('points / most', 'Decimal(points) / Decimal(most)')
        .replace('0.9', "Decimal('0.9')")
        .replace('0.5', "Decimal('0.5')"),
  ],
  [
    'an enum of texts',
    'grade',
    code(
      'from enum import Enum',
      'class Letter(str, Enum):',
      "    A = 'A'",
      "    B = 'B'",
      "    C = 'C'",
      '',
    ) + GOLD.grade.replace(/'([ABC])'/g, 'Letter.$1'),
  ],
  [
    'a class of texts',
    'grade',
    code('class Letter(str):', '    """A mark."""', '') + GOLD.grade.replace(/'([ABC])'/g, "Letter('$1')"),
  ],
  ['a cache', 'grade', code('import functools', '@functools.lru_cache(maxsize=None)') + GOLD.grade],
  [
    'a decorator',
    'grade',
    code(
      'import functools',
      'def checked(function):',
      '    @functools.wraps(function)',
      '    def called(points, most):',
      '        if most <= 0: raise ValueError(most)',
      '        return function(points, most)',
      '    return called',
      '@checked',
    ) + GOLD.grade,
  ],
  [
    'an object that is called',
    'grade',
    code(
      'class Grader:',
      '    def __call__(self, points, most):',
      "        return 'A' if points / most >= 0.9 else 'B' if points / most >= 0.5 else 'C'",
      'grade = Grader()',
    ),
  ],
  [
    'a class that can be compared',
    'grade',
    code(
      'import functools',
      '@functools.total_ordering',
      'class Share:',
      '    def __init__(self, points, most): self.points, self.most = points, most',
      '    def __eq__(self, other): return self.points * other.most == other.points * self.most',
      '    def __lt__(self, other): return self.points * other.most < other.points * self.most',
      '    def __hash__(self): return hash(self.points / self.most)',
      'def grade(points, most):',
      '    share = Share(points, most)',
      "    return 'A' if share >= Share(9, 10) else 'B' if share >= Share(1, 2) else 'C'",
    ),
  ],
  [
    'a class of data',
    'grade',
    code(
      'from dataclasses import dataclass',
      '@dataclass(frozen=True)',
      'class Limit:',
      '    least: float',
      '    letter: str',
      "LIMITS = (Limit(0.9, 'A'), Limit(0.5, 'B'), Limit(float('-inf'), 'C'))",
      'def grade(points, most):',
      '    return next(one.letter for one in LIMITS if points / most >= one.least)',
    ),
  ],
  [
    'a pattern',
    'grade',
    code(
      'def grade(points, most):',
      '    match points / most:',
      "        case share if share >= 0.9: return 'A'",
      "        case share if share >= 0.5: return 'B'",
      "        case _: return 'C'",
    ),
  ],
  [
    'an error that is caught',
    'grade',
    GOLD.grade.replace(
      '    share = points / most\n',
      '    try:\n        share = points / most\n    except ZeroDivisionError:\n        share = 0\n',
    ),
  ],
  [
    'an assertion of its own',
    'grade',
    GOLD.grade.replace('    if share >= 0.9', '    assert share >= 0\n    if share >= 0.9'),
  ],
  [
    'a logger',
    'grade',
    code('import logging', 'log = logging.getLogger(__name__)') +
      GOLD.grade.replace('    if share >= 0.9', "    log.debug('%s', share)\n    if share >= 0.9"),
  ],
  [
    'a sum of truths',
    'grade',
    code("def grade(points, most): return 'CBA'[(points / most >= 0.5) + (points / most >= 0.9)]"),
  ],
  [
    'types and a docstring',
    'grade',
    GOLD.grade.replace(
      '(points, most):',
      '(points: float, most: float) -> str:\n    """The letter of a share."""',
    ),
  ],
  [
    'a heap',
    'best',
    code('import heapq', 'def best(table, count=2): return heapq.nlargest(count, table, key=table.get)'),
  ],
  [
    'a counter',
    'best',
    code(
      'from collections import Counter',
      'def best(table, count=2): return [name for name, _ in Counter(table).most_common(count)]',
    ),
  ],
  [
    'a list that is sorted in place',
    'best',
    code(
      'from operator import itemgetter',
      'def best(table, count=2):',
      '    pairs = list(table.items())',
      '    pairs.sort(key=itemgetter(1), reverse=True)',
      '    return [name for name, _ in pairs[:count]]',
    ),
  ],
  [
    'a loop',
    'best',
    code(
      'def best(table, count=2):',
      '    left, found = dict(table), []',
      '    while left and len(found) < count:',
      '        name = max(left, key=left.get)',
      '        found.append(name)',
      '        del left[name]',
      '    return found',
    ),
  ],
  [
    'a class of lists',
    'best',
    code('class Names(list):', '    def first(self): return self[0]', '') +
      GOLD.best.replace('return names[:count]', 'return Names(names[:count])'),
  ],
  [
    'a list of a tuple',
    'best',
    GOLD.best.replace('return names[:count]', 'return list(tuple(names)[0:count])'),
  ],
  [
    'a regular expression',
    'split',
    code(
      'import re',
      'def split(text):',
      "    if not re.fullmatch(r'\\s*\\w+=\\d+\\s*(?:,\\s*\\w+=\\d+\\s*)*', text): raise ValueError(text)",
      "    return [(name, int(number)) for name, number in re.findall(r'(\\w+)=(\\d+)', text)]",
    ),
  ],
  [
    'a comprehension',
    'split',
    code(
      'def _pair(part):',
      "    name, number = part.strip().split('=')",
      '    return name, int(number)',
      "def split(text): return [_pair(part) for part in text.split(',')]",
    ),
  ],
  [
    'a generator',
    'split',
    code(
      'def _pairs(text):',
      "    for part in text.split(','):",
      "        name, mark, number = part.strip().partition('=')",
      "        if mark == '': raise ValueError(part)",
      '        yield name, int(number)',
      'def split(text): return list(_pairs(text))',
    ),
  ],
  [
    'named tuples',
    'split',
    code('from typing import NamedTuple', 'class Pair(NamedTuple):', '    name: str', '    points: int', '') +
      GOLD.split.replace('(name, int(number))', 'Pair(name, int(number))'),
  ],
  [
    'an enum of numbers',
    'split',
    code('from enum import IntEnum', "Points = IntEnum('Points', [('ONE', 1), ('TWO', 2)])") +
      GOLD.split.replace('int(number)', 'Points(int(number))'),
  ],
  [
    'an error that becomes another',
    'split',
    code(
      'class Malformed(ValueError):',
      '    """A part has no number."""',
      'def split(text):',
      '    try:',
      "        pairs = [part.strip().split('=', 1) for part in text.split(',')]",
      '        return [(name, int(number)) for name, number in pairs]',
      '    except ValueError as error:',
      '        raise Malformed(text) from error',
    ),
  ],
];

const RUNNERS: Record<string, TaskOptions> = {
  pytest: {
    failToPass: ['test_value', 'test_best', 'test_split', 'test_wrong'].map(
      (name) => `tests/test_core.py::${name}`,
    ),
    passToPass: ['tests/test_core.py::test_other'],
    files: {
      ...REPOSITORY,
      'pkg/core.py': BUG,
      'tests/test_core.py': code(
        'import pytest',
        'from pkg.core import best, grade, split',
        '',
        'def test_value():',
        `    assert [grade(*one) for one in (${LIST.join(', ')})] == list('AABBCC')`,
        "    for points in range(5, 9): assert grade(points, 10) == 'B'",
        '',
        'def test_best():',
        `    assert best(${TABLE}) == ['bob', 'cy']`,
        `    assert best(${TABLE}, count=1) == ['bob']`,
        '',
        'def test_split():',
        "    assert split('a=1, b=2') == [('a', 1), ('b', 2)]",
        "    for name, points in split('a=1,b=2'):",
        '        assert name.islower()',
        '        assert points > 0',
        '',
        'def test_wrong():',
        "    with pytest.raises(ValueError): split('a=1,b')",
        '',
        'def test_other():',
        '    assert 1 < 2',
      ),
    },
  },
  unittest: {
    test: 'python -m unittest -v tests.test_cases',
    parser: 'unittest',
    failToPass: ['test_value', 'test_best', 'test_split', 'test_wrong'].map(
      (name) => `${name} (tests.test_cases.Cases)`,
    ),
    passToPass: ['test_other (tests.test_cases.Cases)'],
    files: {
      'pkg/__init__.py': '',
      'pkg/core.py': BUG,
      'tests/__init__.py': '',
      'tests/test_cases.py': code(
        'import unittest',
        'from pkg.core import best, grade, split',
        '',
        'class Cases(unittest.TestCase):',
        '    def test_value(self):',
        `        for one, letter in zip((${LIST.join(', ')}), 'AABBCC'):`,
        '            with self.subTest(one):',
        '                self.assertEqual(grade(*one), letter)',
        '    def test_best(self):',
        `        self.assertListEqual(best(${TABLE}), ['bob', 'cy'])`,
        `        self.assertIn('bob', best(${TABLE}))`,
        '    def test_split(self):',
        "        self.assertEqual(split('a=1, b=2'), [('a', 1), ('b', 2)])",
        "        for _, points in split('a=1,b=2'): self.assertGreater(points, 0)",
        '    def test_wrong(self):',
        "        self.assertRaises(ValueError, split, 'a=1,b')",
        '    def test_other(self):',
        '        self.assertTrue(1 < 2)',
      ),
    },
  },
};

const solved = (changed: Partial<typeof GOLD> = {}) => Object.values({ ...GOLD, ...changed }).join('\n\n');

/** Grades each, and prints and gives those that have no reward. */
async function unrewardedOf(
  task: GradedTask,
  runner: string,
  alternatives = ALTERNATIVES,
): Promise<string[]> {
  const masked: string[] = [];
  for (const [what, name, text, more = {}] of alternatives) {
    const verdict = await task.grade(task.diff({ 'pkg/core.py': solved({ [name]: text }), ...more }));
    if (verdict.reward !== 1) masked.push(`${what}: ${verdict.reward} ${verdict.detail}`);
  }
  process.stdout.write(`${alternatives.length} alternatives by ${runner}: ${masked.length} not rewarded\n`);
  return masked;
}

async function validated(runner: string): Promise<GradedTask> {
  const solution = { 'pkg/core.py': solved() };
  const task = new GradedTask(box!.deployment, environment!, { ...RUNNERS[runner]!, solution });
  task.isTyped = true;
  expect(await task.validate(), task.logs.join('\n')).toMatchObject({ excused: [] });
  task.suspicion = 'mask';
  return task;
}

describe.skipIf(box === null)('an alternative to gold is rewarded', () => {
  test.each(Object.keys(RUNNERS))('by %s', TIME, async (runner) => {
    const task = await validated(runner);
    task.repeats = 1;
    expect(await unrewardedOf(task, runner)).toEqual([]);
  });

  test('with mutants', TIME, async () => {
    const task = await validated('pytest');
    expect((await task.keepMutants(FEWEST + 1)).length).toBe(FEWEST + 1);
    const some = ALTERNATIVES.filter((_, at) => at % 4 === 3);
    expect(await unrewardedOf(task, 'pytest with mutants', some)).toEqual([]);
  });
});
