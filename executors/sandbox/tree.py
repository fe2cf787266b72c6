"""Ends everything that one command started, and nothing else, by reading /proc from process 1."""
import os
import signal
import time

ROUNDS = 40
# Seconds for a killed process to end. It starts nothing any more, but its memory is freed first.
END_SECONDS = 5
# Bytes; what is read of a process is one line.
SIZE = 4096


class Processes:
    """The processes of this namespace. /proc is opened once, since a command may close the way to it: chmod 0 /."""

    def __init__(self):
        self.folder = os.open('/proc', os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def others(self):
        """Numbers of all but process 1."""
        return [int(name) for name in os.listdir(self.folder) if name.isdigit() and name != '1']

    def read(self, pid, name):
        """What /proc/PID/NAME says; None when the process is gone."""
        return self.read_top('%d/%s' % (pid, name))

    def read_top(self, name):
        """What /proc/NAME says; None without such a file."""
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.folder)
        except OSError:
            return None
        try:
            return os.read(descriptor, SIZE)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def threads(self, pid):
        """Numbers of its threads; none when it is gone."""
        try:
            folder = os.open('%d/task' % pid, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.folder)
        except OSError:
            return []
        try:
            return [int(name) for name in os.listdir(folder)]
        except OSError:
            return []
        finally:
            os.close(folder)

    def stat(self, pid):
        """(parent, start in ticks, state), or None."""
        record = self.read(pid, 'stat')
        if not record:
            return None
        fields = record[record.rindex(b')') + 2:].split()
        return int(fields[1]), int(fields[19]), fields[0]

    def mark(self, pid):
        text = self.read(pid, 'oom_score_adj')
        return int(text) if text else None


def _members(processes, root, since, others):
    """(pid, start) of the root, its descendants, and orphans that began after it, unless another command's mark is on
    them."""
    found = {pid: record for pid in processes.others() for record in [processes.stat(pid)] if record}
    chosen = {root} if root in found else set()
    for pid, (parent, start, _) in found.items():
        if parent == 1 and pid != root and start >= since and processes.mark(pid) not in others:
            chosen.add(pid)
    while True:
        more = {pid for pid, (parent, _, _) in found.items() if parent in chosen} - chosen
        if not more:
            return {(pid, found[pid][1]) for pid in chosen if found[pid][2] not in (b'Z', b'X')}
        chosen |= more


def kill(processes, root, others):
    """Kills until nothing is found; a child whose parent just died is an orphan and found in the next round.

    `others` holds the marks of commands that run at the same time. A fork bomb that outruns the rounds loses
    everything but process 1.
    """
    record = processes.stat(root)
    if record is None:
        return
    since = record[1]
    killed, rounds, deadline = set(), 0, time.monotonic() + END_SECONDS
    while rounds < ROUNDS:
        members = _members(processes, root, since, others)
        if not members:
            return
        if members <= killed:
            if time.monotonic() > deadline:
                return
            time.sleep(0.001)
            continue
        rounds += 1
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid, _ in members - killed:
                kill_one(pid, number)
        killed |= members
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_one(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass
