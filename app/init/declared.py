"""Prints, as one JSON object, what setup.cfg, tox.ini, pytest.ini and setup.py of a folder declare, and what its tests import.

Configuration files are read by configparser. setup.py is only parsed: arguments of `setup` count where they are literals, or
names that the module gives a literal once. What tests import is read where `imports` is the second argument; further arguments are the
paths where pyproject.toml says that tests are. Nothing is read through links or paths that lead out of the folder. Runs on Python 3.8
and later.
"""

import ast
import configparser
import fnmatch
import glob
import json
import os
import sys


def is_own(path):
    """Whether a path means the folder, or something in it."""
    return os.path.join(os.path.realpath(path), "").startswith(os.path.join(os.path.realpath(folder), ""))


def is_own_file(path):
    return os.path.isfile(path) and is_own(path)


def sections_of(path):
    """Section -> key -> text. An unreadable file has none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    if not is_own_file(path):
        return {}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            parser.read_file(file)
    except (OSError, configparser.Error):
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}


def tree_of(path):
    """The syntax tree of a file; None: it has none that can be read."""
    if not is_own_file(path):
        return None
    try:
        with open(path, "rb") as file:
            return ast.parse(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Literals(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return self.values.get(node.id, node)


def setup_arguments(path):
    """The literal arguments of the call of `setup`."""
    tree = tree_of(path)
    if tree is None:
        return {}
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = Literals(values).visit(node.value)
            except RecursionError:
                continue
    arguments = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            for keyword in node.keywords:
                try:
                    arguments[keyword.arg] = ast.literal_eval(Literals(values).visit(keyword.value))
                except (ValueError, TypeError, RecursionError, MemoryError):
                    continue
    return {
        "extras_require": {
            name: listed(value)
            for name, value in arguments.get("extras_require", {}).items()
            if isinstance(name, str)
        }
        if isinstance(arguments.get("extras_require"), dict)
        else {},
        "tests_require": listed(arguments.get("tests_require", [])),
        "install_requires": listed(arguments.get("install_requires", [])),
        "python_requires": arguments["python_requires"] if isinstance(arguments.get("python_requires"), str) else "",
    }


def listed(value):
    """The requirements of a text or a list."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []


# Folders in which pytest looks for no tests by itself, and those of installed packages.
SKIPPED = ["*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}", "site-packages", "__pycache__"]
# Files that are parsed.
MOST_FILES = 5000


def test_files(folder, paths):
    """Files of Python in the folders of tests; without such folders, those that are called as tests are, and those beside them."""
    starts = [found for path in paths for found in sorted(glob.glob(os.path.join(folder, path))) if is_own(found)]
    for start in starts or [folder]:
        if start.endswith(".py"):
            yield start
        for place, folders, names in os.walk(start):
            folders[:] = sorted(
                name
                for name in folders
                if not any(fnmatch.fnmatch(name, one) for one in SKIPPED)
                and not os.path.exists(os.path.join(place, name, "pyvenv.cfg"))
            )
            parts = os.path.relpath(place, folder).split(os.sep)
            for name in sorted(names):
                if not name.endswith(".py"):
                    continue
                called = name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py")
                if starts or called or "tests" in parts or "test" in parts:
                    yield os.path.join(place, name)


def loaded_names(tree):
    """What a module imports whenever it is loaded: (level, module, names). What stands in `try`, `if` or a function may be lacking."""
    bodies = [tree.body]
    for body in bodies:
        for node in body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield 0, alias.name, []
            elif isinstance(node, ast.ImportFrom):
                yield node.level, node.module or "", [alias.name for alias in node.names]
            elif isinstance(node, (ast.ClassDef, ast.With)):
                bodies.append(node.body)
            elif skips(node):
                return


def skips(node):
    """Whether what follows is not loaded everywhere: `pytest.importorskip(...)`, `pytest.skip(...)`."""
    value = getattr(node, "value", None)
    if not isinstance(value, ast.Call):
        return False
    return getattr(value.func, "attr", getattr(value.func, "id", "")) in ("importorskip", "skip")


def own_module(module, roots):
    """The file of a module that is in one of the folders; None: there is none."""
    path = os.path.join(*module.split(".")) if module else ""
    for root in roots:
        for end in (".py", os.sep + "__init__.py"):
            file = os.path.join(root, path + end)
            if path and os.path.isfile(file):
                return file
    return None


def imports_of(folder, paths):
    """Top modules from elsewhere without which some file of tests does not load, also where code of the repository imports them for it."""
    roots = [folder, os.path.join(folder, "src")]
    open_files = list(test_files(folder, paths))
    seen = set(open_files)
    found = set()
    for file in open_files:
        if len(seen) > MOST_FILES:
            break
        tree = tree_of(file)
        if tree is None:
            continue
        place = os.path.dirname(file)
        for level, module, names in loaded_names(tree):
            if level > 0:
                base = place
                for _ in range(level - 1):
                    base = os.path.dirname(base)
                near = [base]
            else:
                near = [*roots, place, os.path.dirname(place)]
            own = [own_module(".".join(filter(None, [module, name])), near) for name in names]
            parts = module.split(".")
            own += [own_module(".".join(parts[:count]), near) for count in range(1, len(parts) + 1)]
            for one in own:
                if one is not None and one not in seen:
                    seen.add(one)
                    open_files.append(one)
            top = parts[0]
            if level == 0 and not any(own) and not any(os.path.isdir(os.path.join(root, top)) for root in near):
                found.add(top)
    return sorted(found - set(getattr(sys, "stdlib_module_names", ())))


folder = sys.argv[1]
ini = {
    "setup_cfg": sections_of(os.path.join(folder, "setup.cfg")),
    "tox_ini": sections_of(os.path.join(folder, "tox.ini")),
    "pytest_ini": sections_of(os.path.join(folder, "pytest.ini")) or sections_of(os.path.join(folder, ".pytest.ini")),
}
paths = (
    ini["pytest_ini"].get("pytest", {}).get("testpaths", "").split()
    or sys.argv[3:]
    or ini["tox_ini"].get("pytest", {}).get("testpaths", "").split()
    or ini["setup_cfg"].get("tool:pytest", {}).get("testpaths", "").split()
)
imports = imports_of(folder, paths) if sys.argv[2:3] == ["imports"] else []
print(
    json.dumps(
        {**ini, "setup_py": setup_arguments(os.path.join(folder, "setup.py")), "imports": imports}
    )
)
