"""Counts of the kernel about a workspace's memory: how often its limit was met, and how many processes the memory
killer ended.

A workspace sees no control group, so the files are opened on the host and read through their descriptors, by the
spawner and by process 1 alike. Where no group holds the limit, the whole host's count stands in: it tells that the
killer struck, and not whom. What the numbers mean is told in memory.ts.

Version 1 counts no meetings (its failcnt stands still in some kernels). There, the highest use is held against the
limit, and begun anew each time that it came up to it.
"""
import os

SIZE = 1 << 16
HOST = '/proc/vmstat'
V1_LIMIT, V1_HIGHEST = 'memory.limit_in_bytes', ['memory.max_usage_in_bytes', 'memory.memsw.max_usage_in_bytes']
# Version of the hierarchy -> its files; the first holds the kills.
FILES = {2: ['memory.events'], 1: ['memory.oom_control', V1_LIMIT] + V1_HIGHEST, 0: [HOST]}
# Bytes that one refused request may have asked for.
LARGEST_REQUEST = 4 << 20
# Stands for "met, number unknown": more than any real count.
OFTEN = 1 << 40


def number_in(text, name):
    """The number in the line of that name; None without one. The host's file has 180 lines, and each command asks twice."""
    lines = b'\n' + text
    start = lines.find(b'\n' + name + b' ')
    return None if start < 0 else int(lines[start + len(name) + 2:].split(b'\n', 1)[0])


class MemoryEvents:
    def __init__(self, version, descriptors, met=0):
        self.version = version
        self.descriptors = descriptors
        self.met = met

    @classmethod
    def of_group(cls, version, folder):
        """The kernel may not count swap, so the last file may not be there."""
        descriptors = []
        for name in FILES[version]:
            flags = os.O_RDWR if name in V1_HIGHEST else os.O_RDONLY
            try:
                descriptors.append(os.open(os.path.join(folder, name), flags | os.O_CLOEXEC))
            except FileNotFoundError:
                pass
        return cls(version, descriptors)

    @classmethod
    def of_host(cls):
        return cls.of_group(0, '/')

    def begin(self):
        """The group now serves another workspace: counts begin again, and kills continue from the current number."""
        self.met = 0
        for descriptor in self.descriptors[2:]:
            os.write(descriptor, b'0')

    def read(self, step=1):
        """[how often the limit was met, how many were killed]; None for what is not known."""
        try:
            texts = [os.pread(descriptor, SIZE, 0) for descriptor in self.descriptors]
            if not texts:
                return [None, None]
            killed = number_in(texts[0], b'oom_kill')
            if self.version == 0:
                return [None, killed]
            if self.version == 2:
                return [number_in(texts[0], b'oom'), killed]
            limit, *highest = map(int, texts[1:])
            if max(highest) + LARGEST_REQUEST > limit:
                self.met += step
                for descriptor in self.descriptors[2:]:
                    os.write(descriptor, b'0')
            return [self.met, killed]
        except OSError:
            return [None, None]  # the group is gone

    def read_last(self):
        """The same for a reader that has not read the counts from the beginning."""
        return self.read(OFTEN)

    def close(self):
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
