"""
Tokens of agent servers on this machine. `swemake serve` writes the token of a server on loopback into a file that only
its user can read, named by the server's address; see basics/server-token.ts.
"""

from __future__ import annotations

import os
import re
import socket
import stat
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit


def find(url: str, env: Mapping[str, str] | None = None) -> str | None:
    """The token of this user's server at `url`; None: there is no file with one."""
    split = urlsplit(url)
    host = _bound(split.hostname or "")
    try:
        if not ip_address(host).is_loopback:
            return None
    except ValueError:
        return None
    port = split.port or (443 if split.scheme == "https" else 80)
    name = f"{socket.gethostname().replace('/', '_')}-{host}-{port}"
    for folder in _folders(os.environ if env is None else env):
        token = _read(os.path.join(folder, name))
        if token is not None:
            return token
    return None


def place(url: str) -> tuple[str, str | None, str | None]:
    """What an address means: the URL to ask, the path of a socket, and the token that is part of it."""
    if url.startswith("unix:"):
        return "http://localhost", re.sub(r"^//(?=/)", "", url[len("unix:") :]), None
    split = urlsplit(url)
    own = unquote(split.password or split.username or "") or None
    host = split.hostname or ""
    if split.scheme == "http":
        host = _bound(host)
    where = f"[{host}]" if ":" in host else host
    port = "" if split.port is None else f":{split.port}"
    return f"{split.scheme}://{where}{port}{split.path.rstrip('/')}", None, own


def shown(url: str) -> str:
    """The address without its token."""
    return url if url.startswith("unix:") else re.sub(r"//[^/@]*@", "//", url)


def _bound(host: str) -> str:
    """`localhost` stands for two addresses, of which another user may have the other one."""
    return "127.0.0.1" if host == "localhost" else host


def _folders(env: Mapping[str, str]) -> list[str]:
    user = os.getuid()
    runtime = env.get("XDG_RUNTIME_DIR", "")
    home = env.get("HOME") or os.path.expanduser("~")
    parents = [runtime] if os.path.isabs(runtime) else []
    parents += [f"/run/user/{user}", os.path.join(home, ".local", "state")]
    folders = [os.path.join(parent, "swemake", "tokens") for parent in parents]
    return [folder for folder in folders if _is_private(folder, user)]


def _is_private(folder: str, user: int) -> bool:
    """A real folder of this user, closed to all others."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user and found.st_mode & 0o077 == 0


def _read(path: str) -> str | None:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        found = os.fstat(handle)
        is_own = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_mode & 0o077 == 0
        token = os.read(handle, 4096).decode("utf-8", "replace").strip() if is_own else ""
    finally:
        os.close(handle)
    return token if re.fullmatch(r"[!-~]+", token) else None
