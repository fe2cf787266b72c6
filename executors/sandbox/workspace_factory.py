"""Makes workspaces: clones process 1 into new namespaces, gives it ids, limits and folders.

What does not depend on a request is done ahead for one spare workspace, because new namespaces and control
groups wait for other processors, and those who ask should not.
"""
import array
import json
import os
import signal
import socket

import cgroups
import kept
import kernel
import removal
import root
import skeleton
import workspace
from reaper import Reaper
from zygote import Zygote

NAMESPACES = (kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC
              | kernel.CLONE_NEWUTS)


class Workspace:
    """The spawner's state of a workspace; a spare has no name yet."""

    def __init__(self, slot):
        self.slot = slot
        self.name = self.pid = self.channel = None
        self.group = None
        self.sockets = []  # of the host, that it may be connected to
        self.ended = False  # by us
        self.refusal = None  # why layers would belong to the user `nobody`, so that they must be copied
        self.mounts = None  # descriptor of its mount namespace
        self.trees = {}  # folders of the host that all workspaces show, opened for this one
        self.users = None  # descriptor of its user namespace, until its folders are open

    def close_users(self):
        if self.users is not None:
            os.close(self.users)
        self.users = None


class Wanted:
    """The plan of a request, kept for later requests with the same bytes. `text` is the plan as the workspace reads it."""

    def __init__(self, request, plan):
        self.plan, self.text = plan, json.dumps(plan)
        self.limits, self.copy = request['limits'], request['copy']
        self.on_disk = request['storage'] == 'disk'
        self.host_network = plan['host_network']

    def is_current(self):
        """Whether each mount is still a folder, or still a file, and shows what it has to."""
        return all(os.path.isdir(mount['from']) == mount['folder'] and _hidden(mount) == mount['hides']
                   for mount in self.plan['mounts'])


def _hidden(mount):
    """Those of the folders to hide that are there."""
    return [name for name in mount.get('hides', ()) if os.path.isdir(os.path.join(mount['from'], name))]


