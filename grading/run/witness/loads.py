"""Which code was run for modules of tests and of runners, and what modules of tests hold. An audit hook, which cannot be
removed (from Python 3.8 on), reports the code of each module as it is run. So a compiled file, a loader, a finder, an
entry of `sys.modules` or a later assignment with another result has another digest than in the gold runs, whatever
brought it about. Nothing is compiled, read or judged here.
"""

# Functions of Python's own interface for C that change frames, code and functions.
_CHANGERS = ('PyFrame_', '_PyFrame_', 'PyEval_Set', '_PyEval_Set', 'PyFunction_Set', 'PyCode_', 'PyUnstable_')
_BUILTINS = sys.modules['builtins'].__dict__
_HIDDEN = frozenset(name for name in _BUILTINS if not name.startswith('__'))
# Packages and modules that run tests or decide what they come to, by the beginning of their place.
_RUNNERS = ('_pytest/', 'pytest/', 'pytest.py', 'pluggy/', 'py/', 'unittest/', 'doctest.py', 'asyncio/', 'xdist/',
            'execnet/', 'pytest_', 'anyio/pytest_plugin.py', 'hypothesis/core.py', '_hypothesis_pytestplugin.py',
            'nose2/', 'django/test/', 'twisted/trial/', 'behave/')
# How code gets at frames, at the code of functions and at all objects.
_ALL_FRAMES = ('sys._getframe', 'sys._current_frames', 'sys._current_exceptions')
_USES = frozenset(_ALL_FRAMES + ('gc.get_objects', 'gc.get_referrers', 'gc.get_referents', 'code.__new__', 'function.__new__',
                                 'marshal.loads'))
# Another file, or another name of one, takes the place of what is named first.
_LINKS = ('os.link', 'os.symlink', 'os.rename')
_FRAMES_OF = frozenset(['tb_frame', 'gi_frame', 'cr_frame', 'ag_frame'])
_CODES_OF = frozenset(['__code__', '__defaults__', '__kwdefaults__'])
_ATTRIBUTES = _FRAMES_OF | _CODES_OF
# Python's own functions that give the variables or frames of a coroutine, and the parts of functions by which they do.
_LOOKERS = frozenset(['getcoroutinelocals', 'getgeneratorlocals', 'getasyncgenlocals', 'getinnerframes', 'trace',
                      '_task_get_stack', '_task_print_stack', 'get_stack', 'print_stack'])
# Folders of the environment and of the system, where extension modules are.
_INSTALLED = ('/opt/', '/usr/', '/lib', sys.prefix + '/', sys.base_prefix + '/')
MOST_INNER = 64
# Of names such as `os.path.join`.
_MOST_DOTS = 3
_IS_FUNCTION, _NESTED = 1, 0x10
_STDERR = sys.stderr


def is_test_file(path):
    return _lies_in_tests(path) and path[len(ROOT) + 1:] not in OPEN_FILES


def is_of_tests(path):
    """Also data that tests read and no code under test does, by the gold runs."""
    return is_test_file(path) or _below(path) and path[len(ROOT) + 1:] in DATA_FILES


def _lies_in_tests(path):
    if not path.endswith('.py') or not _below(path):
        return False
    name = path[len(ROOT) + 1:]
    return name.startswith(TEST_FOLDERS) or name in TEST_FILES or path.endswith('/conftest.py')


def _runner_place(path):
    """`pluggy/_hooks.py` for the file of a runner, or None."""
    if _below(path):
        return None
    _, mark, place = path.rpartition('-packages/')
    if not mark:
        _, mark, place = path.rpartition('/lib/python')
        place = place.partition('/')[2]
    return place if place.startswith(_RUNNERS) else None


def _is_outside(path):
    """Whether the code of a file calls the code under test."""
    return path.startswith('<doctest ') or _lies_in_tests(_absolute(path)) or _runner_place(_absolute(path)) is not None


def _is_of_repository(path):
    return not path.startswith('<') and _below(_absolute(path))


