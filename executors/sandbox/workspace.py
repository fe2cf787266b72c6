"""From the clone to a confined process 1. Runs in the child and never returns."""
import array
import ctypes
import os
import resource
import signal
import socket
import sys

import confine
import frames
import kernel
import root
import supervisor

MAX_DESCRIPTORS = 253


def enter(control, channel, plan):
    """`control` leads to Node, `channel` to the spawner."""
    step = 'start'
    try:
        signal.set_wakeup_fd(-1)
        kernel.close_all_but(control.fileno(), channel.fileno())
        trees = _await_release(channel, plan)
        step = 'ids'
        if plan['mapped']:
            os.setresgid(0, 0, 0)
            os.setgroups([])
            os.setresuid(0, 0, 0)
        kernel.prctl('pdeathsig', kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.prctl('dumpable', kernel.PR_SET_DUMPABLE, 1)
        _hide_arguments()
        step = 'namespaces'
        os.setsid()
        kernel.unshare(kernel.CLONE_NEWCGROUP)
        kernel.set_hostname('swemake')
        if not plan['host_network']:
            confine.raise_loopback()
        step = 'folders'
        if not plan['mapped']:
            trees = [kernel.detached_tree(path, attributes) for path, attributes, _ in root.tree_list(plan)]
        step = 'mounts'
        store = root.build(plan, trees)
        step = 'limits'
        _set_limits(plan['limits'])
        process = supervisor.Supervisor(control, channel, plan, store)
        step = 'confinement'
        confine.confine(plan['host_network'])
        _forget_imports()
        os.dup2(process.null, 2)
        os.umask(0o022)
        process.reply({'ready': True, 'name': plan['name']})
    except BaseException as error:
        _give_up(control, plan['name'], step, error)
    try:
        process.run()
    except BaseException as error:
        _report_fault(process, error)
    finally:
        os._exit(70)


def _report_fault(process, error):
    """A fault of ours: says where, without the modules that would format it."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        places.append('%s:%d' % (trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    process.reply({'fatal': '%s: %s at %s' % (type(error).__name__, error, ' > '.join(places))})


def _await_release(channel, plan):
    data, ancillary, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4 * MAX_DESCRIPTORS))
    if not data:
        os._exit(0)
    trees = array.array('i')
    for _, _, payload in ancillary:
        trees.frombytes(payload)
    for tree in trees:
        os.set_inheritable(tree, False)
    return list(trees)


def _hide_arguments():
    """The command line of process 1 can be read inside; it names host folders."""
    with open('/proc/self/stat') as handle:
        fields = handle.read().rsplit(')', 1)[1].split()
    start, end = int(fields[45]), int(fields[46])
    ctypes.memset(start, 0, end - start)
    ctypes.memmove(start, b'swemake', 7)


def _set_limits(limits):
    """Name of the limit -> bytes or count."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, value in limits.items():
        number = getattr(resource, 'RLIMIT_' + name)
        _, hard = resource.getrlimit(number)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))


def _forget_imports():
    """From here on a late import would find the files of the code inside."""
    sys.path.clear()
    sys.meta_path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()


def _give_up(control, name, step, error):
    detail = '%s: %s' % (step, error or type(error).__name__)
    try:
        control.setblocking(True)
        frames.send(control, {'ready': False, 'name': name, 'detail': detail, 'code': getattr(error, 'errno', None)})
    finally:
        os._exit(71)
