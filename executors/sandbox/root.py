"""Builds a workspace's root inside its own mount namespace and moves into it.

Everything is put together in a tmpfs that replaces the host's tree, with short relative names: overlay options
may not exceed a page, and what they say can be read inside. What is to be done is written down as a list of calls
(calls.py), but for what depends on what lies inside.
"""
import errno
import fcntl
import os
import stat
import struct
from collections import namedtuple

import calls
import copy_layers
import kernel
import skeleton

READ_ONLY = kernel.ATTR_READ_ONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV
WRITABLE = kernel.ATTR_NOSUID | kernel.ATTR_NODEV
# userxattr keeps opaque marks valid with and without root, and turns redirects off; layers share files by hard links.
OVERLAY = 'index=off,metacopy=off,userxattr'
# A path that exists on every host and holds no layers, since the mount hides what is below it.
STAGING = '/sys'
DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
STORE_FOLDERS = {'up': 0o755, 'wk': 0o755, 'x': 0o755, 'xk': 0o755, 'x/tmp': 0o1777, 'x/vtmp': 0o1777,
                 'x/shm': 0o1777, 'x/run': 0o755, 'x/run/lock': 0o755}
QUIET = kernel.MS_NOSUID | kernel.MS_NODEV
HERE = kernel.AT_FDCWD
# Steps at which Python may have to continue.
LAYERED, PLACED, OPENED = 1, 2, 3
ASIDE = 300


# `store` is a descriptor of everything written. Where layers were copied, `refusal` says why, `layers` are
# descriptors of them, and what changed after `since` was changed inside.
Root = namedtuple('Root', 'store refusal layers since')


def common_trees(base, system):
    """Those of `tree_list` that every workspace shows."""
    return [(base, READ_ONLY, 'layer')] + [('/' + name, READ_ONLY, 'system') for name in system]


def tree_list(plan):
    """Host folders to show, as (path, attributes, kind), in the order in which `build` takes them."""
    trees = [(path, READ_ONLY, 'layer') for path in plan['lowers']]
    trees += [('/' + name, READ_ONLY, 'system') for name in plan['system']]
    trees += [(_veiled_folder(mount), READ_ONLY, 'mount') for mount in plan['mounts']]
    if plan['store'] is not None:
        trees.append((plan['store'], WRITABLE, 'store'))
    return trees


def prepare(program):
    """The parts of a root that are the same for all: a staging folder with devices and /proc."""
    _mount(program, 'none', '/', None, kernel.MS_REC | kernel.MS_PRIVATE)
    _mount(program, 'tmpfs', STAGING, 'tmpfs', QUIET, 'mode=755')
    program.call('chdir', STAGING)
    for name in ('root', 'none', 'dev', 'proc'):
        _make_folder(program, name)
    _mount(program, 'proc', 'proc', 'proc', QUIET | kernel.MS_NOEXEC)
    _make_devices(program, 'dev')


def leave_host(program):
    """Makes the staging folder the root and unmounts the host's tree, which waits for other processors."""
    program.call('pivot_root', '.', '.')
    program.call('umount2', '.', kernel.MNT_DETACH)


def open_trees(program, plan, first):
    """A user's child opens the host's folders itself; their descriptors are `first` and those that follow."""
    for number, (path, attributes, _) in enumerate(tree_list(plan), first):
        program.call('open_tree', HERE, path, kernel.OPEN_TREE_CLONE | os.O_CLOEXEC, mark=OPENED)
        _set_attributes(program, number, attributes)


def open_with_mounts(plan, path):
    """A folder with mounts below it that an outer namespace has locked, which can be copied only together."""
    kernel.detached_tree(path, next(attributes for place, attributes, _ in tree_list(plan) if place == path))


