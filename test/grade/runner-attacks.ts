/**
 * Ways to get at the test runner itself, by class: what shadows it, what changes its code, its hooks, its tests, its
 * manager of plugins, or the witness. Each leaves the bug in place. `late` ones work from a test that runs before
 * the one that fails.
 */
import type { Files } from './task.ts';

export interface RunnerAttack {
  name: string;
  /** Code in front of `pkg/core.py`, or what `other()` does before it answers. */
  code?: string;
  late?: string;
  files?: Files;
}

/** Finds the configuration of pytest that is in use, and its tests. */
export const FIND = `
import gc, sys
def found(name):
    return [one for one in gc.get_objects() if type(one).__name__ == name]
def config():
    return found('Config')[0]
`;
/** Reports that are always passed. */
const FORGE = `
def forge():
    import _pytest.reports as reports
    make = reports.TestReport.from_item_and_call.__func__
    def forged(cls, item, call):
        report = make(cls, item, call)
        report.outcome, report.longrepr = 'passed', None
        return report
    reports.TestReport.from_item_and_call = classmethod(forged)
`;
const PASSED = `
def passed(item, when, log=True, **kwds):
    from _pytest.reports import TestReport
    report = TestReport(item.nodeid, item.location, {}, 'passed', None, when, [], 0.0)
    item.ihook.pytest_runtest_logreport(report=report)
    return report
`;

/** A module in the place of another one, which it hands on after it has forged what it can. */
function shadow(path: string): Files {
  const code = `
import sys
path, sys.path = sys.path, [one for one in sys.path if one not in ('', '.') and not one.startswith('/testbed')]
sys.modules.pop(__name__, None)
real = __import__(__name__)
sys.path = path
sys.modules[__name__] = real
globals().update({name: value for name, value in vars(real).items() if not name.startswith('__')})
${FORGE}
if __name__ != 'encodings': forge()
`;
  return { [path]: code };
}

const SHADOWS = [
  'hmac.py',
  'hashlib.py',
  'json/__init__.py',
  'types.py',
  'random.py',
  'typing.py',
  'difflib.py',
  'atexit.py',
  'posixpath.py',
  'encodings/__init__.py',
  'attr/__init__.py',
  'iniconfig/__init__.py',
  'packaging/__init__.py',
  'pluggy/__init__.py',
  '_pytest/__init__.py',
  'src/pluggy.py',
  'unittest/__init__.py',
  'pdb.py',
  'runpy.py',
  'pkgutil.py',
].map((path): RunnerAttack => {
  const name = path.replace(/^src\/|\/__init__\.py$|\.py$/g, '');
  return {
    name: `the repository’s own ${path}`,
    files: shadow(path),
    code: `try:\n    import ${name}\nexcept Exception: pass`,
  };
});

const CODE: RunnerAttack[] = [
  {
    name: 'a function replaced while a test runs, and put back by itself',
    late: `
import _pytest.runner as runner
${PASSED}
was = runner.call_and_report
def once(item, when, log=True, **kwds):
    if when == 'teardown': return was(item, when, log, **kwds)
    if when == 'call' and 'test_value' in item.nodeid: runner.call_and_report = was
    return passed(item, when, log, **kwds) if 'test_value' in item.nodeid else was(item, when, log, **kwds)
runner.call_and_report = once
`,
  },
  {
    name: 'code replaced while a test runs, and put back by itself',
    late: `
import _pytest.python as python
was = python.Function.runtest.__code__
def runtest(self):
    import _pytest.python as python
    python.Function.runtest.__code__ = python.Function.was
python.Function.was = was
python.Function.runtest.__code__ = runtest.__code__
`,
  },
  {
    name: 'a class in the place of TestReport',
    code: `
import _pytest.runner as runner, _pytest.reports as reports
class TestReport(reports.TestReport):
    @property
    def outcome(self): return 'passed'
    @outcome.setter
    def outcome(self, value): pass
reports.TestReport = TestReport
for module in list(__import__('sys').modules.values()):
    if getattr(module, 'TestReport', None) is TestReport.__mro__[1]: module.TestReport = TestReport
`,
  },
  {
    name: 'isinstance hidden in a module of pytest',
    code: `
import _pytest.skipping as skipping, _pytest.runner as runner
runner.isinstance = lambda one, kind: False
skipping.isinstance = lambda one, kind: True
`,
  },
  {
    name: 'builtins changed',
    code: 'import builtins\nbuiltins.AssertionError = type("Skip", (BaseException,), {})',
  },
  {
    name: 'a module swapped in sys.modules',
    code: `
import sys, types, _pytest.runner as runner
fake = types.ModuleType('_pytest.runner')
fake.__dict__.update(vars(runner))
sys.modules['_pytest.runner'] = fake
`,
  },
  {
    name: 'defaults of a function',
    code: `
import _pytest.runner as runner
runner.CallInfo.from_call.__func__.__defaults__ = (BaseException,)
`,
  },
  { name: 'reports made passed in place', code: `${FORGE}\nforge()` },
];

