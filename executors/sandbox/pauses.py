"""What kept commands from running while their time limits went on, as process 1 of a workspace sees it.

A pause is time in which process 1 slept on after the moment for which it had asked to be woken, or in which it was awake
and did not run, less the time that it waited for a processor. A stopped container or machine makes one; nothing inside can stop process 1, so code inside
cannot feign one. Whether processes were stopped, and how much processor time they got of what they wanted, is seen by
looks at /proc. Code inside can arrange both, so they never excuse more than one end.
"""
import os
import time

# Seconds between two wake-ups while commands run.
TICK = 0.5
# Seconds by which a wake-up is late at least when it counts: timers and interrupts are late by less.
LEAST = 0.05
# Seconds between two looks at /proc: a share of the time that has passed, within bounds.
SHARE, SOONEST, LATEST = 0.05, 0.5, 5
# Threads that are looked at; a task may have any number.
MOST_THREADS = 512
NANO = 1e9


class Pauses:
    def __init__(self, processes):
        self.processes = processes
        self.seconds = 0.0
        self.queued, self.suspended, self.noted_at = self._queued(), _suspended(), time.monotonic()
        self.awake()

    def note(self):
        """Called when a command begins, and regularly while one runs."""
        self.queued, self.noted_at = self._queued(), time.monotonic()
        # The monotonic clock stands still meanwhile, so no deadline has come nearer.
        suspended = _suspended()
        slept, self.suspended = suspended - self.suspended, suspended
        if slept > LEAST:
            self.seconds += slept

    def awake(self):
        """Called when process 1 woke up, and after all that may have made it wait for a disk or for Node. Returns
        that moment: pauses count from it on, so a time limit that begins now begins at this moment."""
        self.awake_at, self.ran = time.monotonic(), time.process_time()
        return self.awake_at

    def missed(self):
        """Called before deadlines are looked at, and before a sleep; the seconds by which all deadlines move."""
        return self._missed(self._idle())

    def waited(self):
        """Called after a look that may have waited for a disk, which code inside can bring about: it is no pause. The
        seconds in which no deadline could be kept, by which all deadlines move."""
        idle = self._idle()
        return idle if idle > LEAST else 0

    def woke(self, most):
        """Called after a sleep of at most `most` seconds; the seconds by which all deadlines move."""
        since = self.awake_at
        now = self.awake()
        pause = self._missed(now - since - most)
        if not pause and now - self.noted_at >= TICK:
            self.note()
        return pause

    def _idle(self):
        """Seconds since process 1 was last known to be awake, in which it did not run."""
        since, ran = self.awake_at, self.ran
        return self.awake() - since - (self.ran - ran)

    def _missed(self, late):
        if late > LEAST:
            late -= max(0, self._queued() - self.queued)
        if late <= LEAST:
            return 0
        self.seconds += late
        self.note()
        return late

    def _queued(self):
        """Seconds that process 1 waited for a processor so far."""
        return _schedule(self.processes.read(1, 'schedstat'))[1]


class Load:
    """Seconds of processor time that commands used and could have used, and seconds with a stopped process."""

    def __init__(self, processes):
        self.processes = processes
        self.is_known = processes.read(1, 'schedstat') is not None
        self.used = self.wanted = self.stopped = 0.0
        self.next = float('inf')
        self.known = self.machine = None

    def begin(self, now, cpus):
        """A command begins where none ran. `cpus`: processors that it may use, None for all. The first look only learns
        what there is, because an earlier command may have left processes behind."""
        self.cpus = min(cpus or float('inf'), os.cpu_count() or 1)
        self.began = self.at = now
        self.known = self.machine = None
        self.next = now + SOONEST

    def seen(self):
        return [self.used, self.wanted, self.stopped]

    def look(self, now):
        seconds, self.at = now - self.at, now
        self.next = now + min(LATEST, max(SOONEST, SHARE * (now - self.began)))
        before, self.known = self.known, {}
        is_stopped = False
        for pid in self.processes.others():
            record = self.processes.read(pid, 'stat')
            if not record:
                continue
            fields = record[record.rindex(b')') + 2:].split()
            is_stopped = is_stopped or fields[0] == b'T'
            self._take_threads(pid, int(fields[17]))
            if len(self.known) >= MOST_THREADS:
                break
        machine_before, self.machine = self.machine, self._machine()
        if is_stopped:
            self.stopped += seconds
        if before is None:
            return
        used = waited = 0
        for thread, (runs, waits) in self.known.items():
            ran, queued = before.get(thread, (0, 0))
            used, waited = used + runs - ran, waited + waits - queued
        most = self.cpus * seconds
        wanted = (used + waited) * _grown(machine_before, self.machine)
        self.used += min(used, most)
        self.wanted += min(wanted, most)

    def _take_threads(self, pid, count):
        if count == 1:
            self.known[pid, pid] = _schedule(self.processes.read(pid, 'schedstat'))
            return
        for thread in self.processes.threads(pid)[:MOST_THREADS]:
            self.known[pid, thread] = _schedule(self.processes.read(pid, 'task/%d/schedstat' % thread))

    def _machine(self):
        """(time that the processors of this machine worked, time that its host took from them), in ticks."""
        text = self.processes.read_top('stat') or b''
        fields = [int(field) for field in text.split(b'\n', 1)[0].split()[1:9]]
        return (sum(fields[:3]) + sum(fields[5:7]), fields[7]) if len(fields) == 8 else None


def _grown(before, now):
    """By what factor more was wanted than this machine knows, because its host stole some."""
    if before is None or now is None:
        return 1
    worked, stolen = now[0] - before[0], now[1] - before[1]
    return 1 if worked <= 0 else (worked + stolen) / worked


def _schedule(text):
    """(seconds on a processor, seconds of waiting for one); zeros where the kernel does not say."""
    fields = (text or b'').split()
    return (int(fields[0]) / NANO, int(fields[1]) / NANO) if len(fields) >= 2 else (0.0, 0.0)


def _suspended():
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
