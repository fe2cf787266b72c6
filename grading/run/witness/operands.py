"""Records what kinds of values meet at assertions of tests, and which assertions each test reaches. It runs in a repeat
and in a gold run. The operands of `assert` statements, and the arguments of calls of functions named `assert_…`, pass
through a function of the witness: they are put there before pytest rewrites a module, or when any other module of tests
is compiled, and they keep their order and their values. The methods of unittest's TestCase are wrapped.

An entry `reach` is a test and the places of its assertions. An entry `kind` is a place with a slot, and a label: `nan`,
`mock`, or `own FILE:LINE NAME` for a method of comparison that code of the repository outside of tests defines, or that
is neither a function of an installed file nor the class's own method in C; `held own …` where an object holds such a
value. Also `equal FILE NAME` and `unequal FILE NAME` for an attribute of two objects that are compared by a method of their
class, `empty` for a value without content and `empties` where all examples of a test have such, `failed` for an assertion
that does not hold, and `unseen` for a value that cannot be looked at. Other values have no entry. What tests compare beside
assertions is recorded as well, without being reached. Outside of tests the name of the test is empty: not all runners have
tests that are known.
"""
import _weakref

import _frozen_importlib_external

# Assertions of what is nearly equal subtract.
_OF_NUMBERS = ('__sub__', '__rsub__', '__abs__', '__round__')
# By the last two numpy compares.
_OF_EQUAL = ('__eq__', '__ne__') + _OF_NUMBERS + ('__class__', '__array_ufunc__', '__array_function__')
_OF_ORDER = ('__lt__', '__le__', '__gt__', '__ge__')
_OF_TRUTH, _OF_MEMBER = ('__bool__', '__len__'), ('__contains__', '__iter__', '__getitem__', '__eq__')
_OF_KIND = ('__class__', '__instancecheck__', '__subclasscheck__', '__subclasshook__')
_WATCHED = frozenset(_OF_EQUAL + _OF_ORDER + _OF_TRUTH + _OF_MEMBER + _OF_KIND)
_METHODS_OF = {'Eq': _OF_EQUAL, 'NotEq': _OF_EQUAL, 'Lt': _OF_ORDER, 'LtE': _OF_ORDER, 'Gt': _OF_ORDER,
               'GtE': _OF_ORDER, 'In': _OF_MEMBER, 'NotIn': _OF_MEMBER, 'Truth': _OF_TRUTH, 'Kind': _OF_KIND,
               'Any': _OF_EQUAL + _OF_ORDER + ('__contains__',), 'Number': _OF_NUMBERS}
_BY_METHOD = {'assertEqual': 'Eq', 'assertNotEqual': 'NotEq', 'assertTrue': 'Truth', 'assertFalse': 'Truth',
              'assertIn': 'In', 'assertNotIn': 'In', 'assertIs': None, 'assertIsNot': None, 'assertIsNone': None,
              'assertIsNotNone': None, 'assertIsInstance': 'Kind', 'assertNotIsInstance': 'Kind', 'assertRaises': None,
              'assertRaisesRegex': None, 'assertWarns': None, 'assertWarnsRegex': None, 'assertLogs': None}
# Modules of mocks, and of what equals more than itself in libraries for tests; classes of other packages whose comparison is a
# match, or an expression that is always true.
_MOCKS = ('unittest.mock', 'mock.', 'test.support.', '_pytest.python_api.', 'hypothesis.', 'testtools.', 'hamcrest.', 'dirty_equals.',
          're_assert.', 'testfixtures.', 'pyparsing.ParserElement.', 'pyparsing.core.ParserElement.', 'peewee.ColumnBase.',
          'peewee.Node.', 'pypika.terms.Term.', 'tinydb.queries.')
# Calls that look at no value, or only at its kind or its length.
_PLAIN_CALLS = {'isinstance': 'Kind', 'issubclass': 'Kind', 'len': 'Truth', 'bool': 'Truth', 'hasattr': None, 'callable': None,
                'all': None, 'any': None}