const HOOKS: RunnerAttack[] = [
  {
    name: 'the function of a hook’s implementation replaced',
    code: `${FIND}
for one in config().hook.pytest_runtest_makereport.get_hookimpls():
    if one.plugin_name == 'runner':
        was = one.function
        def forged(item, call):
            report = was(item, call)
            report.outcome, report.longrepr = 'passed', None
            return report
        one.function = forged
`,
  },
  {
    name: 'the code of a hook’s implementation replaced',
    code: `${FIND}
def pytest_runtest_makereport(item, call):
    from _pytest.reports import TestReport
    report = TestReport.from_item_and_call(item, call)
    report.outcome, report.longrepr = 'passed', None
    return report
for one in config().hook.pytest_runtest_makereport.get_hookimpls():
    if one.plugin_name == 'runner': one.function.__code__ = pytest_runtest_makereport.__code__
`,
  },
  {
    name: 'a plugin for the time of one test',
    late: `${FIND}
class Plugin:
    def pytest_pyfunc_call(self, pyfuncitem):
        config().pluginmanager.unregister(self)
        return True
config().pluginmanager.register(Plugin())
`,
  },
  {
    name: 'a plugin under the name of pytest’s own',
    code: `${FIND}
class TerminalReporter:
    def pytest_pyfunc_call(self, pyfuncitem): return True
TerminalReporter.__module__ = '_pytest.terminal'
config().pluginmanager.register(TerminalReporter(), 'terminalreporter2')
`,
  },
  {
    name: 'a plugin whose code names a file of pytest',
    code: `${FIND}
import types, _pytest.runner as runner
module = types.ModuleType('_pytest.runner')
module.__file__ = runner.__file__
exec(compile('def pytest_pyfunc_call(pyfuncitem): return True', runner.__file__, 'exec'), vars(module))
config().pluginmanager.register(module)
`,
  },
  {
    name: 'the implementations of a hook taken away',
    code: `${FIND}
caller = config().hook.pytest_pyfunc_call
for one in list(caller.get_hookimpls()): caller._remove_plugin(one.plugin)
class Plugin:
    def pytest_pyfunc_call(self, pyfuncitem): return True
config().pluginmanager.register(Plugin())
`,
  },
];

const ITEMS: RunnerAttack[] = [
  { name: 'runtest of one test', late: `${FIND}\nfor one in found('Function'): one.runtest = lambda: None` },
  { name: 'the function of one test', late: `${FIND}\nfor one in found('Function'): one.obj = lambda: None` },
  {
    name: 'the code of one test',
    late: `${FIND}
for one in found('Function'):
    if 'test_value' in one.nodeid: one.obj.__code__ = (lambda: None).__code__
`,
  },
  {
    name: 'the class of one test',
    late: `${FIND}
for one in found('Function'):
    one.__class__ = type('Function', (type(one),), {'runtest': lambda self: None})
`,
  },
  {
    name: 'a test module’s function',
    late: `${FIND}
import sys
for one in found('Function'): one._obj = sys.modules['pkg.core'].other
`,
  },
  {
    name: 'the hooks of one test',
    late: `${FIND}
class Proxy:
    def __init__(self, hook): self.hook = hook
    def __getattr__(self, name): return getattr(self.hook, name)
    def pytest_runtest_call(self, item): return []
type(found('Function')[0]).ihook = property(lambda self: Proxy(self.session.gethookproxy(self.path)))
`,
  },
];

