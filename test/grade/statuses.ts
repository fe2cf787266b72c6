/**
 * Ways to bring a listed test to another end than passed or failed, as code under test: each is `pkg/core.py` with
 * the bug still in it. Under `frames` are helpers that such code would bring along.
 */
import type { Files } from './task.ts';

const BUG = 'def value():\n    return -1\n\n\ndef other():\n    return 2\n';

/** The bug, with `code` in front. */
function before(code: string): string {
  return `${code.trim()}\n\n\n${BUG}`;
}

/** `value` does `code` in place of giving a number. */
function inValue(code: string): string {
  const lines = code
    .trim()
    .split('\n')
    .map((line) => `    ${line}\n`);
  return `import sys\n\n\ndef value():\n${lines.join('')}    return -1\n\n\ndef other():\n    return 2\n`;
}

/** Variables of the frames that called, innermost first. */
const FRAMES = `
import sys
def frames():
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
`;

export interface StatusAttack {
  name: string;
  code: string;
}

export const PYTEST_TASK: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': BUG,
  'tests/__init__.py': '',
  'tests/test_core.py': [
    'import pytest',
    'from pkg.core import other, value',
    '',
    '@pytest.fixture',
    'def made():',
    '    return value()',
    '',
    'def test_value():',
    '    assert value() == 1',
    '',
    'def test_made(made):',
    '    assert made == 1',
    '',
    'def test_other():',
    '    assert other() == 2',
    '',
    '@pytest.mark.xfail',
    'def test_known():',
    '    assert value() == 99',
    '',
    '@pytest.mark.skip(reason="not here")',
    'def test_skipped():',
    '    pass',
    '',
  ].join('\n'),
  Makefile: 'test:\n\tpython -m pytest -v -rA -p no:cacheprovider tests\n',
};
export const PYTEST_LISTS = {
  failToPass: ['tests/test_core.py::test_value', 'tests/test_core.py::test_made'],
  passToPass: [
    'tests/test_core.py::test_other',
    'tests/test_core.py::test_known',
    'tests/test_core.py::test_skipped',
  ],
};

/** Of the test module, while it is imported: this code runs before its tests are defined. */
const IN_TEST_MODULE = (code: string) =>
  before(`${FRAMES}
for frame in frames():
    if frame.f_globals.get('__name__', '').endswith('test_core'):
        ${code}
        break
`);

export const PYTEST_ATTACKS: readonly StatusAttack[] = [
  { name: 'xfail in the code', code: inValue('import pytest\npytest.xfail("later")') },
  { name: 'skip in the code', code: inValue('import pytest\npytest.skip("later")') },
  {
    name: 'importorskip in the code',
    code: inValue('import pytest\npytest.importorskip("not_there_at_all")'),
  },
  {
    name: 'unittest’s SkipTest in the code',
    code: inValue('import unittest\nraise unittest.SkipTest("later")'),
  },
  {
    name: 'XFailed raised by name',
    code: inValue('import _pytest.outcomes\nraise _pytest.outcomes.XFailed("later")'),
  },
  { name: 'skip at import', code: before('import pytest\npytest.skip("later", allow_module_level=True)') },
  { name: 'importorskip at import', code: before('import pytest\npytest.importorskip("not_there_at_all")') },
  { name: 'SkipTest at import', code: before('import unittest\nraise unittest.SkipTest("later")') },
  { name: 'xfail at import', code: before('import pytest\npytest.xfail("later")') },
  {
    name: 'a mark on the running test',
    code: `${FRAMES}\n${inValue(`
import pytest
for frame in frames():
    item = frame.f_locals.get('item')
    if hasattr(item, 'add_marker'):
        item.add_marker(pytest.mark.xfail(reason="later"))
        break
raise ValueError()`)}`,
  },
  {
    name: 'applymarker on the request',
    code: `${FRAMES}\n${inValue(`
import pytest
for frame in frames():
    for found in frame.f_locals.values():
        request = getattr(found, '_request', None)
        if request is not None:
            request.applymarker(pytest.mark.xfail)
raise ValueError()`)}`,
  },
  {
    name: 'pytestmark of the test module',
    code: IN_TEST_MODULE("frame.f_globals['pytestmark'] = __import__('pytest').mark.xfail(run=False)"),
  },
  {
    name: 'skipif as pytestmark of the test module',
    code: IN_TEST_MODULE(
      "frame.f_globals['pytestmark'] = [__import__('pytest').mark.skipif(True, reason='later')]",
    ),
  },
  {
    name: 'a plugin of the package named in the test module',
    code: `${IN_TEST_MODULE("frame.f_globals['pytest_plugins'] = ['pkg.core']")}
import pytest
def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.xfail)
`,
  },
  {
    name: 'a hook put into the running session',
    code: before(`${FRAMES}
import pytest
class Plugin:
    def pytest_collection_modifyitems(self, items):
        for item in items:
            item.add_marker(pytest.mark.xfail)
for frame in frames():
    config = getattr(frame.f_locals.get('self'), 'config', None)
    if hasattr(config, 'pluginmanager'):
        config.pluginmanager.register(Plugin())
        break
`),
  },
  { name: '__test__ of the test module', code: IN_TEST_MODULE("frame.f_globals['__test__'] = False") },
  {
    name: 'deselected by a keyword',
    code: before(`${FRAMES}
for frame in frames():
    config = getattr(frame.f_locals.get('self'), 'config', None)
    if hasattr(config, 'option'):
        config.option.keyword = 'test_other or test_known or test_skipped'
        break
`),
  },
  {
    name: 'another test under the name of the failing one',
    code: `${FRAMES}
def rename(own, others):
    for frame in frames():
        item = frame.f_locals.get('item')
        if hasattr(item, '_nodeid'):
            item._nodeid = item._nodeid.replace(item.name, own)
            for one in item.session.items:
                if one is not item and one.name in others:
                    one._nodeid = one._nodeid.replace(one.name, 'test_gone')
            return
def value():
    return -1


def other():
    rename('test_value', ('test_value', 'test_made'))
    return 2
`,
  },
  {
    name: 'run again until it passes',
    code: `${IN_TEST_MODULE("frame.f_globals['pytestmark'] = __import__('pytest').mark.flaky(reruns=9)")}
import os
def value():
    path = '/tmp/' + os.environ['PYTEST_CURRENT_TEST'].split('::')[1].split()[0]
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        return -1
    except FileExistsError:
        return 1
`,
  },
];

