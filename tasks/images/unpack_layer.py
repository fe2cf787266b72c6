"""Unpacks one layer of an image into a folder, in the form in which overlayfs mounts it.

An archive is somebody else's, so nothing is written where it says. First its files get numbers for names, and what it says
of paths becomes a table in which each parent is a folder; then the table is laid out. A link is the last thing that is made
at its path, so nothing is ever written through one.
Usage: python3 -ISE unpack_layer.py '<request as JSON>'; prints {"facts": ...} or {"fault": kind, "detail": ...}.
"""
import bz2
import ctypes
import errno
import gzip
import hashlib
import json
import lzma
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import threading
import zlib

CHUNK = 1 << 20
HIGHEST_ID, NOBODY = 65535, 65534
LATEST = 1 << 40  # time in seconds; file systems keep less
# A layer may unpack to so many bytes, or to so many times its own size; real ones stay below twenty times.
LEAST_BOUND, MOST_TIMES = 4 << 30, 200
MOST_ENTRIES = 5_000_000
WHITEOUT, OPAQUE = '.wh.', '.wh..wh..opq'
OPAQUE_MARK = 'user.overlay.opaque'
FOLDER, FILE, LINK, GONE = 'd', 'f', 'l', 'w'


class Refused(Exception):
    """The layer cannot be unpacked: `kind` is one of unreadable, digest, tool."""

    def __init__(self, kind, detail):
        super().__init__(detail)
        self.kind = kind


class Entry:
    """An entry at a path. `number` names a file's content; entries with the same number are the same file."""

    __slots__ = ('kind', 'mode', 'uid', 'gid', 'mtime', 'target', 'number', 'opaque')

    def __init__(self, kind, member=None, target=None, number=None):
        self.kind = kind
        self.mode = 0o755 if member is None else stat.S_IMODE(member.mode)
        self.uid, self.gid = (0, 0) if member is None else (member.uid, member.gid)
        self.mtime = 0 if member is None else max(0, min(int(member.mtime), LATEST))
        self.target, self.number, self.opaque = target, number, False


class Slice:
    """Part of a file, as a file of its own."""

    def __init__(self, path, offset, size):
        self.file = open(path, 'rb')
        self.file.seek(offset)
        self.left = size

    def read(self, count=-1):
        data = self.file.read(self.left if count < 0 else min(count, self.left))
        self.left -= len(data)
        return data


class Hashed:
    """Reads a stream and hashes what was read."""

    def __init__(self, stream):
        self.stream = stream
        self.hash = hashlib.sha256()

    def read(self, count=-1):
        data = self.stream.read(count)
        self.hash.update(data)
        return data

    def digest(self):
        """The digest of the whole stream, with bytes after the archive's end."""
        while self.read(CHUNK):
            pass
        return 'sha256:' + self.hash.hexdigest()


class Table:
    """The entries of a layer by path, without a slash in front."""

    def __init__(self):
        self.entries = {}
        self.gone = set()
        self.opaque = set()
        self.devices = 0
        self.members = self.bytes = 0

    def put(self, path, entry):
        for at in range(len(path)):
            if path[at] != '/':
                continue
            above = self.entries.setdefault(path[:at], Entry(FOLDER))
            if above.kind != FOLDER:
                raise Refused('unreadable', '%s lies below %s, which is no folder' % (path, path[:at]))
        before = self.entries.get(path)
        if before is not None and before.kind == FOLDER and entry.kind != FOLDER:
            for other in [other for other in self.entries if other.startswith(path + '/')]:
                del self.entries[other]
        self.entries[path] = entry

    def finish(self):
        """Adds the whiteouts: paths of lower layers that this layer hides."""
        for path in self.gone:
            there = self.entries.get(path)
            if there is None:
                self.put(path, Entry(GONE))
            elif there.kind == FOLDER:
                self.opaque.add(path)  # made anew where another one was
        for path in self.opaque:
            there = self.entries.get(path)
            if there is None:
                there = Entry(FOLDER)
                self.put(path, there)
            if there.kind == FOLDER:
                there.opaque = True


