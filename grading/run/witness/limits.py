"""Time limits of tests. A plugin starts a timer before a test, and an expired timer fails the test. Code under test can stop
the timer or ignore its signal. So the witness tells of each passed test whether the timer still runs: `kept`, `over`, or
`none` for a limited test without a timer. The grader compares this with the gold runs, whose code may use the same timer.
"""
import _signal
import time

# Seconds. Timers are rounded.
_LATE = 0.2


class Limits(object):
    def __init__(self, tell):
        self._tell, self._clock, self._at_start = tell, time.monotonic, None
        self._rest, self._handler = _signal.getitimer, _signal.getsignal

    def begin(self):
        """Called directly before a test."""
        self._at_start = self._alarm(), self._timers()

    def end(self, item):
        """Called when a test has passed."""
        at_start, self._at_start = self._at_start, None
        if at_start is None:
            return
        alarm, timers = at_start
        if alarm is not None or timers:
            is_kept = self._is_kept(alarm) and not any(timer.finished.is_set() for timer in timers)
            self._tell('limit', item.nodeid, 'kept' if is_kept else 'over')
        elif _is_limited(item):
            self._tell('limit', item.nodeid, 'none')

    def _alarm(self):
        """The earliest and the latest time of the signal, and its handler. None without a signal, or when the handler is code
        under test. A busy machine may pause between the two looks at the clock."""
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
