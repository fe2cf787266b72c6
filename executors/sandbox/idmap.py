"""Which host ids a workspace's ids are.

Started by root, ids 0 to 65535 inside are a high range of the host that belongs to nobody, one range per slot,
and layers (owned 0:0 on the host) are shown through id maps. Started by a user, id 0 inside is that user.
"""
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
        """Runs of the same host begin at different slots; two that meet all the same do no harm to each other."""
        return IdMap(os.geteuid() == 0 and _is_host_root(), os.getpid() * 131)

    def write(self, pid, slot):
        """Gives the new user namespace of `pid` its ids."""
        if self.mapped:
            base = FIRST + (self.shift + slot) % SLOTS * RANGE
            users = groups = '0 %d %d' % (base, RANGE)
        else:
            _write(pid, 'setgroups', 'deny')
            users, groups = '0 %d 1' % os.geteuid(), '0 %d 1' % os.getegid()
        _write(pid, 'uid_map', users)
        _write(pid, 'gid_map', groups)

    def open_trees(self, pid, trees):
        """Root's part of showing host folders: the child may not even reach them. A user's child opens its own."""
        if not self.mapped:
            return []
        namespace = os.open('/proc/%d/ns/user' % pid, os.O_RDONLY | os.O_CLOEXEC)
        opened = []
        try:
            for path, attributes, kind in trees:
                opened.append(_open_tree(path, attributes, kind, namespace))
            return opened
        except OSError:
            for tree in opened:
                os.close(tree)
            raise
        finally:
            os.close(namespace)


def _open_tree(path, attributes, kind, namespace):
    try:
        return kernel.detached_tree(path, attributes, namespace)
    except kernel.KernelError:
        if kind not in ('system', 'mount'):
            raise
        # Without an id map the host's folders are owned by nobody inside, which reading does not mind.
        return kernel.detached_tree(path, attributes)


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
