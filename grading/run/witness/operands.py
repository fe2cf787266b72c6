"""Records what kinds of values meet at assertions of tests, and which assertions each test reaches. It runs in a repeat
and in a gold run. The operands of `assert` statements, and the arguments of calls of functions named `assert_…`, pass
through a function of the witness: they are put there before pytest rewrites a module, or when any other module of tests
is compiled, and they keep their order and their values. The methods of unittest's TestCase are wrapped.

An entry `reach` is a test and the places of its assertions. An entry `kind` is a place with a slot, and a label: `nan`,
`mock`, or `own FILE:LINE NAME` for a method of comparison that code of the repository outside of tests defines, or that
is neither a function of an installed file nor the class's own method in C; `held own …` where an object holds such a
value. Other values have no entry.
"""
import _weakref
import gc

import _frozen_importlib_external

# Assertions of what is nearly equal subtract.
_OF_EQUAL = ('__eq__', '__ne__', '__sub__', '__rsub__', '__abs__', '__round__', '__class__')
_OF_ORDER = ('__lt__', '__le__', '__gt__', '__ge__')
_OF_TRUTH, _OF_MEMBER = ('__bool__', '__len__'), ('__contains__', '__iter__', '__getitem__', '__eq__')
_OF_KIND = ('__class__', '__instancecheck__', '__subclasscheck__')
_WATCHED = frozenset(_OF_EQUAL + _OF_ORDER + _OF_TRUTH + _OF_MEMBER + _OF_KIND)
_METHODS_OF = {'Eq': _OF_EQUAL, 'NotEq': _OF_EQUAL, 'Lt': _OF_ORDER, 'LtE': _OF_ORDER, 'Gt': _OF_ORDER,
               'GtE': _OF_ORDER, 'In': _OF_MEMBER, 'NotIn': _OF_MEMBER, 'Truth': _OF_TRUTH, 'Kind': _OF_KIND,
               'Any': _OF_EQUAL + _OF_ORDER + ('__contains__',)}
_BY_METHOD = {'assertEqual': 'Eq', 'assertNotEqual': 'Eq', 'assertTrue': 'Truth', 'assertFalse': 'Truth',
              'assertIn': 'In', 'assertNotIn': 'In', 'assertIs': None, 'assertIsNot': None, 'assertIsNone': None,
              'assertIsNotNone': None, 'assertIsInstance': 'Kind', 'assertNotIsInstance': 'Kind', 'assertRaises': None,
              'assertRaisesRegex': None, 'assertWarns': None, 'assertWarnsRegex': None, 'assertLogs': None}
# Modules of mocks, and of what equals more than itself in libraries for tests.
_MOCKS = ('unittest.mock', 'mock.', 'test.support.', '_pytest.', 'hypothesis.', 'testtools.', 'hamcrest.', 'dirty_equals.')
# Calls that look at no value, or only at its kind or its length.
_PLAIN_CALLS = {'isinstance': 'Kind', 'issubclass': 'Kind', 'len': 'Truth', 'bool': 'Truth', 'hasattr': None, 'callable': None,
                'all': None, 'any': None}
_HOLDERS = (list, tuple, dict, set, frozenset)
_MOST_INNER, _MOST_DEPTH, _MOST_CALLERS, _MOST_KINDS = 50, 3, 12, 5000
# What an object holds, also where it is written in C.
_held_by = gc.get_referents
_mro_of, _members_of = type.__dict__['__mro__'].__get__, type.__dict__['__dict__'].__get__
# A name that no program writes, among the names that each module sees.
_SEEN = '@operand'