# Calls inside of an assertion that compare what they are given, and methods that compare it with what an object holds.
_COMPARING_CALLS = frozenset(['max', 'min', 'sorted', 'sum', 'abs', 'round', 'set', 'frozenset'])
_COMPARING_METHODS = frozenset(['get', 'count', 'index', 'issubset', 'issuperset', 'isdisjoint', 'intersection', 'union',
                                'difference', 'symmetric_difference', 'pop', 'remove'])
_HOLDERS = (list, tuple, dict, set, frozenset)
_COMPREHENSIONS = ('ListComp', 'SetComp', 'DictComp', 'GeneratorExp')
_CALM = frozenset([str, int, bool, bytes, type(None)])
_PLAIN_KINDS = _CALM | frozenset([float])
# Classes of Python whose values are compared by what they hold.
_VALUE_KINDS = {'builtins': ('complex', 'range', 'bytearray'), 'datetime': ('date', 'time', 'datetime', 'timedelta', 'timezone'),
                'decimal': ('Decimal',), 'fractions': ('Fraction',), 'uuid': ('UUID',), 'zoneinfo': ('ZoneInfo',),
                'pathlib': ('PurePosixPath', 'PosixPath', 'PureWindowsPath'),
                'ipaddress': ('IPv4Address', 'IPv6Address', 'IPv4Network', 'IPv6Network', 'IPv4Interface', 'IPv6Interface')}
_PARTS_OF_TIME = ('year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond', 'days', 'seconds', 'microseconds')
_MOST_INNER, _MOST_HELD, _MOST_DEPTH, _MOST_CALLERS, _MOST_KINDS, _MOST_COMPARED = 2000, 50, 10, 12, 5000, 1000
# Each way by which an object leads to another one counts as much.
_HELD_DEPTH = 4
_MOST_TURNS = 100
# Places where what is compared went there and back: through one call, and through another that got what the first one gave.
_TRIPS = set()
# A name that no program writes, among the names that each module sees.
_SEEN = '@operand'


