"""Checks from time to time the limits that the kernel does not enforce here."""
import os
from collections import namedtuple

PERIOD = 0.25
PAGE = os.sysconf('SC_PAGE_SIZE')
Verdict = namedtuple('Verdict', 'text pid')


class Watchdog:
    """`limits`: memory and disk in bytes, both optional. `store`: the folder of everything written. `processes`: those of
    tree.py."""

    def __init__(self, limits, store, processes):
        self.processes = processes
        self.memory = limits.get('memory')
        self.disk = limits.get('disk')
        self.store = store
        self.active = self.memory is not None or self.disk is not None
        self.next = 0
        self.free = self._free() if self.disk else 0
        self.used = 0

    def due(self, now):
        if not self.active or now < self.next:
            return False
        self.next = now + PERIOD
        return True

    def check(self):
        if self.memory is not None:
            total, largest = self._memory()
            if total > self.memory:
                return Verdict('\nswemake: over the memory limit of %d bytes\n' % self.memory, largest)
        if self.disk is not None and self._over_disk():
            return Verdict('\nswemake: over the disk limit of %d bytes\n' % self.disk, None)
        return None

    def _memory(self):
        total, largest, largest_pid = 0, 0, None
        for pid in self.processes.others():
            text = self.processes.read(pid, 'statm')
            if not text:
                continue
            fields = text.split()
            resident = (int(fields[1]) - int(fields[2])) * PAGE  # shared file pages are not counted
            total += resident
            if resident > largest:
                largest, largest_pid = resident, pid
        return total, largest_pid

    def _free(self):
        found = os.statvfs(self.store)
        return found.f_bfree * found.f_frsize

    def _over_disk(self):
        """Walks the folder only when the file system has lost as many bytes as are left of the limit."""
        free = self._free()
        if self.free - free < self.disk - self.used:
            return False
        self.free, self.used = free, 0
        for _, _, files, folder in os.fwalk('.', dir_fd=self.store):
            for name in files:
                try:
                    self.used += os.stat(name, dir_fd=folder, follow_symlinks=False).st_blocks * 512
                except OSError:
                    pass
        return self.used > self.disk
