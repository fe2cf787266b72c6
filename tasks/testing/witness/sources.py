"""Checks that what runs as a test, or helps tests, is what its file says. An audit hook, which cannot be removed
(from Python 3.8 on), reports which code is run for a module. That code is compared with the compiled file, compiled
by Python or with pytest's rewriting of assertions. Then the contents of test modules are compared with what their
files define and import. So a compiled file, a loader, a finder, an entry of `sys.modules` or a later assignment with
another result is found. Everything is reported as labels; those of the gold runs are usual for the task.
"""
import _frozen_importlib
from posixpath import abspath as _absolute

_EXEC, _ONLY_TREE = exec, 0x400
_RUN = _frozen_importlib._call_with_frames_removed.__code__
_TRACES = frozenset(['sys.settrace', 'sys.setprofile', 'sys.monitoring.register_callback'])
# Functions of Python's own interface for C that change frames, code and functions.
_CHANGERS = ('PyFrame_', '_PyFrame_', 'PyEval_Set', '_PyEval_Set', 'PyFunction_Set', 'PyCode_', 'PyUnstable_')
_BUILTINS = sys.modules['builtins' if sys.version_info[0] > 2 else '__builtin__'].__dict__
_HIDDEN = frozenset(name for name in _BUILTINS if not name.startswith('__'))
_BLOCKS = ('If', 'Try', 'TryStar', 'ExceptHandler', 'With', 'For', 'While')
MOST_INNER = 64


def is_test_file(path):
    name = path[len(ROOT) + 1:]
    if not path.endswith('.py') or not _below(path) or name in OPEN_FILES:
        return False
    return name.startswith(TEST_FOLDERS) or name in TEST_FILES or path.endswith('/conftest.py')


class Runs(object):
    """The code that was run for test modules: code, names of the module, file, and whether pytest loaded it. And who
    asked to be called for each line or call, which is a way to change the variables of tests."""

    def __init__(self):
        self.seen, self._pytest, self.is_told = [], {}, hasattr(sys, 'addaudithook')
        self._traces, self._told = [], 0
        if self.is_told:
            sys.addaudithook(_hook(self.seen, self._pytest, self._traces))

    def traced(self):
        """Labels of those who asked since the last call."""
        new = self._traces[self._told:]
        self._told += len(new)
        return ['%s by %s' % (event, 'the repository' if _below(_absolute(path)) else _file_key(path))
                for event, path in new]

    def trust(self, module):
        """Functions of pytest's that run modules."""
        self._pytest.update(Surface([module]).codes())


def _hook(seen, by_pytest, traces):
    frame_of = sys._getframe

    def told(event, given):
        if event != 'exec':
            if event in _TRACES:
                traces.append((event, frame_of(1).f_code.co_filename))
            elif event == 'ctypes.dlsym' and type(given[1]) is str and given[1].startswith(_CHANGERS):
                traces.append(('%s %s' % (event, given[1]), frame_of(1).f_code.co_filename))
            return
        try:
            frame = frame_of(1)
            code = frame.f_code
            if code is _RUN or id(code) in by_pytest:
                names = _names_given(frame.f_locals, code is _RUN)
                path = _absolute(names['__file__'])
                if is_test_file(path):
                    seen.append((given[0], names, path, code is not _RUN))
        except Exception:
            # A module whose code was not seen running is reported.
            pass

    return told


def _names_given(call, is_import):
    if is_import:
        return call['args'][1] if call['f'] is _EXEC else {}
    module = call.get('module', call.get('mod'))
    return module.__dict__ if type(module) is types.ModuleType else {}


class Source(object):
    """A file of tests as it lies on the disk: what it compiles to, defines and imports."""

    def __init__(self, path, rewrite):
        with open(path, 'rb') as handle:
            text = handle.read()
        tree = compile(text, path, 'exec', _ONLY_TREE, True)
        self.functions, self.classes, self.imports = {}, {}, []
        self._define(tree.body, True)
        self._made, self._index, self._trusted = {}, None, {}
        self._makers = [lambda: compile(text, path, 'exec', 0, True), lambda: rewrite(tree, text, path)]

    def _define(self, statements, is_sure):
        """Functions and classes: name -> (has it decorators, is it there in any case)."""
        for node in statements:
            kind = type(node).__name__
            if kind in ('FunctionDef', 'AsyncFunctionDef'):
                self.functions[node.name] = bool(node.decorator_list), is_sure and node.name not in self.functions
            elif kind == 'ClassDef':
                methods = {one.name: bool(one.decorator_list) for one in node.body
                           if type(one).__name__ in ('FunctionDef', 'AsyncFunctionDef')}
                self.classes[node.name] = bool(node.decorator_list), is_sure, methods
            elif kind == 'ImportFrom':
                self.imports += [(node.level, node.module, one.name, one.asname or one.name) for one in node.names]
            elif kind in _BLOCKS:
                for part in ('body', 'handlers', 'orelse', 'finalbody'):
                    self._define(getattr(node, part, ()), False)

    def _code(self, which):
        if which not in self._made:
            try:
                self._made[which] = self._makers[which]()
            except Exception:
                self._made[which] = None
        return self._made[which]

    def compiles_to(self, code, is_rewritten):
        """Whether the code is the file's; then all within it is, too."""
        for which in (is_rewritten, not is_rewritten):
            made = self._code(int(which))
            if made is not None and _same_code(made, code):
                self._trusted.update((id(one), one) for one in _codes_in(code))
                return True
        return False

    def holds(self, code):
        if id(code) in self._trusted:
            return True
        if self._index is None:
            self._index = {}
            for whole in (self._code(0), self._code(1)):
                for one in _codes_in(whole) if whole is not None else ():
                    self._index.setdefault((one.co_name, one.co_firstlineno), []).append(one)
        alike = self._index.get((code.co_name, code.co_firstlineno), ())
        if any(_same_code(one, code) for one in alike):
            self._trusted[id(code)] = code
            return True
        return False


