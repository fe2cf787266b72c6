/**
 * Projects that do unusual things to their runner, in good faith: the witness knows every listed test, an honest patch
 * gets its reward without a finding, and one that solves nothing is told from it. It takes
 * minutes: a test for the deep suite.
 */
import { afterAll, describe, expect, test } from 'vitest';
import {
  FAIL_TO_PASS,
  type Files,
  GradedTask,
  gradingSandbox,
  PASS_TO_PASS,
  pytestLayer,
  REPOSITORY,
  SOLUTION,
  type TaskOptions,
  versionLayer,
} from './task.ts';

const VERBOSE = '-rA -v -p no:cacheprovider';
const PLAIN = ['pytest==8.3.5'];

interface Case extends TaskOptions {
  requirements?: string[];
  /** Of Python. */
  version?: string;
  /** Variables of the environment. */
  variables?: Record<string, string>;
  /** Added to the honest patch. */
  more?: Files;
}

const CONFTEST = `
import pytest, _pytest.terminal

class Recorder:
    def pytest_runtest_logreport(self, report):
        self.last = report

def pytest_configure(config):
    config.pluginmanager.register(Recorder(), 'recorder')

@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    setattr(item, 'rep_' + report.when, report)
    report.sections.append(('own', 'text'))

def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.nodeid, reverse=True)
    for item in items: item.add_marker(pytest.mark.filterwarnings('default'))

was = _pytest.terminal.TerminalReporter.write_sep
def write_sep(self, sep, title=None, **kw): return was(self, sep, title, **kw)
_pytest.terminal.TerminalReporter.write_sep = write_sep

class Item(pytest.Item):
    def runtest(self): assert self.name
    def reportinfo(self): return self.path, 0, self.name

class File(pytest.File):
    def collect(self): yield Item.from_parent(self, name='all')

def pytest_collect_file(parent, file_path):
    if file_path.suffix == '.yaml': return File.from_parent(parent, path=file_path)

@pytest.fixture
def two(): return 2
`;
const MANY = `
import asyncio, pytest, unittest
from unittest import mock
from hypothesis import given, strategies

@pytest.mark.asyncio
async def test_async():
    await asyncio.sleep(0)

@given(strategies.integers())
def test_given(number):
    assert number == number

@pytest.mark.parametrize('value', [1, 2])
def test_mocked(mocker, monkeypatch, value):
    mocker.patch('os.getcwd', return_value='x')
    monkeypatch.setenv('A', 'b')

def test_subtests(subtests):
    for number in range(3):
        with subtests.test(number=number): assert number < 3

@mock.patch('os.getpid', return_value=3)
def test_decorated(_): pass

@pytest.mark.skip(reason='no')
def test_skipped(): pass

@pytest.mark.xfail
def test_expected(): assert False

class TestOld(unittest.TestCase):
    def test_old(self): self.assertTrue(True)
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    @unittest.skip('no')
    def test_skipped(self): pass
`;
const MANY_IDS = [
  'test_async',
  'test_given',
  'test_mocked[1]',
  'test_mocked[2]',
  'test_subtests',
  'test_decorated',
  'TestOld::test_old',
].map((name) => `tests/test_many.py::${name}`);

const METADATA: Files = {
  'plug.egg-info/entry_points.txt': '[pytest11]\nplug = plug.plugin\n',
  'plug.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: plug\nVersion: 1\n',
  'plug/__init__.py': '',
  'plug/plugin.py':
    'import pytest\nfrom plug.value import VALUE\n@pytest.fixture\ndef plugged(): return VALUE\n',
  'plug/value.py': 'VALUE = 0\n',
  'tests/test_plug.py': 'def test_plug(plugged): assert plugged == 1\ndef test_else(): pass\n',
};

