"""Connects workspaces to sockets of the host that they cannot name themselves: to those of their own list, and no others.

The spawner makes workspaces meanwhile, so nothing here waits: neither for a service that is busy nor for a workspace
that does not take its answer.
"""
import array
import os
import socket

import relay

# Until a service that was busy is asked again.
AGAIN_MILLISECONDS = 10
# Bytes of a path that the address of a socket holds.
LONGEST_PATH = 100


class Connector:
    def __init__(self):
        self.late = []  # (workspace, number, path) of services that were busy

    def on_ask(self, made):
        """Answers one request of a workspace; False when it sends no more."""
        try:
            asked = made.channel.recv(relay.ASK.size)
        except OSError:
            return False
        if len(asked) != relay.ASK.size:
            return False
        number, place = relay.ASK.unpack(asked)
        if place >= len(made.sockets) or self._owed(made) >= relay.MOST_ASKED:
            self._tell(made, number, None)
        elif not self._answer(made, number, made.sockets[place]):
            self.late.append((made, number, made.sockets[place]))
        return True

    def ask_again(self):
        """Each service is asked until it is busy."""
        busy, late = set(), []
        for made, number, path in self.late:
            if path in busy or not self._answer(made, number, path):
                busy.add(path)
                late.append((made, number, path))
        self.late = late

    def forget(self, made):
        self.late = [entry for entry in self.late if entry[0] is not made]

    def _owed(self, made):
        return sum(owed is made for owed, _, _ in self.late)

    def _answer(self, made, number, path):
        """False while the service is busy."""
        try:
            with socket.socket(socket.AF_UNIX) as host:
                host.setblocking(False)
                _connect(host, path)
                self._tell(made, number, host)
        except BlockingIOError:
            return False
        except OSError:
            self._tell(made, number, None)
        return True

    def _tell(self, made, number, host):
        """Without a descriptor the connection is refused."""
        rights = [] if host is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [host.fileno()]))]
        try:
            made.channel.sendmsg([relay.ASK.pack(number, 0)], rights, socket.MSG_DONTWAIT)
        except OSError:
            pass  # it has just ended, or takes no answers


def _connect(host, path):
    if len(os.fsencode(path)) <= LONGEST_PATH:
        return host.connect(path)
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        host.connect('/proc/self/fd/%d' % handle)
    finally:
        os.close(handle)
