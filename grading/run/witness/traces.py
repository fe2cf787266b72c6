"""Who asked to be called for each line or call and had not given that back when the call that did so ended. Who is called
then sees the variables of tests and can change them, while a trace that ends within the call of a test sees only what
that call itself runs.
"""
_TRACES = frozenset(['sys.settrace', 'sys.setprofile', 'sys.monitoring.register_callback'])
_THREAD = _thread.get_ident
_BUILTIN_KIND = type(sys.gettrace)
_METHOD_KIND = type(str.join)
# What a class says of itself could be code of the patch.
_mro_of, _members_of = type.__dict__['__mro__'].__get__, type.__dict__['__dict__'].__get__
_NAME_OF = type.__dict__['__name__'].__get__
# Flags of the code of generators, coroutines and generators of coroutines: what called them runs in between.
_INTERRUPTED = 0x20 | 0x80 | 0x200
_PROFILER_TOOL = 2


def _of_profiler(function):
    """Whether it is a function in C of Python's own profiler."""
    if type(function) is not _BUILTIN_KIND:
        return False
    for base in _mro_of(type(function.__self__)):
        enable = _members_of(base).get('enable')
        if _NAME_OF(base) == 'Profiler' and type(enable) is _METHOD_KIND and enable.__objclass__ is base:
            return True
    return False


def _file_of(called):
    """The file with the code of what is called for each line; for code in C that of its module."""
    kind = type(called)
    held = called, getattr(called, '__func__', None)
    for one in held + tuple(_members_of(base).get('__call__') for base in _mro_of(kind)):
        if type(one) is _FUNCTION:
            return one.__code__.co_filename
    return getattr(sys.modules.get(kind.__module__), '__file__', None) or '<unknown>'


class Traces(object):
    """Compares what is called for each line before and after each call from outside of the code under test. Only the
    thread of the tests is followed; what others ask for counts as kept."""

    def __init__(self, is_outside):
        self._is_outside, self._thread = is_outside, _THREAD()
        self._trace, self._profile = sys.gettrace, sys.getprofile
        self._events = getattr(getattr(sys, 'monitoring', None), 'get_events', None)
        self._usual, self._call, self._asked, self._kept = self._now(), None, [], []
        # A category of warnings, for example, is imported before the witness begins.
        self._kept += [(event, _file_of(one)) for event, one in zip(('sys.settrace', 'sys.setprofile'), self._usual)
                       if one is not None]

    def _now(self):
        return self._trace(), self._profile(), self._is_profiled()

    def _is_profiled(self):
        try:
            return self._events is not None and self._events(_PROFILER_TOOL) != 0
        except ValueError:
            # The tool is not in use.
            return False

    def ask(self, event, frame, given):
        """The code in `frame` asks; nothing has changed yet."""
        label = event, frame.f_code.co_filename
        try:
            is_judged = not given or given[0] is None or _of_profiler(given[0])
            call = self._call_of(frame) if is_judged and _THREAD() == self._thread else None
        except Exception:
            call = None
        if call is None:
            self._kept.append(label)
            return
        if call is not self._call:
            self._end()
            self._call = call
        self._asked.append(label)

    def keep(self, label):
        self._kept.append(label)

    def _call_of(self, frame):
        """The frame that code outside of the code under test called; None if there is none that ends by itself."""
        call = None
        while frame is not None and not self._is_outside(frame.f_code.co_filename):
            call, frame = frame, frame.f_back
        is_whole = frame is not None and call is not None and not call.f_code.co_flags & _INTERRUPTED
        return call if is_whole else None

    def _end(self):
        now = self._now()
        if any(one is not other for one, other in zip(now, self._usual)):
            # What was not noticed has no place.
            self._kept += self._asked or [('sys.settrace', '<unknown>')]
            self._usual = now
        self._call, self._asked = None, []

    def kept(self):
        """(event, path) of those that were not given back since the last call. It runs between calls."""
        self._end()
        kept, self._kept = self._kept, []
        return kept
