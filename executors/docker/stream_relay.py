"""Ports of a container's loopback whose connections go through the container's own stream to Node, and from there to Unix
sockets of its machine. The container needs no network of its own for it.

Each side sends at most a window of bytes that the other one has not yet passed on.
"""
import select
import socket

import relay

WINDOW = 1 << 18


class StreamRelay:
    def __init__(self, supervisor, ports):
        self.supervisor = supervisor
        self.links = {}
        self.count = 0
        self.ports = relay.Ports(supervisor, ports, self._take)

    def _take(self, place, client):
        self.count += 1
        self.links[self.count] = Link(self, self.count, client)
        self.tell(self.count, 'open', place=place)
        self._look()

    def tell(self, number, what, data=b'', **more):
        self.supervisor.reply(dict(more, net=what, link=number), data)

    def on_frame(self, header, body):
        link = self.links.get(header['link'])
        if link is not None:
            link.on_frame(header, body)

    def ended(self, number):
        del self.links[number]
        self._look()

    def _look(self):
        self.ports.let_in(len(self.links) < relay.MOST)


class Link:
    """One connection of a program inside."""

    def __init__(self, owner, number, client):
        self.owner = owner
        self.number = number
        self.client = client
        self.pending = bytearray()  # for the client
        self.unanswered = 0  # sent to Node, and not yet passed on there
        self.reading = True
        self.ended = False  # Node sends no more
        self.events = select.POLLIN
        owner.supervisor.watch(client.fileno(), self._turn)

    def on_frame(self, header, body):
        what = header['net']
        if what == 'data':
            self.pending += body
        elif what == 'taken':
            self.unanswered -= header['bytes']
        elif what == 'end':
            self.ended = True
        elif what == 'close':
            # What was sent before still arrives.
            self.ended, self.reading = True, False
        elif what == 'reset':
            return self._close(relay.reset)
        self._turn()

    def _turn(self):
        try:
            self._flush()
            if self.reading and self.unanswered < WINDOW:
                data = self.client.recv(relay.CHUNK)
                if data:
                    self.unanswered += len(data)
                    self.owner.tell(self.number, 'data', data)
                else:
                    self.reading = False
                    self.owner.tell(self.number, 'end')
        except BlockingIOError:
            pass
        except (OSError, MemoryError):
            self.pending.clear()
            self.ended, self.reading = True, False
        if self.ended and not self.pending and not self.reading:
            self.owner.tell(self.number, 'close')
            return self._close(socket.socket.close)
        self._interest()

    def _flush(self):
        sent = 0
        try:
            while self.pending:
                count = self.client.send(self.pending)
                del self.pending[:count]
                sent += count
        except BlockingIOError:
            pass
        finally:
            if sent:
                self.owner.tell(self.number, 'taken', bytes=sent)
        if self.ended and not self.pending:
            self.client.shutdown(socket.SHUT_WR)

    def _interest(self):
        wants_more = self.reading and self.unanswered < WINDOW
        events = (select.POLLIN if wants_more else 0) | (select.POLLOUT if self.pending else 0)
        if events != self.events:
            self.owner.supervisor.expect(self.client.fileno(), events)
            self.events = events

    def _close(self, end):
        self.owner.supervisor.forget(self.client.fileno())
        end(self.client)
        self.owner.ended(self.number)
