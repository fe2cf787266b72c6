"""One process per run that makes workspaces: it stays on the host and forks process 1 of each.

It ends, and takes everything with it, when its socket to Node closes. Node's part is spawner.ts.
Usage: python3 -ISE spawner.py '<settings as JSON>', with the control socket as descriptor 3.
"""
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import frames  # noqa: E402
import removal  # noqa: E402
import skeleton  # noqa: E402
import title  # noqa: E402
from connector import AGAIN_MILLISECONDS, Connector  # noqa: E402
from idmap import IdMap  # noqa: E402
from workspace_factory import WorkspaceFactory  # noqa: E402

CONTROL = 3
# Spare workspaces. With two, one is left while the one that was taken is replaced.
AHEAD = 2
# While requests follow each other: a new spare may wait 10 ms for its control group.
MOST_AHEAD = 6
IDLE_MILLISECONDS = 3


class Spawner:
    def __init__(self, settings):
        self.folder = settings['folder']
        os.chdir(self.folder)
        self.control = socket.socket(fileno=CONTROL)
        os.set_inheritable(CONTROL, False)
        self.reader = frames.Reader()
        self.workspaces = {}
        self.channels = {}
        self.connector = Connector()
        self.spares = []
        self.spares_failed = False
        self.asked, self.asked_at = 0, 0  # requests that followed each other, and the time of the last
        self.factory = WorkspaceFactory(settings, IdMap.detect())
        self.poll = select.poll()
        self.poll.register(CONTROL, select.POLLIN)
        self.children = self._watch_children()

    def _watch_children(self):
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self.poll.register(reader, select.POLLIN)
        return reader

    def run(self):
        while True:
            wait = self._until_spare()
            events = self.poll.poll(self._poll_timeout(wait))
            if wait is not None and self._is_quiet(events, wait):
                self._make_spare()
            if self.connector.late:
                self.connector.ask_again()
            for descriptor, _ in events:
                if descriptor == CONTROL:
                    self._on_control()
                elif descriptor == self.children:
                    self._reap()
                elif descriptor in self.channels:
                    self._on_channel(self.channels[descriptor])

    def _poll_timeout(self, wait):
        if not self.connector.late:
            return wait
        return AGAIN_MILLISECONDS if wait is None else min(wait, AGAIN_MILLISECONDS)

    def _until_spare(self):
        """Milliseconds until a spare is made if nothing happens; None: there are enough. A request must not wait while a
        spare is made. So a spare is made when there is no request; if another one is left and requests do not follow each
        other, only after some time without requests."""
        ahead = min(max(AHEAD, self.asked), MOST_AHEAD)
        if len(self.spares) >= ahead or self.spares_failed:
            return None
        return IDLE_MILLISECONDS if self.spares and ahead == AHEAD else 0

    def _is_quiet(self, events, wait):
        """What workspaces ask of the connector does not count: a program inside could ask without end."""
        if not events:
            return True
        asks = all(descriptor in self.channels for descriptor, _ in events)
        return asks and time.monotonic() - self.asked_at >= wait / 1000

    def _count_asked(self):
        now = time.monotonic()
        follows = now - self.asked_at < IDLE_MILLISECONDS / 1000
        self.asked, self.asked_at = self.asked + 1 if follows else 1, now

    def _on_control(self):
        try:
            data = self.control.recv(1 << 16)
        except ConnectionResetError:
            data = b''  # Node was killed before it had read what it was told
        if not data:
            self.finish()
        for header, request in self.reader.feed(data):
            if header['op'] == 'open':
                self._count_asked()
                self._open(header['name'], header['ways'], request)
            else:
                self._end(header['name'])

    def _tell(self, event):
        try:
            frames.send(self.control, event)
        except OSError:
            pass  # Node is gone; the next poll says so

    def _open(self, name, ways, request):
        """`ways`: ports of its loopback, each with the host socket at which its connections end."""
        made = None
        try:
            wanted = self.factory.wanted(request)
            made = self._take(wanted.host_network)
            self.factory.settle(made, name, ways, wanted)
        except (OSError, skeleton.ViewError) as error:
            if made is not None:
                self.factory.abandon(made)
            self._tell({'event': 'refused', 'name': name, 'detail': str(error), 'code': getattr(error, 'errno', None)})
            return
        self.workspaces[made.pid] = made
        self.channels[made.channel.fileno()] = made
        self.poll.register(made.channel, select.POLLIN)

    def _take(self, host_network):
        if not host_network and self.spares:
            return self.spares.pop(0)
        made = self.factory.clone(host_network)
        self.spares_failed = False
        return made

    def _make_spare(self):
        try:
            self.spares.append(self.factory.clone(host_network=False))
        except OSError:
            self.spares_failed = True  # the next request gets the reason

    def _on_channel(self, made):
        if not self.connector.on_ask(made):
            self._drop_channel(made)

    def _drop_channel(self, made):
        if self.channels.pop(made.channel.fileno(), None) is not None:
            self.poll.unregister(made.channel)
            self.connector.forget(made)

    def _end(self, name):
        for made in self.workspaces.values():
            if made.name == name:
                made.ended = True
                os.kill(made.pid, signal.SIGKILL)

    def _reap(self):
        try:
            os.read(self.children, 512)
        except BlockingIOError:
            pass
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.workspaces:
                self._closed(self.workspaces.pop(pid), status)
                continue
            for spare in [spare for spare in self.spares if spare.pid == pid]:
                self.spares.remove(spare)
                self.factory.free(spare)

    def _closed(self, made, status):
        count = None if made.ended else made.group.memory.read_last()
        self._tell({'event': 'closed', 'name': made.name, 'status': status, 'memory': count})
        self._drop_channel(made)
        self.factory.free(made)

    def finish(self):
        """Called when Node has closed or died: ends everything and removes all files."""
        remaining = list(self.workspaces.values()) + self.spares
        for made in remaining:
            os.kill(made.pid, signal.SIGKILL)
        for made in remaining:
            os.waitpid(made.pid, 0)
            self.factory.free(made)
        self.factory.finish()
        os.chdir('/')
        try:
            removal.remove_tree(self.folder)
        except OSError:
            pass  # the entry of a folder may be Node's to remove, or the sweep's
        os._exit(0)


def forget_imports():
    """Clears Python's import paths: once a workspace's root has changed, an import would load files of the code
    inside."""
    sys.path.clear()
    sys.meta_path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()


def set_limits(limits):
    """Sets resource limits. They replace those of the user's shell as far as the kernel allows, so that tests do not
    see these."""
    for name, (soft, hard) in limits.items():
        number = getattr(resource, 'RLIMIT_' + name)
        try:
            resource.setrlimit(number, (soft, hard))
        except (OSError, ValueError):
            _, most = resource.getrlimit(number)
            resource.setrlimit(number, tuple(most if wanted < 0 else min(wanted, most) for wanted in (soft, hard)))


def main():
    settings = json.loads(sys.argv[1])
    os.setsid()
    os.umask(0o022)
    set_limits(settings['limits'])
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)  # Node decides when it is over
    title.replace(b'swemake')
    spawner = Spawner(settings)
    # What is there now is shared with every workspace; a collection would write to each page.
    forget_imports()
    gc.collect()
    gc.freeze()
    gc.disable()
    spawner.factory.start()
    spawner.run()


main()
