"""The way out in network mode `proxy`: a port on the loopback whose connections go through the container's own stream to
Node, and from there to swemake's proxy. The container has no network of its own for it.

Each side sends at most a window of bytes that the other one has not yet passed on.
"""
import select
import socket

PORT = 3128
CHUNK = 1 << 16
WINDOW = 1 << 20


class StreamRelay:
    def __init__(self, supervisor):
        self.supervisor = supervisor
        self.links = {}
        self.count = 0
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
        self.count += 1
        self.links[self.count] = Link(self, self.count, client)
        self.tell(self.count, 'open')

    def tell(self, number, what, data=b'', **more):
        self.supervisor.reply(dict(more, net=what, link=number), data)

    def on_frame(self, header, body):
        link = self.links.get(header['link'])
        if link is not None:
            link.on_frame(header, body)


class Link:
    """One connection of a program inside."""

    def __init__(self, relay, number, client):
        self.relay = relay
        self.number = number
        self.client = client
        self.pending = bytearray()  # for the client
        self.unanswered = 0  # sent to Node, and not yet passed on there
        self.reading = True
        self.ended = False  # Node sends no more
        self.events = select.POLLIN
        relay.supervisor.watch(client.fileno(), self._turn)

    def on_frame(self, header, body):
        what = header['net']
        if what == 'data':
            self.pending += body
        elif what == 'taken':
            self.unanswered -= header['bytes']
        elif what == 'end':
            self.ended = True
        elif what == 'close':
            return self._close()
        self._turn()

    def _turn(self):
        try:
            self._flush()
            if self.reading and self.unanswered < WINDOW:
                data = self.client.recv(CHUNK)
                if data:
                    self.unanswered += len(data)
                    self.relay.tell(self.number, 'data', data)
                else:
                    self.reading = False
                    self.relay.tell(self.number, 'end')
        except BlockingIOError:
            pass
        except OSError:
            self.relay.tell(self.number, 'close')
            return self._close()
        if self.ended and not self.pending and not self.reading:
            self.relay.tell(self.number, 'close')
            return self._close()
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
                self.relay.tell(self.number, 'taken', bytes=sent)
        if self.ended and not self.pending:
            self.client.shutdown(socket.SHUT_WR)

    def _interest(self):
        """A side with nothing to wait for is left out of poll, which reports a hang-up without being asked."""
        wants_more = self.reading and self.unanswered < WINDOW
        events = (select.POLLIN if wants_more else 0) | (select.POLLOUT if self.pending else 0)
        if events == self.events:
            return
        poll, descriptor = self.relay.supervisor.poll, self.client.fileno()
        if not events:
            poll.unregister(descriptor)
        elif self.events:
            poll.modify(descriptor, events)
        else:
            poll.register(descriptor, events)
        self.events = events

    def _close(self):
        if not self.events:
            self.relay.supervisor.poll.register(self.client.fileno(), select.POLLIN)
        self.relay.supervisor.forget(self.client.fileno())
        self.client.close()
        self.relay.links.pop(self.number, None)
