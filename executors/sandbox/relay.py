"""The way out in network mode `proxy`: a port on the loopback whose connections end at swemake's proxy.

The proxy listens on a host socket that cannot be named inside, so the spawner connects to it on the host's
side and passes the connected descriptor in.
"""
import array
import os
import select
import socket

PORT = 3128
CHUNK = 1 << 16


def receive_descriptor(channel):
    """(byte, descriptor or None) from the spawner; an empty byte when it is gone."""
    data, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return data, array.array('i', payload[:4])[0]
    return data, None


class Relay:
    def __init__(self, supervisor, spawner):
        self.supervisor = supervisor
        self.spawner = spawner
        self.waiting = []
        self.server = socket.socket()
        self.server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.server.bind(('127.0.0.1', PORT))
        self.server.listen(128)
        self.server.setblocking(False)
        supervisor.watch(self.server.fileno(), self._accept)

    def _accept(self):
        try:
            client, _ = self.server.accept()
        except OSError:
            return
        client.setblocking(False)
        self.waiting.append(client)
        self.spawner.send(b'c')

    def on_connection(self):
        data, descriptor = receive_descriptor(self.spawner)
        if not data:
            os._exit(0)
        client = self.waiting.pop(0)
        if descriptor is None:
            return client.close()
        os.set_inheritable(descriptor, False)
        Pair(self.supervisor, client, socket.socket(fileno=descriptor))


class Pair:
    """Copies both ways; reads on one side only while the other side takes what it is given."""

    def __init__(self, supervisor, client, proxy):
        self.supervisor = supervisor
        self.sides = (client, proxy)
        self.pending = [bytearray(), bytearray()]  # for client, for proxy
        self.open = [True, True]  # still to be read
        self.events = [select.POLLIN, select.POLLIN]
        proxy.setblocking(False)
        for number, side in enumerate(self.sides):
            supervisor.watch(side.fileno(), lambda n=number: self._turn(n))
        self._interest()

    def _turn(self, number):
        try:
            self._flush(number)
            other = 1 - number
            if self.open[number] and not self.pending[other]:
                data = self.sides[number].recv(CHUNK)
                if data:
                    self.pending[other] += data
                else:
                    self.open[number] = False
                self._flush(other)
        except BlockingIOError:
            pass
        except OSError:
            return self._close()
        if not any(self.open) and not any(self.pending):
            return self._close()
        self._interest()

    def _flush(self, number):
        pending = self.pending[number]
        try:
            while pending:
                del pending[:self.sides[number].send(pending)]
        except BlockingIOError:
            return
        if not self.open[1 - number]:
            self.sides[number].shutdown(socket.SHUT_WR)

    def _interest(self):
        for number, side in enumerate(self.sides):
            events = select.POLLIN if self.open[number] and not self.pending[1 - number] else 0
            events |= select.POLLOUT if self.pending[number] else 0
            if events != self.events[number]:
                self._register(side.fileno(), self.events[number], events)
                self.events[number] = events

    def _register(self, descriptor, before, events):
        """A side with nothing to wait for is left out of poll, which reports a hang-up without being asked."""
        if not events:
            self.supervisor.poll.unregister(descriptor)
        elif before:
            self.supervisor.poll.modify(descriptor, events)
        else:
            self.supervisor.poll.register(descriptor, events)

    def _close(self):
        for number, side in enumerate(self.sides):
            if not self.events[number]:
                self._register(side.fileno(), 0, select.POLLIN)
            self.supervisor.forget(side.fileno())
            side.close()