class Operands(object):
    """Is told which test begins and ends, and tells `failures`."""

    def __init__(self, write, failures):
        self._write, self._test, self._places, self._failures = write, '', set(), failures
        self._told, self._kinds, self._left, self._turns = set(), {}, {}, {}
        # Place and slot -> whether all examples of a test were empty there.
        self._empty = {}
        self._wrap_unittest()
        self._watch_others()

    def begin(self, test):
        self._test, self._places, self._left, self._turns, self._empty = test, set(), {}, {}, {}
        self._failures.begin(test)

    def end(self):
        self.finish()
        return self._failures.end()

    def finish(self):
        """Also at the end of a process in which the witness knows no test."""
        for place, slot in [key for key, is_empty in self._empty.items() if is_empty]:
            self._tell(place, slot, 'empties')
        if self._places:
            self._write('reach', [self._test, sorted(self._places)])
        self._test, self._places, self._left, self._turns, self._empty = '', set(), {}, {}, {}

    def watch_pytest(self):
        """Before pytest loads a module of tests."""
        self._failures.watch_pytest()
        rewriting = sys.modules['_pytest.assertion.rewrite']
        original, marked = rewriting.rewrite_asserts, self._marked
        # The place of `module_path`: old versions have no `source` before it.
        at = 1 if original.__code__.co_argcount > 3 else 0

        def rewrite_asserts(mod, *given, **named):
            path = named.get('module_path', given[at] if len(given) > at else None)
            return original(marked(mod, path), *given, **named)

        rewriting.rewrite_asserts = posing(rewrite_asserts, original)
        # Code that answers for one test asks which it is.
        running = sys.modules['_pytest.runner']
        if hasattr(running, '_update_current_test_var'):
            running._update_current_test_var = posing(_hide_test, running._update_current_test_var)

    def _watch_others(self):
        """Modules of tests that pytest does not rewrite. All modules see Python's own builtins, and so the name."""
        files = _frozen_importlib_external
        kind, compiled = files.SourceLoader, sys.modules['builtins'].__dict__['compile']
        get_code, marked, tree_only = kind.get_code, self._marked, __import__('ast').PyCF_ONLY_AST

        def of_source(self, fullname):
            path = self.get_filename(fullname)
            if not is_test_file(_absolute(path)):
                return get_code(self, fullname)
            tree = compiled(self.get_data(path), path, 'exec', tree_only, True)
            return compiled(marked(tree, path, True), path, 'exec', 0, True)

        kind.get_code = posing(of_source, get_code)
        sys.modules['builtins'].__dict__[_SEEN] = self._seen()

    def _marked(self, tree, path, is_whole=False):
        path = _absolute(str(path)) if path is not None else ''
        if is_test_file(path):
            _mark(tree, relative(path), is_whole)
        return tree

    def _seen(self):
        note, unseen = self._note, self._unseen

        def seen(value, place, slot):
            try:
                note(value, place, slot)
            except Exception:
                try:
                    note(value, place, slot)
                except Exception:
                    unseen(place, slot)
                    return value
                # A second look raised nothing: the first exception came from a signal handler of the test.
                raise
            return value

        return seen

    def _unseen(self, place, slot):
        """What cannot be looked at is told: code under test could want that."""
        self._tell(place, slot, 'unseen')

    def _note(self, value, place, slot):
        if slot[0] != '~':
            self._places.add(place)
        elif slot[1] in '*+':
            # Turns count, too.
            self._places.add('%s in a comprehension' % place)
        if slot[1:2] in ('+', '>'):
            self._turn(place)
        base, _, use = slot.rpartition(' ')
        if use in _SAID:
            self._tell(place, slot, _SAID[use](value))
            return
        if use[:5] == 'Held.':
            if type(value) not in _HOLDERS:
                self._tell(place, slot, _own_answer(value, use[5:]))
                return
            use = 'Any'
        if use in ('Eq', 'Any') and base[-1] in '01':
            key = place, base[:-1]
            if base[-1] == '0':
                self._left[key] = value
            elif key in self._left:
                self._pair(self._left.pop(key), value, place, slot, _HELD_DEPTH)
        if use in ('Eq', 'Any'):
            self._measure(value, place, slot)
        for label in self._labels(value, use, _MOST_DEPTH, [_MOST_INNER]):
            self._tell(place, slot, label)

    def _measure(self, value, place, slot):
        """Of examples that are made by chance some may be empty: what counts is whether all of them are."""
        is_empty = _is_empty(value)
        if not is_empty:
            if is_empty is not None:
                self._empty[place, slot] = False
        elif _is_example(frame_at(1)):
            self._empty.setdefault((place, slot), True)
        else:
            self._tell(place, slot, 'empty')

    def _turn(self, place):
        """A loop over two rows ends with the shorter one, so that each turn counts."""
        self._turns[place] = turn = self._turns.get(place, 0) + 1
        if turn <= _MOST_TURNS:
            self._places.add('%s, turn %d' % (place, turn))

    def _tell(self, place, slot, label):
        entry = '%s %s|%s' % (place, slot, label)
        if label is not None and entry not in self._told and len(self._told) < _MOST_KINDS:
            self._told.add(entry)
            self._write('kind', ['%s %s' % (place, slot), label])

    def _labels(self, value, kind_of_use, depth, left):
        kind = type(value)
        if kind in _CALM:
            return []
        if kind is float:
            return ['nan'] if value != value else []
        left[0] -= 1
        if left[0] < 0:
            return ['unseen']
        is_float, is_mock, is_decimal, is_compared, own = self._facts(kind)
        found = ['mock'] if is_mock else []
        if is_float and float.__ne__(value, value) or is_decimal and value.is_nan():
            found.append('nan')
        methods = _METHODS_OF[kind_of_use]
        found += [label for name, label in own if name in methods]
        if kind_of_use == 'Kind' and _is(value, type):
            found += [label for name, label in self._facts(value)[4] if name == '__subclasshook__']
        if depth > 0 and kind_of_use not in ('Truth', 'Kind', 'Number'):
            for one in _inner_values(value, kind, is_compared):
                depth_there = depth - 1 if kind in _HOLDERS else depth - _HELD_DEPTH
                inner = self._labels(one, 'Eq' if kind_of_use == 'In' else kind_of_use, depth_there, left)
                found += inner if kind in _HOLDERS else ['held %s' % label if label[:4] == 'own ' else label for label in inner]
        return found

    def _facts(self, kind):
        known = self._kinds.get(kind)
        if known is None:
            self._kinds[kind] = known = _facts_of(kind)
        return known

    def _pair(self, one, other, place, slot, depth):
        """Attributes of two objects that are compared: a class may be made to compare less than it holds."""
        kind = type(one)
        if one is other and place in _TRIPS and (kind in (list, dict, set, bytearray) or hasattr(one, '__dict__')):
            self._tell(place, slot, 'same')
        if kind in _PLAIN_KINDS or type(other) is not kind or depth < 1 or one is other:
            return
        if kind in (list, tuple):
            for inner in list(zip(one, other))[:_MOST_HELD]:
                self._pair(inner[0], inner[1], place, slot, depth - 1)
        elif kind is dict:
            for key in [key for key in one if type(key) in _PLAIN_KINDS and key in other][:_MOST_HELD]:
                self._pair(one[key], other[key], place, slot, depth - 1)
        else:
            path = relative(_absolute(_file_of_class(kind) or '/unknown'))
            if path[:1] != '/' and any(type(_members_of(base).get('__eq__')) is _FUNCTION for base in _mro_of(kind)):
                self._pair_attributes(one, other, '%s %s' % (path, kind.__name__), place, slot, depth)

    def _pair_attributes(self, one, other, name, place, slot, depth):
        ours, theirs = _values_of(one), _values_of(other)
        for key in [key for key in ours if key in theirs][:_MOST_HELD]:
            left, right = _local_time(ours[key]), _local_time(theirs[key])
            if _is_known(left, _HELD_DEPTH) and _is_known(right, _HELD_DEPTH):
                self._tell(place, slot, '%s %s.%s' % ('equal' if left == right else 'unequal', name, key))
            else:
                self._pair(left, right, place, slot, depth - 1)

    def _wrap_unittest(self):
        __import__('unittest.case')
        case = sys.modules['unittest.case'].TestCase
        for name, function in list(vars(case).items()):
            if name.startswith('assert') and _is(function, _FUNCTION):
                setattr(case, name, self._wrapped(name, function))

    def _wrapped(self, name, original):
        seen, frame_of, use = self._seen(), frame_at, _BY_METHOD.get(name, 'Any')

        def function(*given, **named):
            __tracebackhide__ = True
            place = _place_of_test(frame_of(1))
            if place is not None:
                for at, value in enumerate(given[1:4]):
                    seen(value if use else None, place, '%d %s' % (at, use or 'Eq'))
            return original(*given, **named)

        return posing(function, original)


