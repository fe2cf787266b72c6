"""The filter of system calls: those that programs need are allowed, and all others are refused.

A call that is not listed here is not there. So neither a call of a later kernel nor one that was forgotten can be a way
out. What needs a capability is left out, since no process inside has any.
"""
import ctypes
import errno
import struct

import kernel

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16
NETLINK_ROUTE, NETLINK_SOCKETS = 0, 4
ARCHITECTURE = 0xC000003E if kernel.X86 else 0xC00000B7
# Names of namespaces that clone() may make; 0x80 (NEWTIME) lies in the signal byte there and cannot be asked for.
NEW_NAMESPACES = 0x7E020000
# The usual one, the ones of 32-bit programs and of old shells, without random addresses, and the question which it is.
PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0x40000, 0xFFFFFFFF)

# Calls whose arguments are looked at: (x86_64, aarch64) numbers.
LOOKED_AT = {
    'socket': (41, 198), 'socketpair': (53, 199), 'clone': (56, 220), 'clone3': (435, 435), 'personality': (135, 92),
}
# Without them no program runs. None: the architecture has no such call.
ALLOWED = {
    # files and folders
    'read': (0, 63), 'write': (1, 64), 'readv': (19, 65), 'writev': (20, 66), 'pread64': (17, 67), 'pwrite64': (18, 68),
    'preadv': (295, 69), 'pwritev': (296, 70), 'preadv2': (327, 286), 'pwritev2': (328, 287), 'open': (2, None),
    'openat': (257, 56), 'openat2': (437, 437), 'creat': (85, None), 'close': (3, 57), 'close_range': (436, 436),
    'lseek': (8, 62), 'access': (21, None), 'faccessat': (269, 48), 'faccessat2': (439, 439), 'stat': (4, None),
    'fstat': (5, 80), 'lstat': (6, None), 'newfstatat': (262, 79), 'statx': (332, 291), 'statfs': (137, 43),
    'fstatfs': (138, 44), 'cachestat': (451, 451), 'dup': (32, 23), 'dup2': (33, None), 'dup3': (292, 24),
    'fcntl': (72, 25), 'flock': (73, 32), 'ioctl': (16, 29), 'truncate': (76, 45), 'ftruncate': (77, 46),
    'fallocate': (285, 47), 'fadvise64': (221, 223), 'readahead': (187, 213), 'copy_file_range': (326, 285),
    'sendfile': (40, 71), 'splice': (275, 76), 'tee': (276, 77), 'vmsplice': (278, 75), 'fsync': (74, 82),
    'fdatasync': (75, 83), 'sync': (162, 81), 'syncfs': (306, 267), 'sync_file_range': (277, 84), 'getcwd': (79, 17),
    'chdir': (80, 49), 'fchdir': (81, 50), 'chroot': (161, 51), 'mkdir': (83, None), 'mkdirat': (258, 34),
    'rmdir': (84, None), 'rename': (82, None), 'renameat': (264, 38), 'renameat2': (316, 276), 'link': (86, None),
    'linkat': (265, 37), 'symlink': (88, None), 'symlinkat': (266, 36), 'readlink': (89, None), 'readlinkat': (267, 78),
    'unlink': (87, None), 'unlinkat': (263, 35), 'getdents': (78, None), 'getdents64': (217, 61), 'mknod': (133, None),
    'mknodat': (259, 33), 'umask': (95, 166), 'chmod': (90, None), 'fchmod': (91, 52), 'fchmodat': (268, 53),
    'fchmodat2': (452, 452), 'chown': (92, None), 'fchown': (93, 55), 'lchown': (94, None), 'fchownat': (260, 54),
    'utime': (132, None), 'utimes': (235, None), 'futimesat': (261, None), 'utimensat': (280, 88), 'getxattr': (191, 8),
    'lgetxattr': (192, 9), 'fgetxattr': (193, 10), 'setxattr': (188, 5), 'lsetxattr': (189, 6), 'fsetxattr': (190, 7),
    'listxattr': (194, 11), 'llistxattr': (195, 12), 'flistxattr': (196, 13), 'removexattr': (197, 14),
    'lremovexattr': (198, 15), 'fremovexattr': (199, 16), 'getxattrat': (464, 464), 'setxattrat': (463, 463),
    'listxattrat': (465, 465), 'removexattrat': (466, 466), 'inotify_init': (253, None), 'inotify_init1': (294, 26),
    'inotify_add_watch': (254, 27), 'inotify_rm_watch': (255, 28), 'memfd_create': (319, 279),
    # waiting and asynchronous files
    'select': (23, None), 'pselect6': (270, 72), 'poll': (7, None), 'ppoll': (271, 73), 'epoll_create': (213, None),
    'epoll_create1': (291, 20), 'epoll_ctl': (233, 21), 'epoll_wait': (232, None), 'epoll_pwait': (281, 22),
    'epoll_pwait2': (441, 441), 'eventfd': (284, None), 'eventfd2': (290, 19), 'signalfd': (282, None),
    'signalfd4': (289, 74), 'timerfd_create': (283, 85), 'timerfd_settime': (286, 86), 'timerfd_gettime': (287, 87),
    'pipe': (22, None), 'pipe2': (293, 59), 'io_setup': (206, 0), 'io_destroy': (207, 1), 'io_submit': (209, 2),
    'io_cancel': (210, 3), 'io_getevents': (208, 4), 'io_pgetevents': (333, 292),
    # sockets
    'connect': (42, 203), 'accept': (43, 202), 'accept4': (288, 242), 'bind': (49, 200), 'listen': (50, 201),
    'getsockname': (51, 204), 'getpeername': (52, 205), 'getsockopt': (55, 209), 'setsockopt': (54, 208),
    'sendto': (44, 206), 'recvfrom': (45, 207), 'sendmsg': (46, 211), 'recvmsg': (47, 212), 'sendmmsg': (307, 269),
    'recvmmsg': (299, 243), 'shutdown': (48, 210),
    # memory
    'brk': (12, 214), 'mmap': (9, 222), 'mprotect': (10, 226), 'munmap': (11, 215), 'mremap': (25, 216),
    'msync': (26, 227), 'mincore': (27, 232), 'madvise': (28, 233), 'mlock': (149, 228), 'mlock2': (325, 284),
    'munlock': (150, 229), 'mlockall': (151, 230), 'munlockall': (152, 231), 'remap_file_pages': (216, 234),
    'membarrier': (324, 283), 'pkey_alloc': (330, 289), 'pkey_free': (331, 290), 'pkey_mprotect': (329, 288),
    'mseal': (462, 462), 'map_shadow_stack': (453, 453), 'shmget': (29, 194), 'shmat': (30, 196), 'shmctl': (31, 195),
    'shmdt': (67, 197),
    # processes and threads
    'fork': (57, None), 'vfork': (58, None), 'execve': (59, 221), 'execveat': (322, 281), 'exit': (60, 93),
    'exit_group': (231, 94), 'wait4': (61, 260), 'waitid': (247, 95), 'kill': (62, 129), 'tkill': (200, 130),
    'tgkill': (234, 131), 'pidfd_open': (434, 434), 'pidfd_send_signal': (424, 424), 'process_mrelease': (448, 448),
    'ptrace': (101, 117), 'process_vm_readv': (310, 270), 'process_vm_writev': (311, 271), 'arch_prctl': (158, None),
    'prctl': (157, 167), 'seccomp': (317, 277), 'landlock_create_ruleset': (444, 444), 'landlock_add_rule': (445, 445),
    'landlock_restrict_self': (446, 446), 'getpid': (39, 172), 'getppid': (110, 173), 'gettid': (186, 178),
    'getpgid': (121, 155), 'getpgrp': (111, None), 'setpgid': (109, 154), 'getsid': (124, 156), 'setsid': (112, 157),
    'set_tid_address': (218, 96), 'set_robust_list': (273, 99), 'get_robust_list': (274, 100), 'rseq': (334, 293),
    'futex': (202, 98), 'futex_waitv': (449, 449), 'futex_wake': (454, 454), 'futex_wait': (455, 455),
    'futex_requeue': (456, 456), 'restart_syscall': (219, 128), 'uretprobe': (335, None),
    # signals
    'rt_sigaction': (13, 134), 'rt_sigprocmask': (14, 135), 'rt_sigreturn': (15, 139), 'rt_sigpending': (127, 136),
    'rt_sigtimedwait': (128, 137), 'rt_sigqueueinfo': (129, 138), 'rt_tgsigqueueinfo': (297, 240),
    'rt_sigsuspend': (130, 133), 'sigaltstack': (131, 132), 'pause': (34, None), 'alarm': (37, None),
    'getitimer': (36, 102), 'setitimer': (38, 103),
    # users, limits and priorities
    'getuid': (102, 174), 'geteuid': (107, 175), 'getgid': (104, 176), 'getegid': (108, 177), 'getresuid': (118, 148),
    'getresgid': (120, 150), 'getgroups': (115, 158), 'setuid': (105, 146), 'setgid': (106, 144),
    'setreuid': (113, 145), 'setregid': (114, 143), 'setresuid': (117, 147), 'setresgid': (119, 149),
    'setfsuid': (122, 151), 'setfsgid': (123, 152), 'setgroups': (116, 159), 'capget': (125, 90), 'capset': (126, 91),
    'getrlimit': (97, 163), 'setrlimit': (160, 164), 'prlimit64': (302, 261), 'getrusage': (98, 165),
    'times': (100, 153), 'getpriority': (140, 141), 'setpriority': (141, 140), 'ioprio_get': (252, 31),
    'ioprio_set': (251, 30), 'sched_yield': (24, 124), 'sched_getscheduler': (145, 120),
    'sched_setscheduler': (144, 119), 'sched_getparam': (143, 121), 'sched_setparam': (142, 118),
    'sched_getattr': (315, 275), 'sched_setattr': (314, 274), 'sched_getaffinity': (204, 123),
    'sched_setaffinity': (203, 122), 'sched_get_priority_max': (146, 125), 'sched_get_priority_min': (147, 126),
    'sched_rr_get_interval': (148, 127), 'getcpu': (309, 168),
    # clocks
    'time': (201, None), 'gettimeofday': (96, 169), 'clock_gettime': (228, 113), 'clock_getres': (229, 114),
    'clock_nanosleep': (230, 115), 'nanosleep': (35, 101), 'timer_create': (222, 107), 'timer_settime': (223, 110),
    'timer_gettime': (224, 108), 'timer_getoverrun': (225, 109), 'timer_delete': (226, 111),
    # messages and semaphores
    'semget': (64, 190), 'semop': (65, 193), 'semtimedop': (220, 192), 'semctl': (66, 191), 'msgget': (68, 186),
    'msgsnd': (69, 189), 'msgrcv': (70, 188), 'msgctl': (71, 187), 'mq_open': (240, 180), 'mq_unlink': (241, 181),
    'mq_timedsend': (242, 182), 'mq_timedreceive': (243, 183), 'mq_notify': (244, 184), 'mq_getsetattr': (245, 185),
    # what is known of the machine
    'uname': (63, 160), 'sysinfo': (99, 179), 'getrandom': (318, 278),
}
# A refused call gives EPERM if programs know it for long, as in containers, and else ENOSYS, as on an older kernel, for
# which programs have another way. Numbers from 424 on are the same everywhere.
REFUSED = (range(0, 336 if kernel.X86 else 294), range(424, 451))

