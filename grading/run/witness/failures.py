"""Counts assertions that fail while a test runs. Code under test can swallow what they raise, and then the test passes:
the count tells, compared with the gold runs. From Python 3.12 on the interpreter reports what is raised. Before, the
functions do that pytest's rewritten assertions and unittest's methods call when an assertion fails.
"""
_MAX_FAILURES = 50
# Modules whose assertions count beside those of tests: libraries for tests.
_LIBRARIES = ('unittest', '_pytest', 'testing', '_testing')


class Failures(object):
    """`write` gets the test's name at each failure, so that a failure cannot be taken back."""

    def __init__(self, write):
        self._write, self._test, self._count, self._last = write, None, 0, None
        self._kinds = {}
        self._monitoring = getattr(sys, 'monitoring', None)
        if self._monitoring is not None:
            self._watch(self._monitoring)
        else:
            self._wrap_unittest()

    def begin(self, test):
        self._test, self._count, self._last = test, 0, None

    def end(self):
        """Labels of what was done to the counting itself."""
        self._test = self._last = None
        return ['sys.monitoring'] if self._is_off() else []

    def failed(self):
        if self._test is not None and self._count < _MAX_FAILURES:
            self._count += 1
            self._write('failure', self._test)

    def _watch(self, monitoring):
        tool = next((one for one in (4, 3) if monitoring.get_tool(one) is None), None)
        self._tool, self._events = tool, monitoring.events.RAISE
        if tool is None:
            self._monitoring = None
            return
        monitoring.use_tool_id(tool, NAME)
        monitoring.register_callback(tool, self._events, self._raised)
        monitoring.set_events(tool, self._events)

    def _is_off(self):
        monitoring = self._monitoring
        return monitoring is not None and (
            monitoring.get_tool(self._tool) != NAME or monitoring.get_events(self._tool) != self._events)

    def _raised(self, code, _offset, error):
        # It is called for each function that the exception leaves; the first one raised it.
        if self._test is None or error is self._last:
            return
        kind = type(error)
        if kind not in self._kinds:
            self._kinds[kind] = _is_failure(kind)
        if not self._kinds[kind]:
            return
        self._last = error
        if _is_of_tests(code.co_filename):
            self.failed()

    def watch_pytest(self):
        """Before Python 3.12: assertions that pytest has rewritten, and what `pytest.fail` raises, also for a time limit."""
        if self._monitoring is None:
            self._wrap(sys.modules['_pytest.assertion.rewrite'], '_format_explanation')
            self._wrap(sys.modules['_pytest.outcomes'].Failed, '__init__')

    def _wrap_unittest(self):
        __import__('unittest.case')
        for name in ('_formatMessage', 'fail'):
            self._wrap(sys.modules['unittest.case'].TestCase, name)

    def _wrap(self, owner, name):
        original, failed = getattr(owner, name), self.failed

        def function(*given, **named):
            __tracebackhide__ = True
            failed()
            return original(*given, **named)

        setattr(owner, name, posing(function, original))


def _is_failure(kind):
    return any(base is AssertionError or base.__name__ == 'Failed' and base.__module__ == '_pytest.outcomes'
               for base in kind.__mro__)


def _is_of_tests(path):
    path = _absolute(path)
    if is_test_file(path):
        return True
    parts = path.split('/')
    return not _below(path) and any(part in _LIBRARIES or part.endswith('_testing.py') for part in parts)
