"""Watches unittest's state of a running test, which decides what happens to an exception. Only unittest should change
it: tested code could turn a failure into an expected one, or into none. Every part of a test (its set-up, itself,
subtests, cleanups) passes here, so a change is seen before unittest reads the state.
"""
# unittest leaves frames of such modules out of what it prints.
__unittest = True


class Parts(object):
    """What the parts of one test came to, as unittest ran them, whatever its result object makes of that."""

    def __init__(self):
        self.begin(None)

    def begin(self, test):
        self._test, self._has_run, self._status = test, False, None

    def status(self):
        return self._status or ('PASSED' if self._has_run else 'SKIPPED')

    def is_of(self, test):
        return test is self._test or getattr(test, 'test_case', None) is self._test

    def ended(self, test, status):
        if self.is_of(test):
            self._has_run = True
            if self._status is None or status == 'FAILED':
                self._status = status


def watch_outcomes(note, parts, count):
    """Called when nothing of the repository is loaded; `note` takes labels, and `count` what ran a further time."""
    __import__('unittest.case')
    from contextlib import contextmanager
    case = sys.modules['unittest.case']
    kind = getattr(case, '_Outcome', None)
    if kind is None:
        return
    original, failed = kind.testPartExecutor, []
    subtest = getattr(case, '_SubTest', None)

    def part(self, *given, **named):
        before, kinds = _held(self), list(map(type, given))
        status = None
        try:
            with original(self, *given, **named):
                try:
                    yield
                except case.SkipTest:
                    status = 'SKIPPED'
                    raise
                except KeyboardInterrupt:
                    # It ends the run, and the result counts nothing.
                    status = 'FAILED'
                    raise
                except BaseException:
                    status = 'XFAIL' if before[0] else 'FAILED'
                    if not before[0]:
                        failed[:] = failed[-9:] + [self]
                    raise
                finally:
                    if _held(self) != before or overridden('outcome', self):
                        note(['unittest.case._Outcome'])
                    if list(map(type, given)) != kinds:
                        note(['TestCase.__class__'])
                    test = given[0] if given else named.get('test_case')
                    parts.ended(test, status)
                    if type(test) is subtest:
                        owner = test.test_case
                        count('subtests of %s.%s.%s' % (type(owner).__module__, type(owner).__qualname__,
                                                        vars(owner).get('_testMethodName')))
        finally:
            # Each part begins as a success, and at its end the state before it is restored.
            if self.success and any(one is self for one in failed):
                note(['unittest.case._Outcome'])

    kind.testPartExecutor = contextmanager(posing(part, original))


def _held(outcome):
    return outcome.expecting_failure, id(outcome.result), type(outcome.result), type(outcome)


# Methods by which a class of tests decides what its tests come to, and its assertions.
_DECIDING = frozenset(['run', '__call__', 'debug', '_callTestMethod', '_callSetUp', '_callTearDown', '_callCleanup',
                       'doCleanups', 'countTestCases', 'defaultTestResult', 'subTest', '__getattribute__', '__getattr__'])
_ASSERTING = ('assert', 'fail', '_fail', '_getAssert', '_formatMessage')


class Cases(object):
    """The methods of TestCase that classes of tests have of their own, as they were before the first test ran."""

    def __init__(self, tell):
        self._base, self._known, self._tell = sys.modules['unittest.case'].TestCase, {}, tell

    def begin(self):
        kinds = [self._base]
        while kinds:
            kind = kinds.pop()
            if kind not in self._known:
                self._known[kind] = self._seen(kind)
                kinds += type.__subclasses__(kind)

    def changed(self, kind):
        if not _is(kind, type) or not issubclass(kind, self._base):
            return []
        found = []
        for one in kind.__mro__[:kind.__mro__.index(self._base)]:
            own = self._own(one)
            was = self._known.get(one)
            if was is None:
                was = self._known[one] = self._seen(one)
            if len(was) != len(own) or not all(map(is_, map(was.get, own), own.values())):
                found.append('TestCase of %s' % one.__qualname__)
        return found

    def _seen(self, kind):
        """Told before its tests run; classes in files of tests are told with these files."""
        own = self._own(kind)
        if kind is not self._base and not is_test_file(_place_of(sys.modules.get(kind.__module__))):
            for name, value in own.items():
                subject = 'case' if name in _DECIDING else 'assertion' if name.startswith(_ASSERTING) else None
                if subject is not None:
                    what = digest_of(value.__code__) if type(value) is _FUNCTION else type(value).__name__
                    self._tell(subject, '%s.%s.%s' % (kind.__module__, kind.__qualname__, name), what)
        return own

    def _own(self, kind):
        own = vars(kind)
        names = _methods_of(self._base).union(['failureException'], _DECIDING).intersection(own)
        return {name: own[name] for name in names}
