"""The lowest layers of every root: mount points, a small /etc, and the links that an environment asks for.

They are folders on the host, shared by all workspaces, so that nothing of them shows up among the changes of one.
"""
import glob
import hashlib
import json
import os
import stat

# Settings for programs. They contain no users, secrets or addresses of the host.
ETC = [
    'alternatives', 'ssl/certs', 'ssl/openssl.cnf', 'pki/tls/certs', 'pki/tls/openssl.cnf', 'pki/ca-trust/extracted',
    'ca-certificates', 'ca-certificates.conf', 'crypto-policies', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d',
    'os-release', 'debian_version', 'redhat-release', 'alpine-release', 'lsb-release',
    'mime.types', 'protocols', 'services', 'inputrc', 'terminfo', 'fonts', 'perl', 'python3', 'python3.*', 'java-*',
    'maven', 'ImageMagick-*', 'ghostscript', 'magic', 'magic.mime', 'mailcap', 'login.defs', 'gai.conf',
]
FOLDERS = [
    'etc', 'root', 'proc', 'sys', 'dev', 'tmp', 'run', 'usr', 'home', 'opt', 'mnt', 'media', 'srv', 'testbed', 'var/tmp',
    'var/lib', 'var/log', 'var/cache', 'var/spool',
]
# Entries that a separate root must have; all others are its own.
OWN_FOLDERS = ['etc', 'root', 'proc', 'sys', 'dev', 'tmp', 'run', 'opt/env', 'var/tmp', 'testbed']
OPAQUE = 'user.overlay.opaque'
SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']
# Where interpreters of the host's system folders have their packages, which would answer imports that an environment
# lacks, and may be later releases of the project.
LIBRARIES = [
    '/usr/lib*/py*', '/usr/l*/*/py*', '/usr/l*/*/lib*/py*', '/usr/share/*conda*/lib*/py*', '/usr/l*/*/*/*/lib*/py*',
]
CONDA_TREES = ['/usr/local/*/conda-meta', '/usr/lib*/*/conda-meta', '/usr/share/*/conda-meta']
# Mounted over, so what belongs there is made when a workspace opens.
PRIVATE = ['/tmp', '/run', '/var/tmp', '/dev']
# Two clones of a layer have different inode times; without this git reads every file to compare it.
GITCONFIG = '[safe]\n\tdirectory = *\n[core]\n\tcheckStat = minimal\n\ttrustctime = false\n'


class ViewError(Exception):
    """The environment asks for an impossible mount or link."""


def is_private(path):
    return any(path == folder or path.startswith(folder + '/') for folder in PRIVATE)


def is_system(path):
    return path.strip('/').split('/')[0] in SYSTEM


def system_folders():
    """Folders to mount at the same place; those that are links on the host are links in the skeleton."""
    return [name for name in SYSTEM if os.path.isdir('/' + name) and not os.path.islink('/' + name)]


def masked_folders():
    libraries = [path for pattern in LIBRARIES for path in glob.glob(pattern)]
    trees = [os.path.dirname(path) for pattern in CONDA_TREES for path in glob.glob(pattern)]
    found = [os.path.join(library, name) for library in libraries for name in ('site-packages', 'dist-packages')]
    found += [os.path.join(tree, name) for tree in trees for name in ('envs', 'pkgs')]
    real = {os.path.realpath(path) for path in found if os.path.isdir(path)}
    outer = [path for path in real if not any(path.startswith(other + '/') for other in real)]
    return sorted(path.lstrip('/') for path in outer if is_system(path))


