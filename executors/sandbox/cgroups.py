"""Kernel limits for one workspace: a control group in each hierarchy that Node found writable.

`parents` maps `memory`, `pids` and `cpu` to {version, path}; what is absent there is limited softly or not.
Joining a group can wait for all processors for tens of milliseconds, so groups are made ahead, each process joins them
itself, by descriptors that the spawner opened, and their limits are set when they are known.
"""
import errno
import os
import time

CPU_PERIOD = 100_000
REMOVE_TRIES = 1500


def _write(folder, name, value):
    descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def create(parents, name):
    """Makes the groups; returns {controller: (version, folder)}, where folders may coincide."""
    groups = {}
    try:
        for controller, parent in parents.items():
            folder = os.path.join(parent['path'], name)
            if not any(folder == known for _, known in groups.values()):
                os.mkdir(folder)
            groups[controller] = (parent['version'], folder)
    except OSError:
        remove(groups)
        raise
    return groups


def _folders(groups):
    return {folder for _, folder in groups.values()}


def doors(groups):
    """Descriptors by which a process with fewer rights than this one can join the groups."""
    opened = []
    try:
        for folder in _folders(groups):
            opened.append(os.open(os.path.join(folder, 'cgroup.procs'), os.O_WRONLY | os.O_CLOEXEC))
        return opened
    except OSError:
        close(opened)
        raise


def enter(opened):
    """The calling process joins."""
    for door in opened:
        os.write(door, b'0')
    close(opened)


def close(opened):
    for door in opened:
        os.close(door)


def limit(groups, limits):
    """Sets what is limited; a group without a limit stays open."""
    memory, pids, cpus = limits.get('memory'), limits.get('pids'), limits.get('cpus')
    if memory and 'memory' in groups:
        version, folder = groups['memory']
        _write(folder, 'memory.max' if version == 2 else 'memory.limit_in_bytes', memory)
        swap = ('memory.swap.max', 0) if version == 2 else ('memory.memsw.limit_in_bytes', memory)
        if os.path.exists(os.path.join(folder, swap[0])):  # the kernel may not count swap
            _write(folder, *swap)
    if pids and 'pids' in groups:
        _write(groups['pids'][1], 'pids.max', pids + 1)  # process 1 is ours
    if cpus and 'cpu' in groups:
        version, folder = groups['cpu']
        quota = max(1000, int(cpus * CPU_PERIOD))
        if version == 2:
            _write(folder, 'cpu.max', '%d %d' % (quota, CPU_PERIOD))
        else:
            _write(folder, 'cpu.cfs_period_us', CPU_PERIOD)
            _write(folder, 'cpu.cfs_quota_us', quota)


def remove(groups):
    """A group is busy for a moment after its last process was reaped; what stays is swept by the next run."""
    for folder in _folders(groups):
        for _ in range(REMOVE_TRIES):
            try:
                os.rmdir(folder)
            except OSError as error:
                if error.errno == errno.EBUSY:
                    time.sleep(0.01)
                    continue
            break
