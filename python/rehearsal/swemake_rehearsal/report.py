"""What the driver found, as one JSON file."""

import importlib.util
import json
import os
import sys
from pathlib import Path


class Report:
    def __init__(self, spec):
        self.path = Path(spec["result"])
        self.data = {
            "command": None, "options": {"given": 0, "checked": 0, "unchecked": [], "wrong": []},
            "values": {}, "functions": [], "replaced": [], "problems": [], "rollouts": [], "groups": [],
            "trained": [], "evaluations": None, "batch": None, "error": None, "trace": None,
            "python": sys.version.split()[0], "executable": sys.executable,
        }

    def program(self, program, is_module, words):
        name = program.removeprefix("-m ")
        if is_module:
            sys.path.insert(0, os.getcwd())
            try:
                found = importlib.util.find_spec(name) is not None
            except ModuleNotFoundError:
                found = False
            sys.path.pop(0)
        else:
            found = os.path.exists(name)
        cluster = os.environ.get("REHEARSAL_CLUSTER")
        self.data["command"] = {"program": program, "found": found, "cwd": os.getcwd(), "cluster": cluster, "words": words}

    def watch(self, options):
        """Notes the variables and options that are read from now on."""
        self.read_names = options.read
        self.read_names.clear()
        variables = self.variables = set()
        plain = os.environ

        def note(name):
            variables.add(os.fsdecode(name))

        # A copy of all variables, as for a program that is started, reads none by its name.
        listed = []

        class Watched(type(plain)):
            def __iter__(self):
                for name in super().__iter__():
                    listed[:] = [name]
                    yield name
                listed.clear()

            def __getitem__(self, name):
                if listed == [name]:
                    listed.clear()
                else:
                    note(name)
                return super().__getitem__(name)

            def get(self, name, default=None):
                note(name)
                return super().get(name, default)

        plain.__class__ = Watched

    def replaced(self, text):
        if text not in self.data["replaced"]:
            self.data["replaced"].append(text)

    def problem(self, kind, text, option=None):
        self.data["problems"].append({"kind": kind, "text": text, "option": option})

    def failed(self, error, trace):
        self.data["error"], self.data["trace"] = f"{type(error).__name__}: {error}", trace

    def write(self):
        if hasattr(self, "variables") and self.data["rollouts"]:
            self.data["reads"] = {"variables": sorted(self.variables), "options": sorted(self.read_names)}
        partial = self.path.with_suffix(".new")
        # A reward of a function may be no number, which JSON cannot say.
        written = json.loads(json.dumps(self.data, default=plain), parse_constant=lambda _: None)
        partial.write_text(json.dumps(written, allow_nan=False))
        partial.rename(self.path)


def plain(value):
    """Numbers of numpy and torch as numbers, anything else as its text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