def _place_of_test(frame):
    """`file:line` of the test's code that asserts; None where unittest calls itself."""
    for _ in range(_MOST_CALLERS):
        if frame is None:
            return None
        path = frame.f_code.co_filename
        if path.endswith('/unittest/case.py'):
            return None
        path = _absolute(path)
        if is_test_file(path):
            return '%s:%d' % (relative(path), frame.f_lineno)
        frame = frame.f_back
    return None


def _inner_values(value, kind, is_compared):
    """What a comparison of the value may compare in turn."""
    if kind in _HOLDERS:
        values = list(value) + (list(value.values()) if kind is dict else [])
        return [one for one in values if type(one) not in _CALM]
    if not is_compared:
        return []
    # Also where it is written in C.
    found = _referents(value)[:_MOST_HELD]
    for one in list(found):
        if type(one) is dict:
            found += list(one.values())[:_MOST_HELD]
    return [one for one in found if not _is(one, (type, types.ModuleType)) and type(one) not in (_FUNCTION, dict)]


def _is_empty(value):
    """Two values that are equal may have lost what was to be compared; an array without numbers is near to any number. None: it is
    of no kind that may be empty."""
    kind = type(value)
    if kind in _HOLDERS or kind in (str, bytes):
        return not value
    return value.size == 0 if kind.__module__ == 'numpy' and kind.__name__ == 'ndarray' else None


