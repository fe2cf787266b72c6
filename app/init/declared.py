"""Prints, as one JSON object, what setup.cfg, tox.ini, pytest.ini and setup.py of a folder declare.

Configuration files are read by configparser. setup.py is only parsed: arguments of `setup` count where they are literals, or
names that the module gives a literal once. Runs on Python 3.8 and later.
"""

import ast
import configparser
import json
import os
import sys


def sections_of(path):
    """Section -> key -> text. An unreadable file has none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            parser.read_file(file)
    except (OSError, configparser.Error):
        return {}
    return {name: dict(parser[name]) for name in parser.sections()}


class Literals(ast.NodeTransformer):
    """Puts values in the place of names."""

    def __init__(self, values):
        self.values = values

    def visit_Name(self, node):
        return self.values.get(node.id, node)


def setup_arguments(path):
    """The literal arguments of the call of `setup`."""
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = Literals(values).visit(node.value)
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
        "python_requires": arguments["python_requires"] if isinstance(arguments.get("python_requires"), str) else "",
    }


def listed(value):
    """The requirements of a text or a list."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [item for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []


folder = sys.argv[1]
print(
    json.dumps(
        {
            "setup_cfg": sections_of(os.path.join(folder, "setup.cfg")),
            "tox_ini": sections_of(os.path.join(folder, "tox.ini")),
            "pytest_ini": sections_of(os.path.join(folder, "pytest.ini"))
            or sections_of(os.path.join(folder, ".pytest.ini")),
            "setup_py": setup_arguments(os.path.join(folder, "setup.py")),
        }
    )
)
