"""Makes a workspace from a clone to a confined process 1: the lists of calls, and what Python does after them.

The first list of calls is the same for all workspaces. It ends by waiting for the second, which the spawner writes
for one request; that ends by telling Node and waiting for the first command. Only then Python goes on.
"""
import errno
import json
import os
import resource
import select
import signal
import socket
import struct

import calls
import confine
import frames
import kernel
import memory_events
import root
import supervisor
import zygote

MAX_DESCRIPTORS = 253
MAX_PLAN = 1 << 20
# What the spawner sends: two lengths, what Node is told, the second list, and what Python has to know. A list is kept
# for the next workspace of the same kind.
LENGTHS = struct.Struct('=QQ')
READY_SIZE = 256
SECOND = LENGTHS.size + READY_SIZE
KEPT = 64
READY, RUN = 4, 5


class Lists:
    """What all workspaces of a run do first, with a network of their own or with the host's."""

    def __init__(self, mapped, doors):
        self.mapped = mapped
        self.plan = calls.Memory(MAX_PLAN)
        self.word = calls.Memory(16)
        self.written = {}
        self.mailbox = zygote.Mailbox([(self.plan.address, MAX_PLAN)], MAX_DESCRIPTORS)
        self.programs = {host: calls.Memory.of(self._first(host, doors)) for host in (False, True)}

    def of(self, host_network):
        return self.programs[host_network].address

    def _first(self, host_network, doors):
        program = calls.Program()
        _take_places(program)
        program.call('recvfrom', calls.CHANNEL, self.word.address, 16, 0, 0, 0, zero=calls.END)
        _enter_groups(program, doors)
        _prepare(program, self.mapped, host_network)
        zygote.receive(program, calls.CHANNEL, self.mailbox)
        program.go(self.plan.address + SECOND)
        program.call('exit_group', 0)
        return program

    def message(self, wanted, own):
        """The second list and the plan that it comes from. What is a workspace's `own` changes nothing in the list."""
        now, shape = own['memory']['now'], wanted.text
        ready = frames.encoded({'ready': True, 'name': own['name'], 'copied': None, 'memory': now}, fill=READY_SIZE)
        key = (shape, own['copy'], own['memory']['files'], own['store'] is None if self.mapped else own['store'])
        if key not in self.written:
            if len(self.written) >= KEPT:
                self.written.clear()
            self.written[key] = self._second(dict(wanted.plan, **own))
        text, places = self.written[key]
        rest = ('[%s, %s]' % (shape, json.dumps(dict(own, **places)))).encode()
        return LENGTHS.pack(len(text), len(rest)) + ready + text + rest

    def _second(self, plan):
        """The second list, and the numbers that Python needs."""
        first = calls.FREE + plan['memory']['files']
        program = calls.Program()
        if not self.mapped:
            root.open_trees(program, plan, first)
        stored = root.build(program, plan, first)
        ready = self.plan.address + SECOND + calls.STEP * len(program.steps)
        program.call('write', calls.CONTROL, self.plan.address + LENGTHS.size, READY_SIZE, mark=READY)
        if not self.mapped:
            root.leave_host(program)
        root.enter(program)
        _set_limits(program, plan['limits'])
        _wait(program)
        return program.at(self.plan.address + SECOND), {'stored': stored, 'ready': ready}

    def wake(self, address, error):
        """Python's part, in the copy, before its first command: it gives up the rights that are left. Never returns."""
        control, channel = socket.socket(fileno=calls.CONTROL), socket.socket(fileno=calls.CHANNEL)
        plan = None
        try:
            if not self._is_second(address):
                problem = calls.fault(address, error)
                plan = self._read(_receive(channel))
                raise problem
            plan = self._read(self.plan.bytes)
            made, address, error = self._go_on(plan, control, address, error)
        except BaseException as caught:
            _give_up(control, plan, caught)
        try:
            if error:
                raise calls.fault(address, error)
            files = list(range(calls.FREE, calls.FREE + plan['memory']['files']))
            memory = memory_events.MemoryEvents(plan['memory']['version'], files, plan['memory']['met'])
            plan['bounded'] = plan['store'] is None
            process = supervisor.Supervisor(control, channel, plan, made, memory)
            confine.confine(plan['host_network'])
            os.dup2(process.null, 2)
            process.run()
        except BaseException as caught:
            _report_fault(control, caught)
        finally:
            os._exit(70)

    def _is_second(self, address):
        return self.plan.address <= address < self.plan.address + MAX_PLAN

    def _read(self, data):
        length, rest = LENGTHS.unpack_from(data)
        begin = SECOND + length
        plan, own = json.loads(bytes(data[begin:begin + rest]))
        return dict(plan, **own)

    def _go_on(self, plan, control, address, error):
        """Steps inside the second list that only Python can do, and errors after Node was answered."""
        made = root.Root(plan['stored'], None, [], 0)
        ready = plan['ready']
        while True:
            mark = calls.at(address).mark
            if address > ready:
                return made, address, error
            if mark == root.LAYERED and error != errno.ENOSPC:
                made = made._replace(**root.copy(plan, plan['copy'] or str(calls.fault(address, error))))
                calls.stop_at(ready)
            elif mark == root.OPENED and error == errno.EINVAL:
                root.open_with_mounts(plan, calls.text(calls.at(address).b))
            elif error:
                raise calls.fault(address, error)
            elif mark == root.PLACED:
                root.show_place(plan['place'])
            else:
                frames.send(control, {'ready': True, 'name': plan['name'], 'copied': made.refusal,
                                      'memory': plan['memory']['now']})
            address, error = calls.walk(address + calls.STEP)