class WorkspaceFactory:
    def __init__(self, settings, idmap):
        self.folder = settings['folder']
        self.groups = cgroups.Groups(settings['cgroups'], settings['label'])
        self.idmap = idmap
        self.free_slots = []
        self.slots = 0
        self.reaper = Reaper()
        self.masks = skeleton.masked_folders()
        self.system = skeleton.system_folders()
        self.base = self._base(settings['kept'])
        self.known = {}
        doors = len({parent['path'] for parent in settings['cgroups'].values()})
        self.lists = workspace.Lists(idmap.mapped, doors)
        self.zygote = Zygote(2 + doors, self.lists.wake)

    def start(self):
        """Prepares to make workspaces, which are copies of this process as it is now."""
        self.zygote.start()

    def clone(self, host_network):
        """A workspace that waits for its plan."""
        made = Workspace(self._take_slot())
        theirs = node = None
        try:
            made.group = self.groups.take()
            made.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            node = socket.socket(socket.AF_UNIX)
            node.connect('control.sock')
            namespaces = NAMESPACES if host_network else NAMESPACES | kernel.CLONE_NEWNET
            ends = [node.fileno(), theirs.fileno()]
            made.pid = self.zygote.clone(namespaces, self.lists.of(host_network), ends + made.group.doors)
            self.idmap.write(made.pid, made.slot)
            made.mounts = os.open('/proc/%d/ns/mnt' % made.pid, os.O_RDONLY | os.O_CLOEXEC)
            self.idmap.open_ahead(made, root.common_trees(self.base, self.system))
            made.channel.send(b'ids')
            return made
        except OSError:
            self.abandon(made)
            raise
        finally:
            for end in (theirs, node):
                if end is not None:
                    end.close()

    def wanted(self, request):
        """The plan of a request, given as the bytes that Node sent."""
        known = self.known.get(request)
        if known is None or not known.is_current():
            if len(self.known) >= workspace.KEPT:
                self.known.clear()
            content = json.loads(request.decode())
            known = self.known[request] = Wanted(content, self._plan(content))
        return known

    def settle(self, made, name, ways, wanted):
        """Gives a waiting workspace its name, limits and folders; it answers Node by itself."""
        made.name = name
        made.sockets = [path for _, path in ways]
        store = self._store(name) if wanted.on_disk else None
        made.group.limit(wanted.limits)
        trees = self.idmap.open_trees(made, root.tree_list(dict(wanted.plan, store=store)))
        counted = made.group.memory
        memory = {'version': counted.version, 'files': len(counted.descriptors), 'now': counted.read(), 'met': counted.met}
        own = {'name': name, 'store': store, 'copy': wanted.copy or made.refusal, 'memory': memory,
               'ports': [port for port, _ in ways]}
        descriptors = array.array('i', counted.descriptors + trees)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)] if descriptors else []
        try:
            made.channel.sendmsg([self.lists.message(wanted, own)], rights)
        finally:
            for tree in trees:
                os.close(tree)

    def abandon(self, made):
        """Ends and frees a workspace that could not be made."""
        if made.pid:
            os.kill(made.pid, signal.SIGKILL)
            os.waitpid(made.pid, 0)
        self.free(made)

    def free(self, made):
        for tree in made.trees.values():
            os.close(tree)
        made.trees = {}
        made.close_users()
        self.reaper.take({} if made.group is None else self.groups.give_back(made.group), made.mounts)
        if made.channel is not None:
            made.channel.close()
        self.free_slots.append(made.slot)

    def finish(self):
        """Returns when all resources of workspaces are freed."""
        for folders in self.groups.drop_all():
            self.reaper.take(folders, None)
        self.reaper.finish()

    def _take_slot(self):
        if self.free_slots:
            return self.free_slots.pop()
        self.slots += 1
        return self.slots - 1

    def _plan(self, request):
        host_network = request['network'] == 'host'
        view = {'mounts': request['mounts'], 'links': request['links']}
        own = request['base'] is not None
        variant = self._made(skeleton.variant_name(view, host_network, own),
                             lambda folder: skeleton.make_variant(folder, view, host_network, own))
        for mount in view['mounts']:
            mount['folder'] = os.path.isdir(mount['from'])
            mount['hides'] = _hidden(mount)
        shown = self._own_root(request['base']) if own else {
            'below': [self.base], 'system': self.system, 'masks': self.masks, 'place': None}
        return dict(view, lowers=shown['below'] + [variant] + request['layers'], system=shown['system'],
                    masks=shown['masks'], place=shown['place'], disk=request['limits'].get('disk'),
                    watch=request['watch'], limits=request['rlimits'], host_network=host_network)

    def _store(self, name):
        """The folder of everything that is written to disk."""
        store = os.path.join(self.folder, name)
        os.mkdir(store, 0o755)
        return store

    def _own_root(self, base):
        """A separate root filesystem in place of the host's folders."""
        testbed = base['testbed']
        over = self._made('own-shown' if testbed else 'own', lambda folder: skeleton.make_over(folder, testbed))
        return {'below': base['layers'] + [over], 'system': [], 'masks': [], 'place': base['place']}

    def _base(self, folder):
        """The lowest layer: a kept one if runs share it."""
        if folder is None:
            return self._made('base', skeleton.make_base)
        return kept.hold(folder, skeleton.base_name(), os.path.join(self.folder, 'skeleton'), skeleton.make_base)

    def _made(self, name, make):
        """A folder of the skeleton, made when it is first needed."""
        folder = os.path.join(self.folder, 'skeleton', name)
        if not os.path.isdir(folder):
            partial = folder + '.partial'
            if os.path.isdir(partial):
                removal.remove_tree(partial)  # of a try that failed, as on a full disk
            os.makedirs(partial, 0o755)
            make(partial)
            os.rename(partial, folder)
        return folder
