"""Prints what an installed swesmith, swebench or multi-swe-bench knows about building repositories, as one JSON object.
SWE-Gym's fork of swebench is installed under the name swebench. Arguments: the package, and logs by names, as JSON, which
the parsers of multi-swe-bench's classes read.

The packages import far more than their tables need (docker, ghapi, datasets); what is not installed is replaced by
a stand-in, since nothing of it is called. Runs in the interpreter that has the package, Python 3.8 or later.
"""

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import json
import re
import sys
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock


class StandIn(ModuleType):
    """A module that has every attribute."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = MagicMock(name=name)
        setattr(self, name, value)
        return value


class StandInFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder, so it is used only for modules that do not exist."""

    def __init__(self, wanted):
        self.wanted = wanted

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == self.wanted:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def load(package, module):
    """Imports a module of the package, with stand-ins only when it does not work without."""
    try:
        return importlib.import_module(module)
    except ImportError:
        for name in [name for name in sys.modules if name.split(".")[0] == package]:
            del sys.modules[name]
        sys.meta_path.append(StandInFinder(package))
        sys.modules.setdefault(DECORATORS, StandIn(DECORATORS)).dataclass_json = readable
        return importlib.import_module(module)


# Decorates the classes of multi-swe-bench's pull requests, and of reports that its parsers read.
DECORATORS = "dataclasses_json"


def readable(value):
    """In place of dataclass_json: what JSON has becomes attributes, at all depths."""
    value.from_dict = staticmethod(
        lambda content: json.loads(json.dumps(content), object_hook=lambda one: SimpleNamespace(**one))
    )
    return value


def version_of(package):
    try:
        from importlib.metadata import version

        return version(package)
    except Exception:
        return "unknown"


def swesmith():
    python = load("swesmith", "swesmith.profiles.python")
    base = python.PythonProfile
    found = {}
    for value in list(vars(python).values()):
        if not (isinstance(value, type) and issubclass(value, base) and value is not base):
            continue
        profile = value()
        if not (isinstance(profile.commit, str) and profile.commit):
            continue
        found[(profile.owner, profile.repo, profile.commit)] = {
            "owner": profile.owner,
            "repo": profile.repo,
            "commit": profile.commit,
            # Some classes set it without an annotation, which a dataclass does not take for its field.
            "python": value.python_version,
            "effectivePython": profile.python_version,
            "install": list(profile.install_cmds),
            "test": profile.test_cmd,
            "isDefaultTest": profile.test_cmd == base.test_cmd,
            "ownParser": value.log_parser is not base.log_parser,
            "ownImage": value.build_image is not base.build_image,
        }
    return {"profiles": [found[key] for key in sorted(found)], "otherProfiles": other_profiles()}


def other_profiles():
    """Profiles of other languages: each has a Dockerfile, for which its mirror is not asked for."""
    found = {}
    for name in ("c", "cpp", "csharp", "golang", "java", "javascript", "php", "rust", "typescript"):
        try:
            module = load("swesmith", "swesmith.profiles." + name)
            base = load("swesmith", "swesmith.profiles.base").RepoProfile
        except ImportError:
            continue
        base.mirror_url = "MIRROR"
        for value in list(vars(module).values()):
            if not (isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__):
                continue
            if inspect.isabstract(value):
                continue
            profile = value()
            if not (isinstance(profile.commit, str) and profile.commit and profile.owner):
                continue
            found[(profile.owner, profile.repo, profile.commit)] = {
                "owner": profile.owner,
                "repo": profile.repo,
                "commit": profile.commit,
                "language": name,
                "dockerfile": profile.dockerfile,
                "test": profile.test_cmd,
                "parser": parser_of(value),
            }
    return [found[key] for key in sorted(found)]


# Languages whose profiles share a parser that is a method.
OF_CLASSES = {"GoProfile": "go", "RustProfile": "rust"}


def parser_of(profile):
    """The name of the function that it passes logs to, without parse_log_; empty where it reads them itself."""
    owner = next(one for one in profile.__mro__ if "log_parser" in vars(one))
    named = [name for name in owner.log_parser.__code__.co_names if name.startswith("parse_log_")]
    is_all = len(owner.log_parser.__code__.co_names) == 1 and len(named) == 1
    return named[0][len("parse_log_") :] if is_all else OF_CLASSES.get(owner.__name__, "")


def swebench():
    try:
        tables = load("swebench", "swebench.harness.constants.python")
    except ImportError:
        tables = load("swebench", "swebench.harness.constants")
    specs = getattr(tables, "MAP_REPO_VERSION_TO_SPECS_PY", None) or getattr(tables, "MAP_REPO_VERSION_TO_SPECS", None)
    if not isinstance(specs, dict):
        return {"error": "no-tables"}
    requirements = getattr(tables, "MAP_REPO_TO_REQS_PATHS", {})
    conda_files = getattr(tables, "MAP_REPO_TO_ENV_YML_PATHS", {})
    return {
        "specs": spelled(specs, requirements, conda_files),
        "requirements": requirements,
        "condaFiles": conda_files,
        "parsers": spelled(swebench_parsers(), requirements, conda_files),
        "isGym": SWE_GYM_ONLY in specs,
        "languages": other_languages(),
    }