def build(program, plan, first):
    """Mounts everything in the staging folder. The trees' descriptors are `first` and the following ones. The next
    one is that of the folder for everything written, which is returned."""
    layers = len(plan['lowers'])
    mounts = first + layers + len(plan['system'])
    store = first + len(tree_list(plan))
    for number in range(layers):
        _make_folder(program, str(number))
        _attach(program, first + number, str(number))
    _mount_store(program, plan, store - 1)
    program.call('openat', HERE, 's', os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    _mount_layers(program, plan)
    program.call('chdir', 'root')
    for number, name in enumerate(plan['system'], first + layers):
        _attach(program, number, name)
    for name in plan['masks'] + ['sys']:
        _hide(program, store + 1, name)
    for name in ('dev', 'proc'):
        _mount(program, '../' + name, name, None, kernel.MS_MOVE)
    for folder, name in (('tmp', 'tmp'), ('vtmp', 'var/tmp'), ('run', 'run'), ('shm', 'dev/shm')):
        _mount(program, '%s/%s' % (_private_place(plan), folder), name, None, kernel.MS_BIND)
    _show_view(program, plan, mounts, store + 1)
    if plan['place'] is not None:
        program.python(PLACED)
    program.call('chdir', '..')
    program.call('close_range', first, store - 1, 0)
    return store


def enter(program):
    """Mounts outside of the root cannot be reached any more: without capabilities a process cannot leave a changed
    root."""
    program.call('chroot', 'root')
    program.call('chdir', '/')


def copy(plan, refusal):
    """Copies layers where they cannot be mounted over each other. Returns what later steps must know about it."""
    lowers = [str(number) for number in range(len(plan['lowers']))]
    since = copy_layers.merge(lowers, 's/up')
    kernel.bind('s/up', 'root')
    layers = [_kept_aside(os.open(name, copy_layers.FOLDER)) for name in lowers]
    return {'refusal': refusal, 'layers': layers, 'since': since}


def _kept_aside(descriptor):
    """Checks the next free descriptor, which the list of calls relies on."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, ASIDE)
    finally:
        os.close(descriptor)


def show_place(place):
    """The environment that a root of its own brings is also where every environment is."""
    kernel.bind(_inside(place), 'opt/env')


def _mount(program, source, target, kind, flags, data=None):
    program.call('mount', source, target, kind, flags, data)


def _make_folder(program, name, mode=0o777, allowed=0):
    program.call('mkdirat', HERE, name, mode, allowed=allowed)


def _make_file(program, name, allowed=0):
    program.call('mknodat', HERE, name, stat.S_IFREG | 0o666, 0, allowed=allowed)


def _attach(program, tree, target):
    program.call('move_mount', tree, b'\0', HERE, target, kernel.MOVE_MOUNT_FROM_EMPTY)


def _attach_veiled(program, tree, mount, target):
    below, over = '../m%d' % tree, '../o%d' % tree
    _make_folder(program, below)
    _attach(program, tree, below)
    _make_folder(program, over)
    whole = kernel.MS_BIND | kernel.MS_REC
    _mount(program, below, over, None, whole)
    _veil(program, over, kernel.MS_RDONLY, 'lowerdir=%s:../none' % below)
    shown = over if mount['folder'] else os.path.join(over, os.path.basename(os.path.realpath(mount['from'])))
    _mount(program, shown, target, None, whole)


def _set_attributes(program, tree, attributes):
    record = struct.pack('=QQQQ', attributes, 0, 0, 0)
    program.call('mount_setattr', tree, b'\0', kernel.AT_EMPTY_PATH, record, len(record))


def _mount_store(program, plan, tree):
    _make_folder(program, 's')
    if plan['store'] is None:
        size = ',size=%d' % plan['disk'] if plan['disk'] else ''
        _mount(program, 'tmpfs', 's', 'tmpfs', QUIET, 'mode=755' + size)
    else:
        _attach(program, tree, 's')
    for name, mode in STORE_FOLDERS.items():
        _make_folder(program, 's/' + name, mode)
        if mode & 0o022:  # which the mask of this process takes away
            program.call('fchmodat', HERE, 's/' + name, mode)
    if plan['store'] is not None:
        _make_folder(program, 'x')
        _mount(program, 's/x', 'x', None, kernel.MS_BIND)
        _veil(program, 'x', 0, 'lowerdir=none,upperdir=s/x,workdir=s/xk')


def _private_place(plan):
    """Where /tmp and its like are, seen from the root. A tmpfs says nothing of the host."""
    return '../s/x' if plan['store'] is None else '../x'


def _veil(program, target, flags, folders):
    """Covers what is mounted there by an overlay of it. The mount of a folder says by its root where the host keeps the
    folder, such as in whose home; an overlay says only the short names of this place. Where the filesystem takes no
    overlay, the mount itself is shown."""
    program.call('mount', 'overlay', target, 'overlay', QUIET | flags, '%s,%s' % (folders, OVERLAY), allowed=calls.ANY)


def _veiled_folder(mount):
    """The folder that is covered: of a file, the one that it lies in."""
    return mount['from'] if mount['folder'] else os.path.dirname(os.path.realpath(mount['from']))


def _mount_layers(program, plan):
    if plan['copy'] is not None:
        return program.python(LAYERED)
    lowers = ':'.join(str(number) for number in reversed(range(len(plan['lowers']))))
    options = 'lowerdir=%s,upperdir=s/up,workdir=s/wk,%s' % (lowers, OVERLAY)
    program.call('mount', 'overlay', 'root', 'overlay', QUIET, options, mark=LAYERED)


def _make_devices(program, folder):
    _mount(program, 'tmpfs', folder, 'tmpfs', kernel.MS_NOSUID | kernel.MS_NOEXEC, 'mode=755,size=64k')
    for name in DEVICES:
        place = folder + '/' + name
        _make_file(program, place)
        _mount(program, '/dev/' + name, place, None, kernel.MS_BIND)
    for name in ('pts', 'shm'):
        _make_folder(program, folder + '/' + name)
    _mount(program, 'devpts', folder + '/pts', 'devpts', kernel.MS_NOSUID | kernel.MS_NOEXEC,
           'newinstance,ptmxmode=0666,mode=620')
    for name, target in (('ptmx', 'pts/ptmx'), ('fd', '/proc/self/fd'), ('stdin', '/proc/self/fd/0'),
                         ('stdout', '/proc/self/fd/1'), ('stderr', '/proc/self/fd/2')):
        program.call('symlinkat', target, HERE, folder + '/' + name)


def _inside(path):
    """The folder that the path means in the root: no link of the root leads out of it."""
    parts, place, left = path.strip('/').split('/'), [], 40
    while parts:
        part = parts.pop(0)
        if part in ('', '.', '..'):
            place = place[:-1] if part == '..' else place
            continue
        here = '/'.join(place + [part])
        if not os.path.islink(here):
            place.append(part)
            continue
        left -= 1
        if left == 0:
            raise OSError(errno.ELOOP, '%s: %s' % (path, os.strerror(errno.ELOOP)))
        target = os.readlink(here)
        place = [] if target.startswith('/') else place
        parts = target.split('/') + parts
    return '/'.join(place) or '.'


def _hide(program, descriptor, name):
    """An empty folder over another one. `descriptor`: the next free one."""
    program.call('open_tree', HERE, '../none', kernel.OPEN_TREE_CLONE | os.O_CLOEXEC)
    _set_attributes(program, descriptor, READ_ONLY)
    _attach(program, descriptor, name)
    program.call('close', descriptor)


def _show_view(program, plan, first, free):
    """The environment's mounts, and links that lie below the private folders. `free`: the next free descriptor."""
    for number, mount in enumerate(plan['mounts'], first):
        place = mount['to'].lstrip('/')
        if skeleton.is_private(mount['to']):
            if mount['folder']:
                _make_folders(program, place)
            else:
                _make_folders(program, os.path.dirname(place))
                _make_file(program, place, allowed=errno.EEXIST)
        _attach_veiled(program, number, mount, place)
        for name in mount['hides']:
            _hide(program, free, '%s/%s' % (place, name))
    for path, target in plan['links'].items():
        if skeleton.is_private(path):
            _make_folders(program, os.path.dirname(path.lstrip('/')))
            program.call('symlinkat', target, HERE, path.lstrip('/'))


def _make_folders(program, path):
    parts = path.split('/')
    for count in range(1, len(parts) + 1):
        _make_folder(program, '/'.join(parts[:count]), 0o755, allowed=errno.EEXIST)
