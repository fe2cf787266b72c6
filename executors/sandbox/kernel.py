"""System calls that Python's standard library does not offer, through ctypes.

Calls hold the interpreter lock (PyDLL), because a raw clone() copies the process as it is, lock included.
"""
import ctypes
import os
import struct

MACHINE = os.uname().machine
X86 = MACHINE == 'x86_64'

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REC, MS_BIND, MS_MOVE, MS_PRIVATE = 0x4000, 0x1000, 0x2000, 1 << 18
MNT_DETACH = 2

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
SIGCHLD = 17

ATTR_READ_ONLY, ATTR_NOSUID, ATTR_NODEV, ATTR_IDMAP = 1, 2, 4, 0x100000
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
OPEN_TREE_CLONE, MOVE_MOUNT_FROM_EMPTY = 1, 4

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP = 1, 4, 24
PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS = 28, 38

SYS_CLONE = 56 if X86 else 220
SYS_CAPSET = 126 if X86 else 91
SYS_SECCOMP = 317 if X86 else 277
SYS_OPEN_TREE, SYS_MOUNT_SETATTR = 428, 442
SYS_CLOSE_RANGE = 436
SYS_LANDLOCK_CREATE, SYS_LANDLOCK_RESTRICT = 444, 446

libc = ctypes.PyDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


class KernelError(OSError):
    """A failed call, with a description of what was done."""


def _argument(value):
    if isinstance(value, str):
        value = os.fsencode(value)
    return ctypes.c_long(value) if isinstance(value, int) else value


def _check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise KernelError(number, '%s: %s' % (what, os.strerror(number)))
    return result


def syscall(what, number, *arguments):
    return _check(libc.syscall(ctypes.c_long(number), *[_argument(a) for a in arguments]), what)


def clone(flags):
    """Like fork() into new namespaces: 0 in the child, its pid in the parent."""
    return syscall('clone', SYS_CLONE, flags | SIGCHLD, 0, 0, 0, 0)


def mount(source, target, kind=None, flags=0, data=None):
    parts = [None if part is None else os.fsencode(part) for part in (source, target, kind)]
    data = None if data is None else os.fsencode(data)
    result = libc.mount(parts[0], parts[1], parts[2], ctypes.c_ulong(flags), data)
    _check(result, 'mount %s on %s' % (kind or source, target))


def bind(source, target):
    mount(source, target, None, MS_BIND)


def close_all_but(*kept):
    """Closes all descriptors but the standard three and those given."""
    first = 3
    for descriptor in sorted(kept) + [0x7FFFFFFF]:
        if descriptor > first:
            syscall('close_range', SYS_CLOSE_RANGE, first, descriptor - 1, 0)
        first = descriptor + 1


def prctl(what, option, *arguments):
    values = [ctypes.c_ulong(a) for a in arguments] + [ctypes.c_ulong(0)] * (4 - len(arguments))
    return _check(libc.prctl(ctypes.c_int(option), *values), what)


def detached_tree(path, attributes, user_namespace=None):
    """A copy of the mount at `path` as a file descriptor, shown through an id map if a namespace is given."""
    flags = OPEN_TREE_CLONE | os.O_CLOEXEC
    recursive = 0
    try:
        tree = syscall('open_tree %s' % path, SYS_OPEN_TREE, AT_FDCWD, path, flags)
    except KernelError as error:
        if error.errno != 22:
            raise
        # Mounts below that an outer namespace has locked can be copied only together with their parent.
        recursive = AT_RECURSIVE
        tree = syscall('open_tree %s' % path, SYS_OPEN_TREE, AT_FDCWD, path, flags | recursive)
    if user_namespace is not None:
        attributes |= ATTR_IDMAP
    record = struct.pack('=QQQQ', attributes, 0, 0, user_namespace or 0)
    try:
        syscall('mount_setattr %s' % path, SYS_MOUNT_SETATTR, tree, '', AT_EMPTY_PATH | recursive,
                ctypes.create_string_buffer(record, len(record)), len(record))
    except KernelError:
        os.close(tree)
        raise
    return tree
