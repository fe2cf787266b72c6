"""One process per run that makes workspaces: it stays on the host and forks process 1 of each.

It ends, and takes everything with it, when its socket to Node closes. Node's part is spawner.ts.
Usage: python3 -ISE spawner.py '<settings as JSON>', with the control socket as descriptor 3.
"""
import array
import gc
import json
import os
import select
import signal
import socket
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cgroups  # noqa: E402
import frames  # noqa: E402
import kernel  # noqa: E402
import root  # noqa: E402
import skeleton  # noqa: E402
import workspace  # noqa: E402
from idmap import IdMap  # noqa: E402

STAGING = ['/tmp', '/mnt', '/media', '/srv', '/var/tmp']


class Workspace:
    """What the spawner keeps of a running workspace."""

    def __init__(self, name, slot, channel, groups):
        self.name, self.slot, self.channel, self.groups = name, slot, channel, groups
        self.pid = None


class Spawner:
    def __init__(self, settings):
        self.settings = settings
        self.folder = settings['folder']
        os.chdir(self.folder)
        self.control = socket.socket(fileno=3)
        os.set_inheritable(3, False)
        self.reader = frames.Reader()
        self.poll = select.poll()
        self.poll.register(3, select.POLLIN)
        self.workspaces = {}
        self.channels = {}
        self.slots = []
        self.next_slot = 0
        self.idmap = IdMap.detect(self.folder)
        self.masks = skeleton.masked_folders()
        self.system = skeleton.system_folders()
        self.staging = next(path for path in STAGING if os.path.isdir(path) and not os.path.islink(path))
        self.base = self._made('base', lambda folder: skeleton.make_base(folder))
        self.children = self._watch_children()

    def _watch_children(self):
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self.poll.register(reader, select.POLLIN)
        return reader

    def _made(self, name, make):
        folder = os.path.join(self.folder, 'skeleton', name)
        if not os.path.isdir(folder):
            partial = folder + '.partial'
            os.makedirs(partial, 0o755)
            make(partial)
            os.rename(partial, folder)
        return folder

    def run(self):
        while True:
            for descriptor, _ in self.poll.poll():
                if descriptor == 3:
                    self._on_control()
                elif descriptor == self.children:
                    self._reap()
                elif descriptor in self.channels:
                    self._connect_proxy(self.channels[descriptor])

    def _on_control(self):
        data = self.control.recv(1 << 18)
        if not data:
            self.finish()
        for request, _ in self.reader.feed(data):
            if request['op'] == 'open':
                self._open(request)
            else:
                self._end(request['name'])

    def _tell(self, event):
        try:
            frames.send(self.control, event)
        except OSError:
            pass  # Node is gone; the next poll says so

    def _open(self, request):
        name = request['name']
        try:
            self._start(request)
        except (OSError, skeleton.ViewError) as error:
            self._tell({'event': 'refused', 'name': name, 'detail': str(error), 'code': getattr(error, 'errno', None)})

    def _start(self, request):
        slot = self.slots.pop() if self.slots else self.next_slot
        self.next_slot = max(self.next_slot, slot + 1)
        groups = []
        ours = theirs = node = None
        try:
            plan = self._plan(request, slot)
            groups = cgroups.create(self.settings['cgroups'], '%s-%d' % (self.settings['label'], slot),
                                    request['limits'])
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            node = socket.socket(socket.AF_UNIX)
            node.connect('control.sock')
            flags = kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC
            flags |= kernel.CLONE_NEWUTS | (0 if request['network'] == 'host' else kernel.CLONE_NEWNET)
            made = Workspace(request['name'], slot, ours, groups)
            made.pid = kernel.clone(flags)
            if made.pid == 0:
                workspace.enter(node, theirs, plan)
        except BaseException:
            cgroups.remove(groups)
            self.slots.append(slot)
            if ours is not None:
                ours.close()
            raise
        finally:
            for end in (theirs, node):
                if end is not None:
                    end.close()
        self.workspaces[made.name] = made
        self.channels[ours.fileno()] = made
        self.poll.register(ours, select.POLLIN)
        self._release(made, plan)

    def _release(self, made, plan):
        """Gives the child its ids, limits and folders; without them it must not run."""
        try:
            self.idmap.write(made.pid, made.slot)
            cgroups.enter(made.groups, made.pid)
            trees = self.idmap.open_trees(made.pid, root.tree_list(plan))
        except OSError:
            os.kill(made.pid, signal.SIGKILL)
            raise
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', trees))] if trees else []
        try:
            made.channel.sendmsg([b'g'], rights)
        finally:
            for tree in trees:
                os.close(tree)

    def _plan(self, request, slot):
        host_network = request['network'] == 'host'
        view = {'mounts': request['mounts'], 'links': request['links']}
        variant = self._made(skeleton.variant_name(view, host_network),
                             lambda folder: skeleton.make_variant(folder, view, host_network))
        for mount in view['mounts']:
            mount['folder'] = os.path.isdir(mount['from'])
        plan = dict(view, name=request['name'], lowers=[self.base, variant] + request['layers'], system=self.system,
                    masks=self.masks, staging=self.staging, host_network=host_network, store=None,
                    mapped=self.idmap.mapped, passed=self.idmap.mapped, disk=request['limits'].get('disk'),
                    watch=request['watch'], limits=request['rlimits'], proxy=request['network'] == 'proxy')
        if request['storage'] == 'disk':
            plan['store'] = os.path.join(self.folder, request['name'])
            os.mkdir(plan['store'], 0o755)
        return plan

    def _connect_proxy(self, made):
        """A workspace asks for a connection to the proxy; its own end can name no host socket."""
        try:
            if not made.channel.recv(1):
                raise OSError('closed')
        except OSError:
            return self._drop_channel(made)
        proxy = socket.socket(socket.AF_UNIX)
        try:
            proxy.connect(self._short(self.settings['proxy']))
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [proxy.fileno()]))]
        except (OSError, TypeError):
            rights = []
        try:
            made.channel.sendmsg([b'c'], rights)
        except OSError:
            pass
        proxy.close()

    def _short(self, path):
        """Socket addresses hold 107 bytes, folders may be longer."""
        return os.path.relpath(path, self.folder) if len(path) > 100 else path

    def _drop_channel(self, made):
        if self.channels.pop(made.channel.fileno(), None) is not None:
            self.poll.unregister(made.channel)
        made.channel.close()

    def _end(self, name):
        made = self.workspaces.get(name)
        if made is not None:
            os.kill(made.pid, signal.SIGKILL)
        else:
            self._tell({'event': 'closed', 'name': name, 'status': 0, 'memoryKills': 0})

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
            for made in [made for made in self.workspaces.values() if made.pid == pid]:
                self._closed(made, status)

    def _closed(self, made, status):
        kills = cgroups.memory_kills(made.groups)
        cgroups.remove(made.groups)
        self._drop_channel(made)
        del self.workspaces[made.name]
        self.slots.append(made.slot)
        self._tell({'event': 'closed', 'name': made.name, 'status': status, 'memoryKills': kills})

    def finish(self):
        """Node is gone or done: end everything and leave nothing."""
        for made in self.workspaces.values():
            os.kill(made.pid, signal.SIGKILL)
        for made in self.workspaces.values():
            os.waitpid(made.pid, 0)
            cgroups.remove(made.groups)
        os.chdir('/')
        remove_tree(self.folder)
        os._exit(0)


def remove_tree(folder):
    """Code inside may have taken its own folders' permissions away; they belong to us all the same."""
    for path, folders, files in os.walk(folder, topdown=True):
        for name in folders:
            below = os.path.join(path, name)
            if not os.path.islink(below):
                os.chmod(below, 0o700)
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(path, name))
        for name in folders:
            below = os.path.join(path, name)
            os.unlink(below) if os.path.islink(below) else os.rmdir(below)
    os.rmdir(folder)


def main():
    settings = json.loads(sys.argv[1])
    os.setsid()
    os.umask(0o022)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)  # Node decides when it is over
    spawner = Spawner(settings)
    frames.send(spawner.control, {'event': 'ready', 'mapped': spawner.idmap.mapped})
    # What is there now is shared with every workspace; a collection would write to each page.
    gc.collect()
    gc.freeze()
    gc.disable()
    spawner.run()


main()