def make_base(folder):
    """Fills `folder` with what all workspaces share."""
    for name in FOLDERS:
        os.makedirs(os.path.join(folder, name), 0o755)
    os.symlink('/run', os.path.join(folder, 'var/run'))
    os.symlink('/run/lock', os.path.join(folder, 'var/lock'))
    for name in SYSTEM[1:]:
        if os.path.islink('/' + name):
            os.symlink(os.readlink('/' + name), os.path.join(folder, name))
        elif os.path.isdir('/' + name):
            os.mkdir(os.path.join(folder, name), 0o755)
    etc = os.path.join(folder, 'etc')
    for source, found, link in _settings():
        _copy(source, found, link, os.path.join(folder, source[1:]))
    _write(etc, 'passwd', 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n')
    _write(etc, 'group', 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n')
    _write(etc, 'nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n')
    _write(etc, 'hostname', 'swemake\n')
    # The host's time zone must not decide anything.
    _write(etc, 'timezone', 'Etc/UTC\n')
    os.symlink('/usr/share/zoneinfo/Etc/UTC', os.path.join(etc, 'localtime'))
    _write(etc, 'gitconfig', GITCONFIG)
    os.symlink('/proc/mounts', os.path.join(etc, 'mtab'))


def make_over(folder, testbed):
    """Fills `folder` with what lies over a root of its own. `testbed`: its repository stays in sight."""
    for name in OWN_FOLDERS:
        os.makedirs(os.path.join(folder, name), 0o755)
    if not testbed:
        os.setxattr(os.path.join(folder, 'testbed'), OPAQUE, b'y')
    etc = os.path.join(folder, 'etc')
    _write(etc, 'hostname', 'swemake\n')
    _write(etc, 'gitconfig', GITCONFIG)


def base_name():
    """Says what `make_base` would make. What a crash of the machine left half written is not taken again."""
    listing = [(path, link, found.st_mode, found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
               for path, found, link in _settings()]
    system = [(name, os.path.isdir('/' + name), os.path.islink('/' + name) and os.readlink('/' + name))
              for name in SYSTEM]
    text = repr([_read('/proc/sys/kernel/random/boot_id'), _read(__file__), system, listing])
    return 'base-' + hashlib.sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:24]


def variant_name(view, host_network, own=False):
    places = sorted((mount['to'], os.path.isdir(mount['from'])) for mount in view['mounts'])
    parts = [host_network, own, sorted(view['links'].items()), places]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def make_variant(folder, view, host_network, own=False):
    """Fills `folder` with one environment's links and mount points, and the network's files."""
    os.makedirs(os.path.join(folder, 'etc'), 0o755)
    hosts = '127.0.0.1\tlocalhost swemake\n::1\tlocalhost\n'
    _write(folder, 'etc/hosts', _read('/etc/hosts') + hosts if host_network else hosts)
    _write(folder, 'etc/resolv.conf', _read('/etc/resolv.conf') if host_network else '')
    for mount in view['mounts']:
        _make_mount_point(folder, mount)
    for path, target in view['links'].items():
        _make_link(folder, path, target, own)


def _make_mount_point(folder, mount):
    if is_private(mount['to']):
        return
    if is_system(mount['to']):
        raise ViewError('%s lies in the read-only system folders; mount it elsewhere' % mount['to'])
    place = _place(folder, mount['to'])
    if os.path.isdir(mount['from']):
        os.makedirs(place, 0o755, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
        open(place, 'a').close()


def _make_link(folder, path, target, own):
    if is_private(path):
        return
    if is_system(path):
        if not own and os.path.lexists(path):
            return  # the host's own tree shows through
        raise ViewError('link %s lies in the read-only system folders' % path)
    place = _place(folder, path)
    os.makedirs(os.path.dirname(place), 0o755, exist_ok=True)
    os.symlink(target, place)


def _place(folder, path):
    if not path.startswith('/') or '..' in path.split('/'):
        raise ViewError('%s is not a plain absolute path' % path)
    return os.path.join(folder, path.strip('/'))


def _settings():
    """What there is of `ETC`, folders before what lies in them: (path, lstat, target of a link)."""
    for pattern in ETC:
        for source in sorted(glob.glob('/etc/' + pattern)):
            yield from _public(source)


def _public(path):
    """What every user of the host may read, but for the manual."""
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        target = os.readlink(path)
        # Most of the alternatives are pages of the manual.
        if '/share/man/' not in target:
            yield path, found, target
    elif stat.S_ISDIR(found.st_mode):
        yield path, found, None
        for name in sorted(os.listdir(path)) if found.st_mode & 0o004 else []:
            yield from _public(os.path.join(path, name))
    elif stat.S_ISREG(found.st_mode) and found.st_mode & 0o004:
        yield path, found, None


def _copy(source, found, link, target):
    os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
    if link is not None:
        os.symlink(link, target)
    elif stat.S_ISDIR(found.st_mode):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        with open(source, 'rb') as reader, open(target, 'wb') as writer:
            writer.write(reader.read())
        os.chmod(target, 0o644)


def _read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as handle:
            return handle.read()
    except OSError:
        return ''


def _write(folder, name, text):
    with open(os.path.join(folder, name), 'w', encoding='utf-8') as handle:
        handle.write(text)