LOAD, JUMP_EQUAL, JUMP_FROM, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
# Where struct seccomp_data has them.
NUMBER, MACHINE, FIRST, THIRD = 0, 4, 16, 32


def _number(pair):
    return pair[0 if kernel.X86 else 1]


def _filter_program():
    """Classic BPF. The calls that are looked at come first; the others follow as ranges of numbers with one answer."""
    allow, refuse, unknown = _ends(ALLOW), _ends(FAIL | errno.EPERM), _ends(FAIL | errno.ENOSYS)
    family, protocol = _ends(FAIL | errno.EAFNOSUPPORT), _ends(FAIL | errno.EPROTONOSUPPORT)
    socket, socketpair, clone, clone3, personality = map(_number, LOOKED_AT.values())
    program = [
        (LOAD, 0, 0, MACHINE), (JUMP_EQUAL, 1, 0, ARCHITECTURE), unknown,
        (LOAD, 0, 0, NUMBER),
        # glibc falls back to clone(), whose flags the filter can read.
        (JUMP_EQUAL, 0, 1, clone3), unknown,
        (JUMP_EQUAL, 0, 4, clone), (LOAD, 0, 0, FIRST), (JUMP_SET, 0, 1, NEW_NAMESPACES), refuse, allow,
        # AF_VSOCK crosses network namespaces; AF_PACKET, AF_ALG and the rest are not needed. Of netlink, programs
        # ask for addresses, routes and open sockets.
        (JUMP_EQUAL, 1, 0, socket), (JUMP_EQUAL, 0, 11, socketpair), (LOAD, 0, 0, FIRST),
        (JUMP_EQUAL, 8, 0, AF_UNIX), (JUMP_EQUAL, 7, 0, AF_INET), (JUMP_EQUAL, 6, 0, AF_INET6),
        (JUMP_EQUAL, 1, 0, AF_NETLINK), family,
        (LOAD, 0, 0, THIRD), (JUMP_EQUAL, 2, 0, NETLINK_ROUTE), (JUMP_EQUAL, 1, 0, NETLINK_SOCKETS), protocol, allow,
    ]
    tests = [(JUMP_EQUAL, len(PERSONALITIES) - at, 0, value) for at, value in enumerate(PERSONALITIES)]
    program += [(JUMP_EQUAL, 0, len(tests) + 3, personality), (LOAD, 0, 0, FIRST)] + tests + [refuse, allow]
    for end, answer in _ranges():
        program += [(JUMP_FROM, 1, 0, end), {ALLOW: allow, errno.EPERM: refuse, errno.ENOSYS: unknown}[answer]]
    program.append(unknown)
    return b''.join(struct.pack('=HBBI', *step) for step in program), len(program)


def _ends(value):
    return RETURN, 0, 0, value


def _ranges():
    """The answers to calls by number, as (first number behind it, answer); a later number has no call."""
    allowed = {_number(pair) for pair in ALLOWED.values()}
    last = max(allowed - {None})
    answers = [errno.EPERM if any(number in known for known in REFUSED) else errno.ENOSYS for number in range(last + 1)]
    for number in allowed - {None}:
        answers[number] = ALLOW
    changes = [number for number in range(1, len(answers)) if answers[number] != answers[number - 1]]
    return [(end, answers[end - 1]) for end in changes + [len(answers)]]


class _Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('filter', ctypes.c_void_p)]


FILTER_BYTES, FILTER_LENGTH = _filter_program()


def install_filter():
    """Holds for this process and all that it starts from here on, permanently."""
    buffer = ctypes.create_string_buffer(FILTER_BYTES, len(FILTER_BYTES))
    program = _Program(FILTER_LENGTH, ctypes.cast(buffer, ctypes.c_void_p))
    speculation_allowed = 4
    kernel.syscall('seccomp', kernel.SYS_SECCOMP, 1, speculation_allowed, ctypes.byref(program))
