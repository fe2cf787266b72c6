"""What was left of the disk, of memory and of processes while a command ran. lack.ts says what the numbers mean.

They are looked at twice a second, when the command prints that something is full, and when it ends badly: a program may
clear away what filled the disk before it ends. Quotas show in no number that code without rights can read, so a file
is asked for, too.
"""
import errno
import os
import time

PERIOD = 0.5
# Seconds between two looks because of what is printed.
SOONEST = 0.1
# Bytes that are asked for.
TRIAL = 1 << 16
# Bytes of a command's output that are searched for the words; a search takes as long as all else that is done with it.
SEARCHED = 1 << 26
REFUSALS = (errno.ENOSPC, errno.EDQUOT)
WORDS = (b'o space left on device', b'uota exceeded', b'annot allocate memory', b'MemoryError', b'temporarily unavailable')


class Lows:
    """The least that was left while one command ran; None for what cannot be read."""

    def __init__(self):
        self.left = None
        self.refused = False

    def saw(self, left):
        pairs = zip(self.left or left, left)
        self.left = [None if now is None else now if least is None else min(least, now) for least, now in pairs]


class Lacks:
    """`store`: descriptor of the folder that holds everything written, with a folder `x/tmp`. `is_bounded`: it has a bound
    of its own. `disk`: the limit in bytes, or None."""

    def __init__(self, store, is_bounded, disk, processes):
        self.store = store
        self.is_bounded = is_bounded
        self.disk = disk
        self.processes = processes
        self.next = self.spoke_at = 0.0

    def look(self, executions, now):
        self.next = now + PERIOD
        left = [*self._disk()[:2], self._memory(), self._threads()]
        for execution in executions:
            execution.lows.saw(left)

    def spoke(self, execution, now):
        """It printed that something is full."""
        if now - self.spoke_at < SOONEST:
            return
        self.spoke_at = now
        self.look([execution], now)
        execution.lows.refused = execution.lows.refused or self._is_refused()

    def left(self, execution):
        """For a command that ended badly: the header's part about it."""
        self.look([execution], time.monotonic())
        refused = execution.lows.refused or self._is_refused()
        free, files, memory, threads = execution.lows.left
        disk = None
        if free is not None:
            disk = {'free': free, 'files': files, 'isRefused': refused, 'isOwn': self._is_own()}
        return {'disk': disk, 'memory': memory, 'threads': threads}

    def _disk(self):
        """(free bytes, free files or None, size in bytes), each None where it cannot be read."""
        try:
            found = os.statvfs(self.store)
        except OSError:
            return None, None, None
        return (found.f_bavail * found.f_frsize, found.f_favail if found.f_files else None,
                found.f_blocks * found.f_frsize)

    def _is_own(self):
        """A file system no larger than the limit is the limit."""
        size = self._disk()[2]
        return self.is_bounded or bool(self.disk and size and size <= self.disk + (1 << 20))

    def _is_refused(self):
        try:
            file = os.open('x/tmp', os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=self.store)
        except OSError as error:
            return error.errno in REFUSALS
        try:
            os.posix_fallocate(file, 0, TRIAL)
        except OSError as error:
            return error.errno in REFUSALS
        finally:
            os.close(file)
        return False

    def _memory(self):
        """Bytes that the machine can still give."""
        text = self.processes.read_top('meminfo') or b''
        fields = dict(line.split(b':', 1) for line in text.splitlines() if b':' in line)
        try:
            available = int(fields[b'MemAvailable'].split()[0])
            if (self.processes.read_top('sys/vm/overcommit_memory') or b'').strip() == b'2':
                promised = int(fields[b'CommitLimit'].split()[0]) - int(fields[b'Committed_AS'].split()[0])
                available = min(available, promised)
        except (KeyError, ValueError, IndexError):
            return None
        return max(0, available) * 1024

    def _threads(self):
        """Threads that the machine can still start."""
        try:
            there = int(self.processes.read_top('loadavg').split()[3].split(b'/')[1])
            most = min(int(self.processes.read_top('sys/kernel/' + name)) for name in ('threads-max', 'pid_max'))
        except (AttributeError, ValueError, IndexError, TypeError):
            return None
        return max(0, most - there)
