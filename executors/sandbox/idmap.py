"""Maps the ids of a workspace to ids of the host.

Started by root, ids 0 to 65535 inside are a high range of the host that belongs to no user, one range per slot,
and layers (owned 0:0 on the host) are shown through id maps. Where a file system has none, layers are copied
inside instead. Started by a user, id 0 inside is that user.
"""
import errno
import os

import kernel

FIRST, RANGE, SLOTS = 0x70000000, 65536, 4096
CAP_SYS_ADMIN = 21


class IdMap:
    def __init__(self, mapped, shift):
        self.mapped = mapped
        self.shift = shift

    @staticmethod
    def detect():
        """Runs on one host begin at different slots. Two runs with the same slot do no harm to each other."""
        return IdMap(os.geteuid() == 0 and _is_host_root(), os.getpid() * 131)

    def write(self, pid, slot):
        """Gives the new user namespace of `pid` its ids."""
        if self.mapped:
            users = groups = '0 %d %d' % (self.base(slot), RANGE)
        else:
            _write(pid, 'setgroups', 'deny')
            users, groups = '0 %d 1' % os.geteuid(), '0 %d 1' % os.getegid()
        _write(pid, 'uid_map', users)
        _write(pid, 'gid_map', groups)

    def open_ahead(self, made, trees):
        """Opens the folders that every workspace shows ahead of requests, and the user namespace: while the child changes
        its ids, only CAP_SYS_PTRACE may open it."""
        if self.mapped:
            made.users = os.open('/proc/%d/ns/user' % made.pid, os.O_RDONLY | os.O_CLOEXEC)
            made.trees = dict(zip(trees, self._open(made, trees)))

    def open_trees(self, made, trees):
        """Opens host folders as root, since the child may have no access to them. Without root the child opens them
        itself."""
        if not self.mapped:
            return []
        ahead = made.trees
        others = iter(self._open(made, [tree for tree in trees if tree not in ahead]))
        made.trees = {}
        for tree in ahead:
            if tree not in trees:
                os.close(ahead[tree])
        opened = [ahead[tree] if tree in ahead else next(others) for tree in trees]
        made.close_users()
        return opened

    def _open(self, made, trees):
        """Descriptors of the folders, ids as inside where the file system can do that."""
        opened = []
        try:
            for path, attributes, kind in trees:
                try:
                    opened.append(kernel.detached_tree(path, attributes, made.users))
                except kernel.KernelError as error:
                    if error.errno == errno.ENOENT:
                        raise
                    if kind == 'store':
                        os.chown(path, self.base(made.slot), self.base(made.slot))
                    elif kind == 'layer':
                        made.refusal = 'no id-mapped mounts: %s' % error
                    opened.append(kernel.detached_tree(path, attributes))
            return opened
        except OSError:
            for tree in opened:
                os.close(tree)
            raise

    def base(self, slot):
        return FIRST + (self.shift + slot) % SLOTS * RANGE


def _is_host_root():
    """Root with the right to mount, in a namespace whose ids reach our range."""
    with open('/proc/self/status') as handle:
        fields = dict(line.split(':', 1) for line in handle)
    if not int(fields['CapEff'], 16) >> CAP_SYS_ADMIN & 1:
        return False
    with open('/proc/self/uid_map') as handle:
        ranges = [tuple(map(int, line.split())) for line in handle]
    return any(inside <= FIRST and inside + count >= FIRST + SLOTS * RANGE for inside, _, count in ranges)


def _write(pid, name, text):
    descriptor = os.open('/proc/%d/%s' % (pid, name), os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
