"""One process of the test command. It loads the runner from the environment, before files of the repository could
replace it, and reports its end. pytest is watched from its import on. Without pytest, unittest is watched, test by
test.
"""
import atexit
import gc

import _frozen_importlib
import _frozen_importlib_external

RUNNERS = ('pytest', '_pytest', 'pluggy')
UNITTEST = ['unittest.case', 'unittest.result', 'unittest.runner', 'unittest.suite', 'unittest.loader', 'unittest.main']
KINDS = [('failures', 'FAILED'), ('errors', 'ERROR'), ('unexpectedSuccesses', 'XPASS'), ('expectedFailures', 'XFAIL'),
         ('skipped', 'SKIPPED')]


def _in_repository(name):
    return any(os.path.exists('%s/%s%s%s' % (ROOT, folder, name, end))
               for folder in ('', 'src/', 'lib/') for end in ('', '.py'))


def _load_pytest():
    """Imports the environment's pytest and its dependencies, with the repository off the path."""
    natural, before, is_collecting = list(sys.path), set(sys.modules), gc.isenabled()
    sys.path[:] = _trusted(natural)
    # Modules that are loaded stay: to look for garbage among them takes a tenth of the time.
    gc.disable()
    try:
        import pytest  # noqa: F401
        for name in sys.modules['_pytest.config'].default_plugins:
            __import__('_pytest.' + name)
    finally:
        sys.path[:] = natural
        if is_collecting:
            gc.enable()
    # If the repository is such a package, everyone but pytest gets the repository's.
    new = [name for name in sys.modules if name not in before]
    own = {name for name in {one.split('.')[0] for one in new} if name not in RUNNERS and _is_installed(name)
           and _in_repository(name)}
    for name in new:
        if name.split('.')[0] in own:
            del sys.modules[name]


def _is_installed(name):
    path = getattr(sys.modules.get(name), '__file__', None) or ''
    return '-packages' in path


class _Present(object):
    """Loads what is loaded."""

    def __init__(self, module):
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__ = self._spec


class _Unloaded(object):
    """Hides modules that only the witness has loaded, until they are imported. Tests that run tests remove what these
    import, so that each begins with new modules; modules that were there before would stay."""

    def __init__(self, name):
        self._name, self._modules, self._is_ours = name, {}, name not in sys.modules
        self.was_asked = False

    def hide(self):
        if not self._is_ours:
            return
        names = [name for name in sys.modules if name.split('.')[0] == self._name]
        MAY_BE_GONE.update(names)
        self.was_asked, self._modules = False, {name: sys.modules.pop(name) for name in names}
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        modules = self._modules
        if name not in modules:
            return None
        self.was_asked, self._modules = True, {}
        MAY_BE_GONE.difference_update(modules)
        # A module that exists by now is not loaded again, since it would lose what was set on it.
        module = modules.pop(name)
        sys.modules.update(modules)
        return _frozen_importlib.ModuleSpec(name, _Present(module))


class _Finder(object):
    """Called for every import, until pytest is imported."""

    def __init__(self, begin):
        self._begin = begin

    def find_spec(self, name, path=None, target=None):
        if name not in ('pytest', '_pytest'):
            return None
        sys.meta_path.remove(self)
        self._begin()
        module = sys.modules.pop(name, None)
        return None if module is None else _frozen_importlib.ModuleSpec(name, _Present(module))


