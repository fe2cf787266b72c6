"""One running command: its pipes, its deadline, and its output within a bound."""
import os
import time
from collections import deque

import lacks

CHUNK = 1 << 16
# Chunks that are read of one command before others and the deadline get their turn, even if it prints without end.
CHUNKS_PER_TURN = 16
# Seconds to wait for the rest of the output after the command has ended.
DRAIN_SECONDS = 0.05
# Overhead in bytes of one piece, so that many tiny pieces are limited, too.
PIECE_OVERHEAD = 64


class Capture:
    """Pieces of both streams in order of arrival: the first half of the limit, and the last."""

    def __init__(self, limit):
        self.half = max(1, limit // 2)
        self.head, self.head_size = [], 0
        self.tail, self.tail_size = deque(), 0
        self.dropped = {1: 0, 2: 0}

    def add(self, stream, data):
        room = self.half - self.head_size
        if room > 0:
            self._append(self.head, stream, data[:room])
            self.head_size += min(room, len(data))
            data = data[room:]
        if not data:
            return
        self._append(self.tail, stream, data)
        self.tail_size += len(data)
        while self.tail_size + PIECE_OVERHEAD * len(self.tail) > self.half + 2 * CHUNK and len(self.tail) > 1:
            old_stream, old = self.tail.popleft()
            self.tail_size -= len(old)
            self.dropped[old_stream] += len(old)

    def _append(self, pieces, stream, data):
        if pieces and pieces[-1][0] == stream and len(pieces[-1][1]) < CHUNK:
            pieces[-1][1].extend(data)
        else:
            pieces.append((stream, bytearray(data)))

    def finish(self):
        """Cuts the tail to its half; returns (stream, bytes) pieces of head and tail."""
        while self.tail_size > self.half:
            stream, old = self.tail.popleft()
            cut = min(len(old), self.tail_size - self.half)
            self.tail_size -= cut
            self.dropped[stream] += cut
            if cut < len(old):
                self.tail.appendleft((stream, old[cut:]))
        return self.head, list(self.tail)


class Execution:
    def __init__(self, header, mark, running):
        self.id = header['id']
        self.mark = mark
        self.pid = self.memory = self.hindrance = None
        self.started = time.monotonic()
        self.deadline = self.started + header['timeout']
        self.paused = 0.0
        self.status = None
        self.timed_out = self.killed = self.ended = False
        self.drained = None
        self.finished = None
        self.capture = Capture(header['maxOutput'])
        self.unsent = header['live']  # bytes that Node is told while the command runs
        self.fresh = []
        self.lows = lacks.Lows()
        self.spoke = False
        self.unsearched = lacks.SEARCHED
        # Marks of commands that ran at the same time; their orphans do not belong to this one.
        self.others = {other.mark for other in running}
        for other in running:
            other.others.add(mark)
        self.readers, self.writers = {}, {}
        for stream in (1, 2):
            self.readers[stream], self.writers[stream] = os.pipe2(os.O_CLOEXEC)
            os.set_blocking(self.readers[stream], False)

    def begin(self, pid, now):
        """Its process is there. Its time limit begins now: the time that starting it took does not count."""
        made = now - self.started
        self.pid, self.started, self.deadline = pid, self.started + made, self.deadline + made

    def close_writers(self):
        for descriptor in self.writers.values():
            os.close(descriptor)

    def discard(self):
        for descriptor in self.readers.values():
            os.close(descriptor)

    def take(self, stream):
        """Reads what is there; False at the end of the stream."""
        for _ in range(CHUNKS_PER_TURN):
            try:
                data = os.read(self.readers[stream], CHUNK)
            except BlockingIOError:
                return True
            if not data:
                return False
            self.capture.add(stream, data)
            if self.unsent > 0:
                self.fresh.append(data[:self.unsent])
                self.unsent -= len(self.fresh[-1])
            if self.unsearched > 0 and not self.spoke:
                self.unsearched -= len(data)
                self.spoke = any(word in data for word in lacks.WORDS)
        return True

    def note(self, text):
        self.capture.add(2, text.encode())

    def exited(self, status):
        self.status = status
        self.finished = time.monotonic()
        self.drained = self.finished + DRAIN_SECONDS

    def next_moment(self):
        if self.status is not None:
            return self.drained
        return float('inf') if self.timed_out else self.deadline

    def report(self):
        """The answer's header and bytes. [0, stdout, stderr] among the segments: the bytes that were left out."""
        head, tail = self.capture.finish()
        dropped = self.capture.dropped
        truncated = dropped[1] + dropped[2] > 0
        segments = [[stream, len(data)] for stream, data in head]
        if truncated:
            segments.append([0, dropped[1], dropped[2]])
        segments += [[stream, len(data)] for stream, data in tail]
        header = {'id': self.id, 'status': self.status, 'timedOut': self.timed_out, 'ended': self.ended, 'truncated': truncated,
                  'seconds': max(0, self.finished - self.started - self.paused), 'segments': segments}
        return (header, *[data for _, data in head + tail])