class Operands(object):
    """Is told which test begins and ends, and tells `failures`."""

    def __init__(self, write, failures):
        self._write, self._test, self._places, self._failures = write, None, set(), failures
        self._told, self._kinds = set(), {}
        self._wrap_unittest()
        self._watch_others()

    def begin(self, test):
        self._test, self._places = test, set()
        self._failures.begin(test)

    def end(self):
        if self._test is not None and self._places:
            self._write('reach', [self._test, sorted(self._places)])
        self._test = None
        return self._failures.end()

    def watch_pytest(self):
        """Before pytest loads a module of tests."""
        self._failures.watch_pytest()
        rewriting = sys.modules['_pytest.assertion.rewrite']
        original, marked = rewriting.rewrite_asserts, self._marked
        if original.__code__.co_argcount > 3:
            def rewrite_asserts(mod, source, module_path=None, config=None):
                return original(marked(mod, module_path), source, module_path, config)
        else:
            def rewrite_asserts(mod, module_path=None, config=None):
                return original(marked(mod, module_path), module_path, config)
        rewriting.rewrite_asserts = posing(rewrite_asserts, original)

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
            return compiled(marked(tree, path), path, 'exec', 0, True)

        kind.get_code = posing(of_source, get_code)
        sys.modules['builtins'].__dict__[_SEEN] = self._seen()

    def _marked(self, tree, path):
        path = _absolute(str(path)) if path is not None else ''
        if is_test_file(path):
            _mark(tree, relative(path))
        return tree

    def _seen(self):
        note = self._note

        def seen(value, place, slot):
            try:
                note(value, place, slot)
            except Exception:
                pass
            return value

        return seen

    def _note(self, value, place, slot):
        if self._test is None:
            return
        self._places.add(place)
        for label in self._labels(value, slot.rpartition(' ')[2], _MOST_DEPTH):
            entry = '%s %s|%s' % (place, slot, label)
            if entry not in self._told and len(self._told) < _MOST_KINDS:
                self._told.add(entry)
                self._write('kind', ['%s %s' % (place, slot), label])

    def _labels(self, value, kind_of_use, depth):
        kind = type(value)
        if kind in (str, int, bool, bytes, type(None)):
            return []
        known = self._kinds.get(kind)
        if known is None:
            self._kinds[kind] = known = _facts_of(kind)
        is_float, is_mock, is_decimal, is_compared, own = known
        found = ['mock'] if is_mock else []
        if is_float and float.__ne__(value, value) or is_decimal and value.is_nan():
            found.append('nan')
        methods = _METHODS_OF[kind_of_use]
        found += [label for name, label in own if name in methods]
        if depth and kind_of_use not in ('Truth', 'Kind'):
            for one in _inner_values(value, kind, is_compared):
                inner = self._labels(one, 'Eq' if kind_of_use == 'In' else kind_of_use, depth - 1)
                found += inner if kind in _HOLDERS else ['held %s' % label if label[:4] == 'own ' else label for label in inner]
        return found

    def _wrap_unittest(self):
        __import__('unittest.case')
        case = sys.modules['unittest.case'].TestCase
        for name, function in list(vars(case).items()):
            if name.startswith('assert') and _is(function, _FUNCTION):
                setattr(case, name, self._wrapped(name, function))

    def _wrapped(self, name, original):
        note, frame_of, use = self._note, frame_at, _BY_METHOD.get(name, 'Any')

        def function(*given, **named):
            __tracebackhide__ = True
            try:
                place = _place_of_test(frame_of(1))
                if place is not None:
                    for at, value in enumerate(given[1:4]):
                        note(value if use else None, place, '%d %s' % (at, use or 'Eq'))
            except Exception:
                pass
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
        return list(value.values() if kind is dict else value)[:_MOST_INNER]
    if not is_compared:
        return []
    found = _held_by(value)[:_MOST_INNER]
    for one in list(found):
        if type(one) is dict:
            found += list(one.values())[:_MOST_INNER]
    return [one for one in found if not _is(one, (type, types.ModuleType)) and type(one) not in (_FUNCTION, dict)]


def _facts_of(kind):
    """Of a class: is it a float, a mock, a decimal number, does it compare, and its own methods of comparison with labels."""
    bases = _mro_of(kind)
    # A proxy stands for another object, which it does not show.
    is_mock = kind in (_weakref.ProxyType, _weakref.CallableProxyType) or any(
        ('%s.' % _members_of(base).get('__module__')).startswith(_MOCKS) for base in bases if base is not object)
    own, known = [], set()
    for base in bases:
        names = _members_of(base)
        for name in _WATCHED.intersection(names):
            value = names[name]
            if base is object or name in known or value is None:
                continue
            known.add(name)
            label = _own_method(base, name, value)
            if label is not None:
                own.append((name, label))
    if known.issuperset(['__contains__']) or '__iter__' in known:
        own = [one for one in own if one[0] != '__getitem__']
    is_decimal = any(base.__name__ == 'Decimal' and _members_of(base).get('__module__') in ('decimal', '_pydecimal')
                     for base in bases)
    return float in bases, is_mock, is_decimal, '__eq__' in known, sorted(own)


