"""A process beside the spawner that every workspace is a copy of.

A process that is copied has to copy each page that it writes afterwards, as the copy has. The spawner writes hundreds for a
workspace, this process a handful, because it runs without Python (calls.py). The copies are the spawner's children.
"""
import array
import os
import signal
import socket
import struct

import calls
import kernel
import page_file

ORDER = struct.Struct('=qq')
CHANNEL = 3
FIRST = 4  # of the descriptors that come with an order
CLONE_PARENT = 0x8000
LAST = 0x7FFFFFFF


class Mailbox:
    """A place in memory for one message and its descriptors, as recvmsg wants it. `parts`: (address, size)."""

    def __init__(self, parts, descriptors):
        vectors = b''.join(struct.pack('=QQ', address, size) for address, size in parts)
        room = socket.CMSG_SPACE(4 * descriptors)
        self.memory = calls.Memory(56 + len(vectors) + room)
        start = self.memory.address
        header = struct.pack('=QIIQQQQiI', 0, 0, 0, start + 56, len(parts), start + 56 + len(vectors), room, 0, 0)
        self.memory.bytes[:56 + len(vectors)] = header + vectors
        self.address = start


def receive(program, channel, mailbox):
    """Waits for a message; ends when no sender is left."""
    program.call('recvmsg', channel, mailbox.address, socket.MSG_CMSG_CLOEXEC, zero=calls.END)


class Zygote:
    """`wake(address, error)` continues in a copy that has stopped, and never returns."""

    def __init__(self, descriptors, wake):
        self.descriptors = descriptors
        self.wake = wake
        self.channel = None
        size = 6 * calls.STEP
        self.memory = calls.Memory(size + 8)
        place = self.memory.address
        answer, clone = place + size, place + calls.STEP
        # An order is written into the call itself: its flags, and where a copy, for which it answers 0, goes on.
        flags, begin = clone + calls.OFFSET_OF_FIRST, clone + calls.OFFSET_OF_ZERO
        self.mailbox = Mailbox([(flags, 8), (begin, 8)], descriptors)
        program = calls.Program()
        receive(program, CHANNEL, self.mailbox)
        program.call('clone', 0, 0, 0, 0, 0, allowed=calls.ANY, store=answer)
        program.call('sendto', CHANNEL, answer, 8, socket.MSG_NOSIGNAL, 0, 0)
        program.call('close_range', FIRST, LAST, 0)
        program.go(place)
        program.call('exit_group', 0)
        self.memory.bytes[:size] = program.at(place)

    def start(self):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if kernel.clone(0) == 0:
            self._work(theirs)
        theirs.close()

    def clone(self, flags, program, descriptors):
        """A copy in new namespaces that begins with `program`, and has the descriptors from `FIRST` on; its pid."""
        pid = self._order(flags, program, descriptors)
        if pid is None:  # something killed it, for example the kernel for want of memory
            self.channel.close()
            self.start()
            pid = self._order(flags, program, descriptors)
        if pid is None:
            raise kernel.KernelError(3, 'clone: the process that is copied is gone')
        if pid < 0:
            raise kernel.KernelError(-pid, 'clone: %s' % os.strerror(-pid))
        return pid

    def _order(self, flags, program, descriptors):
        """What clone answered; None from a process that is gone."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', descriptors))]
        try:
            self.channel.sendmsg([ORDER.pack(flags | CLONE_PARENT | kernel.SIGCHLD, program)], rights)
            answer = self.channel.recv(8)
        except (BrokenPipeError, ConnectionResetError):
            return None
        return struct.unpack('=q', answer)[0] if len(answer) == 8 else None

    def finish(self):
        if self.channel is not None:
            self.channel.close()

    def _work(self, channel):
        try:
            signal.set_wakeup_fd(-1)
            own = os.getpid()
            if channel.fileno() != CHANNEL:
                os.dup2(channel.fileno(), CHANNEL)
            kernel.close_all_but(CHANNEL)
            address, error = page_file.walk_moved(self.memory.address)
            if os.getpid() != own:
                self.wake(address, error)
        finally:
            os._exit(70)