def _is_example(frame):
    """Whether hypothesis calls the test: its values are made by chance."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.endswith('-packages/hypothesis/core.py') and not _below(_absolute(path)):
            return True
        frame = frame.f_back
    return False


def _facts_of(kind):
    """Of a class: is it a float, a mock, a decimal number, does it compare, and its own methods of comparison with labels."""
    bases = _mro_of(kind)
    # A proxy stands for another object, which it does not show.
    is_mock = kind in (_weakref.ProxyType, _weakref.CallableProxyType) or any(
        _full_name(base).startswith(_MOCKS) for base in bases if base is not object)
    own, known = [], set()
    for base in bases:
        names = _members_of(base) if base is not object else {}
        for name in _WATCHED.intersection(names).difference(known):
            if names[name] is not None:
                known.add(name)
                own.append((name, _own_method(base, name, names[name])))
    own = [one for one in own if one[1] is not None]
    if '__contains__' in known or '__iter__' in known:
        own = [one for one in own if one[0] != '__getitem__']
    is_decimal = any(base.__name__ == 'Decimal' and _members_of(base).get('__module__') in ('decimal', '_pydecimal')
                     for base in bases)
    return float in bases, is_mock, is_decimal, '__eq__' in known, sorted(own)


def _full_name(kind):
    """The full name with a dot behind it. A class of a copy in `_vendor` or `extern` has the name of the original."""
    name = '%s.%s.' % (_members_of(kind).get('__module__'), _NAME_OF(kind))
    return name.rpartition('._vendor.')[2].rpartition('.extern.')[2]


def _own_method(base, name, value):
    """A label for a method of comparison that is neither of an installed file, nor of a test, nor the class's own in C."""
    function = value.fget if type(value) is property else value
    if type(function) is _FUNCTION:
        code = function.__code__
        path, line = code.co_filename, code.co_firstlineno
        if name == '__len__' and 'len' in code.co_names and not issubclass(base, _HOLDERS):
            # As long as what it holds.
            return None
        if path.startswith('<frozen ') and _is_held(base) and _is_of_class(function, base, name):
            return None
        if path.startswith('<'):
            # Of no file: dataclasses and attrs write such methods, which first compare the classes.
            fields = '__dataclass_fields__', '__attrs_attrs__'
            if '__class__' in code.co_names and any(one in _members_of(base) for one in fields):
                return None
            path, line = _file_of_class(base), 0
        elif not _below(_absolute(path)) and not _is_of_class(function, base, name):
            # Of an installed file, put into another class.
            path, line = _file_of_class(base), 0
    elif _is_in_c(function) and function.__name__ == name:
        return None
    else:
        path, line = _file_of_class(base), 0
    path = _absolute(path) if path else '/unknown'
    if path != '/unknown' and not _below(path) or is_test_file(path):
        return None
    return 'own %s:%d %s.%s' % (relative(path), line, base.__name__, name)


def _own_answer(value, name):
    """A label for the method whose answer is asserted, if it is neither of an installed file nor of a test."""
    kind = type(value)
    if kind in _PLAIN_KINDS or _is(value, (type, types.ModuleType, _FUNCTION)):
        return None
    if name in _attributes_of(value):
        return _own_method(kind, name, _attributes_of(value)[name])
    for one in (name, '__getattr__', '__getattribute__'):
        base = next((base for base in _mro_of(kind)[:-1] if one in _members_of(base)), None)
        if base is not None:
            return _own_method(base, one, _members_of(base)[one])
    return None


def _is_of_class(function, base, name):
    """Whether a function of an installed file is that of the class, or Python's own library made it for the class."""
    code = function.__code__
    if code.co_filename.endswith('/functools.py') and '_from_' in code.co_name:
        return True
    if name == '__subclasshook__' and code.co_filename.endswith(('/typing.py', '/typing_extensions.py')):
        return True
    return function.__module__ == base.__module__ and function.__qualname__ == '%s.%s' % (base.__qualname__, name) \
        and not _below(_absolute(_file_of_class(base) or '/'))


def _attributes_of(value):
    """What an object holds by names, also in slots."""
    try:
        found = dict(object.__getattribute__(value, '__dict__'))
    except AttributeError:
        found = {}
    for base in _mro_of(type(value)):
        for name, member in list(_members_of(base).items()):
            if type(member) is types.MemberDescriptorType and name not in found:
                try:
                    found[name] = member.__get__(value)
                except AttributeError:
                    pass
    return found