def _own_method(base, name, value):
    """A label for a method of comparison that is neither of an installed file, nor of a test, nor the class's own in C."""
    function = value.fget if type(value) is property else value
    if type(function) is _FUNCTION:
        code = function.__code__
        path, line = code.co_filename, code.co_firstlineno
        if path.startswith('<'):
            # Of no file: dataclasses and attrs write such methods, which first compare the classes.
            fields = '__dataclass_fields__', '__attrs_attrs__'
            if '__class__' in code.co_names and any(one in _members_of(base) for one in fields):
                return None
            path, line = _file_of_class(base), 0
    elif _is_in_c(function) and function.__name__ == name:
        return None
    else:
        path, line = _file_of_class(base), 0
    path = _absolute(path) if path else '/unknown'
    if path != '/unknown' and not _below(path) or is_test_file(path):
        return None
    return 'own %s:%d %s.%s' % (relative(path), line, base.__name__, name)


def _is_in_c(value):
    """Whether it is a method of a class in C, and no function in its place."""
    return type(value).__name__ in ('wrapper_descriptor', 'method_descriptor', 'getset_descriptor', 'classmethod_descriptor',
                                    'cython_function_or_method', 'instancemethod')


def _file_of_class(kind):
    """The file of the module that holds a class; empty if none does."""
    held = module = sys.modules.get(_members_of(kind).get('__module__'))
    for name in kind.__qualname__.split('.'):
        held = _names_of(held).get(name) if _is(held, types.ModuleType) else _members_of(held).get(name) if _is(held, type) else None
    path = file_of(module) if module is not None else None
    return path or '' if held is kind or path is not None and _below(_absolute(path)) else ''


def _mark(tree, path):
    """Puts the function around the operands of each assertion. Only what it adds is made; the rest stays as it is."""
    ast = sys.modules['ast']

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
        kind = type(node).__name__
        if kind == 'BoolOp':
            node.values = [operands(one, place, '%s%d.' % (base, at)) for at, one in enumerate(node.values)]
        elif kind == 'UnaryOp' and type(node.op).__name__ == 'Not':
            node.operand = operands(node.operand, place, base)
        elif kind == 'Compare':
            uses = [type(op).__name__ for op in node.ops]
            if any(use in ('Is', 'IsNot') for use in uses):
                return node if base else seen(node, place, '%s0 Truth' % base)
            for one in [node.left] + node.comparators:
                plain(one, place, base)
            node.left = seen(node.left, place, '%s0 %s' % (base, uses[0]))
            node.comparators = [seen(one, place, '%s%d %s' % (base, at + 1, uses[at]))
                                for at, one in enumerate(node.comparators)]
        else:
            if kind == 'Call' and getattr(node.func, 'id', '') not in _PLAIN_CALLS:
                given(node, place, base)
            plain(node, place, base)
            return seen(node, place, '%s0 Truth' % base)
        return node

    def given(call, place, base, use='Any'):
        """What a function that compares is given."""
        call.args = [one if type(one).__name__ == 'Starred' else seen(one, place, '%s%d %s' % (base, at, use))
                     for at, one in enumerate(call.args)]

    def plain(node, place, base):
        use = _PLAIN_CALLS.get(getattr(node.func, 'id', '')) if type(node).__name__ == 'Call' else None
        if use is not None:
            given(node, place, base + '.', use)

    for node in list(ast.walk(tree)):
        kind = type(node).__name__
        place = '%s:%d' % (path, getattr(node, 'lineno', 0))
        if kind == 'Assert':
            node.test = operands(node.test, place, '')
        elif kind == 'Expr' and type(node.value).__name__ == 'Call':
            called = node.value.func
            name = getattr(called, 'attr', getattr(called, 'id', ''))
            if name.startswith('assert_'):
                given(node.value, place, '')


def _text_node(ast, text):
    return ast.Constant(value=text, kind=None) if sys.version_info >= (3, 8) else ast.Str(s=text)
