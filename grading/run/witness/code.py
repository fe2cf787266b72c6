"""Compares the runner's code in memory with its state when it had just been loaded, and finds the file of a function.
A function's own word for its file proves nothing. So a digest is told beside it, unless the function was there before
any code of the repository.
"""
import gc
from _operator import attrgetter, is_
from posixpath import abspath as _abspath

import _frozen_importlib_external

_FUNCTION = types.FunctionType
_referents = gc.get_referents
_WRAPPERS = (staticmethod, classmethod, property)
_code_of, _closure_of = attrgetter('__code__'), attrgetter('__closure__')
# Runners ask these what was raised, and by whom.
_OF_SYS = ('exc_info', 'exception', '_getframe')
_PARTS = (_code_of, attrgetter('__defaults__'), attrgetter('__kwdefaults__'))


# Whether code is being compared, which asks for much code.
LOOKING = [False]
# Names of modules that are not there until somebody imports them; then they stay.
MAY_BE_GONE = set()


def _absolute(path):
    try:
        return _abspath(path)
    except OSError:
        # The working folder is gone.
        return path


def _is(value, kind):
    """Checks only the type: some objects run much code when they are accessed."""
    return issubclass(type(value), kind)


def _are_same(some, others):
    return len(some) == len(others) and all(map(is_, some, others))


def _functions(value):
    """The functions behind a value of a module or class, with those that decorators keep in their closures."""
    if _is(value, property):
        return [one for part in (value.fget, value.fset, value.fdel) for one in _functions(part)]
    if _is(value, (staticmethod, classmethod, types.MethodType)):
        value = value.__func__
    return [value] + _enclosed(value) if _is(value, _FUNCTION) else []


def _enclosed(function):
    return [one for one in _cells_of(function) if _is(one, _FUNCTION) and one is not function]