def _values_of(value):
    """The same, with what it is by a class of Python from which its own one comes."""
    found = _attributes_of(value)
    kind = type(value)
    if issubclass(kind, (list, tuple, set, frozenset)):
        base = next(base for base in _mro_of(kind) if base in _HOLDERS)
        # Without asking the members for their hashes, which may be code of the repository.
        found['(%s)' % base.__name__] = list(base.__iter__(value)) if base in (list, tuple) else set().union(value)
    elif issubclass(kind, dict):
        found['(dict)'] = dict.copy(value)
    elif issubclass(kind, str):
        found['(str)'] = str.__str__(value)
    elif issubclass(kind, bytes):
        found['(bytes)'] = bytes.__getitem__(value, slice(None))
    elif issubclass(kind, int):
        found['(int)'] = int.__int__(value)
    elif issubclass(kind, float):
        found['(float)'] = float.__float__(value)
    for base in _mro_of(kind)[1:]:
        for name in _PARTS_OF_TIME if _is_value_kind(base) and _module_of(base) == 'datetime' else ():
            part = _members_of(base).get(name)
            if part is not None:
                found.setdefault('(%s)' % name, part.__get__(value))
    return found


def _is_known(value, depth):
    """Whether a comparison of the value runs code of Python's own alone. Rows of texts are left out: what they are parts of may be
    written in several ways, and a class may look at them in one."""
    kind = type(value)
    if kind in _HOLDERS:
        parts = list(value.values() if kind is dict else value)
        return depth > 0 and len(parts) <= _MOST_COMPARED and all([
            type(part) not in (str, bytes) and _is_known(part, depth - 1) for part in parts]) \
            and (kind is not dict or all([type(key) in _PLAIN_KINDS for key in value]))
    return kind in _PLAIN_KINDS or _is_value_kind(kind) and not _is_elsewhere(value)


def _is_value_kind(kind):
    """A class of Python under its own name; that a class says so proves nothing."""
    module, name = _module_of(kind), type.__dict__['__name__'].__get__(kind)
    return name in _VALUE_KINDS.get(module, ()) and _names_of(sys.modules.get(module)).get(name) is kind


def _module_of(kind):
    module = type.__dict__['__module__'].__get__(kind)
    # It is divided from 3.13 on.
    return module.split('.')[0] if type(module) is str and module.startswith('pathlib.') else module


def _is_elsewhere(value):
    """A time in a zone of others, whose code says what time it is there."""
    if _module_of(type(value)) != 'datetime' or not hasattr(value, 'tzinfo') or value.tzinfo is None:
        return False
    return not _is_value_kind(type(value.tzinfo))


def _local_time(value):
    return value.replace(tzinfo=None) if _is_value_kind(type(value)) and _is_elsewhere(value) else value


def _asserting(value):
    """A label for what is called as an assertion, if it is no function of an installed file or of a test."""
    value = getattr(value, '__func__', value)
    if type(value) is not _FUNCTION:
        return None if type(value).__name__.startswith(('builtin_', 'method_', 'cython_')) else 'called %s' % type(value).__name__
    path = _absolute(value.__code__.co_filename)
    return 'called %s' % relative(path) if _below(path) and not is_test_file(path) else None


def _raised(value):
    return 'failed' if _is(value, AssertionError) or _is(value, type) and AssertionError in _mro_of(value) else None


def _ended(value):
    return 'failed' if type(value) in _PLAIN_KINDS and not value else None


# What is said of a value that is no operand.
_SAID = {'end': _ended, 'raise': _raised, 'called': _asserting}


def _hide_test(item, when):
    """In place of pytest's function that tells code, by a variable, which test runs."""
    if when:
        os.environ['PYTEST_CURRENT_TEST'] = 'test (%s)' % when
    else:
        os.environ.pop('PYTEST_CURRENT_TEST', None)


def _is_in_c(value):
    """Whether it is a method of a class in C, and no function in its place."""
    return type(value).__name__ in ('wrapper_descriptor', 'method_descriptor', 'getset_descriptor', 'classmethod_descriptor',
                                    'cython_function_or_method', 'instancemethod')


def _file_of_class(kind):
    """The file of the module that holds a class; empty if none does."""
    path = file_of(sys.modules.get(_members_of(kind).get('__module__'))) or ''
    return path if _is_held(kind) or path and _below(_absolute(path)) else ''


