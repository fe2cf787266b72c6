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
    natural, before = list(sys.path), set(sys.modules)
    sys.path[:] = _trusted(natural)
    try:
        import pytest  # noqa: F401
        for name in sys.modules['_pytest.config'].default_plugins:
            __import__('_pytest.' + name)
    finally:
        sys.path[:] = natural
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

    def __init__(self, write, runs, failures):
        for name in UNITTEST:
            __import__(name)
        self._runs, self._sources, self._strange = runs, Sources(runs), once(write, 'strangers')
        self._sources.begin()
        self._option, self._failures = once(write, 'options'), failures
        self._write, self._depth, self._has_begun, self._note = write, 0, False, once(write, 'modified')
        self._kinds = {}
        self._wrap(sys.modules['unittest.case'].TestCase)
        self._cases = Cases()
        self._surface = Surface(loaded_modules(lambda name: name in UNITTEST + ['builtins']))

    def _wrap(self, kind):
        original = kind.run

        def run(self, result=None):
            before = witness.before(self, result)
            try:
                return original(self, result)
            finally:
                witness.after(self, result, before)

        witness = self
        run.__doc__, run.__qualname__, run.__module__ = original.__doc__, original.__qualname__, original.__module__
        kind.run = run

    def before(self, test, result):
        if not self._has_begun:
            self._has_begun = True
            mark_process('tests')
            self._strange(self._sources.changed())
            self._cases.begin()
        elif self._depth == 0 and self._sources.has_new():
            self._strange(self._sources.run_otherwise())
        if self._depth == 0:
            self._strange(self._made(test))
            self._same_kind(result)
            self._failures.begin(str(test))
        self._depth += 1
        self._note(self._surface.replaced() + overridden('TestCase', test) + self._cases.changed(type(test)))
        return _counts(result)

    def _made(self, test):
        """Labels of a test that is not of its file: of a class that no module holds, or with another function."""
        kind = type(test)
        module = sys.modules.get(kind.__module__)
        path = file_of(module) or kind.__module__
        own, held = relative(path), module
        for name in kind.__qualname__.split('.'):
            held = getattr(held, '__dict__', {}).get(name)
        found = [] if held is kind else ['%s: another class' % own]
        name = vars(test).get('_testMethodName')
        function = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if not _is(function, _FUNCTION):
            return found
        inner = _unwrapped(function)
        place = os.path.abspath(inner.__code__.co_filename)
        if place != os.path.abspath(path):
            found.append('%s: %s' % (own, relative(place)))
        # A script that is run names its own tests, and no import of it is seen.
        is_script = inner.__globals__ is vars(sys.modules['__main__'])
        if is_test_file(place) and not self._sources.is_own(inner, place, is_script):
            found.append('%s: tests of other code' % relative(place))
        if inner is not function and not self._sources.is_of_tests(function):
            found.append('%s: by %s' % (own, _maker_of(function)))
        return found

    def _same_kind(self, result):
        _, kind = self._kinds.setdefault(id(result), (result, type(result)))
        if kind is not type(result):
            self._note(['TestResult.__class__'])

    def after(self, test, result, before):
        self._depth -= 1
        self._note(self._surface.replaced())
        self._option(self._runs.traced())
        self._note(overridden('TestCase', test))
        self._note(overridden('TestResult', result))
        if self._depth == 0:
            self._same_kind(result)
            self._note(self._failures.end())
        if self._depth == 0 and before is not None:
            now = _counts(result)
            grown = [status for (_, status), one, other in zip(KINDS, before, now) if other > one]
            self._write('status', [str(test), (grown + ['PASSED'])[0]])

    def ended(self):
        self._note(self._surface.changed())
        self._option(self._runs.traced())
        self._strange(self._sources.changed())


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
    once(write, 'early')(early.look())
    if sys.flags.optimize:
        write('options', 'python -O')
    unloaded = _Unloaded('unittest')
    watch_outcomes(once(write, 'modified'))
    failures = Failures(write)
    runs = Runs()
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
        is_asked = unloaded.was_asked
        sessions.append(Session(write, is_worker, NAME, early, runs, failures))
        if not is_asked:
            unloaded.hide()
        _hide()

    def ended():
        if any(session.has_begun for session in sessions):
            return
        for one in tests:
            one.ended()
        write('end', {'status': None, 'failure': None})

    # What is registered first is called last.
    atexit.register(ended)
    is_project = any(_in_repository(name) for name in RUNNERS)
    is_there = _frozen_importlib_external.PathFinder.find_spec('pytest', sys.path) is not None
    if is_there and not is_project and (is_pytest or is_worker):
        begin_session()
        return
    sys.meta_path.insert(0, _Finder(begin_session))
    tests.append(_Unittest(write, runs, failures))
    _hide()
