"""Makes a Python that runs in any image: this interpreter, its C library, and the modules that process 1 of a
container imports. It is started by its own loader, so it needs nothing of the image. It is written below
`.swemake/python` of a folder that becomes a layer.
"""
import json
import os
import shutil
import struct
import subprocess
import sys

PT_INTERP = 3


def main(into, modules):
    root = os.path.join(into, '.swemake/python')
    library = os.path.join(root, 'lib')
    own = os.path.join(library, 'python%d.%d' % sys.version_info[:2])
    for folder in (os.path.join(root, 'bin'), own, os.path.join(own, 'lib-dynload')):
        os.makedirs(folder, 0o755)
    program = os.path.realpath(sys.executable)
    loader = _loader_of(program)
    sys.path[:0] = modules
    import inside  # noqa: F401  Brings all that is needed.
    extensions = []
    for module in list(sys.modules.values()):
        path = getattr(module, '__file__', None)
        if path is None or any(path.startswith(folder + os.sep) for folder in modules):
            continue
        if path.endswith('.py'):
            _copy(path, os.path.join(own, _inner(path)))
        else:
            extensions.append(path)
            _copy(path, os.path.join(own, 'lib-dynload', os.path.basename(path)))
    # The file by which Python finds its own folder.
    _copy(os.__file__, os.path.join(own, 'os.py'))
    _copy(program, os.path.join(root, 'bin/python3'))
    _copy(loader, os.path.join(library, 'ld.so'))
    for path in _libraries([program, *extensions], loader):
        _copy(path, os.path.join(library, os.path.basename(path)))
    _compile(own)


def _compile(folder):
    """Compiles the modules, so that containers need not: what they write is lost with them."""
    import importlib.util
    import py_compile
    for place, _, names in os.walk(folder):
        for path in [os.path.join(place, name) for name in names if name.endswith('.py')]:
            py_compile.compile(path, importlib.util.cache_from_source(path), os.path.relpath(path, folder), True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def _inner(path):
    """A module's place below the folder of the standard library."""
    base = os.path.dirname(os.__file__)
    relative = os.path.relpath(path, base)
    if relative.startswith('..'):
        raise RuntimeError('%s is no module of the standard library' % path)
    return relative


def _copy(path, to):
    os.makedirs(os.path.dirname(to), 0o755, exist_ok=True)
    shutil.copyfile(path, to)
    os.chmod(to, 0o755)


def _loader_of(program):
    with open(program, 'rb') as handle:
        data = handle.read(4096)
    if data[:5] != b'\x7fELF\x02':
        raise RuntimeError('%s is no program of 64 bits' % program)
    offset, = struct.unpack_from('<Q', data, 32)
    size, count = struct.unpack_from('<HH', data, 54)
    for at in range(offset, offset + size * count, size):
        kind, _, start, _, _, length = struct.unpack_from('<IIQQQQ', data, at)
        if kind == PT_INTERP:
            return data[start:start + length].rstrip(b'\0').decode()
    raise RuntimeError('%s names no loader' % program)


def _libraries(files, loader):
    found = set()
    for path in files:
        listing = subprocess.run([loader, '--list', path], stdout=subprocess.PIPE, check=True).stdout.decode()
        for line in listing.splitlines():
            _, arrow, rest = line.partition(' => ')
            place = rest.rsplit(' (', 1)[0].strip()
            if arrow and place.startswith('/'):
                found.add(place)
    return sorted(found)


if __name__ == '__main__':
    request = json.loads(sys.argv[1])
    try:
        main(request['into'], request['modules'])
        print(json.dumps({}))
    except (OSError, RuntimeError, subprocess.CalledProcessError, ImportError) as error:
        print(json.dumps({'fault': str(error), 'code': getattr(error, 'errno', None)}))
