"""Ports of a workspace's loopback whose connections end at Unix sockets of the host: swemake's proxy, and services that
programs inside may reach.

Such a socket cannot be named inside. So the spawner connects on the host's side, to a socket of this workspace's list,
and passes the connected descriptor in. Programs inside decide how many connections they open and whether they read, so
the number of connections is bounded here, and for each one the number of bytes that are held.
"""
import array
import os
import select
import socket
import struct

CHUNK = 1 << 16
# Connections of a workspace at once. Others wait in the kernel until one has ended.
MOST = 256
# Connections for which the spawner owes an answer. The channel holds them all, so neither side waits for the other.
MOST_ASKED = 16
# The number of a connection, and the place of its socket in the list. The answer has the same.
ASK = struct.Struct('=II')


class Ports:
    """Listens on ports of the loopback; 0: one that is free. `take(place, client)` gets each connection."""

    def __init__(self, supervisor, ports, take):
        self.supervisor = supervisor
        self.take = take
        self.is_open = True
        self.servers = [self._listen(place, port) for place, port in enumerate(ports)]

    def numbers(self):
        return [server.getsockname()[1] for server in self.servers]

    def let_in(self, has_room):
        """Without room nothing is accepted."""
        if has_room == self.is_open:
            return
        self.is_open = has_room
        for server in self.servers:
            self.supervisor.expect(server.fileno(), select.POLLIN if has_room else 0)

    def _listen(self, place, port):
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(('127.0.0.1', port))
        server.listen(MOST)
        server.setblocking(False)
        self.supervisor.watch(server.fileno(), lambda: self._accept(place, server))
        return server

    def _accept(self, place, server):
        if not self.is_open:
            return  # the last room was taken in the same turn
        try:
            client, _ = server.accept()
        except OSError:
            return
        client.setblocking(False)
        self.take(place, client)


def reset(client):
    """Ends a connection so that the program sees an error, as it does where no program listens."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    client.close()


def receive_descriptor(channel):
    """(message, descriptor or None) from the spawner; an empty message when it is gone."""
    data, ancillary, _, _ = channel.recvmsg(ASK.size, socket.CMSG_SPACE(4))
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return data, array.array('i', payload[:4])[0]
    return data, None


class Relay:
    def __init__(self, supervisor, spawner, ports):
        self.supervisor = supervisor
        self.spawner = spawner
        self.waiting = {}
        self.pairs = self.count = 0
        self.ports = Ports(supervisor, ports, self._ask)

    def _ask(self, place, client):
        self.count = (self.count + 1) % (1 << 32)
        self.waiting[self.count] = client
        self.spawner.send(ASK.pack(self.count, place))
        self._look()

    def on_connection(self):
        data, descriptor = receive_descriptor(self.spawner)
        if not data:
            os._exit(0)
        client = self.waiting.pop(ASK.unpack(data)[0])
        if descriptor is None:
            reset(client)
        else:
            os.set_inheritable(descriptor, False)
            self.pairs += 1
            Pair(self, client, socket.socket(fileno=descriptor))
        self._look()

    def ended(self):
        self.pairs -= 1
        self._look()

    def _look(self):
        asked = len(self.waiting)
        self.ports.let_in(asked < MOST_ASKED and self.pairs + asked < MOST)


class Pair:
    """Copies both ways; reads on one side only while the other side takes what it is given."""

    def __init__(self, relay, client, host):
        self.relay = relay
        self.sides = (client, host)
        self.pending = [bytearray(), bytearray()]  # for client, for host
        self.open = [True, True]  # still to be read
        self.events = [select.POLLIN, select.POLLIN]
        host.setblocking(False)
        for number, side in enumerate(self.sides):
            relay.supervisor.watch(side.fileno(), lambda n=number: self._turn(n))

    def _turn(self, number):
        self._flush(number)
        if self.open[number] and not self.pending[1 - number]:
            self._read(number)
        if any(self.open) or any(self.pending):
            self._interest()
        else:
            self._close()

    def _read(self, number):
        other = 1 - number
        try:
            data = self.sides[number].recv(CHUNK)
            self.pending[other] += data
            self.open[number] = bool(data)
        except BlockingIOError:
            return
        except (OSError, MemoryError):
            # This side is gone, so nothing can be passed on to it. What it has sent still arrives.
            self.open = [False, False]
            self.pending[number].clear()
        self._flush(other)

    def _flush(self, number):
        """Passes on what it can. If this side takes nothing more, the other one is not read any more."""
        pending, other = self.pending[number], 1 - number
        try:
            while pending:
                del pending[:self.sides[number].send(pending)]
            if not self.open[other]:
                self.sides[number].shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        except OSError:
            pending.clear()
            self.open[other] = False

    def _interest(self):
        for number, side in enumerate(self.sides):
            events = select.POLLIN if self.open[number] and not self.pending[1 - number] else 0
            events |= select.POLLOUT if self.pending[number] else 0
            if events != self.events[number]:
                self.relay.supervisor.expect(side.fileno(), events)
                self.events[number] = events

    def _close(self):
        for side in self.sides:
            self.relay.supervisor.forget(side.fileno())
            side.close()
        self.relay.ended()
