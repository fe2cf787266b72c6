"""Solves packages of conda and installs them into a new prefix, with the solver in packages/ beside this file (py-rattler).

    python conda_install.py PREFIX CHANNEL… -- SPEC…

Channels come in their order: what the first one has is taken from no other. With SWEMAKE_CONDA_AS_OF (milliseconds since
1970), packages that came later are left out, and so are those of which nobody says when they came. Times are not left in
what is installed: compiled files go by content (SOURCE_DATE_EPOCH), and the notes on each package name no cache.
"""
import asyncio
import datetime
import glob
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'packages'))

from rattler import Channel, MatchSpec, VirtualPackage, install, solve  # noqa: E402
from rattler.exceptions import SolverError  # noqa: E402

# Where packages lay before they were installed.
LEFT_OUT = ('package_tarball_full_path', 'extracted_package_dir', 'link')


def as_of():
    said = os.environ.get('SWEMAKE_CONDA_AS_OF', '')
    if said == '':
        return None
    return datetime.datetime.fromtimestamp(int(said) / 1000, datetime.timezone.utc)


async def make(prefix, channels, specs):
    records = await solve(
        sources=[Channel(channel) for channel in channels],
        specs=[MatchSpec(spec) for spec in specs],
        virtual_packages=VirtualPackage.detect(),
        exclude_newer=as_of(),
    )
    for record in sorted(records, key=lambda one: one.name.normalized):
        print('%s %s %s %s' % (record.name.normalized, record.version, record.build, record.subdir), flush=True)
    with tempfile.TemporaryDirectory() as cache:
        await install(records, target_prefix=prefix, cache_dir=cache, show_progress=False, execute_link_scripts=True)


def forget_places(prefix):
    for path in glob.glob(os.path.join(prefix, 'conda-meta', '*.json')):
        with open(path, encoding='utf-8') as file:
            note = json.load(file)
        for key in LEFT_OUT:
            note.pop(key, None)
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(note, file, indent=1, sort_keys=True)
        os.chmod(path, 0o644)


def main():
    prefix, *rest = sys.argv[1:]
    at = rest.index('--')
    try:
        asyncio.run(make(prefix, rest[:at], rest[at + 1:]))
    except SolverError as error:
        sys.exit('error: the channels have no solution: %s' % error)
    forget_places(prefix)


main()
