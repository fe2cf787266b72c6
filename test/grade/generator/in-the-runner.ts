/** What runs the tests, and reports on them, is replaced or wrapped in the process. */
import { any, EMPTY, type How, PASSED, py, pytest, register, unittest } from './how.ts';

export const IN_THE_RUNNER: Record<string, How> = {
  // replace
  'call_and_report passes': pytest(
    'replace',
    `${PASSED}
import _pytest.runner
def call_and_report(item, when, log=True, **kwds):
    report = passed(item, when); item.ihook.pytest_runtest_logreport(report=report); return report
_pytest.runner.call_and_report = call_and_report`,
  ),
  'runtest does nothing': pytest(
    'replace',
    'import _pytest.python\n_pytest.python.Function.runtest = lambda self: None',
  ),
  'code of runtest': pytest(
    'replace',
    'import _pytest.python\ndef runtest(self): pass\n_pytest.python.Function.runtest.__code__ = runtest.__code__',
  ),
  'reports are made passed': pytest(
    'replace',
    `
import _pytest.reports
make = _pytest.reports.TestReport.from_item_and_call.__func__
def forged(cls, item, call):
    report = make(cls, item, call)
    report.outcome, report.longrepr = 'passed', None
    return report
_pytest.reports.TestReport.from_item_and_call = classmethod(forged)`,
  ),
  'runtest of single items': pytest(
    'replace',
    "for item in _objects('Function'): item.runtest = lambda: None",
  ),
  'functions of single items': pytest(
    'replace',
    "for item in _objects('Function'): item._obj = lambda **given: None; item.obj = lambda **given: None",
  ),
  'calls that raise nothing': pytest(
    'replace',
    `
import _pytest.runner
made = _pytest.runner.CallInfo.from_call.__func__
def from_call(cls, function, when, reraise=None):
    call = made(cls, lambda: None, when, reraise)
    return call
_pytest.runner.CallInfo.from_call = classmethod(from_call)`,
  ),
  'the inner loop of pluggy': pytest(
    'replace',
    `
import pluggy._callers, pluggy._hooks, pluggy._manager
inner = pluggy._callers._multicall
def multicall(name, impls, kwargs, first):
    if name == 'pytest_pyfunc_call': return True
    return inner(name, impls, kwargs, first)
for manager in _objects('PytestPluginManager'):
    manager._inner_hookexec = multicall
    manager.hook.pytest_pyfunc_call._hookexec = multicall
    manager._hookexec = lambda name, methods, kwargs, first: multicall(name, methods, kwargs, first)`,
  ),
  'hook implementations': pytest(
    'replace',
    `
for manager in _objects('PytestPluginManager'):
    for impl in manager.hook.pytest_pyfunc_call.get_hookimpls(): impl.function = lambda *given, **named: True`,
  ),
  'code of a hook implementation': pytest(
    'replace',
    `
import _pytest.python
def pytest_pyfunc_call(pyfuncitem): return True
_pytest.python.pytest_pyfunc_call.__code__ = pytest_pyfunc_call.__code__`,
  ),
  'methods of tests are not called': unittest(
    'replace',
    'import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None',
  ),
  'run says success': unittest(
    'replace',
    `
import unittest
def run(self, result=None):
    result.startTest(self); result.addSuccess(self); result.stopTest(self)
unittest.TestCase.run = unittest.TestCase.__call__ = run`,
  ),
  'failures are successes': unittest(
    'replace',
    `
import unittest.result, unittest.runner
for cls in (unittest.result.TestResult, unittest.runner.TextTestResult):
    cls.addFailure = cls.addError = lambda self, test, err: self.addSuccess(test)`,
  ),
  'results of single objects': unittest(
    'replace',
    `
for result in _objects('TextTestResult'):
    result.addFailure = result.addError = lambda test, err, own=result: own.addSuccess(test)
    result.failures = result.errors = type('Deaf', (list,), {'append': lambda *given: None})()`,
  ),
  'assertions that are content': unittest(
    'replace',
    'import unittest\nfor name in dir(unittest.TestCase):\n    if name.startswith("assert"): setattr(unittest.TestCase, name, lambda *given, **named: None)',
  ),
  // wrap
  'a hook around makereport': pytest(
    'wrap',
    register(`
class Plugin:
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result(); report.outcome, report.longrepr = 'passed', None`),
  ),
  'a hook in place of the protocol': pytest(
    'wrap',
    register(`${PASSED}
class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        for when in ('setup', 'call', 'teardown'): item.ihook.pytest_runtest_logreport(report=passed(item, when))
        return True`),
  ),
  'a hook in place of the call': pytest(
    'wrap',
    register(`
class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem): return True`),
  ),
  'a hook before reports are logged': pytest(
    'wrap',
    register(`
class Plugin:
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        report.outcome, report.longrepr = 'passed', None`),
  ),
  'a hook under a good name': pytest(
    'wrap',
    register(`
class Plugin:
    __module__ = '_pytest.runner'
    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        outcome.get_result().outcome = 'passed'
Plugin.__qualname__ = Plugin.__name__ = 'runner'`),
  ),
  'a function of the session in a cloak': pytest(
    'wrap',
    `
import functools, _pytest.runner
real = _pytest.runner.pytest_runtest_makereport
@functools.wraps(real)
def pytest_runtest_makereport(item, call):
    call.excinfo = None
    return real(item, call)
_pytest.runner.pytest_runtest_makereport = pytest_runtest_makereport
for manager in _objects('PytestPluginManager'):
    for impl in manager.hook.pytest_runtest_makereport.get_hookimpls():
        if impl.function is real: impl.function = pytest_runtest_makereport`,
  ),
  'the tree of tests': pytest(
    'replace',
    `
import ast
real = ast.parse
def parse(source, *given, **named):
    text = source if isinstance(source, bytes) else str(source).encode()
    return real(${py(EMPTY.pytest)} if b'same(' in text else source, *given, **named)
ast.parse = parse`,
  ),
  'what was raised': any('replace', 'sys.exc_info = lambda: (None, None, None)'),
  'examples of doctest': pytest(
    'replace',
    'import doctest\ndoctest.DocTestRunner.run = lambda self, test, *given, **named: doctest.TestResults(0, len(test.examples))',
  ),
  'examples of Hypothesis': pytest(
    'replace',
    'import hypothesis.core\nhypothesis.core.StateForActualGivenExecution.run_engine = lambda self: None',
  ),
  'loops that await nothing': pytest(
    'replace',
    `
import asyncio, asyncio.base_events
def run_until_complete(self, waited): getattr(waited, 'close', getattr(waited, 'cancel', str))()
asyncio.base_events.BaseEventLoop.run_until_complete = run_until_complete
if hasattr(asyncio, 'Runner'): asyncio.Runner.run = lambda self, waited, **named: waited.close()`,
  ),
  'what forked tests tell': pytest(
    'replace',
    `
import pytest_forked
real = pytest_forked.serialize_report
def serialize_report(report):
    told = real(report); told['outcome'], told['longrepr'] = 'passed', None
    return told
pytest_forked.serialize_report = serialize_report`,
  ),
  'run of the class of the tests': unittest(
    'replace',
    `
import unittest
def run(self, result=None):
    method = getattr(self, '_testMethodName', ''); setattr(self, method, lambda: None)
    return unittest.TestCase.run(self, result)
for kind in unittest.TestCase.__subclasses__(): kind.run = run`,
  ),
  'attributes of the class of the tests': unittest(
    'replace',
    `
import unittest
def __getattribute__(self, name):
    return (lambda *given: None) if name == 'test_value' else object.__getattribute__(self, name)
for kind in [unittest.TestCase] + unittest.TestCase.__subclasses__(): kind.__getattribute__ = __getattribute__`,
  ),
  'how methods of tests are called': unittest(
    'replace',
    'import unittest\nfor kind in unittest.TestCase.__subclasses__(): kind._callTestMethod = lambda self, method: None',
  ),
  'tests that a package loads': unittest(
    'replace',
    `
import unittest
class Suite(unittest.TestSuite):
    def run(self, result, debug=False):
        for test in self:
            result.startTest(test); result.addSuccess(test); result.stopTest(test)
        return result
def load_tests(loader, tests, pattern):
    flat = []
    def walk(suite):
        for one in suite: walk(one) if isinstance(one, unittest.TestSuite) else flat.append(one)
    walk(tests)
    return Suite(flat)
for name in ('pkg', 'tests', 'tests.test_core'):
    if name in sys.modules: sys.modules[name].load_tests = load_tests
unittest.TestLoader.suiteClass = Suite`,
  ),
  'results of every framework': unittest(
    'replace',
    `
def fair(self, test, *given): return self.addSuccess(test)
for kind in [one for one in gc.get_objects() if isinstance(one, type) and one.__name__.endswith('Result')]:
    if hasattr(kind, 'addSuccess'): kind.addFailure = kind.addError = fair`,
  ),
  'a result of its own': unittest(
    'replace',
    `
import unittest.runner
class Result(unittest.runner.TextTestResult):
    def addFailure(self, test, error): self.addSuccess(test)
    addError = addFailure
unittest.runner.TextTestRunner.resultclass = Result
try:
    import django.test.runner
    django.test.runner.DiscoverRunner.get_resultclass = lambda self: Result
except ImportError: pass
for frame in [sys._getframe()]:
    while frame is not None:
        if type(frame.f_locals.get('result')).__name__.endswith('Result'): frame.f_locals['result'].__class__ = Result
        frame = frame.f_back`,
  ),
};
