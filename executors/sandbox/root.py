"""Builds a workspace's root inside its own mount namespace and moves into it.

Everything is put together in a tmpfs that replaces the host's tree, with short relative names: overlay options
may not exceed a page, and what they say can be read inside.
"""
import errno
import os
from collections import namedtuple

import copy_layers
import kernel
import skeleton

READ_ONLY = kernel.ATTR_READ_ONLY | kernel.ATTR_NOSUID | kernel.ATTR_NODEV
WRITABLE = kernel.ATTR_NOSUID | kernel.ATTR_NODEV
# userxattr keeps opaque marks valid with and without root, and turns redirects off; layers share files by hard links.
OVERLAY = 'index=off,metacopy=off,userxattr'
# Every host has it, and nobody keeps layers there that the mount would hide.
STAGING = '/sys'
DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
STORE_FOLDERS = {'up': 0o755, 'wk': 0o755, 'tmp': 0o1777, 'vtmp': 0o1777, 'shm': 0o1777, 'run': 0o755}
QUIET = kernel.MS_NOSUID | kernel.MS_NODEV


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
    trees += [(mount['from'], READ_ONLY, 'mount') for mount in plan['mounts']]
    if plan['store'] is not None:
        trees.append((plan['store'], WRITABLE, 'store'))
    return trees


def prepare():
    """The parts of a root that are the same for all: a staging folder with devices and /proc."""
    kernel.mount('none', '/', None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount('tmpfs', STAGING, 'tmpfs', QUIET, 'mode=755')
    os.chdir(STAGING)
    for name in ('root', 'none', 'dev', 'proc'):
        os.mkdir(name)
    kernel.mount('proc', 'proc', 'proc', QUIET | kernel.MS_NOEXEC)
    _make_devices('dev')


def leave_host():
    """Makes the staging folder the root and takes the host's tree away, which waits for other processors."""
    kernel.pivot_root('.', '.')
    kernel.umount('.')


def build(plan, trees):
    """Mounts all in the staging folder."""
    trees = iter(trees)
    lowers = []
    for number in range(len(plan['lowers'])):
        os.mkdir(str(number))
        kernel.attach(next(trees), str(number))
        lowers.insert(0, str(number))
    system = [next(trees) for _ in plan['system']]
    mounts = [next(trees) for _ in plan['mounts']]
    store = _mount_store(plan, next(trees, None))
    made = _mount_layers(plan, lowers, store)
    os.chdir('root')
    for name, tree in zip(plan['system'], system):
        kernel.attach(tree, name)
    for name in plan['masks'] + ['sys']:
        kernel.attach(kernel.detached_tree('../none', READ_ONLY), name)
    for name in ('dev', 'proc'):
        kernel.move('../' + name, name)
    for folder, name in (('tmp', 'tmp'), ('vtmp', 'var/tmp'), ('run', 'run'), ('shm', 'dev/shm')):
        kernel.bind('../s/' + folder, name)
    _show_view(plan, mounts)
    if plan['place'] is not None:
        _show_place(plan['place'])
    os.chdir('..')
    return made


def enter():
    """What lies beside the root has no name any more; without capabilities nothing leaves a changed root."""
    os.chroot('root')
    os.chdir('/')


def _mount_store(plan, tree):
    os.mkdir('s')
    if tree is None:
        size = ',size=%d' % plan['disk'] if plan['disk'] else ''
        kernel.mount('tmpfs', 's', 'tmpfs', QUIET, 'mode=755' + size)
    else:
        kernel.attach(tree, 's')
    for name, mode in STORE_FOLDERS.items():
        os.mkdir('s/' + name)
        os.chmod('s/' + name, mode)
    os.mkdir('s/run/lock')
    return os.open('s', os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _mount_layers(plan, lowers, store):
    """`lowers` are names, the highest first."""
    options = 'lowerdir=%s,upperdir=s/up,workdir=s/wk,%s' % (':'.join(lowers), OVERLAY)
    refusal = plan['copy']
    if refusal is None:
        try:
            kernel.mount('overlay', 'root', 'overlay', QUIET, options)
            return Root(store, None, [], 0)
        except kernel.KernelError as error:
            if error.errno == errno.ENOSPC:
                raise
            refusal = str(error)
    lowers.reverse()
    since = copy_layers.merge(lowers, 's/up')
    kernel.bind('s/up', 'root')
    return Root(store, refusal, [os.open(name, copy_layers.FOLDER) for name in lowers], since)


def _make_devices(folder):
    kernel.mount('tmpfs', folder, 'tmpfs', kernel.MS_NOSUID | kernel.MS_NOEXEC, 'mode=755,size=64k')
    for name in DEVICES:
        place = folder + '/' + name
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        kernel.bind('/dev/' + name, place)
    for name in ('pts', 'shm'):
        os.mkdir(folder + '/' + name)
    kernel.mount('devpts', folder + '/pts', 'devpts', kernel.MS_NOSUID | kernel.MS_NOEXEC,
                 'newinstance,ptmxmode=0666,mode=620')
    for name, target in (('ptmx', 'pts/ptmx'), ('fd', '/proc/self/fd'), ('stdin', '/proc/self/fd/0'),
                         ('stdout', '/proc/self/fd/1'), ('stderr', '/proc/self/fd/2')):
        os.symlink(target, folder + '/' + name)


def _show_place(place):
    """The environment that a root of its own brings is also where every environment is."""
    kernel.bind(_inside(place), 'opt/env')


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


def _show_view(plan, trees):
    """The environment's mounts, and links that lie below the private folders."""
    for mount, tree in zip(plan['mounts'], trees):
        place = mount['to'].lstrip('/')
        if skeleton.is_private(mount['to']):
            if os.path.isdir(mount['from']) or mount.get('folder', True):
                os.makedirs(place, 0o755, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
                open(place, 'a').close()
        kernel.attach(tree, place)
    for path, target in plan['links'].items():
        if skeleton.is_private(path):
            os.makedirs(os.path.dirname(path.lstrip('/')), 0o755, exist_ok=True)
            os.symlink(target, path.lstrip('/'))
