"""Process 1 of a container: the supervisor of the sandbox. It talks to Node over the container's standard streams.

It comes over the standard input and never lies in the image. The interpreter is the image's own, which may lack calls
that others have: those are put in place here. Containers of the same image get it compiled, as the first of them was told
to answer. When its input ends, the container ends.
"""
import fcntl
import gc
import os
import signal
import struct
import sys
from collections import namedtuple

import call_filter
import calls
import confine
import frames
import kernel
import memory_events
import stream_relay
import supervisor

Made = namedtuple('Made', 'store refusal')
CAP_SETPCAP = 8
GROUP = {2: '/sys/fs/cgroup', 1: '/sys/fs/cgroup/memory'}
PR_CAPBSET_DROP = 24


class Streams:
    """The two standard streams, with as much of a socket as the supervisor needs."""

    def fileno(self):
        return 0

    def setblocking(self, blocking):
        pass

    def recv(self, size):
        return os.read(0, size)

    def sendall(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(1, view):]


class ContainerMemory(memory_events.MemoryEvents):
    """The container's control group, which is read-only here. In version 1 the highest use cannot be reset, so after
    one command met a limit, later commands seem to meet it, too."""

    @classmethod
    def find(cls):
        for version, folder in GROUP.items():
            first = os.path.join(folder, memory_events.FILES[version][0])
            if os.path.exists(first):
                names = [os.path.join(folder, name) for name in memory_events.FILES[version]]
                return cls(version, [os.open(name, os.O_RDONLY | os.O_CLOEXEC) for name in names if os.path.exists(name)])
        return cls.of_host()

    def read(self, step=1):
        if self.version != 1:
            return super().read(step)
        try:
            events, limit, *highest = [os.pread(one, memory_events.SIZE, 0) for one in self.descriptors]
            counts = dict(line.split(b' ', 1) for line in events.splitlines() if b' ' in line)
            if max(map(int, highest)) + memory_events.LARGEST_REQUEST > int(limit):
                self.met += step
            return [self.met, int(counts[b'oom_kill']) if b'oom_kill' in counts else None]
        except (OSError, ValueError):
            return [None, None]


class ContainerSupervisor(supervisor.Supervisor):
    def do_over_disk(self, header, body):
        """The disk limit was exceeded: ends all commands, which report the reason."""
        for execution in self.executions.values():
            execution.note('\nswemake: over the disk limit of %d bytes\n' % header['limit'])
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.reply({'id': header['id']})

    def do_net(self, header, body):
        if self.relay is not None:
            self.relay.on_frame(header, body)


def main(plan, compiled):
    """Never returns. `compiled`: the compiled modules, if they are new to Node."""
    streams = Streams()
    try:
        _replace_missing()
        os.umask(0o022)
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        if plan['ownNetwork']:
            _make_network()
        memory = ContainerMemory.find()
        # Only Node ends it.
        reader, _writer = os.pipe2(os.O_CLOEXEC)
        view = {'watch': {}, 'ports': [], 'bounded': False, 'disk': plan['disk']}
        made = Made(os.open('/', os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC), None)
        process = ContainerSupervisor(streams, socket_like(reader), view, made, memory)
        if plan['ports']:
            process.relay = stream_relay.StreamRelay(process, plan['ports'])
        ports = process.relay.ports.numbers() if plan['ports'] else []
        _forgo(plan['dropped'])
        call_filter.install_filter()
        kernel.prctl('dumpable', kernel.PR_SET_DUMPABLE, 0)
        _forget_imports()
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_NONBLOCK)
        ready = {'ready': True, 'memory': memory.read(), 'python': sys.executable, 'ports': ports}
        frames.send(streams, ready, compiled)
        os.dup2(process.null, 2)
        process.run()
    except BaseException as error:
        frames.send(streams, {'fatal': '%s: %s' % (type(error).__name__, error)})
    finally:
        os._exit(70)


Reader = namedtuple('Reader', 'fileno')


def socket_like(descriptor):
    return Reader(lambda: descriptor)


def _make_network():
    """Makes private addresses silent, as in the sandbox. If the engine gives no right to do so, they stay
    unreachable."""
    try:
        calls.make(confine.make_network)
    except OSError:
        pass


def _forgo(capabilities):
    """Gives up rights that only the start needed."""
    for capability in capabilities:
        if capability != CAP_SETPCAP:
            kernel.libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if CAP_SETPCAP in capabilities:
        kernel.libc.prctl(PR_CAPBSET_DROP, CAP_SETPCAP, 0, 0, 0)
    with open('/proc/self/status') as handle:
        fields = dict(line.split(':\t', 1) for line in handle if ':\t' in line)
    permitted = int(fields['CapPrm'], 16)
    for capability in capabilities:
        permitted &= ~(1 << capability)
    low, high = permitted & 0xFFFFFFFF, permitted >> 32
    header = kernel.ctypes.create_string_buffer(struct.pack('=Ii', 0x20080522, 0), 8)
    data = kernel.ctypes.create_string_buffer(struct.pack('=6I', low, low, 0, high, high, 0), 24)
    kernel.syscall('capset', kernel.SYS_CAPSET, header, data)


def _forget_imports():
    """Clears Python's import paths: an import after this would load files of the code inside."""
    sys.path.clear()
    sys.meta_path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    gc.collect()
    gc.freeze()


def _replace_missing():
    """Adds calls that interpreters for old systems lack."""
    if not hasattr(os, 'memfd_create'):
        os.MFD_CLOEXEC = 1
        os.memfd_create = lambda name, flags: os.open('/tmp', os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC)
    try:
        os.posix_spawn('/', ['/'], {}, setsid=True)
    except NotImplementedError:
        os.posix_spawn = _spawn
    except OSError:
        pass


def _spawn(path, arguments, environment, file_actions, setsid, setsigdef):
    """posix_spawn by fork: what fails before the program begins is raised here."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid == 0:
        try:
            for _, source, target in file_actions:
                os.dup2(source, target)
            os.setsid()
            for number in setsigdef:
                signal.signal(number, signal.SIG_DFL)
            os.execve(path, arguments, environment)
        except OSError as error:
            os.write(writer, struct.pack('=i', error.errno))
        finally:
            os._exit(127)
    os.close(writer)
    problem = os.read(reader, 4)
    os.close(reader)
    if problem:
        os.waitpid(pid, 0)
        number = struct.unpack('=i', problem)[0]
        raise OSError(number, os.strerror(number))
    return pid
