/** What the tables of later attacks share: a small package with its tests, with parts of its files replaced. */
import type { Files } from './task.ts';
import { lines } from './trials.ts';

/** The files with parts of one of them replaced. */
export function edited(files: Files, path: string, ...pairs: (readonly [string, string])[]): Files {
  const text = pairs.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`no ${from} in ${path}`);
    return now.replace(from, () => to);
  }, files[path] as string);
  return { [path]: text };
}

/** A task of one module and one file of tests. */
export const simple = (code: string, tests: string, more: Files = {}): Files => ({
  'pkg/__init__.py': '',
  'pkg/core.py': code,
  'tests/__init__.py': '',
  'tests/test_core.py': tests,
  ...more,
});

export const listed = (failToPass: string[], passToPass: string[]) => ({
  failToPass: failToPass.map((name) => `tests/test_core.py::${name}`),
  passToPass: passToPass.map((name) => `tests/test_core.py::${name}`),
});

/** The same tests by unittest, of which some are listed. */
export const cases = (files: Files, failToPass: string[], passToPass: string[]) => {
  const text = files['tests/test_core.py'] as string;
  const [imports, ...tests] = text.split(/^def /m);
  const body = tests.map((one) =>
    `${one.trimEnd()}\n`
      .replace('()', '(self)')
      .replace(/^( +)assert (.*) == (.*)$/gm, '$1self.assertEqual($2, $3)')
      .replace(/^( +)assert (.*) is (.*)$/gm, '$1self.assertIs($2, $3)')
      .replace(/^(?=.)/gm, '    ')
      .replace(/^ {4}/, '    def '),
  );
  const name = (one: string) => `${one} (tests.test_core.Test)`;
  return {
    files: {
      ...files,
      'tests/test_core.py': `import unittest\n${imports}class Test(unittest.TestCase):\n${body.join('')}`,
    },
    options: {
      test: 'python -m unittest -v tests.test_core',
      parser: 'unittest',
      failToPass: failToPass.map(name),
      passToPass: passToPass.map(name),
    },
  };
};

export const CORE = `def render(rows):
    """Lines of a table."""
    return [f"{name}: {count}" for name, count in rows.items()]


def total(rows):
    return sum(rows.values())
`;

export const TESTING = `import os

HERE = os.path.dirname(os.path.abspath(__file__))


def clean(lines):
    return [line.strip() for line in lines]


def assert_lines(found, wanted):
    """Fails if lines differ, but for blanks at their ends."""
    found, wanted = clean(found), clean(wanted)
    assert len(found) == len(wanted), "another number of lines"
    for one, other in zip(found, wanted):
        assert one == other, f"{one} is not {other}"


def is_same(found, wanted):
    return clean(found) == clean(wanted)


def golden(name):
    with open(os.path.join(HERE, "golden", name)) as file:
        return file.read().splitlines()


def make_rows(count):
    return {chr(98 - at): at for at in range(count)}
`;

export const HELPERS: Files = {
  ...simple(
    CORE,
    lines(
      'from pkg import testing',
      'from pkg.core import render, total',
      'from pkg.testing import assert_lines, make_rows',
      'def test_lines():',
      '    assert_lines(render({"b": 1, "a": 2}), ["a: 2", "b: 1"])',
      'def test_same():',
      '    assert testing.is_same(render({"b": 1, "a": 2}), ["a: 2", "b: 1"])',
      'def test_golden():',
      '    assert render({"d": 1, "c": 2}) == testing.golden("table.txt")',
      'def test_made():',
      '    assert render(make_rows(2)) == ["a: 1", "b: 0"]',
      'def test_total():',
      '    assert total(make_rows(3)) == 3',
    ),
  ),
  'pkg/testing.py': TESTING,
  'pkg/golden/table.txt': 'c: 2\nd: 1\n',
};

export const SORTED: readonly [string, string] = ['rows.items()]', 'sorted(rows.items())]'];

export const helper = (...pairs: (readonly [string, string])[]): Files =>
  edited(HELPERS, 'pkg/testing.py', ...pairs);

export const solved = edited(HELPERS, 'pkg/core.py', SORTED);
