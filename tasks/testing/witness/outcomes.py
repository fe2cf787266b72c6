"""Watches unittest's state of a running test, which decides what happens to an exception. Only unittest should change
it: tested code could turn a failure into an expected one, or into none. Every part of a test (its set-up, itself,
subtests, cleanups) passes here, so a change is seen before unittest reads the state.
"""
# unittest leaves frames of such modules out of what it prints.
__unittest = True


def watch_outcomes(note):
    """Called when nothing of the repository is loaded; `note` takes labels."""
    __import__('unittest.case')
    from contextlib import contextmanager
    case = sys.modules['unittest.case']
    kind = getattr(case, '_Outcome', None)
    if kind is None:
        return
    original, failed = kind.testPartExecutor, []

    def part(self, *given, **named):
        before, kinds = _held(self), list(map(type, given))
        try:
            with original(self, *given, **named):
                try:
                    yield
                except (case.SkipTest, KeyboardInterrupt):
                    raise
                except BaseException:
                    if not before[0]:
                        failed[:] = failed[-9:] + [self]
                    raise
                finally:
                    if _held(self) != before or overridden('outcome', self):
                        note(['unittest.case._Outcome'])
                    if list(map(type, given)) != kinds:
                        note(['TestCase.__class__'])
        finally:
            # Each part begins as a success, and at its end the state before it is restored.
            if self.success and any(one is self for one in failed):
                note(['unittest.case._Outcome'])

    part.__doc__, part.__qualname__, part.__module__ = original.__doc__, original.__qualname__, original.__module__
    watched = contextmanager(part)
    watched.__module__ = original.__module__
    kind.testPartExecutor = watched


def _held(outcome):
    return outcome.expecting_failure, id(outcome.result), type(outcome.result), type(outcome)


class Cases(object):
    """The methods of TestCase that classes of tests have of their own, as they were before the first test ran."""

    def __init__(self):
        self._base, self._known = sys.modules['unittest.case'].TestCase, {}

    def begin(self):
        kinds = [self._base]
        while kinds:
            kind = kinds.pop()
            if kind not in self._known:
                self._known[kind] = self._own(kind)
                kinds += type.__subclasses__(kind)

    def changed(self, kind):
        if not _is(kind, type) or not issubclass(kind, self._base):
            return []
        found = []
        for one in kind.__mro__[:kind.__mro__.index(self._base)]:
            own = self._own(one)
            was = self._known.setdefault(one, own)
            if len(was) != len(own) or not all(map(is_, map(was.get, own), own.values())):
                found.append('TestCase of %s' % one.__qualname__)
        return found

    def _own(self, kind):
        own = vars(kind)
        names = _methods_of(self._base).union(['failureException']).intersection(own)
        return {name: own[name] for name in names}
