"""Hands each process that may run tests a key of its own. It runs beside commands that may run the patch, and before them.
Each process that asks gets a key. At the end it tells how many it handed out, so that a key without a record shows. No
other process can read its memory, and no other one can take its name while it lives. Written for Python 3.5 and later.

Arguments: the name of its socket, and the file with the first key, which is removed.
"""
import ctypes
import hashlib
import os
import socket
import sys

_SET_DUMPABLE, _GET_DUMPABLE, _SET_NAME = 4, 3, 15
_LONGEST, _WAIT = 200, 5


def _hidden():
    """Whether nothing but the kernel may look at this process now."""
    system = ctypes.CDLL(None)
    system.prctl(_SET_NAME, b'swemake-keys', 0, 0, 0)
    return system.prctl(_SET_DUMPABLE, 0, 0, 0, 0) == 0 and system.prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 0


def _hash(text):
    return hashlib.sha256(text.encode('ascii')).hexdigest()


def _serve(server, first):
    key, handed = first, 0
    while True:
        asking, _ = server.accept()
        try:
            asking.settimeout(_WAIT)
            asked = asking.recv(_LONGEST).decode('ascii')
            if asked == 'key':
                # Counted before it is sent.
                number, own, key, handed = handed, _hash('process ' + key), _hash('next ' + key), handed + 1
                asking.sendall(('%d %s' % (number, own)).encode('ascii'))
            else:
                asking.sendall(('%d %s' % (handed, _hash('count %s %d %s' % (first, handed, asked)))).encode('ascii'))
        except (OSError, ValueError):
            pass
        finally:
            asking.close()


def _main(name, path):
    server = socket.socket(socket.AF_UNIX)
    server.bind('\0' + name)
    server.listen(64)
    if not _hidden():
        return 1
    with open(path) as file:
        first = file.read().strip()
    os.unlink(path)
    if os.fork() != 0:
        return 0
    os.setsid()
    os.chdir('/')
    nothing = os.open('/dev/null', os.O_RDWR)
    for handle in range(3):
        os.dup2(nothing, handle)
    if _hidden():
        _serve(server, first)


os._exit(_main(*sys.argv[1:]) or 0)
