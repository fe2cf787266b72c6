"""Process 1 of a workspace: runs commands, writes and reads files, and answers over its socket to Node.

It has the same rights as the code that it runs, so whatever path it is given, it can reach nothing else. It
never trusts what it reads inside, imports nothing after the root has changed, and ends with its socket.
"""
import errno
import os
import select
import signal
import socket
import stat
import time

import copy_layers
import frames
import lacks
import pauses
import relay
import tree
import watchdog
from execution import Execution

BASH = '/bin/bash'
MAX_READ = 256 << 20
COMMAND_ARGUMENT = 100_000
# Seconds for killed processes to end. They end at once, unless the kernel has something to finish for them.
END_SECONDS = 20
# Signals that are reset for commands, since this process or the one that started it may ignore them.
RESET_SIGNALS = [number for number in range(1, signal.NSIG) if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33)]
# A longer command than one argument may be is read from a descriptor.
FROM_DESCRIPTOR = '_swemake=$(</dev/fd/9) && exec 9<&- && eval "unset _swemake"$\'\\n\'"$_swemake"'


class Supervisor:
    def __init__(self, control, spawner, plan, made, memory):
        control.setblocking(False)
        self.control = control
        self.plan = plan
        self.poll = select.poll()
        self.handlers = {}
        self.reader = frames.Reader()
        self.executions = {}
        self.count = 0
        self.null = os.open('/dev/null', os.O_RDWR | os.O_CLOEXEC)
        self.score = os.open('/proc/self/oom_score_adj', os.O_RDWR | os.O_CLOEXEC)
        self.own_score = int(os.read(self.score, 16))
        self.proc = os.stat('/proc').st_dev
        self.processes = tree.Processes()
        self.pauses = pauses.Pauses(self.processes)
        self.load = pauses.Load(self.processes)
        self.watchdog = watchdog.Watchdog(plan['watch'], made.store, self.processes)
        self.lacks = lacks.Lacks(made.store, plan['bounded'], plan['disk'], self.processes)
        self.root = made
        self.memory = memory
        self._watch_children()
        self.watch(control.fileno(), self._on_control)
        self.relay = relay.Relay(self, spawner, plan['ports']) if plan['ports'] else None
        self.watch(spawner.fileno(), self._on_spawner)
        self.spawner = spawner

    def _watch_children(self):
        reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        self.watch(reader, lambda: self._on_child(reader))

    def watch(self, descriptor, handler, events=select.POLLIN):
        self.handlers[descriptor] = handler
        self.poll.register(descriptor, events)

    def expect(self, descriptor, events):
        """Other events than before. With none it is left out of poll, which reports a hang-up without being asked."""
        if events:
            return self.poll.register(descriptor, events)
        try:
            self.poll.unregister(descriptor)
        except KeyError:
            pass  # nothing was expected before

    def forget(self, descriptor):
        self.expect(descriptor, 0)
        del self.handlers[descriptor]

    def run(self):
        while True:
            self._make_up_awake()
            timeout = self._poll_timeout()
            events = self.poll.poll(timeout)
            if timeout is not None:
                self._make_up(self.pauses.woke(timeout / 1000))
            for descriptor, _ in events:
                handler = self.handlers.get(descriptor)
                if handler is not None:
                    handler()
            # A command that was just begun may stand still already, and its time is not over.
            self._make_up_awake()
            now = self.pauses.awake_at
            if self.executions and now >= self.load.next:
                self.load.look(now)
            if self.executions and now >= self.lacks.next:
                self.lacks.look(self.executions.values(), now)
                self._move_deadlines(self.pauses.waited())
            for execution in list(self.executions.values()):
                self._advance(execution, now)
            if self.executions and self.watchdog.due(now):
                self._enforce()

    def _poll_timeout(self):
        """Milliseconds until the next deadline, and no more than a tick; None without a command."""
        moments = [execution.next_moment() for execution in self.executions.values()]
        if not moments:
            return None
        if self.watchdog.active:
            moments.append(self.watchdog.next)
        return max(0, int(min(min(moments) - time.monotonic(), pauses.TICK) * 1000) + 1)

    def _make_up_awake(self):
        if self.executions:
            self._make_up(self.pauses.missed())

    def _make_up(self, pause):
        """Time in which nothing here ran is no time of a command."""
        if pause:
            self._move_deadlines(pause)
            for execution in self.executions.values():
                execution.paused += pause

    def _move_deadlines(self, seconds):
        for execution in self.executions.values():
            execution.deadline += seconds

    # What Node asks

    def _on_control(self):
        try:
            data = self.control.recv(1 << 18)
        except BlockingIOError:
            return
        if not data:
            os._exit(0)
        for header, body in self.reader.feed(data):
            operation = getattr(self, 'do_' + header['op'])
            try:
                operation(header, body)
            except OSError as error:
                self.reply({'id': header['id'], 'error': error.strerror or str(error), 'code': error.errno})
            except MemoryError:
                self.reply({'id': header['id'], 'error': os.strerror(errno.ENOMEM), 'code': errno.ENOMEM})
            except (ValueError, RecursionError) as error:  # a NUL byte in a path, half a character, a thousand new folders
                self.reply({'id': header['id'], 'error': str(error), 'code': errno.EINVAL})
            if header['op'] != 'exec':
                self.pauses.awake()

    def _on_spawner(self):
        if self.relay is not None:
            return self.relay.on_connection()
        if not self.spawner.recv(1):
            os._exit(0)

    def reply(self, header, *bodies):
        """Node reads without waiting for others, so a blocking write cannot hang."""
        self.control.setblocking(True)
        frames.send(self.control, header, bodies)
        self.control.setblocking(False)
        self.pauses.awake()

    def do_exec(self, header, body):
        command = body.decode('utf-8', 'surrogateescape')
        actions = []
        script = None
        if len(body) > COMMAND_ARGUMENT:
            script = os.memfd_create('command', os.MFD_CLOEXEC)
            with open(script, 'wb', closefd=False) as handle:
                handle.write(body)
            os.lseek(script, 0, os.SEEK_SET)
            actions.append((os.POSIX_SPAWN_DUP2, script, 9))
            command = FROM_DESCRIPTOR
        self.count += 1
        mark = min(1000, self.own_score + 100 + self.count % 800)
        execution = Execution(header, mark, self.executions.values())
        memory = self.memory.read()
        self.pauses.note()
        if not self.executions:
            self.load.begin(execution.started, header.get('cpus'))
        execution.hindrance = (self.pauses.seconds, self.load.seen())
        try:
            pid = self._spawn(command, header, execution, actions)
        except (OSError, ValueError) as error:
            execution.close_writers()
            execution.discard()
            self._refuse(header, error if isinstance(error, OSError) else OSError(errno.EINVAL, str(error)))
            return
        finally:
            if script is not None:
                os.close(script)
        execution.begin(pid, self.pauses.awake())
        execution.close_writers()
        execution.memory = memory
        self.executions[pid] = execution
        for stream, descriptor in execution.readers.items():
            self.watch(descriptor, lambda s=stream, e=execution: self._on_output(e, s))

    def _spawn(self, command, header, execution, actions):
        """posix_spawn shares memory until exec, so its cost does not grow with this process."""
        actions = [(os.POSIX_SPAWN_DUP2, self.null, 0), (os.POSIX_SPAWN_DUP2, execution.writers[1], 1),
                   (os.POSIX_SPAWN_DUP2, execution.writers[2], 2)] + actions
        os.chdir(header['cwd'])
        # Inherited by all descendants, even those that leave the session: it tells concurrent commands apart,
        # and makes the kernel's memory killer choose them before this process.
        os.pwrite(self.score, b'%d' % execution.mark, 0)
        try:
            return os.posix_spawn(BASH, ['bash', '-lc' if header['login'] else '-c', command], header['env'], file_actions=actions,
                                  setsid=True, setsigdef=RESET_SIGNALS)
        finally:
            os.pwrite(self.score, b'%d' % self.own_score, 0)
            try:
                os.chdir('/')
            except OSError:
                # The command runs already and has closed the root folder. The next one names its own.
                pass

    def _refuse(self, header, error):
        """The command could not be started because of something inside the workspace: the answer is a shell's."""
        if isinstance(error, FileNotFoundError) or isinstance(error, NotADirectoryError):
            place = error.filename
            what = '%s: %s' % (place if place == BASH else 'cd: ' + header['cwd'], error.strerror)
        elif error.errno == errno.EAGAIN:
            what = 'fork: %s (limit of processes)' % error.strerror
        else:
            what = error.strerror or str(error)
        text = ('bash: %s\n' % what).encode()
        self.reply({'id': header['id'], 'status': 126 << 8, 'timedOut': False, 'truncated': False, 'seconds': 0,
                    'segments': [[2, len(text)]]}, text)

    def do_cancel(self, header, body):
        for execution in self.executions.values():
            if execution.id == header['id']:
                self._kill(execution)

    def do_end_all(self, header, body):
        """Ends everything inside and answers when it is gone. A process with a pending signal starts nothing, so one
        pass is enough. Nothing is started for it."""
        for execution in self.executions.values():
            execution.ended = execution.status is None
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        deadline = time.monotonic() + END_SECONDS
        while self._reap():
            if time.monotonic() > deadline:
                raise OSError(errno.EBUSY, 'processes inside do not end')
            time.sleep(0.001)
        self.reply({'id': header['id']})

    def do_changes(self, header, body):
        """Names what was removed; where layers were copied, also gathers what changed into a folder of the store."""
        copied = self.root.refusal is not None
        if copied:
            copy_layers.gather_all(self.root)
        removed = copy_layers.removed(self.root.store, 'changes' if copied else 'up')
        self.reply({'id': header['id'], 'removed': removed})

    def do_write(self, header, body):
        path = header['path']
        parent = os.path.dirname(path)
        os.makedirs(parent, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        descriptor = os.open(path, flags, header['mode'] or 0o644)
        try:
            self._require_file(descriptor)
            os.ftruncate(descriptor, 0)
            view = memoryview(body)
            while view:
                view = view[os.write(descriptor, view):]
            if header['mode'] is not None:
                os.fchmod(descriptor, header['mode'])
        finally:
            os.close(descriptor)
        self.reply({'id': header['id']})

    def do_read(self, header, body):
        try:
            descriptor = os.open(header['path'], os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        except (FileNotFoundError, NotADirectoryError):
            return self.reply({'id': header['id'], 'missing': True})
        try:
            self._require_file(descriptor)
            parts = []
            while sum(map(len, parts)) <= MAX_READ:
                part = os.read(descriptor, 4 << 20)
                if not part:
                    break
                parts.append(part)
            else:
                raise OSError(errno.EFBIG, 'more than %d bytes' % MAX_READ)
        finally:
            os.close(descriptor)
        self.reply({'id': header['id']}, *parts)

    def _require_file(self, descriptor):
        """Pipes and devices could block; a link to /proc would show this process instead of the file."""
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(found.st_mode) or found.st_dev == self.proc:
            raise OSError(errno.EINVAL, 'not a regular file')

    # What happens to commands

    def _on_output(self, execution, stream):
        descriptor = execution.readers[stream]
        is_open = execution.take(stream)
        if execution.fresh:
            self.reply({'live': execution.id, 'stream': stream}, *execution.fresh)
            execution.fresh = []
        if execution.spoke:
            execution.spoke = False
            self.lacks.spoke(execution, time.monotonic())
            self.pauses.awake()
        if not is_open:
            self.forget(descriptor)
            os.close(descriptor)
            del execution.readers[stream]

    def _on_child(self, reader):
        try:
            os.read(reader, 512)
        except BlockingIOError:
            pass
        self._reap()

    def _reap(self):
        """Takes note of what has ended; True when something is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            execution = self.executions.get(pid)
            if execution is not None:
                execution.exited(status)

    def _advance(self, execution, now):
        """Ends commands whose time is over, and reports commands that have ended."""
        if execution.status is None:
            if now >= execution.deadline and not execution.timed_out:
                execution.timed_out = True
                self.load.look(now)
                self._kill(execution)
            return
        for stream in list(execution.readers):
            self._on_output(execution, stream)
        if execution.readers and now < execution.drained and not execution.killed:
            return
        del self.executions[execution.pid]
        for stream, descriptor in execution.readers.items():
            # Processes that the command left may go on printing. Their output is not read, and must not fail.
            self.forget(descriptor)
            self.watch(descriptor, lambda d=descriptor: self._discard(d))
        header, *bodies = execution.report()
        measured = self._hindrance(execution)
        if execution.status != 0:
            measured['left'] = self.lacks.left(execution)
        self.reply(dict(header, memory=[execution.memory, self.memory.read()], **measured), *bodies)

    def _hindrance(self, execution):
        """What kept the command from running, in seconds: pauses, and after a timeout also what was seen of its load."""
        self.pauses.note()
        paused, seen = execution.hindrance
        measured = {'paused': self.pauses.seconds - paused}
        if execution.timed_out and self.load.is_known:
            measured['load'] = [now - before for now, before in zip(self.load.seen(), seen)]
        return measured

    def _discard(self, descriptor):
        try:
            if os.read(descriptor, 1 << 16):
                return
        except BlockingIOError:
            return
        self.forget(descriptor)
        os.close(descriptor)

    def _kill(self, execution):
        execution.killed = True
        tree.kill(self.processes, execution.pid, execution.others)
        self.pauses.awake()

    def _enforce(self):
        """Enforces limits that the kernel does not enforce here: ends the largest process, or all."""
        verdict = self.watchdog.check()
        if verdict is None:
            return
        for execution in self.executions.values():
            execution.note(verdict.text)
        if verdict.pid is None:
            os.kill(-1, signal.SIGKILL)
        else:
            tree.kill_one(verdict.pid)
