"""A process beside the spawner that frees the kernel resources of ended workspaces.

Taking down a tree of mounts waits for all processors. The dead workspace would wait for it, and the caller that closes
it; so the spawner keeps the mount namespace alive by a descriptor, and passes that on when all have been told.
"""
import array
import json
import os
import signal
import socket

import cgroups
import kernel


class Reaper:
    def __init__(self):
        self._start()

    def _start(self):
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = kernel.clone(0)
        if self.pid == 0:
            self.channel.close()
            _work(theirs)
        theirs.close()

    def take(self, groups, mounts):
        rights = [] if mounts is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [mounts]))]
        message = [json.dumps(groups).encode()]
        try:
            self.channel.sendmsg(message, rights)
        except (BrokenPipeError, ConnectionResetError):  # something killed it; a later run removes what it had left to do
            self.channel.close()
            self._start()
            self.channel.sendmsg(message, rights)
        if mounts is not None:
            os.close(mounts)

    def finish(self):
        """Returns when all is freed."""
        self.channel.close()
        try:
            os.waitpid(self.pid, 0)
        except ChildProcessError:  # something killed it
            pass


def _work(channel):
    try:
        kernel.close_all_but(channel.fileno())
        signal.set_wakeup_fd(-1)
        while True:
            data, ancillary, _, _ = channel.recvmsg(1 << 16, socket.CMSG_SPACE(4))
            if not data:
                break
            cgroups.remove(json.loads(data))
            for _, _, payload in ancillary:
                os.close(array.array('i', payload[:4])[0])
    finally:
        os._exit(0)
