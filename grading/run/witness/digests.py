"""Digests of code, as it was loaded. They are the same for the same source and the same interpreter: they depend on no
path, on no order in which sets are kept, and not on which constants are shared at the moment. Nothing is judged here.
The grader compares them with those of the gold runs.
"""
import types
from marshal import dumps as _dumps

_CODE = types.CodeType
# From then on marshal writes sets in an order of their own.
_ARE_SETS_SORTED = sys.version_info >= (3, 11)
# Writes each constant in full. Later ones mark those that are shared.
_PLAIN = 2
_digests = {}


def digest_of(code):
    """16 characters for a code object, with all code in it."""
    known = _digests.get(id(code))
    if known is None:
        # The code is kept, too: after it was freed, its id could belong to another one.
        known = _digests[id(code)] = code, _short(_bytes_of(code))
    return known[1]


def digest_of_function(function):
    """Of its code and its plain defaults."""
    defaults = function.__defaults__, function.__kwdefaults__ and sorted(function.__kwdefaults__.items())
    if defaults == (None, None):
        return digest_of(function.__code__)
    try:
        plain = _dumps(defaults, _PLAIN)
    except ValueError:
        plain = b''
    return _short(digest_of(function.__code__).encode('ascii') + plain)


def digest_of_all(texts):
    return _short('\n'.join(texts).encode('utf-8', 'surrogatepass'))


def _short(data):
    return sha256(data).hexdigest()[:16]


def _without_lines(code):
    """The witness's own functions stand in places of the runner's: a line more above one of them makes it no other function."""
    if code.co_filename != _short.__code__.co_filename or not hasattr(code, 'replace'):
        return code
    lines = 'co_linetable' if hasattr(code, 'co_linetable') else 'co_lnotab'
    return code.replace(co_firstlineno=1, **{lines: b''})


def _bytes_of(code):
    code = _without_lines(code)
    data = _dumps(code, _PLAIN).replace(_dumps(code.co_filename, _PLAIN), b'')
    for one in () if _ARE_SETS_SORTED else _sets_in(code):
        data = data.replace(_dumps(one, _PLAIN), b'') + b''.join(sorted(_dumps(part, _PLAIN) for part in one))
    return data


def _sets_in(constant):
    if type(constant) is frozenset:
        return [constant]
    inner = constant.co_consts if type(constant) is _CODE else constant if type(constant) is tuple else ()
    return [found for one in inner if type(one) in (_CODE, tuple, frozenset) for found in _sets_in(one)]


def teller(write):
    """A function that writes each (subject, key, value) once, immediately, so that it cannot be taken back."""
    told = set()

    def tell(subject, key, value):
        if (subject, key, value) not in told:
            told.add((subject, key, value))
            write('digest', [subject, key, value])

    return tell


def noter(tell, subject):
    """A function that tells keys, with the test and the place for one that has a place."""
    def note(keys, test=''):
        for key in keys:
            place = getattr(key, 'place', None)
            tell(subject, str(key), '' if place is None else '%s %s' % (test, place))

    return note