/** Tests and helpers that are not what their files say, each in good faith. */
const CHANGING: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': 'def value():\n    return -1\n\n\ndef other():\n    return 2\n',
  'pkg/tools.py': `
import functools
def loud(test):
    @functools.wraps(test)
    def run(*args, **kwds): return test(*args, **kwds)
    return run
class quiet:
    def __init__(self, test): self.test = test
    def __call__(self, *args): return self.test(*args)
`,
  'tests/conftest.py': `
import importlib.abc, importlib.machinery, importlib.util, os, sys, pytest
class Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data, path, **given):
        return super().source_to_code(data.replace(b'MARK', b'42'), path, **given)
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != 'tests.marked': return None
        file = os.path.join(os.path.dirname(__file__), 'marked.py')
        return importlib.util.spec_from_file_location(name, file, loader=Loader(name, file))
sys.meta_path.insert(0, Finder())
@pytest.fixture
def two(): return 2
`,
  'tests/__init__.py': '',
  'tests/again.py': 'def again():\n    return 1\n',
  'tests/marked.py': 'def mark():\n    return MARK\n',
  'tests/helpers.py': `
import contextlib, functools
from pkg.tools import loud, quiet
LOG = None
def same(a, b):
    """
    >>> same(1, 1)
    True
    """
    return a == b
@contextlib.contextmanager
def within(): yield 1
@functools.lru_cache(None)
def cached(): return 1
@loud
def told(): return 1
@quiet
def called(): return 1
def late(): return 0
late = functools.partial(same, 1)
def gone(): pass
del gone
if LOG is None:
    def chosen(): return 1
else:
    def chosen(): return 2
class Meta(type):
    def __new__(kind, name, bases, names):
        wrapped = {key: loud(one) if key.startswith('test') else one for key, one in names.items()}
        return super().__new__(kind, name, bases, wrapped)
class Base(metaclass=Meta):
    def __private(self): return 1
    def test_inherited(self): assert self.__private() == 1
`,
  'tests/test_core.py': `
import importlib, os, sys, tempfile, types
from unittest import mock
import pytest
from pkg.core import other, value
from pkg.tools import loud
from tests import helpers
from tests.helpers import *
from tests.helpers import same

def test_value(): assert same(value(), 1)
def test_other(two): assert other() == two
exec('def test_made(): pass')
@loud
@pytest.mark.parametrize('number', [1, 2])
def test_loud(number): assert number
@mock.patch('os.getpid', return_value=3)
def test_patched(_): assert told() == called() == cached() == chosen() == 1
def _make(number):
    def test(): assert number
    return test
for _number in (1, 2): globals()['test_of_%d' % _number] = _make(_number)
class TestBase(helpers.Base): pass
def test_replaced(): helpers.same = lambda a, b: a == b
def test_monkey(monkeypatch): monkeypatch.setattr(helpers, 'chosen', lambda: 5)
def test_reloaded(): importlib.reload(importlib.import_module('tests.again'))
def test_popped():
    import tests.marked
    assert sys.modules.pop('tests.marked').mark() == 42
def test_generated():
    with tempfile.TemporaryDirectory(dir=os.path.dirname(__file__)) as folder:
        with open(os.path.join(folder, 'made_here.py'), 'w') as handle: handle.write('def one(): return 1')
        sys.path.insert(0, folder)
        import made_here
        sys.path.remove(folder)
        assert made_here.one() == 1
def test_forged():
    sys.modules['tests.other'] = types.ModuleType('tests.other')
    import tests.other
`,
};
const CHANGING_IDS = [
  'other',
  'made',
  'loud[1]',
  'patched',
  'of_1',
  'replaced',
  'monkey',
  'reloaded',
  'popped',
  'generated',
];
const changing = (test: string): Case => ({
  requirements: [...PLAIN, 'pytest-xdist==3.6.1', 'pytest-cov==6.0.0'],
  files: CHANGING,
  test,
  more: {
    'pkg/tools.py': `
import functools
def loud(test):
    "The same in other words."
    @functools.wraps(test)
    def call(*given, **named):
        return test(*given, **named)
    return call
class quiet:
    def __init__(self, inner): self.inner = inner
    def __call__(self, *given): return self.inner(*given)
`,
    'pkg/helpers.py': 'def same(): pass\n',
  },
  passToPass: CHANGING_IDS.map((name) => `tests/test_core.py::test_${name}`),
});

