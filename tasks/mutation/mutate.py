"""Lists the mutations of a Python source tree and derives their patches. Standard library only.

    mutate.py list ROOT [--file FILE]...    JSON lines {file, function, kind, index, line}
    mutate.py apply ROOT                    reads JSON lines {file, function, kind, index}, answers each with
                                            {patch} or {error}

The same tree gives the same lists and the same patches under Python 3.8 to 3.13, so a dataset names a mutation
and no code of anyone else has to be stored. The numbering is part of that contract: a change of the kinds must
not renumber what datasets already name.
"""

import argparse
import json
import os
import sys
import warnings

# `python -I` leaves this folder out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from mutation_kinds import BLOCK_KINDS, NODE_KINDS, candidates  # noqa: E402
from mutation_source import Source, Unsupported  # noqa: E402

CONTEXT = 3
SKIPPED_FOLDERS = {"test", "tests", "testing", "doc", "docs", "examples", "example", "benchmark", "benchmarks",
                   "fuzz", "build", "dist", "venv", "node_modules", "__pycache__"}  # fmt: skip
SKIPPED_FILES = {"setup.py", "conftest.py", "ez_setup.py", "noxfile.py", "tasks.py", "versioneer.py", "bench.py", "benchmark.py",
                 "benchmarks.py"}  # fmt: skip


def is_text(name):
    """What is no UTF-8 cannot be written into a row."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def source_files(root):
    """Python files of the package itself, sorted; tests and build scripts are left out."""
    found = []
    for folder, folders, names in os.walk(root):
        left = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        folders[:] = filter(is_text, left)
        for name in filter(is_text, names):
            test = name.startswith("test_") or name.endswith("_test.py") or name in ("test.py", "tests.py")
            link = os.path.islink(os.path.join(folder, name))
            if name.endswith(".py") and not test and not link and name not in SKIPPED_FILES:
                found.append(os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/"))
    return sorted(found)


def read_source(root, file):
    """The parsed file. Raises Unsupported, also for a path that leads out of the tree, or through a link: git applies no patch there."""
    root = os.path.realpath(root)
    path = os.path.normpath(os.path.join(root, file))
    if not path.startswith(root + os.sep):
        raise Unsupported("%s is not inside of the source" % file)
    if os.path.realpath(path) != path:
        raise Unsupported("%s is a symbolic link, or lies behind one" % file)
    try:
        with open(path, "rb") as stream:
            return Source(stream.read())
    except OSError as error:
        raise Unsupported("%s: %s" % (file, error.strerror))


def list_mutations(root, files):
    for file in files or source_files(root):
        try:
            source = read_source(root, file)
        except Unsupported as error:
            sys.stderr.write("%s: %s\n" % (file, error))
            continue
        for function, kind, index, edit in candidates(source):
            line = source.data.count(b"\n", 0, edit[0]) + 1
            yield {"file": file, "function": function, "kind": kind, "index": index, "line": line}


class Tree:
    """A source tree whose files are parsed once."""

    def __init__(self, root):
        self.root = root
        self.files = {}

    def edits(self, file):
        if file not in self.files:
            source = read_source(self.root, file)
            self.files[file] = source, {one[:3]: one[3] for one in candidates(source)}
        return self.files[file]


def derive(tree, request):
    """The patch of one request. Raises Unsupported when there is no such mutation."""
    try:
        file, function, kind, index = (request[key] for key in ("file", "function", "kind", "index"))
    except (KeyError, TypeError):
        raise Unsupported("a mutation needs file, function, kind and index")
    if kind not in NODE_KINDS and kind not in BLOCK_KINDS:
        raise Unsupported("there is no kind %s of mutation" % kind)
    source, edits = tree.edits(file)
    if (function, kind, index) not in edits:
        raise Unsupported("%s has no %s number %s in %s" % (file, kind, index, function))
    start, end, replacement = edits[function, kind, index]
    changed = source.data[:start] + replacement + source.data[end:]
    if changed == source.data:
        raise Unsupported("the mutation changes nothing")
    try:
        compile(changed, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unsupported("the mutated file is not valid: %s" % error)
    return unified_diff(file, source.data, changed)


def unified_diff(file, before, after):
    """A diff of one hunk around everything between the first and the last changed line."""
    old, new = lines(before), lines(after)
    shared = min(len(old), len(new))
    head = next((i for i in range(shared) if old[i] != new[i]), shared)
    tail = next((i for i in range(shared - head) if old[-1 - i] != new[-1 - i]), shared - head)
    first = max(0, head - CONTEXT)
    last = min(tail, CONTEXT)
    old_end, new_end = len(old) - tail, len(new) - tail
    marked = [b" " + line for line in old[first:head]]
    marked += [b"-" + line for line in old[head:old_end]] + [b"+" + line for line in new[head:new_end]]
    marked += [b" " + line for line in old[old_end : old_end + last]]
    body = b"".join(line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in marked)
    ranges = hunk_range(first, old_end + last - first), hunk_range(first, new_end + last - first)
    header = "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%s +%s @@\n" % ((file,) * 4 + ranges)
    return header + body.decode("utf-8")


def lines(data):
    """Lines with their ends; only a line feed ends a line, as for git."""
    parts = [part + b"\n" for part in data.split(b"\n")]
    parts[-1] = parts[-1][:-1]
    return parts if parts[-1] else parts[:-1]


def hunk_range(first, count):
    return "%d,%d" % (first + 1 if count else first, count)


def answer(tree, line):
    try:
        return {"patch": derive(tree, json.loads(line))}
    except (Unsupported, ValueError) as error:
        return {"error": str(error)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["list", "apply"])
    parser.add_argument("root")
    parser.add_argument("--file", action="append", default=[])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tree = Tree(options.root)
    if options.command == "list":
        results = list_mutations(options.root, options.file)
    else:
        results = (answer(tree, line) for line in sys.stdin if line.strip())
    for result in results:
        sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
