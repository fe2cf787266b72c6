"""Tries the kernel features that workspaces need, each in its own child process, and prints the results as JSON.

Usage: python3 -ISE probe.py FOLDER, where FOLDER is empty and lies where workspaces would write.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import call_filter  # noqa: E402
import calls  # noqa: E402
import confine  # noqa: E402
import kernel  # noqa: E402
from idmap import IdMap  # noqa: E402

FOLDER = sys.argv[1]
ALL = (kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWNET | kernel.CLONE_NEWIPC
       | kernel.CLONE_NEWUTS)
ALLOW_USERS = ('sysctl -w user.max_user_namespaces=16384 kernel.unprivileged_userns_clone=1 '
               'kernel.apparmor_restrict_unprivileged_userns=0; in a container, a runtime that permits namespaces')


def in_child(flags, body, prepare=None):
    """None when `body` ran through in new namespaces, else what went wrong."""
    ready, go = os.pipe()
    reader, writer = os.pipe()
    try:
        pid = kernel.clone(flags)
    except OSError as error:
        return str(error)
    if pid == 0:
        message = ''
        try:
            os.close(go)
            os.read(ready, 1)
            if os.geteuid() != 0:
                os.setresgid(0, 0, 0)
                os.setresuid(0, 0, 0)
            body()
        except BaseException as error:
            message = str(error) or type(error).__name__
        os.write(writer, message.encode())
        os._exit(0)
    os.close(ready)
    os.close(writer)
    problem = None
    try:
        IDS.write(pid, 0)
        if prepare is not None:
            prepare(pid)
        os.write(go, b'g')
    except OSError as error:
        problem = str(error)
        os.kill(pid, 9)
    os.waitpid(pid, 0)
    return problem or os.read(reader, 4096).decode() or None


def new_mounts():
    kernel.mount('none', '/', None, kernel.MS_REC | kernel.MS_PRIVATE)
    kernel.mount('tmpfs', '/tmp', 'tmpfs')


def overlay():
    new_mounts()
    overlay_in('/tmp')


def overlay_on_disk():
    kernel.mount('none', '/', None, kernel.MS_REC | kernel.MS_PRIVATE)
    overlay_in(FOLDER)


def overlay_in(folder):
    os.chdir(folder)
    for name in ('low', 'up', 'work', 'root'):
        os.mkdir(name)
    with open('low/file', 'w') as handle:
        handle.write('x')
    kernel.mount('overlay', 'root', 'overlay', 0, 'lowerdir=low,upperdir=up,workdir=work,index=off,userxattr')
    os.unlink('root/file')
    os.mkdir('root/file')  # an opaque folder needs user attributes on tmpfs
    os.rmdir('root/file')


def fresh_proc():
    new_mounts()
    os.mkdir('/tmp/proc')
    kernel.mount('proc', '/tmp/proc', 'proc')


def network():
    calls.make(confine.make_network)


def seccomp():
    calls.make(confine.forgo)
    confine.drop_capabilities()
    kernel.prctl('no_new_privs', kernel.PR_SET_NO_NEW_PRIVS, 1)
    call_filter.install_filter()


def id_mapped_mount(pid):
    namespace = os.open('/proc/%d/ns/user' % pid, os.O_RDONLY)
    os.close(kernel.detached_tree(FOLDER, kernel.ATTR_READ_ONLY, namespace))
    os.close(namespace)


def single(name, flag):
    return name, kernel.CLONE_NEWUSER | flag, lambda: None, None, ALLOW_USERS


CHECKS = [
    single('user namespace', 0),
    single('mount namespace', kernel.CLONE_NEWNS),
    single('pid namespace', kernel.CLONE_NEWPID),
    single('ipc namespace', kernel.CLONE_NEWIPC),
    single('uts namespace', kernel.CLONE_NEWUTS),
    ('net namespace', kernel.CLONE_NEWUSER | kernel.CLONE_NEWNET, network, None, ALLOW_USERS),
    ('fresh /proc', ALL, fresh_proc, None, 'a container must not mask /proc (Kubernetes: procMount: Unmasked)'),
    ('overlayfs', ALL, overlay, None, 'Linux 6.6 or newer with overlayfs'),
    ('seccomp filter', ALL, seccomp, None, 'a kernel with CONFIG_SECCOMP_FILTER'),
]


ANOTHER_DISK = 'put the cache (cache.folder) on ext4, xfs, btrfs or tmpfs; in a container, on a volume'
# Layers are copied then.
SLOWER_WITHOUT = ('overlayfs', 'overlayfs on the disk of the cache', 'id-mapped mounts')


def abstract_sockets():
    """Without it, network `host` shows abstract sockets of the host, such as those of X11."""
    version = kernel.libc.syscall(kernel.ctypes.c_long(kernel.SYS_LANDLOCK_CREATE), None, kernel.ctypes.c_long(0),
                                  kernel.ctypes.c_long(1))
    good = version >= 6
    return {'name': 'abstract sockets', 'status': 'ok' if good else 'soft',
            'detail': 'hidden with network host too' if good else 'visible with network host',
            'remedy': 'Linux 6.12 or newer with Landlock'}


def main():
    checks = list(CHECKS)
    if IDS.mapped:
        checks.append(('id-mapped mounts', ALL, lambda: None, id_mapped_mount, 'with Linux 5.12 or newer, ' + ANOTHER_DISK))
    else:
        checks.append(('overlayfs on the disk of the cache', ALL, overlay_on_disk, None, ANOTHER_DISK))
    results = []
    for name, flags, body, prepare, remedy in checks:
        problem = in_child(flags, body, prepare)
        weaker = 'soft' if name in SLOWER_WITHOUT else 'miss'
        results.append({'name': name, 'status': 'ok' if problem is None else weaker, 'detail': problem or 'works',
                        'remedy': remedy})
    results.append(abstract_sockets())
    for result in results:
        if result['status'] == 'ok':
            del result['remedy']
    print(json.dumps(results))


IDS = IdMap.detect()
main()
