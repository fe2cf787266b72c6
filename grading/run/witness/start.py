"""Runs as each interpreter of the test command starts, before any code of the repository is on its path.

It puts the variables back to what they would be without it, decides whether this process may run the tests, and
takes a key for its record if so. Only what the interpreter is made of is imported here, with the repository taken
off the path. Written for Python 3.5 and later.
"""
import os
import sys


def _below(path, folder=ROOT):
    return path == folder or path.startswith(folder + '/')


def _absolute(entry):
    try:
        return os.path.abspath(entry)
    except OSError:
        # The working folder does not exist, so no path is below it.
        return entry


def _trusted(path):
    """The path without the repository's folders; an empty entry is the working folder."""
    return [entry for entry in path if not _below(_absolute(entry))]


def _restore_variables():
    """What the process sees is what it would see without us. Returns who started it: the command, or xdist."""
    starter, _, paths = os.environ.pop('SWEMAKE_WITNESS', '').partition(':')
    own = [entry for entry in os.environ.get('PYTHONPATH', '').split(os.pathsep) if entry]
    if PROGRAM in own:
        at = own.index(PROGRAM)
        own[at:at + 1] = paths.split(os.pathsep) if paths else []
        if own:
            os.environ['PYTHONPATH'] = os.pathsep.join(own)
        else:
            del os.environ['PYTHONPATH']
    found = [at for at, entry in enumerate(sys.path) if _absolute(entry) == PROGRAM]
    if found:
        entries = [_absolute(entry) for entry in paths.split(os.pathsep)] if paths else []
        later = [entry for entry in sys.path[found[0] + 1:] if entry not in entries and entry != PROGRAM]
        sys.path[found[0]:] = entries + later
    return starter


def _read(path):
    try:
        with open(path, 'rb') as handle:
            # Arguments and names of programs are bytes that need be no text.
            return handle.read().decode('utf-8', 'surrogateescape')
    except (IOError, OSError):
        return None


def _arguments():
    text = _read('/proc/self/cmdline')
    return getattr(sys, 'orig_argv', None) or (text or '').split('\0')


def _ancestors(shell):
    """Processes between this one and the shell that runs the command; None when that shell is not above it."""
    found, pid = [], os.getppid()
    while pid != shell:
        stat = _read('/proc/%d/stat' % pid)
        if stat is None:
            # Without /proc this is not known, and the shell is trusted.
            return None if os.path.exists('/proc/self/stat') else found
        found.append(pid)
        pid = int(stat.rpartition(')')[2].split()[1])
        if pid <= 0:
            return None
    return found


def _is_runner(starter, arguments):
    """Below a process that runs tests only workers of xdist are runners, too; the rest is what the tests start."""
    if os.path.exists('%s/pid-%d' % (FOLDER, os.getpid())):
        # Python runs such files twice in a virtual environment.
        return False
    shell = _read(FOLDER + '/shell')
    above = None if shell is None else _ancestors(int(shell))
    if above is None:
        return False
    kinds = [kind for kind in (_read('%s/pid-%d' % (FOLDER, pid)) for pid in above) if kind is not None]
    if not kinds:
        return True
    if starter == 'worker':
        return kinds[0] == 'tests'
    return 'tests' not in kinds and _names_pytest(arguments)


def _names_pytest(arguments):
    return any(os.path.basename(word) in ('pytest', 'py.test') for word in arguments[1:])


def _witness():
    """The witness's code: compiled ahead, where that was done for this interpreter's format."""
    import marshal

    from _frozen_importlib_external import MAGIC_NUMBER
    try:
        with open(PROGRAM + '/witness.code', 'rb') as handle:
            if handle.read(len(MAGIC_NUMBER)) == MAGIC_NUMBER:
                return marshal.loads(handle.read())
    except (IOError, OSError):
        pass
    with open(PROGRAM + '/witness.py', 'rb') as handle:
        return compile(handle.read(), '<witness>', 'exec', 0, True)


def _start():
    starter, arguments, natural = _restore_variables(), _arguments(), list(sys.path)
    if not _is_runner(starter, arguments):
        return
    sys.path[:] = _trusted(natural)
    try:
        import builtins
        # Functions of the witness have their own builtins, which no other code can replace.
        space = dict(globals(), __builtins__=dict(vars(builtins)), __name__=NAME,
                     NATURAL_PATH=natural, __unittest=True)
        exec(_witness(), space)
        space['begin'](starter == 'worker', _names_pytest(arguments))
    finally:
        sys.path[:] = natural


_start()
