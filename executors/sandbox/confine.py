"""Removes all privileges of the calling process and of all that it starts, permanently."""
import ctypes
import errno
import os
import socket
import struct

import call_filter
import calls
import kernel


def forgo(program):
    """Gives up what is not needed any more: no program gains capabilities from here on, and no new namespaces can be
    made."""
    for capability in range(_last_capability() + 1):
        program.call('prctl', kernel.PR_CAPBSET_DROP, capability)
    no_root_no_setuid_fixup_locked = 0b1111
    program.call('prctl', kernel.PR_SET_SECUREBITS, no_root_no_setuid_fixup_locked)
    # Where it cannot be set, the filter refuses new user namespaces as well.
    _set(program, '/proc/sys/user/max_user_namespaces')


def _last_capability():
    with open('/proc/sys/kernel/cap_last_cap') as handle:
        return int(handle.read())


def _set(program, path):
    """Writes 0 there, if that is possible."""
    descriptor = program.free
    program.call('openat', kernel.AT_FDCWD, path, os.O_WRONLY | os.O_CLOEXEC, allowed=calls.ANY)
    program.call('write', descriptor, b'0', 1, allowed=calls.ANY)
    program.call('close', descriptor, allowed=calls.ANY)


def drop_capabilities():
    header = ctypes.create_string_buffer(struct.pack('=Ii', 0x20080522, 0), 8)
    kernel.syscall('capset', kernel.SYS_CAPSET, header, ctypes.create_string_buffer(24))


def scope_abstract_sockets():
    """With the host's network, abstract Unix sockets of the host would be reachable; Landlock (6.12) fences them."""
    version = kernel.libc.syscall(ctypes.c_long(kernel.SYS_LANDLOCK_CREATE), None, ctypes.c_long(0), ctypes.c_long(1))
    if version < 6:
        return False
    rules = ctypes.create_string_buffer(struct.pack('=QQQ', 0, 0, 1), 24)
    ruleset = kernel.syscall('landlock', kernel.SYS_LANDLOCK_CREATE, rules, 24, 0)
    kernel.syscall('landlock', kernel.SYS_LANDLOCK_RESTRICT, ruleset, 0)
    return True


# Private and documentation networks. Packets to them are dropped without an answer, as in a data centre.
SILENT = (('10.0.0.0', 8), ('172.16.0.0', 12), ('192.168.0.0', 16),
          ('192.0.2.0', 24), ('198.51.100.0', 24), ('203.0.113.0', 24))


def make_network(program):
    """An empty network: the loopback, with all ports free; private and documentation addresses that do not answer, as
    tests of timeouts expect; every other address is unreachable at once."""
    handle = program.free
    program.call('socket', socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC, 0)
    up_and_running = 0x41
    program.call('ioctl', handle, 0x8914, struct.pack('16sh22x', b'lo', up_and_running))
    for network, bits in SILENT:
        _send_into_loopback(program, handle, network, bits)
    program.call('close', handle)
    # In a container whose /proc/sys is read-only it cannot be set.
    _set(program, '/proc/sys/net/ipv4/ip_unprivileged_port_start')


# The kernel is given its address, so it stays where it is.
LOOPBACK = ctypes.create_string_buffer(b'lo')


def _send_into_loopback(program, handle, network, bits):
    """`ip route add NETWORK/BITS dev lo`: packets to other addresses than the loopback's are dropped there."""
    def address(number):
        return struct.pack('=HH4s8x', socket.AF_INET, 0, struct.pack('!I', number))
    first = struct.unpack('!I', socket.inet_aton(network))[0]
    mask = (0xFFFFFFFF << (32 - bits)) & 0xFFFFFFFF
    up = 0x1
    entry = struct.pack('@L16s16s16sHhLPhPLLH', 0, address(first), address(0), address(mask), up, 0, 0, 0, 0,
                        ctypes.addressof(LOOPBACK), 0, 0, 0)
    program.call('ioctl', handle, 0x890B, entry, allowed=errno.EEXIST)


def confine(host_network):
    """Call last: after it neither mounts nor ids can change."""
    drop_capabilities()
    kernel.prctl('no_new_privs', kernel.PR_SET_NO_NEW_PRIVS, 1)
    if host_network:
        scope_abstract_sockets()
    call_filter.install_filter()
    kernel.prctl('dumpable', kernel.PR_SET_DUMPABLE, 0)
