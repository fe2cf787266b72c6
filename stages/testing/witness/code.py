"""The runner's code in memory: what it was when it had just been loaded, what of it is different now, and from which
file a function comes. A name in a file proves nothing, so a function counts as the environment's when it was there
before any code of the repository, or when compiling the file gives the same code.
"""
import types
from _operator import attrgetter, is_

_FUNCTION = types.FunctionType
_code_of, _defaults_of, _keywords_of = attrgetter('__code__'), attrgetter('__defaults__'), attrgetter('__kwdefaults__')


def _is(value, kind):
    """By the type alone: some objects do much when they are asked for anything."""
    return issubclass(type(value), kind)


def _functions(value):
    """The functions behind a value of a module or class, with those that decorators keep in their closures."""
    if _is(value, property):
        return [one for part in (value.fget, value.fset, value.fdel) for one in _functions(part)]
    if _is(value, (staticmethod, classmethod, types.MethodType)):
        value = value.__func__
    if not _is(value, _FUNCTION):
        return []
    found = [value]
    for cell in value.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:
            continue
        if _is(content, _FUNCTION) and content is not value:
            found.append(content)
    return found


def _is_code(value):
    return callable(value) or _is(value, types.ModuleType) or hasattr(type(value), '__get__')


class Surface(object):
    """Names, functions and classes of some modules, and what has become of them."""

    def __init__(self, modules):
        self.modules = [(module.__name__, module, type(module)) for module in modules]
        self.tables, self.functions, self.labels, self.classes = [], [], [], []
        for module in modules:
            self._add(module.__name__, vars(module))
            for name, value in list(vars(module).items()):
                if _is(value, type) and value.__module__ == module.__name__ != 'builtins':
                    label = '%s.%s' % (module.__name__, name)
                    self._add(label, vars(value))
                    self.classes.append((label, value, type(value), value.__mro__))
        self.now = [list(map(part, self.functions)) for part in (_code_of, _defaults_of, _keywords_of)]
        self.codes = {id(code): code for code in self.now[0]}

    def _add(self, label, names):
        own = [(name, value) for name, value in list(names.items()) if _is_code(value)]
        self.tables.append((label, names, [name for name, _ in own], [value for _, value in own], set(names)))
        for name, value in own:
            for function in _functions(value):
                self.functions.append(function)
                self.labels.append('%s.%s' % (label, name))

    def replaced(self):
        """What is not what it was; cheap enough to be asked for each test."""
        found = []
        for label, names, keys, values, _ in self.tables:
            if not all(map(is_, map(names.get, keys), values)):
                found += ['%s.%s' % (label, key) for key, value in zip(keys, values) if names.get(key) is not value]
        if not all(map(is_, map(_code_of, self.functions), self.now[0])):
            found += self._changed(_code_of, self.now[0])
        return found

    def changed(self):
        """`replaced`, and what was added where it counts, other defaults, classes and modules."""
        found = self.replaced()
        for part, was in zip((_defaults_of, _keywords_of), self.now[1:]):
            if not all(map(is_, map(part, self.functions), was)):
                found += self._changed(part, was)
        for label, value, kind, mro in self.classes:
            if type(value) is not kind or value.__mro__ is not mro:
                found.append(label)
        for name, module, kind in self.modules:
            if sys.modules.get(name) is not module or type(module) is not kind:
                found.append(name)
        return found + self._added()

    def _changed(self, part, was):
        return [label for label, one, old in zip(self.labels, self.functions, was) if part(one) is not old]

    def _added(self):
        """New names that hide a builtin from a module, or a method of a base from a class."""
        classes = {label: mro for label, _, _, mro in self.classes}
        found = []
        for label, names, _, _, known in self.tables:
            if len(names) == len(known):
                continue
            hidden = [vars(base) for base in classes[label][1:]] if label in classes else [__builtins__]
            for name in [name for name in names if name not in known and _is_code(names[name])]:
                if any(name in base for base in hidden) or (label in classes and name.startswith('__')):
                    found.append('%s.%s' % (label, name))
        return found


def loaded_modules(matches):
    return [module for name, module in sorted(sys.modules.items())
            if type(module) is types.ModuleType and matches(name) and module.__name__ == name]


def file_of(module):
    """Where a module was loaded from, as its loader said; None for what is no file."""
    names = object.__getattribute__(module, '__dict__') if _is(module, types.ModuleType) else {}
    path = getattr(names.get('__spec__'), 'origin', None) or names.get('__file__')
    return os.path.abspath(path) if _is(path, str) and '/' in path else None


def _file_key(path):
    """A file's place: the package of an installed one, or of one in the repository. Configurations stay apart."""
    path = os.path.abspath(path) if not path.startswith('<') else path
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


def _same_code(one, other):
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        parts = ('co_code', 'co_names', 'co_varnames', 'co_freevars', 'co_cellvars', 'co_argcount', 'co_flags')
        return all(getattr(one, part) == getattr(other, part) for part in parts) and \
            _same_code(one.co_consts, other.co_consts)
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(map(_same_code, one, other))
    return type(one) is type(other) and one == other


def _codes_in(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            for inner in _codes_in(constant):
                yield inner


class Origins(object):
    """From which files functions come."""

    def __init__(self):
        self.trusted = {}
        self._compiled = {}

    def of(self, value):
        """The place of a callable's code."""
        for _ in range(8):
            if _is(value, types.MethodType):
                value = value.__func__
            elif type(value).__name__ == 'partial':
                value = value.func
            elif not _is(value, _FUNCTION):
                value = getattr(type(value), '__call__', None)
        return self.of_code(value.__code__) if _is(value, _FUNCTION) else 'other:%s' % type(value).__name__

    def of_code(self, code):
        key = _file_key(code.co_filename)
        if key.startswith('testbed:') or id(code) in self.trusted or self._is_in_file(code):
            return key
        return 'unknown:' + code.co_filename

    def _is_in_file(self, code):
        name = code.co_filename
        if name not in self._compiled:
            self._compiled[name] = [one for whole in _compiled(name) for one in _codes_in(whole)]
        alike = [one for one in self._compiled[name]
                 if one.co_name == code.co_name and one.co_firstlineno == code.co_firstlineno]
        return any(_same_code(one, code) for one in alike)


def _compiled(name):
    """The file's code as Python compiles it, and as pytest does for plugins."""
    found = []
    try:
        with open(name, 'rb') as handle:
            found.append(compile(handle.read(), name, 'exec', dont_inherit=True))
    except Exception:
        return found
    try:
        rewrite = sys.modules['_pytest.assertion.rewrite']._rewrite_test
        config = types.SimpleNamespace(getini=lambda name: False)
        found.append(rewrite(type(sys.modules['pathlib'].Path())(name), config)[1])
    except Exception:
        pass
    return found
