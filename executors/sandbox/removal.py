"""Removes folders that code inside may have closed to their own owner."""
import os


def remove_tree(folder):
    for path, folders, files in os.walk(folder, topdown=True):
        for name in folders:
            below = os.path.join(path, name)
            if not os.path.islink(below):
                os.chmod(below, 0o700)
    for path, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.unlink(os.path.join(path, name))
        for name in folders:
            below = os.path.join(path, name)
            os.unlink(below) if os.path.islink(below) else os.rmdir(below)
    os.rmdir(folder)