def _is_held(kind):
    """Whether the module that a class names has it."""
    held = sys.modules.get(_members_of(kind).get('__module__'))
    for name in kind.__qualname__.split('.'):
        held = _names_of(held).get(name) if _is(held, types.ModuleType) else _members_of(held).get(name) if _is(held, type) else None
    return held is kind


def _mark(tree, path, is_whole):
    """Puts the function around the operands of each assertion, and of other comparisons. Only what it adds is made; the rest
    stays as it is. `is_whole`: also around what is asserted, where nothing else tells whether it holds."""
    ast = sys.modules['ast']
    marked, turns, zipped = set(), set(), set()

    def seen(node, place, slot):
        given = [node, _text_node(ast, place), _text_node(ast, slot)]
        call = ast.Call(func=ast.Name(id=_SEEN, ctx=ast.Load()), args=given, keywords=[])
        if sys.version_info < (3, 5):
            call.starargs = call.kwargs = None
        for one in ast.walk(call):
            if not hasattr(one, 'lineno') and 'lineno' in one._attributes:
                ast.copy_location(one, node)
        return call

    def operands(node, place, base):
        """Of an asserted expression, without its parts."""
        kind = type(node).__name__
        if kind == 'BoolOp':
            node.values = [operands(one, place, '%s%d.' % (base, at)) for at, one in enumerate(node.values)]
        elif kind == 'UnaryOp' and type(node.op).__name__ == 'Not':
            node.operand = operands(node.operand, place, base)
        elif kind == 'Compare':
            uses = [type(op).__name__ for op in node.ops]
            if any(use in ('Is', 'IsNot') for use in uses):
                return node if base else seen(node, place, '%s0 Truth' % base)
            compared(node, place, base)
        else:
            inner(node, place, base, True)
            return seen(node, place, '%s0 Truth' % base)
        return node

    def compared(node, place, base):
        uses = [type(op).__name__ for op in node.ops]
        if id(node) in marked or any(use in ('Is', 'IsNot') for use in uses):
            return
        marked.add(id(node))
        base = '~%s%s' % ('+' if id(node) in zipped else '*', base[1:]) if id(node) in turns else base
        node.left = seen(node.left, place, '%s0 %s' % (base, uses[0]))
        node.comparators = [seen(one, place, '%s%d %s' % (base, at + 1, uses[at]))
                            for at, one in enumerate(node.comparators)]

    def given(call, place, base, use='Any'):
        """What a function that compares is given."""
        call.args = [one if type(one).__name__ == 'Starred' else seen(one, place, '%s%d %s' % (base, at, use))
                     for at, one in enumerate(call.args)]

    def inner(node, place, base, is_top=False):
        """A part of an asserted expression that may compare: calls, keys and numbers."""
        kind = type(node).__name__
        if id(node) in marked:
            return
        marked.add(id(node))
        if kind == 'Call':
            name = getattr(node.func, 'id', getattr(node.func, 'attr', ''))
            is_method = type(node.func).__name__ == 'Attribute'
            is_comparing = is_top or name in (_COMPARING_METHODS if is_method else _COMPARING_CALLS)
            use = _PLAIN_CALLS.get(name, 'Any' if is_comparing else None)
            if use is not None:
                given(node, place, base, use)
            if is_method and is_comparing:
                node.func.value = seen(node.func.value, place, '%sof Held.%s' % (base, name))
        elif kind == 'BinOp':
            node.left, node.right = seen(node.left, place, '%s0 Number' % base), seen(node.right, place, '%s1 Number' % base)
        elif kind == 'Subscript':
            key = node.slice
            if type(key).__name__ == 'Index':
                key.value = seen(key.value, place, '%s0 Any' % base)
            elif type(key).__name__ not in ('Slice', 'ExtSlice'):
                node.slice = seen(key, place, '%s0 Any' % base)

    nodes = list(ast.walk(tree))
    for node in nodes:
        if type(node).__name__ in _COMPREHENSIONS:
            turns.update(map(id, ast.walk(node)))
        if _name_called(node) == 'all' and node.args and _is_over_rows(node.args[0]):
            zipped.update(map(id, ast.walk(node.args[0])))
        if type(node).__name__ in ('FunctionDef', 'AsyncFunctionDef'):
            _TRIPS.update('%s:%d' % (path, line) for line in _trips_in(ast, node))
    for node in nodes:
        kind = type(node).__name__
        place = '%s:%d' % (path, getattr(node, 'lineno', 0))
        if kind == 'For' and _is_of_rows(node.iter) and any(_asserts(one) for one in ast.walk(node)):
            turn = ast.Expr(value=seen(ast.copy_location(_text_node(ast, ''), node.iter), place, '~> turn'))
            node.body.insert(0, ast.copy_location(turn, node.body[0]))
        if kind == 'Assert':
            parts = list(ast.walk(node.test))
            node.test = operands(node.test, place, '')
            for at, part in enumerate(parts):
                inner(part, place, '~%d.' % at) if type(part).__name__ != 'Compare' else compared(part, place, '~%d.' % at)
            if is_whole:
                node.test = seen(node.test, place, 'end')
        elif kind == 'Compare':
            compared(node, place, '~%d.' % getattr(node, 'col_offset', 0))
        elif kind == 'Match':
            node.subject = seen(node.subject, place, '~0 Any')
        elif kind == 'Raise' and getattr(node, 'exc', None) is not None:
            node.exc = seen(node.exc, place, '~ raise')
        elif kind == 'Expr' and type(node.value).__name__ == 'Call':
            called = node.value.func
            name = getattr(called, 'attr', getattr(called, 'id', ''))
            if name.startswith('assert_') and id(node.value) not in marked:
                marked.add(id(node.value))
                given(node.value, place, '')
                node.value.func = seen(called, place, '~ called')
            elif name in ('assertTrue', 'assertFalse'):
                # What is compared in it is met by itself.
                for part in node.value.args[:1]:
                    if type(part).__name__ != 'Compare':
                        inner(part, place, '~0.', type(part).__name__ == 'Call')


