"""Prints every place below the given folders that holds the secret, or tells its hash: in files, compiled code,
archives within archives, and objects of git."""
import base64
import bz2
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tarfile
import zipfile

secret = open(sys.argv[1], 'rb').read()
token = secret.split(b'TOKEN')[1]
digest = hashlib.sha256(secret).digest()
tells = [
    token, digest.hex().encode(), base64.b64encode(digest), base64.urlsafe_b64encode(digest).rstrip(b'='),
    hashlib.md5(secret).hexdigest().encode(),
]
found = set()


def look(place, data, depth=0):
    if any(each in data for each in tells):
        found.add(place)
    if depth > 4:
        return
    for unpack in (gzip.decompress, bz2.decompress, lzma.decompress):
        try:
            look(place, unpack(data), depth + 1)
        except Exception:
            pass
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                look(place, archive.read(name), depth + 1)
    except Exception:
        pass
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                if member.isfile():
                    look(place, archive.extractfile(member).read(), depth + 1)
    except Exception:
        pass


def git(place, *arguments):
    command = ['git', '-c', 'safe.directory=*', *arguments]
    return subprocess.run(command, cwd=place, capture_output=True, check=False).stdout


def look_in_repository(place):
    names = git(place, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)').decode()
    for line in names.splitlines():
        name, kind = line.split()
        if any(each in git(place, 'cat-file', kind, name) for each in tells):
            found.add(place)


def look_in_bundle(path):
    clone = '/tmp/clone-%d' % len(os.listdir('/tmp'))
    subprocess.run(['git', 'clone', '-q', '--bare', path, clone], capture_output=True, check=False)
    if os.path.isdir(clone) and any(each in git(clone, 'log', '-p', '--all') for each in tells):
        found.add(path)


for top in sys.argv[2:]:
    for folder, _, files in os.walk(top):
        if 'HEAD' in files and os.path.isdir(folder + '/objects'):
            look_in_repository(folder)
        for name in files:
            path = os.path.join(folder, name)
            if os.path.islink(path):
                continue
            with open(path, 'rb') as handle:
                data = handle.read()
            look(path, data)
            if data.startswith(b'# v'):
                look_in_bundle(path)
print('\n'.join(sorted(found)))
