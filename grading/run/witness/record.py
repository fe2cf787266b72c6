"""A process's own record. Each line has a seal, which covers all lines before it, too. A forked process writes into the same
file, in a chain of its own that begins with the last seal of its parent.

The key is taken from a pool that turns it into the next one at once, or asked for where other code ran before. Only the last seal is kept, of which each line shows
a half, and it cannot be turned back: code that gets hold of it later can write further lines, and cannot change or leave
out one that was written. Only functions in C are called, which cannot be changed in place.
"""
import _thread
import posix
import sys
import time

try:
    from _json import encode_basestring_ascii as _quoted
except ImportError:
    from json.encoder import py_encode_basestring_ascii as _quoted
try:
    # It takes a seventh of the time of Python's own, and pytest loads it anyway.
    from _hashlib import openssl_sha256 as sha256
except ImportError:
    try:
        from _sha256 import sha256
    except ImportError:
        from _sha2 import sha256

POOL = FOLDER + '/pool'
# Tests of libraries take it away from `sys` for a while.
frame_at = sys._getframe


def _encoded(value):
    """JSON, of the few types that a record holds."""
    if value is None or value is True or value is False:
        return {None: 'null', True: 'true', False: 'false'}[value]
    if isinstance(value, int):
        return '%d' % value
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return '{%s}' % ','.join('%s:%s' % (_quoted(key), _encoded(one)) for key, one in value.items())
    return '[%s]' % ','.join([_encoded(one) for one in value])


def _write_file(path, text):
    handle = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC, 0o600)
    posix.write(handle, text.encode('ascii'))
    posix.close(handle)


def _take_key():
    """(number of the process, its key); None when no key is available."""
    return _asked_key() if _read(POOL) == 'ask\n' else _key_of_pool()


def _asked_key():
    """From the process that hands them out (keys.py)."""
    import _socket
    asking = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        asking.connect('\0' + KEYS)
        asking.send(b'key')
        number, key = asking.recv(200).split()
    except (OSError, ValueError):
        return None
    finally:
        asking.close()
    return int(number), bytes.fromhex(key.decode('ascii'))


def _key_of_pool():
    mine = '%s.%d' % (POOL, posix.getpid())
    for _ in range(500):
        try:
            posix.rename(POOL, mine)
            break
        except OSError:
            # Another process that starts has it for a moment.
            if not any(name.startswith('pool.') for name in posix.listdir(FOLDER)):
                return None
            time.sleep(0.002)
    else:
        return None
    number, key = _read(mine).split()
    _write_file(mine, '%d %s' % (int(number) + 1, sha256(('next ' + key).encode('ascii')).hexdigest()))
    posix.rename(mine, POOL)
    return int(number), sha256(('process ' + key).encode('ascii')).digest()


def hide_pool():
    """No more keys while tests run. Returns what `show_pool` puts back."""
    text = _read(POOL)
    if text is not None:
        posix.unlink(POOL)
    return text


def show_pool(text):
    if text is not None:
        _write_file(POOL, text)


def mark_process(kind):
    _write_file('%s/pid-%d' % (FOLDER, posix.getpid()), kind)


def posing(function, original):
    """Copies the names of the function that it replaces."""
    for name in ('__doc__', '__name__', '__qualname__', '__module__'):
        setattr(function, name, getattr(original, name))
    return function


def open_record():
    """A function that writes a line of some kind; None when there is no key."""
    taken = _take_key()
    if taken is None:
        return None
    number, key = taken
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_APPEND | posix.O_CLOEXEC
    handle = posix.open('%s/record-%d' % (FOLDER, number), flags, 0o600)
    own, getpid, put, status, lock = posix.getpid(), posix.getpid, posix.write, posix.fstat, _thread.allocate_lock
    # Device and number: a child that closes all handles may open a file of its own under this one.
    file = status(handle)[1:3]
    # The state of the chain: its process, its last seal, its number of lines, and a lock of this process alone.
    chains = [(own, sha256(key).digest(), 0, lock())]

    def line_of(kind, value, pid):
        before, count, held = chains[0][1:]
        line = _encoded([kind, value] if pid == own else [kind, value, pid]).encode('ascii')
        after = sha256(before + line)
        chains[0] = pid, after.digest(), count + 1, held
        return after.hexdigest()[:32].encode('ascii') + b' ' + line + b'\n'

    def write(kind, value):
        pid = getpid()
        parent, before, count, held = chains[0]
        lines = b''
        if pid != parent:
            # A forked process goes on with a chain of its own.
            held = lock()
            chains[0] = pid, sha256(b'child %d ' % pid + before).digest(), 0, held
            lines = line_of('fork', [parent, count], pid)
        is_held = held.acquire(True, 1)
        try:
            lines += line_of(kind, value, pid)
            while lines and status(handle)[1:3] == file:
                lines = lines[put(handle, lines):]
        except OSError:
            # A gap in the record: later lines are not trusted.
            chains[0] = pid, sha256(b'gap').digest(), count, held
        finally:
            if is_held:
                held.release()

    return write