class Sources(object):
    """Modules of tests and their files."""

    def __init__(self, runs):
        self._runs, self._rewrite, self._looked = runs, None, 0
        self._known, self._files, self._tops, self._roots, self._early = {}, {}, {}, [], ()

    def begin(self):
        """Modules of the environment are no tests."""
        self._early = {name for name, module in list(sys.modules.items()) if not _below(file_of(module) or '')}

    def rewrite_by(self, config):
        """Compiles as pytest does, with the session's settings."""
        rewrite = sys.modules['_pytest.assertion.rewrite'].rewrite_asserts
        has_source = rewrite.__code__.co_argcount > 3

        def rewritten(tree, text, path):
            rewrite(*((tree, text, path, config) if has_source else (tree, None, config)))
            return compile(tree, path, 'exec', 0, True)

        self._rewrite = rewritten

    def has_new(self):
        return len(self._runs.seen) > self._looked

    def changed(self):
        """Labels of everything that differs from its file."""
        return self._quietly(lambda: self._run_otherwise() + self._held_otherwise())

    def run_otherwise(self):
        """Labels of modules whose code was not their file's, of those that ran since the last look."""
        return self._quietly(self._run_otherwise)

    def _quietly(self, look):
        quiet, warnings = [('ignore', None, Warning, None, 0)], sys.modules.get('warnings')
        filters = getattr(warnings, 'filters', None)
        try:
            if warnings is not None:
                # Warnings of the compiler were already shown before.
                warnings.filters = quiet
            return look()
        except Exception as problem:
            return ['%s: no look at tests' % type(problem).__name__]
        finally:
            if warnings is not None:
                warnings.filters = filters

    def source(self, path):
        if path not in self._files:
            try:
                self._files[path] = Source(path, self._rewrite)
            except Exception:
                self._files[path] = None
        return self._files[path]

    def is_own(self, function, path, is_script=False):
        """Whether a function is the file's and sees the names of its module."""
        source = self.source(path)
        return source is not None and source.holds(function.__code__) \
            and (is_script or self._is_run(function.__globals__))

    def _is_run(self, names):
        return not self._runs.is_told or id(names) in self._known

    def _run_otherwise(self):
        found, new = [], self._runs.seen[self._looked:]
        self._looked += len(new)
        for code, names, path, is_rewritten in new:
            self._known[id(names)] = names
            source = self.source(path)
            # Files that tests make and remove do not count. A missing file of the task is found by the watch.
            if (source is not None or _exists(path)) and not (source and source.compiles_to(code, is_rewritten)):
                found.append('%s: other code' % relative(path))
        return found

    def _held_otherwise(self):
        modules = [(name, module, _place_of(module)) for name, module in list(sys.modules.items())
                   if name not in self._early and name != '__main__']
        roots, found = {ROOT, ROOT + '/src', ROOT + '/lib'}, []
        roots.update(_absolute(entry) for entry in sys.path if _is(entry, str))
        roots.update(path[:-len(_end_in(name, path)) - 1] for name, _, path in modules
                     if is_test_file(path) and _end_in(name, path))
        roots = sorted(root for root in roots if _below(root))
        if roots != self._roots:
            self._roots, self._tops = roots, {}
        for name, module, path in modules:
            found += ['%s: another module is %s' % (relative(one), name) for one in self._files_for(name)
                      if one != path]
            if is_test_file(path):
                found += self._otherwise(module, path)
        return found

    def _files_for(self, name):
        """Files of tests from which a module of that name would be loaded."""
        tail = name.replace('.', '/')
        top = tail.partition('/')[0]
        if top not in self._tops:
            self._tops[top] = [root for root in self._roots if _may_hold_tests('%s/%s' % (root, top))]
        places = [root + '/' + tail for root in self._tops[top]]
        return [path for place in places for path in (place + '.py', place + '/__init__.py')
                if is_test_file(path) and _exists(path)]

    def _otherwise(self, module, path):
        if not _exists(path):
            return []
        names, source, label = object.__getattribute__(module, '__dict__'), self.source(path), relative(path)
        if source is None or type(module) is not types.ModuleType or not self._is_run(names):
            return ['%s: another module' % label]
        found = []
        for name, (is_decorated, is_sure) in source.functions.items():
            if name in names:
                found += self._judged(label, name, names[name], (name, names, path), is_decorated)
            elif is_sure:
                found.append('%s: %s' % (label, name))
        for name, (is_decorated, is_sure, methods) in source.classes.items():
            if _is(names.get(name), type):
                found += self._class(label, name, names, (path, methods, is_decorated))
            elif name in names or is_sure:
                found.append('%s: %s' % (label, name))
        return found + self._imports(label, names, source) + self._hidden(label, names, source)

    def _hidden(self, label, names, source):
        """Names that hide builtins. What `import *` brings is not known."""
        if any(name == '*' for _, _, name, _ in source.imports):
            return []
        own = names.get('__builtins__', _BUILTINS)
        own = own.__dict__ if type(own) is types.ModuleType else own
        return ['%s: %s' % (label, name) for name in sorted(_HIDDEN.intersection(names))] \
            + (['%s: __builtins__' % label] if own is not _BUILTINS else [])

    def _class(self, label, name, names, given):
        path, methods, is_decorated = given
        own, found = vars(names[name]), []
        for method, is_wrapped in methods.items():
            private = method.startswith('__') and not method.endswith('__')
            key = '_%s%s' % (name.lstrip('_'), method) if private else method
            if key in own:
                value = own[key]
                value = value.__func__ if type(value) in (staticmethod, classmethod) else value
                found += self._judged(label, name, value, (method, names, path), is_wrapped or is_decorated)
            else:
                found.append('%s: %s' % (label, name))
        for key, value in own.items():
            if key not in methods and type(value) is _FUNCTION and not self.is_of_tests(value):
                found.append('%s: by %s' % (label, _maker_of(value)))
        return found

    def _judged(self, label, name, value, given, is_decorated):
        """Labels of what a module holds under the name of a function of its file."""
        if self._is_that(value, *given):
            return []
        if not is_decorated or not _leads_to(value, lambda one: self._is_that(one, *given)):
            return ['%s: %s' % (label, name)]
        if self.is_of_tests(value) or _is(value, property):
            return []
        return ['%s: by %s' % (label, _maker_of(value))]

    def _is_that(self, value, name, names, path):
        return type(value) is _FUNCTION and value.__code__.co_name == name and value.__globals__ is names \
            and getattr(value, '__builtins__', _BUILTINS) is _BUILTINS and self.source(path).holds(value.__code__)

    def is_of_tests(self, value):
        """A function of some file of tests; what decorators there make is theirs."""
        path = _absolute(value.__code__.co_filename) if type(value) is _FUNCTION else ''
        return is_test_file(path) and self.is_own(value, path)

    def _imports(self, label, names, source):
        """Functions and classes that were imported from another file of tests."""
        given = {}
        for level, base, name, bound in source.imports:
            module = sys.modules.get(_resolved(names, level, base))
            path = _place_of(module)
            other = self.source(path) if is_test_file(path) else None
            if other is not None and (name in other.functions or name in other.classes) and bound in names:
                given.setdefault(bound, []).append(object.__getattribute__(module, '__dict__').get(name))
        return ['%s: %s' % (label, bound) for bound, values in given.items()
                if not any(names[bound] is value for value in values)]