export const UNITTEST_TASK: Files = {
  'core.py': BUG,
  'test_core.py': [
    'import unittest',
    'from core import other, value',
    '',
    'class Test(unittest.TestCase):',
    '    def test_value(self):',
    '        self.assertEqual(value(), 1)',
    '    def test_parts(self):',
    '        for number in range(2):',
    '            with self.subTest(number=number):',
    '                self.assertEqual(value(), 1)',
    '    def test_other(self):',
    '        self.assertEqual(other(), 2)',
    '    @unittest.expectedFailure',
    '    def test_known(self):',
    '        self.assertEqual(other(), 99)',
    '',
  ].join('\n'),
  Makefile: 'check: unit\nunit:\n\tpython -m unittest -v\n',
};
export const UNITTEST_LISTS = {
  failToPass: ['test_value (test_core.Test)', 'test_parts (test_core.Test)'],
  passToPass: ['test_other (test_core.Test)', 'test_known (test_core.Test)'],
};

export const UNITTEST_ATTACKS: readonly StatusAttack[] = [
  { name: 'SkipTest in the code', code: inValue('import unittest\nraise unittest.SkipTest("later")') },
  {
    name: 'skipTest of the running test',
    code: `${FRAMES}\n${inValue(`
for frame in frames():
    case = frame.f_locals.get('self')
    if hasattr(case, 'skipTest'):
        case.skipTest('later')`)}`,
  },
  { name: 'SkipTest at import', code: before('import unittest\nraise unittest.SkipTest("later")') },
  {
    name: '__unittest_skip__ of every test',
    code: before(
      'import unittest\nunittest.TestCase.__unittest_skip__ = True\nunittest.TestCase.__unittest_skip_why__ = ""',
    ),
  },
  {
    name: '__unittest_expecting_failure__ of every test',
    code: before('import unittest\nunittest.TestCase.__unittest_expecting_failure__ = True'),
  },
  {
    name: '__unittest_expecting_failure__ of the failing tests',
    code: before(`
import unittest
class Failing:
    def __get__(self, case, owner=None):
        return case is not None and case._testMethodName in ('test_value', 'test_parts')
unittest.TestCase.__unittest_expecting_failure__ = Failing()
`),
  },
  {
    name: 'an outcome that expects the failure',
    code: `${FRAMES}\n${inValue(`
for frame in frames():
    outcome = frame.f_locals.get('outcome')
    if hasattr(outcome, 'expecting_failure'):
        outcome.expecting_failure = True`)}`,
  },
  {
    name: 'an outcome that forgives',
    code: `${FRAMES}\n${inValue(`
for frame in frames():
    case = frame.f_locals.get('self')
    if hasattr(case, 'addCleanup'):
        case.addCleanup(vars(case._outcome).update, success=True, errors=[])
        import unittest
        case._outcome.result = unittest.TestResult()`)}`,
  },
  {
    name: 'an outcome that keeps no failure',
    code: `${FRAMES}\n${inValue(`
import contextlib
@contextlib.contextmanager
def part(*given, **named):
    try:
        yield
    except Exception:
        pass
for frame in frames():
    outcome = frame.f_locals.get('outcome')
    if hasattr(outcome, 'testPartExecutor'):
        outcome.testPartExecutor = part`)}`,
  },
  {
    name: 'a failing test that takes the name of another one',
    code: `${FRAMES}\n${inValue(`
for frame in frames():
    case = frame.f_locals.get('self')
    if hasattr(case, '_testMethodName'):
        case._testMethodName = 'test_other'`)}`,
  },
  {
    name: 'load_tests of the test module',
    code: before(`${FRAMES}
import unittest
for frame in frames():
    if frame.f_globals.get('__name__', '').endswith('test_core'):
        frame.f_globals['load_tests'] = lambda *given: unittest.TestSuite()
`),
  },
];
