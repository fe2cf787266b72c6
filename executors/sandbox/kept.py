"""A folder that runs share. The first run that needs it makes it, and it stays for later runs.

A file system that has just removed some hundred files is slow to make as many, so the skeleton's base is not made anew
by every run. Its name says what is in it. Its user holds a lock on it, which ends with the process; a run that has made
another one takes those away that no process holds.
"""
import fcntl
import os


def hold(parent, name, scratch, make):
    """A folder `name` filled by `make(folder)`: the one in `parent`, which is made if it is missing. If that is not
    possible, one in `scratch`, which is removed with this run."""
    place = os.path.join(parent, name)
    if _lock(place, fcntl.LOCK_SH):
        return place
    made = os.path.join(scratch, name)
    os.makedirs(made, 0o755)
    make(made)
    _lock(made, fcntl.LOCK_SH)
    try:
        os.makedirs(parent, 0o700, exist_ok=True)
        os.rename(made, place)
    except OSError:
        return made  # somebody else was quicker, or the place is somebody else's
    _drop_others(parent, name, scratch)
    return place


def _lock(place, mode):
    """True when the folder exists, belongs to this user, and could be locked. The lock lasts as long as this process."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, mode)
        found, here = os.stat(place), os.fstat(handle)
        if (found.st_dev, found.st_ino, found.st_uid) == (here.st_dev, here.st_ino, os.geteuid()):
            return True
    except OSError:
        pass
    os.close(handle)
    return False


def _drop_others(parent, name, scratch):
    for other in os.listdir(parent):
        place = os.path.join(parent, other)
        if other != name and _lock(place, fcntl.LOCK_EX | fcntl.LOCK_NB):
            os.rename(place, os.path.join(scratch, other))