def _place_of(module):
    path = file_of(module)
    return '' if path is None else _absolute(path)


def _maker_of(value):
    """Where what a decorator made says that its code is."""
    called = _called(value)
    return _file_key(called.__code__.co_filename) if _is(called, _FUNCTION) else type(called).__name__


def _resolved(names, level, base):
    if not level:
        return base
    parts = str(names.get('__package__') or '').split('.')
    return '.'.join(parts[:len(parts) - level + 1] + ([base] if base else []))


def _end_in(name, path):
    tail = '/' + name.replace('.', '/')
    return next((end[1:] for end in (tail + '.py', tail + '/__init__.py') if path.endswith(end)), '')


def _may_hold_tests(place):
    """Whether a module of tests may lie at the place, or below it."""
    name = place[len(ROOT) + 1:] + '/'
    if name.startswith(TEST_FOLDERS):
        return _exists(place) or _exists(place + '.py')
    return name[:-1] + '.py' in TEST_FILES or any(one.startswith(name) for one in TEST_FOLDERS) \
        or any(one.startswith(name) for one in TEST_FILES)


def _exists(path):
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def _leads_to(value, accepts):
    """Whether what decorators made of a function still has it."""
    seen, queue = {}, [value]
    while queue and len(seen) < MOST_INNER:
        one = queue.pop(0)
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if accepts(one):
            return True
        queue += _inner(one)
    return False


def _inner(value):
    if _is(value, type):
        return []
    if _is(value, property):
        return [value.fget, value.fset, value.fdel]
    found = [getattr(value, part) for part in ('__func__', 'func') if hasattr(type(value), part)]
    for cell in (value.__closure__ or ()) if type(value) is _FUNCTION else ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            pass
    try:
        found += object.__getattribute__(value, '__dict__').values()
    except (AttributeError, TypeError):
        pass
    return [one for one in found if callable(one) or _is(one, _WRAPPERS)]