def _cells_of(function):
    """What a function keeps of the functions around it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            pass


def _is_code(value):
    return callable(value) or _is(value, types.ModuleType) or hasattr(type(value), '__get__')


class Replaced(str):
    """The label of a name, with the place of what stands there now."""

    def __new__(cls, label, value):
        self = str.__new__(cls, label)
        kind = type(value)
        self.place = relative(value.__code__.co_filename) if kind is _FUNCTION else '%s.%s' % (kind.__module__, kind.__name__)
        return self


class Surface(object):
    """Names, functions and classes of some modules, and how they changed. There are thousands: functions in C do most
    of the work, and names are looked up only when something differs."""

    def __init__(self, modules):
        self.modules = [(module.__name__, module, type(module)) for module in modules]
        self.tables, self.classes, self.functions = [], [], []
        for module in modules:
            own, name = vars(module), module.__name__
            self._add(name, own)
            if name == 'builtins':
                continue
            for key, value in list(own.items()):
                if _is(value, type) and value.__module__ == name:
                    self._add('%s.%s' % (name, key), vars(value))
                    self.classes.append(('%s.%s' % (name, key), value, type(value), value.__mro__))
        # Many names stand for the same function.
        self.functions = list({id(one): one for one in self.functions}.values())
        LOOKING[0] = True
        self.now = [list(map(part, self.functions)) for part in _PARTS]
        LOOKING[0] = False
        self.linked = _referents(*self.functions)
        self.of_sys = [(name, getattr(sys, name)) for name in _OF_SYS if hasattr(sys, name)]

    def _add(self, label, names):
        was = dict(names)
        self.tables.append((label, names, was))
        values = list(was.values())
        own = [value for value in values if type(value) is _FUNCTION]
        own += [one for value in values if type(value) in _WRAPPERS for one in _functions(value)]
        for function, closure in zip(list(own), map(_closure_of, own)):
            if closure is not None:
                own += _enclosed(function)
        self.functions += own

    def codes(self):
        return {id(code): code for code in self.now[0]}

    def accept(self, trusted, by_name=False):
        """Accepts changes that the runner's own code made: pytest replaces parts of itself. `by_name`: only functions that are
        called like what they replace."""
        for _, names, was in self.tables:
            for key in self._different(names, was) + self._new(names, was):
                value = names.get(key)
                if _is_trusted(value, trusted) and not (by_name and getattr(value, '__name__', '').lstrip('_') != key):
                    was[key] = names[key]

    def _different(self, names, was):
        if all(map(is_, map(names.get, was), was.values())):
            return []
        found = []
        for key, value in was.items():
            now = names.get(key)
            if now is value or not (_is_code(value) or _is_code(now)):
                continue
            if value is None and self._is_made_late(now):
                was[key] = now
            else:
                found.append(key)
        return found

    def _is_made_late(self, kind):
        """Whether it is a class that a function of the runner makes when it first needs one, as pytest's for doctests."""
        if type(kind) is not type:
            return False
        made = [function for value in vars(kind).values() for function in _functions(value)]
        inner = {id(one) for code in self.now[0] for one in _codes_in(code)}
        return bool(made) and all(id(one.__code__) in inner for one in made) and all(
            type(base) is type and getattr(sys.modules.get(base.__module__), base.__name__, None) is base
            and not _below(file_of(sys.modules[base.__module__]) or '/') for base in kind.__mro__[1:])

    def _new(self, names, was):
        return [] if len(names) == len(was) else [key for key in list(names) if key not in was]

    def replaced(self, test=None):
        """Labels of what was replaced; fast enough to be called for each test. `test`: the function of the test that runs."""
        return self._names_replaced(test) + self._parts_changed([_code_of])

    def _names_replaced(self, test):
        found = [Replaced('%s.%s%s' % (label, key, ' by the test' if label == 'builtins' and _is_inside(names.get(key), test)
                                       else ''), names.get(key))
                 for label, names, was in self.tables for key in self._different(names, was)]
        # What is gone for a while deceives no runner.
        return found + ['sys.%s' % name for name, was in self.of_sys if getattr(sys, name, was) is not was]

    def changed(self):
        """`replaced`, and what was added where it counts, other defaults, classes and modules."""
        found = self._names_replaced(None) + self._parts_changed(_PARTS)
        for label, value, kind, mro in self.classes:
            if type(value) is not kind or value.__mro__ is not mro:
                found.append(label)
        for name, module, kind in self.modules:
            now = sys.modules.get(name, module if name in MAY_BE_GONE else None)
            if now is not module or type(module) is not kind:
                found.append(name)
        return found + self._added()

    def _parts_changed(self, parts):
        """Labels of functions with other parts. All that the functions refer to is compared first, which takes a tenth of the
        time: an audit hook is asked for each part. They come to refer to more when their annotations are read."""
        linked = _referents(*self.functions)
        if _are_same(linked, self.linked):
            return []
        found = [label for part, was in zip(_PARTS, self.now) if part in parts for label in self._changed(part, was)]
        if parts is _PARTS and not found:
            self.linked = linked
        return found

    def _changed(self, part, was):
        LOOKING[0] = True
        now = list(map(part, self.functions))
        LOOKING[0] = False
        return ['%s.%s' % (one.__module__, getattr(one, '__qualname__', one.__name__))
                for one, new, old in zip(self.functions, now, was) if new is not old]

    def _added(self):
        """New names that hide a builtin from a module, or a method of a base from a class."""
        classes = {label: mro for label, _, _, mro in self.classes}
        found = []
        for label, names, was in self.tables:
            for name in self._new(names, was):
                if name in _OF_INTERFACES:
                    continue
                hidden = [vars(base) for base in classes[label][1:]] if label in classes else [__builtins__]
                is_asked = label in classes and name.startswith('__')
                if _is_code(names.get(name)) and (is_asked or any(name in base for base in hidden)):
                    found.append('%s.%s' % (label, name))
        return found


def _codes_in(code):
    found = [one for one in code.co_consts if type(one) is type(code)]
    for one in found:
        found += [inner for inner in one.co_consts if type(inner) is type(code)]
    return found


def _is_inside(value, test):
    """Whether it is a function that is written inside of the function of a test."""
    return _is(test, _FUNCTION) and type(value) is _FUNCTION and any(
        one is value.__code__ for one in _codes_in(test.__code__))


def _is_trusted(value, trusted):
    functions = _functions(value)
    return bool(functions) and all(id(function.__code__) in trusted for function in functions)


def loaded_modules(matches):
    return [module for name, module in sorted(sys.modules.items())
            if type(module) is types.ModuleType and matches(name) and module.__name__ == name]