const CASES: Record<string, Case> = {
  'tests that change themselves': changing(`python -m pytest ${VERBOSE}`),
  'the same by workers, with coverage and doctests': changing(
    `python -m pytest -n 2 --cov=pkg --doctest-modules ${VERBOSE} tests`,
  ),
  'many plugins': {
    requirements: [
      ...PLAIN,
      'pytest-asyncio==0.25.0',
      'hypothesis==6.122.3',
      'pytest-mock==3.14.0',
      'pytest-randomly==3.16.0',
      'pytest-subtests==0.14.1',
      'pytest-timeout==2.3.1',
    ],
    files: { ...REPOSITORY, 'tests/test_many.py': MANY },
    test: `pytest ${VERBOSE} --timeout 50`,
    passToPass: [...PASS_TO_PASS, ...MANY_IDS],
  },
  'workers and coverage': {
    requirements: [...PLAIN, 'pytest-xdist==3.6.1', 'pytest-cov==6.0.0'],
    test: `python -m pytest -n 2 --cov=pkg ${VERBOSE}`,
  },
  'hooks in conftest.py': {
    files: { ...REPOSITORY, 'tests/conftest.py': CONFTEST, 'tests/a.yaml': 'a: 1\n' },
    test: `python -m pytest ${VERBOSE} tests`,
  },
  'a plugin of pytest': {
    files: METADATA,
    solution: { 'plug/value.py': 'VALUE = 1\n' },
    more: { 'plug/more.py': 'X = 1\n', 'plug/value.py': 'from plug.more import X\nVALUE = X\n' },
    variables: { PYTHONPATH: '/testbed' },
    failToPass: ['tests/test_plug.py::test_plug'],
    passToPass: ['tests/test_plug.py::test_else'],
  },
  'a package that pytest needs': {
    files: {
      'iniconfig/__init__.py': 'class IniConfig: pass\nclass ParseError(Exception): pass\nVALUE = 0\n',
      'tests/test_core.py':
        'import iniconfig\ndef test_value(): assert iniconfig.VALUE == 1\ndef test_other(): pass\n',
    },
    solution: {
      'iniconfig/__init__.py': 'class IniConfig: pass\nclass ParseError(Exception): pass\nVALUE = 1\n',
    },
  },
  'a script that calls pytest.main': {
    files: {
      ...REPOSITORY,
      'run.py': `import pkg, sys\nif __name__ == '__main__':\n    import pytest\n    sys.exit(pytest.main(sys.argv[1:]))\n`,
    },
    test: `python run.py ${VERBOSE} tests`,
  },
  'a script that starts pytest': {
    files: {
      ...REPOSITORY,
      'run.py': `import subprocess, sys\nsys.exit(subprocess.call([sys.executable, '-m', 'pytest'] + sys.argv[1:]))\n`,
    },
    test: `python run.py ${VERBOSE} tests`,
  },
  'several commands': {
    test: `python -c "import pkg" && PYTHONPATH=. pytest ${VERBOSE} tests/test_core.py && python -m pytest -q tests/test_core.py`,
  },
  'a Python that looks at no variables': { test: `python -E -m pytest ${VERBOSE}` },
  'tests that start processes': {
    files: {
      ...REPOSITORY,
      'tests/test_core.py': `${REPOSITORY['tests/test_core.py']}
import os, signal, subprocess, sys

def test_started():
    show = 'import os, sys; print(os.environ.get("PYTHONPATH"), "SWEMAKE_WITNESS" in os.environ, "pytest" in sys.modules)'
    assert subprocess.check_output([sys.executable, '-c', show], text=True) == 'None False False\\n'
    assert not any('SWEMAKE' in name or 'swemake' in value for name, value in os.environ.items())
    assert not any('swemake' in path for path in sys.path)

def test_killed():
    code = 'import os; os.kill(os.getpid(), 9)'
    assert subprocess.call([sys.executable, '-c', code]) == -signal.SIGKILL
    assert subprocess.call([sys.executable, '-m', 'pytest', '--version']) == 0
    pid = os.fork()
    if pid == 0: os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3

def test_daemon(tmp_path):
    pid = os.fork()
    if pid == 0:
        os.closerange(3, 256)
        files = [open(tmp_path / str(number), 'w') for number in range(9)]
        import asyncio
        for file in files: file.close()
        os._exit(0)
    os.waitpid(pid, 0)
    assert [path.stat().st_size for path in tmp_path.iterdir()] == [0] * 9
`,
    },
    passToPass: [
      ...PASS_TO_PASS,
      ...['started', 'killed', 'daemon'].map((name) => `tests/test_core.py::test_${name}`),
    ],
  },
};

