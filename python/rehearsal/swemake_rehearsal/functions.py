"""The functions that a command names: imported as the framework imports them, and why not where they cannot be."""

import importlib
import importlib.util
import sys
import types
from contextlib import suppress

from .options import lookup


class Functions:
    def __init__(self, spec, options, report):
        self.report = report
        self.package = self._package(spec)
        self.found = {}
        for option, key in spec["table"]["functions"].items():
            path = lookup(options, option)
            if isinstance(path, str):
                self.found[option] = self._load(option, key, path)

    def _package(self, spec):
        """The package that can be imported; its stand-in where the rehearsal was told to use one."""
        names = spec["table"]["packages"]
        for name in names:
            with suppress(ModuleNotFoundError):
                if importlib.util.find_spec(name) is not None:
                    return name
        return names[0]

    def _load(self, option, key, path):
        module, _, name = path.rpartition(".")
        entry = {"option": option, "key": key, "path": path, "file": None, "error": None}
        self.report.data["functions"].append(entry)
        try:
            loaded = importlib.import_module(module)
            entry["file"] = getattr(loaded, "__file__", None)
            return getattr(loaded, name)
        except ModuleNotFoundError as error:
            why = f"there is no module {error.name}"
            entry["error"] = why if error.name and module.startswith(error.name) else f"{module} imports {error.name}, which is not there"
        except AttributeError:
            entry["error"] = f"{module} has no {name}"
        except Exception as error:
            entry["error"] = f"{module} cannot be imported: {type(error).__name__}: {error}"
        return None


def contract(modules, report, forced=(), patched=()):
    """
    The framework's own modules where they can be imported here; stand-ins for the others, and for those that would start GPUs: all of
    `forced`, and parts of `patched`.
    """
    for whole, make in modules.items():
        module, why = (None, None) if whole in forced else imported(whole)
        if module is None:
            starts = whole in forced or whole in patched
            reason = "since it starts engines and workers" if starts and why is None else f"since it cannot be imported here ({why})"
            report.replaced(f"{whole}: a stand-in, {reason}")
            module = planted(whole)
        elif whole in patched:
            report.replaced(f"{whole}: its own, but for parts that start engines and workers")
        else:
            continue
        make(whole.partition(".")[0], module)


def imported(whole):
    """The module, or None and why it cannot be imported."""
    try:
        return importlib.import_module(whole), None
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def planted(whole):
    """An empty module in its place; the modules below it stay where they are."""
    parents(whole)
    module = types.ModuleType(whole)
    with suppress(ImportError, ValueError):
        found = importlib.util.find_spec(whole)
        if found is not None and found.submodule_search_locations:
            module.__path__ = list(found.submodule_search_locations)
    sys.modules[whole] = module
    above, _, name = whole.rpartition(".")
    if above:
        setattr(sys.modules[above], name, module)
    return module


def parents(whole):
    parts = whole.split(".")[:-1]
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
        except Exception:
            package = types.ModuleType(name)
            package.__path__ = []
            sys.modules[name] = package