def file_of(module):
    """Where a module was loaded from, as its loader said; None for what is no file."""
    names = object.__getattribute__(module, '__dict__') if _is(module, types.ModuleType) else {}
    path = getattr(names.get('__spec__'), 'origin', None) or names.get('__file__')
    if not _is(path, str) or '/' not in path:
        return None
    return path if path.startswith('/') else _absolute(path)


# What zope.interface says of classes of others, as twisted does of unittest's. Python itself reads none of them.
_OF_INTERFACES = frozenset(['__implemented__', '__provides__', '__providedBy__'])


class EarlyModules(object):
    """The repository's loaded modules; called more than once."""

    def __init__(self):
        self._seen, self.found = set(), set()

    def look(self):
        new = [name for name in list(sys.modules) if name not in self._seen]
        self._seen.update(new)
        paths = [file_of(sys.modules.get(name)) for name in new]
        self.found.update(_file_key(path) for path in paths if path is not None and _below(path))
        return sorted(self.found)


def _file_key(path):
    """A label for a file: the installed package, or the package of the repository. Configuration files have labels of
    their own."""
    path = _absolute(path) if not path.startswith('<') else path
    if _below(path):
        parts = path[len(ROOT) + 1:].split('/')
        if parts[-1] == 'conftest.py':
            return 'testbed:' + '/'.join(parts)
        depth = 2 if parts[0] in ('src', 'lib') and len(parts) > 1 else 1
        return 'testbed:' + '/'.join(parts[:depth])
    for mark in ('/site-packages/', '/dist-packages/'):
        if mark in path:
            return 'installed:' + path.rpartition(mark)[2].split('/')[0]
    return 'other:' + path


def _called(value):
    """The function that is called in the end; another object if it is not written in Python."""
    for _ in range(8):
        if _is(value, types.MethodType):
            value = value.__func__
        elif type(value).__name__ == 'partial':
            value = value.func
        elif not _is(value, _FUNCTION):
            value = getattr(type(value), '__call__', None)
    return value


class Origins(object):
    """Finds the files of functions."""

    def __init__(self, tell):
        self._tell = tell
        self.trusted, self._known, self._keys = {}, {}, {}

    def take_for_pytest(self, module, path):
        self.trusted.update(Surface([module]).codes())
        self._keys[path] = _file_key('/site-packages/_pytest/')

    def of(self, value):
        """The place of a callable's code."""
        called = _called(value)
        return self.of_code(called.__code__) if _is(called, _FUNCTION) else 'other:%s' % type(called).__name__

    def of_code(self, code):
        if id(code) not in self._known:
            # The code is stored, too: after it was freed, its id could belong to another one.
            self._known[id(code)] = code, self._place(code)
        return self._known[id(code)][1]

    def _place(self, code):
        name = code.co_filename
        key = self._keys[name] if name in self._keys else self._keys.setdefault(name, _file_key(name))
        if not key.startswith('testbed:') and id(code) not in self.trusted:
            self._tell('hook', '%s %s' % (key, code.co_name), digest_of(code))
        return key


# Packages whose classes of tests have a `run` that does not call unittest's.
_OWN_RUNS = ('twisted.trial.', 'testtools.')


# Modules of runners that are loaded late: what of them is replaced is compared with the gold runs.
_LATE_RUNNERS = ('doctest', 'hypothesis.core', 'nose2.', 'django.test.', 'behave.')


class OwnRuns(object):
    """Watches the modules of such packages, as they are loaded from the environment."""

    def __init__(self, loaded, compared):
        self._loaded, self._compared = loaded, compared

    def find_spec(self, name, path=None, target=None):
        if not name.startswith(_OWN_RUNS + _LATE_RUNNERS):
            return None
        spec = _frozen_importlib_external.PathFinder.find_spec(name, path)
        if spec is None or not spec.has_location or _below(spec.origin):
            return None
        spec.loader = _Watched(spec.loader, self._loaded if name.startswith(_OWN_RUNS) else self._compared)
        return spec


class _Watched(object):
    def __init__(self, loader, loaded):
        self._loader, self._loaded = loader, loaded

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._loaded(module)