def plain(name):
    """The path that an archive's name means below the layer's root; empty for the root itself."""
    parts = [part for part in name.split('/') if part not in ('', '.')]
    if '..' in parts or '\0' in name:
        raise Refused('unreadable', 'the name %r leads out of the layer' % name)
    return '/'.join(parts)


def read_archive(stream, contents, most):
    """A table, and the digest and size of each of the numbered files that now lie in the folder `contents`."""
    table, digests = Table(), []
    try:
        with tarfile.open(fileobj=stream, mode='r|', encoding='utf-8', errors='surrogateescape') as archive:
            for member in archive:
                count(member, table, most)
                take(member, archive, table, contents, digests)
        found = stream.digest()
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, ValueError, OverflowError) as error:
        raise Refused('unreadable', str(error) or type(error).__name__)
    table.finish()
    return table, digests, found


def count(member, table, most):
    """Refuses what would fill the disk, before it is written: a file may be all holes, and pack to nothing."""
    table.members += 1
    table.bytes += member.size if member.isfile() else 0
    if table.bytes > most:
        raise Refused('unreadable', 'it unpacks to more than %d bytes, which is far more than it has' % most)
    if table.members > MOST_ENTRIES:
        raise Refused('unreadable', 'it has more than %d entries' % MOST_ENTRIES)


def take(member, archive, table, contents, digests):
    path = plain(member.name)
    parent, _, name = path.rpartition('/')
    if name.startswith(WHITEOUT):
        take_mark(parent, name, table)
    elif path == '':
        pass  # the root's own mode is ours
    elif member.isdir():
        table.put(path, Entry(FOLDER, member))
    elif member.issym():
        table.put(path, Entry(LINK, member, target=member.linkname))
    elif member.islnk():
        there = table.entries.get(plain(member.linkname))
        if there is None or there.kind == FOLDER:
            raise Refused('unreadable', '%s is a link to %s, which is no file of the layer' % (path, member.linkname))
        table.put(path, there)
    elif member.isfile():
        digests.append(save(archive.extractfile(member), os.path.join(contents, str(len(digests)))))
        table.put(path, Entry(FILE, member, number=len(digests) - 1))
    else:
        table.devices += 1  # devices and pipes are not for images


def take_mark(parent, name, table):
    if name == OPAQUE:
        table.opaque.add(parent)
        return
    hidden = name[len(WHITEOUT):]
    if hidden in ('', '.', '..'):
        raise Refused('unreadable', '%s hides nothing that can be' % name)
    if not hidden.startswith(WHITEOUT):  # aufs keeps things of its own under such names
        table.gone.add(parent + '/' + hidden if parent else hidden)


def save(source, place):
    digest = hashlib.sha256()
    size = 0
    with open(place, 'wb') as handle:
        while True:
            data = source.read(CHUNK)
            if not data:
                return digest.hexdigest(), size
            digest.update(data)
            handle.write(data)
            size += len(data)


def lay(table, contents, tree, owners):
    """Writes the entries of the table. Without root all files belong to this user, and must be readable for it."""
    os.mkdir(tree, 0o755)
    places, folders, foreign = {}, [], 0
    for path in sorted(table.entries):
        entry = table.entries[path]
        place = os.path.join(tree, path)
        if entry.kind == FOLDER:
            os.mkdir(place, 0o700)
            folders.append((place, entry))
            continue
        if entry.kind == GONE:
            os.mknod(place, stat.S_IFCHR, 0)
            continue
        if entry.number in places and entry.kind == FILE:
            os.link(places[entry.number], place)
            continue
        if entry.kind == LINK:
            os.symlink(entry.target, place)
        else:
            os.rename(os.path.join(contents, str(entry.number)), place)
            places[entry.number] = place
        foreign += finish(place, entry, owners)
    for place, entry in reversed(folders):
        if entry.opaque:
            os.setxattr(place, OPAQUE_MARK, b'y')
        foreign += finish(place, entry, owners)
    return foreign


