"""From the clone to a confined process 1. Runs in the child and never returns."""
import array
import json
import os
import resource
import signal
import socket

import cgroups
import confine
import frames
import kernel
import memory_events
import root
import supervisor

MAX_DESCRIPTORS = 253
MAX_PLAN = 1 << 20


def enter(control, channel, doors, mapped, host_network):
    """`control` leads to Node, `channel` to the spawner, `doors` into the control groups; `mapped`: ids inside are a
    range of their own."""
    problem = plan = None
    try:
        signal.set_wakeup_fd(-1)
        kernel.close_all_but(control.fileno(), channel.fileno(), *doors)
        _receive(channel)
        cgroups.enter(doors)
        _prepare(mapped, host_network)
    except BaseException as error:
        problem = error  # reported when there is somebody to report to
    try:
        message, received = _receive(channel)
        plan = json.loads(message)
        trees = received[:len(received) - plan['memory']['files']]
        memory = memory_events.MemoryEvents(plan['memory']['version'], received[len(trees):])
        if problem is not None:
            raise problem
        if not mapped:
            trees = [kernel.detached_tree(path, attributes) for path, attributes, _ in root.tree_list(plan)]
        made = root.build(plan, trees)
    except BaseException as error:
        _give_up(control, plan, error)
    # All that an environment can get wrong is done. Node may go on while the doors are closed; no command runs
    # before that.
    frames.send(control, {'ready': True, 'name': plan['name'], 'copied': made.refusal,
                          'memory': memory.read()})
    try:
        if not mapped:
            root.leave_host()
        root.enter()
        _set_limits(plan['limits'])
        process = supervisor.Supervisor(control, channel, plan, made, memory)
        confine.confine(host_network)
        os.dup2(process.null, 2)
        process.run()
    except BaseException as error:
        _report_fault(control, error)
    finally:
        os._exit(70)


def _prepare(mapped, host_network):
    """What is the same for all workspaces."""
    if mapped:
        os.setresgid(0, 0, 0)
        os.setgroups([])
        os.setresuid(0, 0, 0)
    kernel.prctl('pdeathsig', kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    kernel.prctl('dumpable', kernel.PR_SET_DUMPABLE, 1)
    os.setsid()
    kernel.unshare(kernel.CLONE_NEWCGROUP)
    kernel.set_hostname('swemake')
    if not host_network:
        confine.make_network()
    confine.forgo()
    root.prepare()
    if mapped:  # a user's child opens the host's folders itself, and needs to see them until then
        root.leave_host()


def _receive(channel):
    """A message of the spawner and the descriptors that came with it; ends when the spawner is gone."""
    data, ancillary, _, _ = channel.recvmsg(MAX_PLAN, socket.CMSG_SPACE(4 * MAX_DESCRIPTORS))
    if not data:
        os._exit(0)
    descriptors = array.array('i')
    for _, _, payload in ancillary:
        descriptors.frombytes(payload)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return data, list(descriptors)


def _set_limits(limits):
    """Name of the limit -> bytes or count."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, value in limits.items():
        number = getattr(resource, 'RLIMIT_' + name)
        _, hard = resource.getrlimit(number)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))


def _report_fault(control, error):
    """A fault of ours: says where, without the modules that would format it."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        places.append('%s:%d' % (trace.tb_frame.f_code.co_name, trace.tb_lineno))
        trace = trace.tb_next
    control.setblocking(True)
    frames.send(control, {'fatal': '%s: %s at %s' % (type(error).__name__, error, ' > '.join(places))})


def _give_up(control, plan, error):
    try:
        control.setblocking(True)
        frames.send(control, {'ready': False, 'name': (plan or {}).get('name'), 'code': getattr(error, 'errno', None),
                              'detail': str(error) or type(error).__name__})
    finally:
        os._exit(71)