class _Unittest(object):
    """The tests of a process whose runner is built on unittest."""

    def __init__(self, write, tell, loads, failures, parts):
        for name in UNITTEST:
            __import__(name)
        self._tell, self._loads, self._held, self._parts = tell, loads, Held(tell, loads), parts
        self._callers, self._results = Callers(tell), Results(tell)
        self._held.begin()
        self._failures = failures
        self._write, self._depth, self._has_begun, self._note = write, 0, False, noter(tell, 'modified')
        self._kinds = {}
        self._wrap(sys.modules['unittest.case'].TestCase)
        self._cases = Cases(tell)
        self._surfaces = [Surface(loaded_modules(lambda name: name in UNITTEST + ['builtins']))]
        sys.meta_path.insert(0, OwnRuns(self._loaded, loads.compare))

    def _loaded(self, module):
        for kind in list(vars(module).values()):
            if _is(kind, type) and kind.__module__ == module.__name__ and 'run' in vars(kind) and issubclass(
                    kind, sys.modules['unittest.case'].TestCase):
                self._wrap(kind)
        self._surfaces.append(Surface([module]))

    def _replaced(self):
        return [label for one in self._surfaces for label in one.replaced()]

    def _wrap(self, kind):
        original = kind.run

        def run(self, result=None):
            before = witness.before(self, result)
            try:
                return original(self, result)
            finally:
                witness.after(self, result, before)

        witness = self
        kind.run = posing(run, original)

    def before(self, test, result):
        if not self._has_begun:
            self._has_begun = True
            mark_process('tests')
            self._held.look()
            tell_hooks(self._tell)
            self._cases.begin()
        if self._depth == 0:
            self._same_kind(result)
            self._results.tell(result)
            self._tell_test(test)
            self._loads.tell_folder()
            self._failures.begin(str(test))
            self._parts.begin(test)
            examples_of([test], str, self._tell)
        self._depth += 1
        self._note(self._replaced() + overridden('TestCase', test) + self._cases.changed(type(test)))
        return _counts(result)

    def _tell_test(self, test):
        """Which function is run, and whether a module holds its class."""
        kind = type(test)
        held = sys.modules.get(kind.__module__)
        for name in kind.__qualname__.split('.'):
            held = getattr(held, '__dict__', {}).get(name)
        name = vars(test).get('_testMethodName')
        function = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        what = self._held.label_of(function) or type(function).__name__
        self._tell('test', str(test), what if held is kind else '%s of another class' % what)

    def _same_kind(self, result):
        _, kind = self._kinds.setdefault(id(result), (result, type(result)))
        if kind is not type(result):
            self._note(['TestResult.__class__'])

    def after(self, test, result, before):
        self._depth -= 1
        self._note(self._replaced())
        self._loads.tell_traced()
        self._note(overridden('TestCase', test))
        self._note(overridden('TestResult', result))
        if self._depth == 0:
            self._same_kind(result)
            self._results.tell(result)
            tell_libraries(self._tell)
            self._note(self._failures.end())
            self._write('status', [str(test), self._status(result, before)])
            # A test may look whether the tests before it are gone.
            self._parts.begin(None)

    def _status(self, result, before):
        """By the result, unless the test itself did worse or the result counts nothing."""
        own = self._parts.status()
        now = None if before is None else _counts(result)
        grown = [] if now is None else [status for (_, status), one, other in zip(KINDS, before, now) if other > one]
        if not grown and (own == 'FAILED' or now is None):
            return own
        status = (grown + ['PASSED'])[0]
        if status == 'PASSED':
            # Of `run`, `after` and this function.
            self._callers.tell(frame_at(3))
        return status

    def ended(self):
        self._note([label for one in self._surfaces for label in one.changed()])
        self._loads.tell_traced()
        self._held.look()
        tell_hooks(self._tell)
        self._loads.tell_examples()


def _counts(result):
    try:
        return [len(getattr(result, name)) for name, _ in KINDS]
    except (AttributeError, TypeError):
        return None


def _hide():
    """Hides the current objects from code that asks for all objects."""
    if hasattr(gc, 'freeze'):
        gc.freeze()


def begin(is_worker, is_pytest):
    """Called once, with the repository off the path."""
    early = EarlyModules()
    write = open_record()
    if write is None:
        return
    mark_process('process')
    write('begin', {'pid': posix.getpid()})
    tell, parts = teller(write), Parts()
    noter(tell, 'early')(early.look())
    if sys.flags.optimize:
        tell('options', 'python -O', '')
    tell_settings(tell)
    loads = Loads(tell)
    unloaded = _Unloaded('unittest')
    watch_outcomes(noter(tell, 'modified'), parts, loads.count)
    failures = Failures(write)
    if 'operands' in RECORD:
        failures = Operands(write, failures)
    if 'reads' in RECORD:
        Reads(write)
    sessions, tests = [], []

    def begin_session():
        unloaded.hide()
        if not is_project:
            try:
                _load_pytest()
            except ImportError:
                pass
        import pytest  # noqa: F401
        if '_pytest.reports' not in sys.modules:
            # Before pytest 3.8; only the end of the process is told.
            return
        is_asked = unloaded.was_asked
        sessions.append(Session(write, tell, is_worker, NAME, early, loads, failures))
        if not is_asked:
            unloaded.hide()
        _hide()

    def ended():
        if any(session.has_begun for session in sessions):
            return
        for one in tests:
            one.ended()
        if 'operands' in RECORD:
            failures.finish()
        write('end', {'status': None})

    # What is registered first is called last.
    atexit.register(ended)
    is_project = any(_in_repository(name) for name in RUNNERS)
    is_there = _frozen_importlib_external.PathFinder.find_spec('pytest', sys.path) is not None
    if is_there and not is_project and (is_pytest or is_worker):
        begin_session()
        return
    sys.meta_path.insert(0, _Finder(begin_session))
    tests.append(_Unittest(write, tell, loads, failures, parts))
    _hide()