def _take_places(program):
    """Moves the two descriptors that are kept to the front; those of the copied process are closed."""
    for place in (calls.CONTROL, calls.CHANNEL):
        program.call('dup3', zygote.FIRST + place - calls.CONTROL, place, os.O_CLOEXEC)


def _enter_groups(program, doors):
    for door in range(doors):
        program.call('write', zygote.FIRST + 2 + door, b'0', 1)
    program.call('close_range', calls.FREE, zygote.LAST, 0)


def _prepare(program, mapped, host_network):
    """Settings that are the same for all workspaces."""
    if mapped:
        program.call('setresgid', 0, 0, 0)
        program.call('setgroups', 0, 0)
        program.call('setresuid', 0, 0, 0)
    program.call('prctl', kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    program.call('prctl', kernel.PR_SET_DUMPABLE, 1)
    program.call('setsid')
    program.call('unshare', kernel.CLONE_NEWCGROUP)
    program.call('sethostname', b'swemake', len('swemake'))
    if not host_network:
        confine.make_network(program)
    confine.forgo(program)
    root.prepare(program)
    if mapped:  # a user's child opens the host's folders itself, and needs to see them until then
        root.leave_host(program)


def _set_limits(program, limits):
    """Name of the limit -> bytes or count."""
    own = struct.Struct('=qq')
    program.call('prlimit64', 0, resource.RLIMIT_CORE, own.pack(0, 0), 0)
    for name, value in limits.items():
        number = getattr(resource, 'RLIMIT_' + name)
        _, hard = resource.getrlimit(number)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        program.call('prlimit64', 0, number, own.pack(value, value), 0)


def _wait(program):
    """Waits for a message of Node or the spawner. Exits when Node is gone."""
    ends = b''.join(struct.pack('=ihh', end, select.POLLIN, 0) for end in (calls.CONTROL, calls.CHANNEL))
    program.call('ppoll', ends, 2, 0, 0, 0)
    program.call('recvfrom', calls.CONTROL, bytes(8), 1, socket.MSG_PEEK | socket.MSG_DONTWAIT, 0, 0,
                 allowed=calls.ANY, zero=calls.END)
    program.python(RUN)
    program.call('exit_group', 0)


def _receive(channel):
    """A message of the spawner without its descriptors; ends when the spawner is gone."""
    data = channel.recv(MAX_PLAN)
    if not data:
        os._exit(0)
    return data


def _report_fault(control, error):
    """Reports an internal fault with its place, without modules that format tracebacks."""
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