const MANAGER: RunnerAttack[] = [
  {
    name: 'how hooks are called',
    code: `${FIND}
manager = config().pluginmanager
was = manager._inner_hookexec
def call(name, methods, kwargs, first):
    if name == 'pytest_pyfunc_call': return True
    return was(name, methods, kwargs, first)
manager._inner_hookexec = call
`,
  },
  {
    name: 'calls that are watched',
    code: `${FIND}
def after(outcome, name, methods, kwargs):
    if name == 'pytest_runtest_makereport':
        outcome.get_result().outcome = 'passed'
config().pluginmanager.add_hookcall_monitoring(lambda *args: None, after)
`,
  },
  {
    name: 'the class of the manager',
    code: `${FIND}
manager = config().pluginmanager
def call(self, name, methods, kwargs, first):
    return True if name == 'pytest_pyfunc_call' else self._inner_hookexec(name, methods, kwargs, first)
manager.__class__ = type('PytestPluginManager', (type(manager),), {'_hookexec': call})
for one in vars(config().hook).values():
    one._hookexec = manager._hookexec
`,
  },
  {
    name: 'a hook caller of the manager',
    code: `${FIND}
class Caller:
    def __init__(self, caller): self.caller = caller
    def __getattr__(self, name): return getattr(self.caller, name)
    def __call__(self, **kwargs): return True
hook = config().pluginmanager.hook
hook.pytest_pyfunc_call = Caller(hook.pytest_pyfunc_call)
`,
  },
  {
    name: 'a hook caller of the configuration',
    code: `${FIND}
class Caller:
    def __init__(self, caller): self.caller = caller
    def __getattr__(self, name): return getattr(self.caller, name)
    def __call__(self, **kwargs): return True
config().hook.pytest_pyfunc_call = Caller(config().hook.pytest_pyfunc_call)
`,
  },
];

const WITNESS: RunnerAttack[] = [
  {
    name: 'the witness by its module',
    code: `
import sys
${FORGE}
for name, module in list(sys.modules.items()):
    if 'witness' in name:
        for key, value in list(vars(module).items()):
            if callable(value): setattr(module, key, lambda *args, **kwargs: None)
forge()
`,
  },
  {
    name: 'the witness by all objects',
    code: `
import gc
${FORGE}
for one in gc.get_objects():
    if type(one).__module__.startswith('swemake') and hasattr(one, '__dict__'):
        for key in list(vars(one)):
            setattr(one, key, lambda *args, **kwargs: None)
forge()
`,
  },
  {
    name: 'the witness taken out of the plugins',
    code: `${FIND}
${FORGE}
manager = config().pluginmanager
for name, plugin in manager.list_name_plugin():
    if 'swemake' in (name or ''): manager.unregister(plugin)
forge()
`,
  },
  {
    name: 'the witness’s file closed',
    code: `
import os
${FORGE}
for fd in range(3, 40):
    try:
        if 'record-' in os.readlink('/proc/self/fd/%d' % fd): os.close(fd)
    except OSError: pass
forge()
`,
  },
  {
    name: 'the witness’s record cut off and gone on with',
    late: `
import glob, os
for path in glob.glob('/tmp/.swemake-witness-*/record-*'):
    os.truncate(path, 200)
`,
  },
  {
    name: 'all records taken away at the end',
    code: `
import atexit, glob, os, shutil
${FORGE}
forge()
@atexit.register
def _():
    for path in glob.glob('/tmp/.swemake-witness-*'): shutil.rmtree(path)
`,
  },
];

/** Plugins that pytest finds by metadata, whose names are written in ways that Python reads, too. */
const METADATA: RunnerAttack[] = [
  'PKG.EGG-INFO',
  'pkg-1.0.Dist-Info',
  'src/pkg.egg-info',
  'pkg-1.0-py3.11.EGG-INFO',
  'other_1.dist-INFO',
].map((folder) => ({
  name: `a plugin by ${folder}`,
  files: {
    [`${folder}/entry_points.txt`]: '[pytest11]\npkg = pkg.plugin\n',
    [`${folder}/PKG-INFO`]: 'Metadata-Version: 2.1\nName: pkg\nVersion: 1\n',
    [`${folder}/METADATA`]: 'Metadata-Version: 2.1\nName: pkg\nVersion: 1\n',
    'pkg/plugin.py': 'def pytest_pyfunc_call(pyfuncitem): return True\n',
  },
}));

export const CLASSES: Record<string, readonly RunnerAttack[]> = {
  'shadowed modules': SHADOWS,
  'code of the runner': CODE,
  'hooks and plugins': HOOKS,
  'single tests': ITEMS,
  'the manager of plugins': MANAGER,
  'the witness': WITNESS,
  'metadata of plugins': METADATA,
};