/** Code of no file fails, where a name cannot be made a path. */
const GONE: TaskOptions = {
  files: {
    ...REPOSITORY,
    'tests/test_core.py': `${REPOSITORY['tests/test_core.py']}
import os, tempfile, pytest

def test_gone():
    before, folder = os.getcwd(), tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)
    try:
        with pytest.raises(AssertionError): exec('assert 0')
    finally:
        os.chdir(before)
`,
  },
  passToPass: [...PASS_TO_PASS, 'tests/test_core.py::test_gone'],
};
for (const version of ['3.11', '3.12', '3.13'])
  CASES[`a working folder that is gone, Python ${version}`] = { ...GONE, version };

/** Before Python 3.10 a process ends whose RecursionError is caught where code then goes deeper. */
const DEEPER: Case = {
  files: {
    ...REPOSITORY,
    'tests/test_core.py': `${REPOSITORY['tests/test_core.py']}
import pytest

def deeper():
    with open('/dev/null'):
        return deeper()

def test_deeper():
    with pytest.raises((RecursionError, OSError)):
        deeper()
`,
  },
  passToPass: [...PASS_TO_PASS, 'tests/test_core.py::test_deeper'],
};
for (const version of ['3.8', '3.12'])
  CASES[`a recursion without end that opens files, Python ${version}`] = { ...DEEPER, version };

const box = await gradingSandbox();
afterAll(() => box?.cleanup());

describe.skipIf(box === null)('in good faith:', () => {
  test.for(Object.entries(CASES))('%s', { timeout: 300_000 }, async ([, one], { skip }) => {
    const { version, requirements = PLAIN } = one;
    const environment =
      version === undefined ? pytestLayer(...requirements) : versionLayer(version, ...requirements);
    if (environment === null) return skip('no such Python, or no package index');
    const variables = { ...environment.variables, ...one.variables };
    const task = new GradedTask(box!.deployment, { ...environment, variables }, one);
    expect(await task.validate(), task.logs.join('\n')).toMatchObject({ witness: 'tests', excused: [] });
    const solution = one.solution ?? SOLUTION;
    const verdict = await task.grade(task.diff({ ...solution, ...one.more, 'new/thing.py': 'X = 1\n' }));
    expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
    const none = await task.grade(task.diff({ 'new/thing.py': 'X = 1\n' }));
    expect(none, task.logs.at(-1)).toMatchObject({ reward: 0, reason: 'not-resolved', integrity: [] });
    expect(none.tests_status?.FAIL_TO_PASS.failure).toEqual(one.failToPass ?? FAIL_TO_PASS);
  });
});

test.skipIf(box === null)(
  'a time limit of a test of its own ends a loop that compares',
  { timeout: 300_000 },
  async ({ skip }) => {
    const environment = pytestLayer(...PLAIN);
    if (environment === null) return skip('no package index');
    const files = {
      ...REPOSITORY,
      'tests/test_core.py': `${REPOSITORY['tests/test_core.py']}
import signal, time

def test_limits():
    def ring(*given): raise TimeoutError
    old, missed = signal.signal(signal.SIGALRM, ring), []
    for number in range(50):
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        end = time.monotonic() + 0.1
        try:
            while time.monotonic() < end: pass
            missed.append(number)
        except TimeoutError: pass
    signal.signal(signal.SIGALRM, old)
    assert missed == []
`,
    };
    const passToPass = [...PASS_TO_PASS, 'tests/test_core.py::test_limits'];
    const task = new GradedTask(box!.deployment, environment, { files, passToPass });
    Object.assign(task, { isTyped: true, repeats: 1, suspicion: 'mask' });
    await task.validate();
    const verdict = await task.grade(task.diff(SOLUTION));
    expect(verdict, task.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  },
);