def finish(place, entry, owners):
    """Owner, mode and time; 1 when the owner could not be kept."""
    uid, gid = [number if number <= HIGHEST_ID else NOBODY for number in (entry.uid, entry.gid)]
    lost = (uid, gid) != (entry.uid, entry.gid)
    if owners:
        try:
            os.chown(place, uid, gid, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EPERM):
                raise
            lost = True  # root of a namespace that lacks the id
    else:
        lost = (entry.uid, entry.gid) != (0, 0)
    if entry.kind != LINK:
        own = 0 if owners else 0o700 if entry.kind == FOLDER else 0o400
        os.chmod(place, entry.mode | own)  # after the owner, whose change takes set-uid bits away
    os.utime(place, (entry.mtime, entry.mtime), follow_symlinks=False)
    return int(lost)


def listing(table, digests):
    """The lines of a layer's manifest, and those for what it hides: `w` for a path, `o` for what was in a folder."""
    for path in sorted(table.entries):
        entry = table.entries[path]
        try:
            path.encode()
            (entry.target or '').encode()
        except UnicodeEncodeError:
            continue  # what is no text cannot be named
        if entry.kind == FOLDER:
            yield [FOLDER, path]
            if entry.opaque:
                yield ['o', path]
        elif entry.kind == FILE:
            digest, size = digests[entry.number]
            yield [FILE, path, digest, 'x' if entry.mode & 0o111 else '', size]
        elif entry.kind == LINK:
            yield [LINK, path, entry.target]
        else:
            yield [GONE, path]


def uncompressed(blob):
    """The archive's bytes, decompressed as the blob's first bytes say."""
    with open(blob['path'], 'rb') as handle:
        handle.seek(blob['offset'])
        head = handle.read(6)
    stream = Slice(blob['path'], blob['offset'], blob['size'])
    if head[:2] == b'\x1f\x8b':
        return gzip.GzipFile(fileobj=stream)
    if head[:4] == b'\x28\xb5\x2f\xfd':
        return zstd_output(stream)
    if head == b'\xfd7zXZ\0':
        return lzma.LZMAFile(stream)
    if head[:3] == b'BZh':
        return bz2.BZ2File(stream)
    return stream


def zstd_output(stream):
    try:
        child = subprocess.Popen(['zstd', '-dcq'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        raise Refused('tool', 'the layer is compressed with zstd, and there is no program zstd')

    def feed():
        try:
            shutil.copyfileobj(stream, child.stdin, CHUNK)
            child.stdin.close()
        except OSError:
            pass  # it has ended; what is missing shows in the digest
    threading.Thread(target=feed, daemon=True).start()
    return child.stdout


def require(what, wanted, found):
    if wanted is not None and wanted != found:
        raise Refused('digest', '%s is %.19s… and should be %.19s…' % (what, found, wanted))


def unpack(request):
    blob, into = request['blob'], request['into']
    if request['digest'] is not None:
        require('the blob', request['digest'], Hashed(Slice(blob['path'], blob['offset'], blob['size'])).digest())
    contents = os.path.join(into, 'contents')
    os.mkdir(contents, 0o700)
    stream = Hashed(uncompressed(blob))
    table, digests, found = read_archive(stream, contents, max(LEAST_BOUND, MOST_TIMES * blob['size']))
    require('its content', request['diffId'], found)
    owners = os.geteuid() == 0
    foreign = lay(table, contents, os.path.join(into, 'tree'), owners)
    shutil.rmtree(contents)
    with open(os.path.join(into, 'tree.manifest'), 'w', encoding='utf-8') as handle:
        for line in listing(table, digests):
            handle.write(json.dumps(line, separators=(',', ':'), ensure_ascii=False) + '\n')
    return {'entries': len(table.entries), 'bytes': sum(size for _, size in digests), 'devices': table.devices,
            'foreign': foreign}


def main():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with who started it
    os.umask(0o022)
    request = json.loads(sys.argv[1])
    try:
        answer = {'facts': unpack(request)}
    except Refused as error:
        answer = {'fault': error.kind, 'detail': str(error)}
    except OSError as error:
        # What bz2 cannot read is an error of no number.
        kind = 'disk' if error.errno in (errno.ENOSPC, errno.EDQUOT) else 'system' if error.errno else 'unreadable'
        answer = {'fault': kind, 'detail': str(error)}
    print(json.dumps(answer))


main()
