"""Kernel limits for one workspace: a control group in each hierarchy that Node found writable.

`parents` maps `memory`, `pids` and `cpu` to {version, path}; what is absent there is limited softly or not.
"""
import os

CPU_PERIOD = 100_000


def _write(folder, name, value):
    descriptor = os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def _settings(version, limits):
    """(controller, file, value) for the limits that are set."""
    memory, pids, cpus = limits.get('memory'), limits.get('pids'), limits.get('cpus')
    if memory:
        yield ('memory', 'memory.max' if version == 2 else 'memory.limit_in_bytes', memory)
        yield ('memory', 'memory.swap.max' if version == 2 else 'memory.memsw.limit_in_bytes',
               0 if version == 2 else memory)
    if pids:
        yield ('pids', 'pids.max', pids + 1)  # process 1 is ours
    if cpus:
        quota = max(1000, int(cpus * CPU_PERIOD))
        if version == 2:
            yield ('cpu', 'cpu.max', '%d %d' % (quota, CPU_PERIOD))
        else:
            yield ('cpu', 'cpu.cfs_period_us', CPU_PERIOD)
            yield ('cpu', 'cpu.cfs_quota_us', quota)


def create(parents, name, limits):
    """Makes the groups that the limits need; returns their folders."""
    folders = []
    for controller, parent in parents.items():
        wanted = [(item, value) for owner, item, value in _settings(parent['version'], limits)
                  if owner == controller]
        if not wanted:
            continue
        folder = os.path.join(parent['path'], name)
        if folder not in folders:
            os.mkdir(folder)
            folders.append(folder)
        for item, value in wanted:
            try:
                _write(folder, item, value)
            except FileNotFoundError:
                if 'sw' not in item:  # swap accounting is optional
                    raise
    return folders


def enter(folders, pid):
    for folder in folders:
        _write(folder, 'cgroup.procs', pid)


def memory_kills(folders):
    """How often the kernel's memory killer struck in the groups."""
    for folder in folders:
        for name in ('memory.events', 'memory.oom_control'):
            try:
                with open(os.path.join(folder, name)) as handle:
                    counts = dict(line.split() for line in handle)
            except OSError:
                continue
            return int(counts.get('oom_kill', 0))
    return 0


def remove(folders):
    for folder in folders:
        try:
            os.rmdir(folder)
        except OSError:
            pass  # swept when the next run starts
