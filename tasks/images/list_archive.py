"""Prints the offsets of the members of a tar archive, so that they can be read in place.

Usage: python3 -ISE list_archive.py FILE; prints {"members": {name: {"offset", "size"} or {"link": target}}} or {"fault": text}.
"""
import json
import posixpath
import sys
import tarfile

# The first bytes of what gzip, zstd, xz and bzip2 write.
PACKED = (b'\x1f\x8b', b'\x28\xb5\x2f\xfd', b'\xfd7zXZ', b'BZh')


def main():
    members = {}
    try:
        with tarfile.open(sys.argv[1], 'r:') as archive:
            for member in archive:
                name = posixpath.normpath(member.name)
                if member.issym():
                    members[name] = {'link': posixpath.normpath(posixpath.join(posixpath.dirname(name), member.linkname))}
                elif member.islnk():
                    members[name] = {'link': posixpath.normpath(member.linkname)}
                elif member.isfile():
                    members[name] = {'offset': member.offset_data, 'size': member.size}
        print(json.dumps({'members': members}))
    except (tarfile.TarError, OSError) as error:
        with open(sys.argv[1], 'rb') as handle:
            packed = handle.read(6).startswith(PACKED)
        print(json.dumps({'fault': 'it is compressed; unpack it first' if packed else str(error)}))


main()