def other_languages():
    tables = {}
    for module, name in (("c", "C"), ("go", "GO"), ("java", "JAVA"), ("javascript", "JS"), ("rust", "RUST")):
        try:
            table = load("swebench", "swebench.harness.constants." + module)
        except ImportError:
            continue
        tables[module] = getattr(table, "MAP_REPO_VERSION_TO_SPECS_" + name, {})
    return tables


# SWE-Gym's fork keeps the name and the version of swebench. No release of swebench has this repository.
SWE_GYM_ONLY = "getmoto/moto"


def spelled(table, *others):
    """The table by the names that rows have. The fork writes specs and parsers in lower case, its tables of files not."""
    names = {name.lower(): name for other in others for name in other}
    return {names.get(name, name): value for name, value in table.items()}


def swebench_parsers():
    try:
        parsers = load("swebench", "swebench.harness.log_parsers").MAP_REPO_TO_PARSER
        return {repo: parser.__name__ for repo, parser in parsers.items()}
    except Exception:
        return {}


def multi_swe_bench():
    """Classes of repositories: each writes Dockerfiles and scripts for a pull request, and reads logs of its tests."""
    load("multi_swe_bench", "multi_swe_bench.harness.instance")
    registry = sys.modules["multi_swe_bench.harness.instance"].Instance._registry
    request = sys.modules["multi_swe_bench.harness.pull_request"]
    config = sys.modules["multi_swe_bench.harness.image"].Config(True, None, False)
    logs = json.loads(sys.argv[2])
    found, unread = [], set()
    for name, value in registry.items():
        language = value.__module__.split(".")[3]
        if language not in MULTI_LANGUAGES:
            continue
        owner, repo = name.split("/", 1)
        interval = INTERVAL.search(repo)
        first, last = sorted(map(int, interval.groups())) if interval else (1, None)
        starts = [first] + [number for number in numbers_in(value) if first < number <= (last or number)]
        for start, following in zip(starts, starts[1:] + [None]):
            base = request.Base("main", "main", COMMIT)
            one = value(request.PullRequest(owner, repo, start, "closed", "", "", base, [], "", ""), config)
            try:
                scripts = scripts_of(one)
            except Exception:
                # Some know scripts for the pull requests of a list alone.
                unread.add(name)
                continue
            found.append(
                {
                    "owner": owner,
                    "repo": repo,
                    "isInterval": interval is not None,
                    "language": language,
                    "numbers": [start, following - 1 if following else last],
                    "reads": {log: passed_in(one, text) for log, text in logs.items()},
                    **scripts,
                }
            )
    return {"classes": found, "unread": sorted(unread)}


MULTI_LANGUAGES = ("c", "cpp", "golang", "java", "javascript", "python", "rust", "typescript")
INTERVAL = re.compile(r"_(\d+)_to_(\d+)$")
COMMIT = "0" * 40


def numbers_in(value):
    """Numbers of pull requests from which on the class may do something else: those that its module names, and the next ones."""
    source = inspect.getsource(sys.modules[value.__module__])
    if "pr.number" not in source.replace('f"pr-{self.pr.number}"', ""):
        return []
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    named = {number for number in constants if type(number) is int and 1 < number < 1000000}
    return sorted(named | {number + 1 for number in named})


def scripts_of(one):
    """Its Dockerfiles, the first one first, and its scripts."""
    images, image = [], one.dependency()
    while not isinstance(image, str):
        images.append(image)
        image = image.dependency()
    files = {file.name: file.content for image in images for file in image.files()}
    return {
        "dockerfiles": [image.dockerfile() for image in reversed(images)],
        "prepare": files.get("prepare.sh", ""),
        "run": files.get("fix-run.sh", ""),
    }


def passed_in(one, log):
    """The tests that passed, as its parser reads the log; None where it refuses the log."""
    try:
        return sorted(one.parse_log(log).passed_tests)
    except Exception:
        return None


def main(wanted):
    package = {"swe-gym": "swebench", "multi-swe-bench": "multi_swe_bench"}.get(wanted, wanted)
    names = [package] if package else ["swesmith", "swebench", "multi_swe_bench"]
    there = [name for name in names if importlib.util.find_spec(name) is not None]
    if len(there) != 1:
        return {"error": "several" if there else "missing", "python": sys.executable}
    package = there[0]
    try:
        table = {"swesmith": swesmith, "swebench": swebench, "multi_swe_bench": multi_swe_bench}[package]()
    except Exception as error:
        table = {"error": "unreadable", "detail": "%s: %s" % (type(error).__name__, error)}
    is_gym = table.pop("isGym", False)
    if wanted == "swe-gym" and "error" not in table and not is_gym:
        table = {"error": "not-gym"}
    name = "swe-gym" if is_gym else package.replace("_", "-")
    table.update({"from": name, "version": version_of(package), "python": sys.executable})
    return table


# Some modules print what they found.
with contextlib.redirect_stdout(sys.stderr):
    answer = main(sys.argv[1] if len(sys.argv) > 1 else "")
json.dump(answer, sys.stdout, default=sorted)
