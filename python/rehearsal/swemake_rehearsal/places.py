"""Where the framework's own files are."""

import importlib.util
from pathlib import Path


def file_of(root, name):
    """A file of a checkout, or of the package that is installed; None: it is not there."""
    if root is not None:
        path = Path(root) / name
        return path if path.exists() else None
    try:
        found = importlib.util.find_spec(name.split("/")[0])
    except ModuleNotFoundError:
        return None
    for place in (found.submodule_search_locations or []) if found else []:
        path = Path(place).parent / name
        if path.exists():
            return path
    return None
