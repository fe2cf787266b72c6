"""Time limits of tests. A plugin sets a timer before a test runs, whose end fails the test. Code under test can stop the
timer, or not hear it, and then the test passes however long it takes. So for each test that passes it is told whether the
timer that ran before still runs. The grader compares that with the gold runs, whose code may use the same timer.
"""
import _signal
import time

# Seconds. Timers are rounded.
_LATE = 0.2


class Limits(object):
    def __init__(self, tell):
        self._tell, self._clock, self._set = tell, time.monotonic, None
        self._rest, self._handler = _signal.getitimer, _signal.getsignal

    def begin(self):
        """Called directly before a test."""
        self._set = self._alarm(), self._timers()

    def end(self, item):
        """Called when a test has passed."""
        given, self._set = self._set, None
        if given is None:
            return
        alarm, timers = given
        if alarm is not None or timers:
            is_kept = self._is_kept(alarm) and not any(timer.finished.is_set() for timer in timers)
            self._tell('limit', item.nodeid, 'kept' if is_kept else 'over')
        elif _is_limited(item):
            self._tell('limit', item.nodeid, 'none')

    def _alarm(self):
        """Between which times the signal comes, and who is called then; None unless that is the runner's own code. A busy
        machine may stop this between two lines."""
        before, rest, after = self._clock(), self._rest(_signal.ITIMER_REAL)[0], self._clock()
        handler = self._handler(_signal.SIGALRM)
        return (before + rest, after + rest, handler) if rest > 0 and _is_of_runner(handler) else None

    def _is_kept(self, alarm):
        now = self._alarm()
        return alarm is None or now is not None and now[2] is alarm[2] and now[0] <= alarm[1] + _LATE

    def _timers(self):
        threading = sys.modules.get('threading')
        threads = [] if threading is None else list(getattr(threading, '_active', {}).values())
        return [one for one in threads if type(one) is threading.Timer and _is_of_runner(one.function)]


def _is_of_runner(function):
    code = getattr(function, '__code__', None)
    return type(code) is _CODE and _is_outside(code.co_filename)


def _is_limited(item):
    """Whether pytest-timeout is to limit the test."""
    mark = getattr(item, 'get_closest_marker', lambda name: None)('timeout')
    return mark is not None or bool(getattr(item.config, '_env_timeout', None))