class Loads(object):
    """Tells of each module of tests and of runners as its code is run. And of who asked to be called for each line or
    call, which is a way to change the variables of tests."""

    def __init__(self, tell):
        self._tell, self._traces, self._places = tell, Traces(_is_outside), {}
        # Path of a module of tests -> names of the functions and classes that its code defines.
        self.defined = {}
        # The same -> all names of variables and attributes in its code.
        self.asked = {}
        # Names in the texts of modules of tests, which may be those of variables.
        self.variables = set()
        self._examples, self._compared = {}, []
        self.is_told = hasattr(sys, 'addaudithook')
        if self.is_told:
            sys.addaudithook(self._hook(Programs(tell).started))

    def _hook(self, started):
        frame_of, busy, thread, failed = frame_at, set(), _THREAD, []
        run, native, opened, linked, used, traces = self._run, self._native, self._opened, self._linked, self._used, self._traces

        def asked(event, given):
            # To look at the frame that asks is such an event, too.
            own = thread()
            if own not in busy:
                busy.add(own)
                try:
                    used(event, frame_of(2), given)
                finally:
                    busy.discard(own)

        def told(event, given):
            try:
                while failed:
                    self.unseen(failed[-1])
                    failed.pop()
                if event == 'object.__getattr__':
                    # The witness itself asks for much code.
                    if not LOOKING[0] and given[1] in _ATTRIBUTES:
                        asked(event, given)
                elif event == 'exec':
                    run(given[0], frame_of(1))
                elif event == 'object.__setattr__':
                    if given[1] == '__code__':
                        asked(event, given)
                elif event in _LINKS:
                    linked(frame_of(1), text_of(given[0]), text_of(given[1]))
                    if event == 'os.rename':
                        opened(frame_of(1), text_of(given[1]), 'w')
                elif event == 'open' and not isinstance(given[0], int) and given[0] is not None:
                    opened(frame_of(1), text_of(given[0]), given[1])
                elif event == 'import' and type(given[1]) is str:
                    native(given[1])
                elif event in _TRACES:
                    traces.ask(event, frame_of(1), given)
                elif event in _STARTS:
                    started(frame_of(1), event, given)
                elif event in _USES or event.startswith('ctypes.') and event != 'ctypes.dlsym':
                    asked(event, given)
                elif event == 'ctypes.dlsym' and type(given[1]) is str and given[1].startswith(_CHANGERS):
                    traces.keep(('%s %s' % (event, given[1]), frame_of(1).f_code.co_filename))
            except RecursionError:
                # Before Python 3.10 code that goes deeper than that once more ends the process.
                failed.append(event)
                raise
            except Exception:
                # A module of which nothing was told is missing in the record. What code under test asks for is told later.
                if event == 'open' or event in _USES or event == 'object.__getattr__':
                    failed.append(event)

        return told

    def _run(self, code, frame):
        if type(code) is not _CODE or code.co_name != '<module>':
            return
        path = code.co_filename
        if path.startswith('<doctest '):
            self.count(path[9:].rpartition('[')[0])
            return
        place = self._place_of(path)
        if place is None:
            self._other(path, frame)
            return
        if place is path:
            self.defined[_absolute(path)] = frozenset(_defined_in(code))
            self.asked[_absolute(path)] = frozenset(_names_in(code))
            self.variables.update(variables_in(code))
            self._tell('module', relative(path), digest_of(code))
        else:
            self._tell('runner', place, digest_of(code))

    def _other(self, path, frame):
        """Code that is neither of the repository nor installed, or that only says so: what it does could not be told from
        what the environment does."""
        if path.startswith('<') or _below(_absolute(path)) or _below(path, PROGRAM):
            return
        if not path.startswith(_INSTALLED):
            self._tell('native', 'a module of another folder', 'run')
        elif not frame.f_code.co_filename.startswith('<frozen '):
            self._by_code_under_test(frame, 'used', 'the name of an installed file')

    def _by_code_under_test(self, frame, subject, key):
        """Tells it with the file that asks, if the nearest code of the repository is no test."""
        while frame is not None and not _is_of_repository(frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None and not _is_outside(frame.f_code.co_filename):
            self._tell(subject, key, relative(frame.f_code.co_filename))

    def _opened(self, frame, path, mode):
        """Files of tests that code under test reads, and the memory of a process."""
        if path.startswith('/proc/') and path.endswith('/mem'):
            self._traces.keep(('open /proc/mem', frame.f_code.co_filename))
            return
        name = self._test_file_of(path, mode is None)
        if name is not None and not _shows_lines(frame):
            self._by_code_under_test(frame, 'read', name)

    def _linked(self, frame, path, link):
        self._opened(frame, os.path.join(os.path.dirname(link), path), 'r')

    def _test_file_of(self, path, may_be_in_folder):
        """The file of tests that is opened under that name, by a link or in a folder that is open; None for any other one."""
        found = os.path.realpath(path)
        if found.endswith('.pyc'):
            folder, _, name = found.rpartition('/__pycache__/')
            found = '%s/%s.py' % (folder, name.partition('.')[0])
        if is_of_tests(found):
            return relative(found)
        if not may_be_in_folder or path[:1] == '/' or os.path.exists(found):
            return None
        return next((one for one in [relative(one) for one in self.defined] + list(DATA_FILES) if one.endswith('/' + path)), None)

    def unseen(self, event):
        """The look at an event failed, as at the end of the stack."""
        self._tell('used', 'unseen %s' % event, 'by code under test')

    def _used(self, event, frame, given):
        """What code under test asks of the interpreter by which it finds its callers, tests and all objects, or writes memory.
        Names of all these can come from data."""
        what, passes_on = event, None
        if event == 'object.__getattr__':
            owner, name = given[0], given[1]
            if name in _CODES_OF and not _is_of_test_names(owner):
                return
            what = 'code of tests' if name in _CODES_OF else 'frames'
            passes_on = None if name in _CODES_OF else _looks_for_others
        elif event in _ALL_FRAMES:
            what, passes_on = 'frames', _passes_frames_on
        elif event.startswith('ctypes.'):
            what, passes_on = 'ctypes', _imports
        elif event == 'object.__setattr__':
            what = 'other code for a function'
        while passes_on is not None and frame.f_back is not None and passes_on(frame.f_code):
            frame = frame.f_back
        path = frame.f_code.co_filename
        if _is_of_repository(path) and not _is_outside(path):
            self._tell('used', what, relative(path))

    def _native(self, path):
        """An extension module. The environment has its own; of any other one nothing shows what it does."""
        path = _absolute(path)
        if _below(path) or not path.startswith(_INSTALLED):
            self._tell('native', relative(path), 'loaded')
            return
        digest = changed_since(path, posix.stat(PROGRAM).st_ctime)
        if digest:
            self._tell('native', path, digest)

    def _place_of(self, path):
        """The path itself for a file of tests, the place of a runner's file, or None."""
        if path not in self._places:
            self._places[path] = path if is_test_file(_absolute(path)) else _runner_place(path)
        return self._places[path]

    def tell_traced(self):
        """Tells of those who asked since the last call and did not give it back."""
        for event, path in self._traces.kept():
            by = 'the repository' if _below(_absolute(path)) else _file_key(path)
            # Writing memory is no tool's way.
            self._tell('traced' if event.startswith('sys.') else 'options', '%s by %s' % (event, by), relative(path))

    def compare(self, module):
        self._compared.append((Surface([module]), module, _constants(module)))

    def tell_replaced(self):
        for surface, module, was in self._compared:
            for label in surface.changed() + [name for name, value in _constants(module) - was]:
                self._tell('replaced', label, 'another one')

    def count(self, test):
        """One more example of a doctest, or one more subtest."""
        self._examples[test] = self._examples.get(test, 0) + 1

    def tell_skipped(self, test):
        """Of a test, that some of its subtests were skipped."""
        self._tell('skipped', test, 'some')

    def tell_folder(self):
        """The working folder of a test, by which tests find their data."""
        try:
            folder = posix.getcwd()
        except OSError:
            return
        if _below(folder):
            self._tell('folder', 'of tests', relative(folder))

    def tell_examples(self):
        for test, count in self._examples.items():
            self._tell('examples', test, '%d' % count)


def _constants(module):
    """Texts by which a runner compares, such as the one that stands for any other."""
    return {(name, value) for name, value in vars(module).items() if name.isupper() and type(value) is str}


def _defined_in(code):
    """Names of its functions and classes, and `Class.method`."""
    for one in code.co_consts:
        if type(one) is _CODE and one.co_name.isidentifier():
            yield one.co_name
            if not one.co_flags & _IS_FUNCTION:
                for inner in one.co_consts:
                    if type(inner) is _CODE:
                        yield '%s.%s' % (one.co_name, inner.co_name)


def _passes_frames_on(code):
    """Whether it is Python's own function that gives its caller a frame."""
    return code.co_filename.endswith(('/inspect.py', '/traceback.py')) or (
        code.co_name in ('currentframe', '<lambda>') and code.co_filename.endswith('/logging/__init__.py'))


def _looks_for_others(code):
    """Whether it is Python's own function that gives its caller the variables or the stack of what waits."""
    return code.co_filename.endswith(('/inspect.py', '/asyncio/tasks.py', '/asyncio/base_tasks.py')) and code.co_name in _LOOKERS


def _shows_lines(frame):
    """Whether Python's own library reads lines, to show who is warned or what led to an exception."""
    codes = []
    while frame is not None and not _is_of_repository(frame.f_code.co_filename):
        codes.append(frame.f_code)
        frame = frame.f_back
    names = [code.co_name for code in codes if code.co_filename.endswith(('/warnings.py', '/_py_warnings.py'))]
    if '_showwarnmsg_impl' in names:
        return sys.stderr is _STDERR and _place_of_errors() == _ERRORS
    # The traceback module may format a caught exception; code that formats the current stack looks at frames.
    return any('exc_traceback' in code.co_varnames and code.co_filename.endswith('/traceback.py') for code in codes)


def _place_of_errors():
    try:
        return posix.fstat(2)[1:3]
    except OSError:
        return None


_ERRORS = _place_of_errors()


def _imports(code):
    return code.co_filename.startswith('<frozen importlib') or code.co_filename.endswith(
        ('/ctypes/__init__.py', '/importlib/__init__.py'))


def _is_of_test_names(function):
    """Whether a function sees the names of a module of tests, and is none that another function of tests makes to be called."""
    path = function.__globals__.get('__file__') if type(function) is _FUNCTION else None
    return type(path) is str and is_test_file(_absolute(path)) and not function.__code__.co_flags & _NESTED


def _names_in(code):
    """Names of variables and attributes in the code of a module, and in all code in it."""
    codes = [code]
    for one in codes:
        codes += [inner for inner in one.co_consts if type(inner) is _CODE]
        yield from one.co_names


class Held(object):
    """Tells what modules of tests hold under the names that their files define."""

    def __init__(self, tell, loads):
        self._tell, self._loads, self._early, self._last, self._names, self._items = tell, loads, (), {}, {}, set()

    def begin(self):
        """Modules of the environment are no tests."""
        self._early = {name for name, module in list(sys.modules.items()) if not _below(_place_of(module))}

    def look(self):
        try:
            self._look()
            self._loads.tell_replaced()
        except Exception as problem:
            self._tell('names', type(problem).__name__, 'no look at modules')

    def _look(self):
        modules = [(module, _place_of(module)) for name, module in list(sys.modules.items())
                   if name not in self._early]
        modules = [(module, path) for module, path in modules if is_test_file(path)]
        for path in set(self._loads.defined).union(path for _, path in modules):
            if not os.path.exists(path):
                self._tell('temporary', relative(path), 'a file that is gone')
        self._names.update((id(names), names) for names in (_names_of(module) for module, _ in modules))
        for module, path in modules:
            label, is_first = relative(path), id(module) not in self._last
            if type(module) is not types.ModuleType:
                self._tell('names', label, 'another kind of module')
            defined = self._loads.defined.get(path, ())
            now = {name: what for name, value in _contents(_names_of(module), defined)
                   for what in [self.label_of(value)] if what is not None}
            before = self._last.setdefault(id(module), (module, {}))[1]
            # What is gone is told, too. Where no code is told as it is run, all names count as defined.
            for name in set(now).union(before):
                subject = 'function' if name in defined or not self._loads.is_told else 'made'
                self._tell(subject, '%s: %s' % (label, name), now.get(name, 'none'))
            before.update(now)
            self._tell_hidden(_names_of(module), label)
            self._tell_foreign(_names_of(module), label, self._loads.asked.get(path, ()))
            self._tell_constants(_names_of(module), label, self._loads.asked.get(path, ()), is_first)
        tell_variables(self._tell, sorted(self._loads.variables))

    def _tell_hidden(self, names, label):
        own = names.get('__builtins__', _BUILTINS)
        own = _names_of(own) if type(own) is types.ModuleType else own
        for name in sorted(_HIDDEN.intersection(names)) + ([] if own is _BUILTINS else ['__builtins__']):
            self._tell('names', '%s: %s' % (label, name), 'hides a builtin')

    def _tell_foreign(self, names, label, asked):
        """What the names of other packages stand for that the module's code asks for: code under test could replace it."""
        for name, value in list(names.items()):
            try:
                for key, one in _parts_of(name, value, asked, _MOST_DOTS) if name in asked else ():
                    self._tell('foreign', '%s: %s' % (label, key), one)
            except Exception:
                # A class may answer by code of its own.
                self._tell('foreign', '%s: %s' % (label, name), 'unseen')

    def _tell_constants(self, names, label, asked, is_first):
        try:
            for key, one in constants_in(names, asked, is_first):
                key, is_item = '%s: %s' % (label, key), key[-1] == ']'
                # What a table gets while tests run may be what the code remembers.
                if is_first:
                    self._items.add(key)
                if not is_item or key in self._items:
                    self._tell('item' if is_item else 'constant', key, one)
        except Exception as problem:
            # A class may answer by code of its own.
            self._tell('constant', label, 'unseen %s' % type(problem).__name__)

    def label_of(self, value):
        """Of the functions of tests that a value leads to, and of the files of the repository whose code is around them;
        None if it leads to none."""
        reached = _reachable(value)
        found = sorted(set(self._function(one) for one in reached if _is_of_test_file(one)))
        if not found:
            return None
        found += sorted(set('in %s' % path for path in map(_around, reached) if path is not None))
        outer = '' if type(value) is _FUNCTION or type(value) in (staticmethod, classmethod) else type(value).__name__
        return ' '.join([outer] + found if outer else found)

    def _function(self, function):
        names = self._names.get(id(function.__globals__))
        is_usual = names is function.__globals__ and getattr(function, '__builtins__', _BUILTINS) is _BUILTINS
        return digest_of_function(function) + ('' if is_usual else ' with other names')


def _parts_of(name, value, asked, depth):
    """(name, what it is) of a value that is of no file of the repository, and of what the code asks of it."""
    if _is(value, types.ModuleType):
        yield name, _file_key(_place_of(value) or '<builtin>')
        inner = _names_of(value) if depth and not _below(_place_of(value)) else {}
    elif _is(value, type) and depth and not _below(_file_of_module(value)):
        yield name, '%s.%s' % (value.__module__, value.__qualname__)
        inner = _members_of(value)
    else:
        inner = {}
        if type(value) is _FUNCTION:
            if not _is_of_repository(value.__code__.co_filename) or depth < _MOST_DOTS:
                yield name, digest_of_function(value)
        elif type(value) in (str, int, bool):
            if depth < _MOST_DOTS:
                yield name, repr(value)[:100]
        elif type(value) is _BUILTIN_KIND:
            yield name, 'in C %s' % value.__qualname__
        elif depth < _MOST_DOTS:
            yield name, type(value).__name__
    for key in list(asked.intersection(inner)):
        for found in _parts_of('%s.%s' % (name, key), inner[key], asked, depth - 1):
            yield found


def _file_of_module(kind):
    return _place_of(sys.modules.get(kind.__module__))


def _contents(names, defined):
    """(name, value) of what is or may lead to a function of tests."""
    for name, value in list(names.items()):
        if type(value) is _FUNCTION or name in defined:
            yield name, value
        if _is(value, type) and value.__module__ == names.get('__name__'):
            for key, method in list(vars(value).items()):
                yield '%s.%s' % (name, key), method


def _names_of(module):
    return object.__getattribute__(module, '__dict__') if _is(module, types.ModuleType) else {}


def _place_of(module):
    path = file_of(module)
    return '' if path is None else _absolute(path)


def _is_of_test_file(value):
    return type(value) is _FUNCTION and is_test_file(_absolute(value.__code__.co_filename))


def _reachable(value):
    """The value, and what decorators keep of what they were given."""
    seen, queue = {}, [value]
    while queue and len(seen) < MOST_INNER:
        one = queue.pop(0)
        if id(one) not in seen:
            seen[id(one)] = one
            queue += _inner(one)
    return list(seen.values())


def _around(value):
    """The file of the repository, and of no test, that has the code of a function or the class of an object."""
    if type(value) is _FUNCTION:
        path = _absolute(value.__code__.co_filename)
    else:
        path = _place_of(sys.modules.get(type(value).__module__))
    return relative(path) if _below(path) and not is_test_file(path) else None


def _leads_to(value, accepts):
    """Whether what decorators made of a function still has it."""
    return any(accepts(one) for one in _reachable(value))


def _inner(value):
    if _is(value, type):
        return []
    if _is(value, property):
        return [value.fget, value.fset, value.fdel]
    found = [getattr(value, part) for part in ('__func__', 'func') if hasattr(type(value), part)]
    found += _cells_of(value) if type(value) is _FUNCTION else ()
    try:
        found += object.__getattribute__(value, '__dict__').values()
    except (AttributeError, TypeError):
        pass
    return [one for one in found if callable(one) or _is(one, _WRAPPERS)]
