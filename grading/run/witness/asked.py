"""What modules of tests ask for beside the answers of the code: constants and classes of the repository with which they
compare, and variables of the environment. Code under test can change them in place of solving its task. A constant is
told by the digest of what it holds, if that is plain; a class of the repository by no name, since it may be moved.
Rows and tables are told by each entry, since solutions add to them; messages are not, since they are worded anew.
"""
_MOST_VALUES, _MOST_ITEMS, _WORDS_OF_MESSAGE = 500, 100, 3
_CHECKS = ('__subclasscheck__', '__instancecheck__', '__subclasshook__')
_PLAIN_VALUES = (type(None), bool, int, float, str, bytes)
# Variables that differ from process to process, or that the runner itself sets.
_OF_RUNNER = ('PYTEST_', 'SWEMAKE_')
# Before any code of the repository. What a machine has set is no difference.
_AT_START = dict(os.environ)


def variables_in(code):
    """Texts in the code of a module, and in all code in it, that may name variables."""
    codes = [code]
    for one in codes:
        codes += [inner for inner in one.co_consts if type(inner) is _CODE]
        for text in one.co_consts:
            if type(text) is str and 2 < len(text) < 60 and text.isupper() and text.isidentifier() and not text.startswith(_OF_RUNNER):
                yield text


def tell_variables(tell, names):
    for name in names:
        # Another object can stand in place of `os.environ`, in which tests look.
        value = os.environ.get(name)
        is_same = value == _AT_START.get(name)
        tell('environ', name, 'as it began' if is_same else 'none' if value is None else digest_of_all([_plain(value)]))


def constants_in(names, asked, is_first, depth=3):
    """(name, what it holds) of constants and classes that the code asks for, also by a module or a class of the repository.
    A plain value whose name begins with no capital may change with time, so it counts only at first."""
    firsts = {}
    for name in sorted(one for one in asked if one in names and not one.startswith('__')):
        value = names[name]
        is_constant = name.lstrip('_')[:1].isupper()
        first = firsts.setdefault(id(value), name) if is_constant else name
        if is_constant or is_first and type(value) in _PLAIN_VALUES:
            said = _said(value)
            # A patch may make one of two distinct objects the other, so such an object is told with its first name.
            if said is not None:
                yield name, '%s as %s' % (said, first) if first != name and said in ('an object', 'a class') else said
            for key, what in items_of(value) if said == 'several' else ():
                yield '%s[%s]' % (name, key), what
        if depth and (_is(value, types.ModuleType) and _below(_place_of(value)) and not is_test_file(_place_of(value))
                      or _is(value, type) and _below(_file_of_module(value))):
            inner = _names_of(value) if _is(value, types.ModuleType) else _with_members(_members_of(value))
            for key, what in constants_in(inner, asked, is_first, depth - 1):
                yield '%s.%s' % (name, key), what


def _with_members(names):
    """The names with the members of an enumeration, which older versions of Python keep in a table."""
    members = names.get('_member_map_')
    return dict(names, **members) if type(members) is dict else names


def _said(value):
    if _is(value, (types.ModuleType, _FUNCTION, types.MethodType, property, staticmethod, classmethod)):
        return None
    if _is(value, type):
        return _kind_of(value)
    if type(value) in (list, tuple, dict) and value and not (type(value) is tuple and _is(value[0], type)):
        return 'several'
    if type(value) is str and len(value.split()) >= _WORDS_OF_MESSAGE:
        return 'a message'
    words = _words_of(value, [_MOST_VALUES])
    return words if words in ('an object', 'much') else digest_of_all([words])


def items_of(value):
    """(key, what it holds) of a row or a table of constants."""
    if type(value) is dict:
        pairs = [(key, one) for key, one in value.items() if type(key) in _PLAIN_VALUES]
    else:
        pairs = list(enumerate(value)) if type(value) in (list, tuple) else []
    for key, one in pairs[:_MOST_ITEMS]:
        words = _words_of(one, [_MOST_VALUES])
        yield repr(key)[:60], words if words in ('an object', 'much') else digest_of_all([words])


def _kind_of(value):
    """`a class` for a class of the repository, whatever its name; the full name of any other class."""
    if not _below(_file_of_module(value)):
        return '%s.%s' % (value.__module__, value.__qualname__)
    bases = [base for kind in (type(value), value) for base in _mro_of(kind) if base not in (type, object)]
    own = [_members_of(base).get(name) for base in bases for name in _CHECKS]
    functions = [getattr(one, '__func__', one) for one in own if one is not None]
    checks = any(type(one) is not _FUNCTION or _is_of_repository(one.__code__.co_filename) for one in functions)
    return 'a class with a check of its own' if checks and functions else 'a class'


def _words_of(value, left):
    kind = type(value)
    left[0] -= 1
    if left[0] < 0:
        return 'much'
    if kind in _PLAIN_VALUES:
        # A local workspace is another folder each time.
        return repr(value.replace(ROOT, '') if kind is str else value)
    if kind in (list, tuple, set, frozenset):
        words = [_words_of(one, left) for one in value]
    elif kind is dict:
        words = ['%s: %s' % (_words_of(key, left), _words_of(one, left)) for key, one in value.items()]
    elif _is(value, type):
        return _kind_of(value)
    else:
        return 'an object'
    if 'much' in words:
        return 'much'
    return '%s %s' % (kind.__name__, ', '.join(sorted(words) if kind in (set, frozenset, dict) else words))