def _text_node(ast, text):
    return ast.Constant(value=text, kind=None) if sys.version_info >= (3, 8) else ast.Str(s=text)


def _name_called(node):
    """`zip` of `zip(a, b)`, `assertEqual` of `self.assertEqual(a, b)`; empty for what is no call."""
    called = node.func if type(node).__name__ == 'Call' else None
    return getattr(called, 'id', getattr(called, 'attr', ''))


def _is_of_rows(node):
    """Whether it goes through several rows at once."""
    name = _name_called(node)
    return name == 'zip' or name == 'enumerate' and bool(node.args) and _is_of_rows(node.args[0])


def _is_over_rows(node):
    return type(node).__name__ in _COMPREHENSIONS and _is_of_rows(node.generators[0].iter)


def _asserts(node):
    return type(node).__name__ == 'Assert' or _name_called(node).startswith('assert')


def _trips_in(ast, function):
    """Lines where a value is compared with what two calls make of it, one after the other."""
    given = {}
    for node in ast.walk(function):
        if type(node).__name__ == 'Assign' and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            both = zip(target.elts, value.elts) if type(target).__name__ == type(value).__name__ == 'Tuple' else [(target, value)]
            given.update((one.id, made) for one, made in both if type(one).__name__ == 'Name')
    for node in ast.walk(function):
        sides = node.args[:2] if _name_called(node) == 'assertEqual' else []
        if type(node).__name__ == 'Compare' and type(node.ops[0]).__name__ == 'Eq':
            sides = [node.left, node.comparators[0]]
        if len(sides) == 2:
            for one, other in (sides, sides[::-1]):
                if type(one).__name__ == 'Name' and (_calls_between(ast, other, one.id, given, _MOST_DEPTH) or 0) > 1:
                    yield node.lineno


def _calls_between(ast, node, name, given, left):
    """How many calls a variable goes through; None if it is not there."""
    if left < 0:
        return None
    if type(node).__name__ == 'Name':
        inner = given.get(node.id) if node.id != name else None
        return 0 if node.id == name else None if inner is None else _calls_between(ast, inner, name, given, left - 1)
    found = [_calls_between(ast, one, name, given, left - 1) for one in ast.iter_child_nodes(node)]
    found = [one for one in found if one is not None]
    return max(found) + (type(node).__name__ == 'Call') if found else None
