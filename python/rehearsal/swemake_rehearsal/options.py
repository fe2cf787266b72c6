"""
The options of a command: their words, and the definitions that the framework's source has for them, read by syntax tree. Nothing
of that source is run, so it needs no GPU and none of its imports. An option whose definition was not read is unchecked.
"""

import ast
from argparse import Namespace
from math import prod

from .places import file_of


class Options(Namespace):
    """What the framework's code sees as its arguments. What is defined nowhere is None."""

    #: Names that were read, from a moment on.
    read = set()

    def __getattribute__(self, name):
        if not name.startswith("__"):
            Options.read.add(name)
        return super().__getattribute__(name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    def get(self, name, default=None):
        value = getattr(self, name)
        return default if value is None else value


class Known(Options):
    """Options of a parser whose definitions were all read: any other name is no attribute, but for those that the engine's parser adds."""

    def __getattr__(self, name):
        if name.startswith("sglang_"):
            return None
        raise AttributeError(name)


def read_options(spec, words, report):
    from .keys import assignments

    if spec["table"]["options"]["style"] == "own":
        return Options()
    return (flags if spec["table"]["options"]["style"] == "flags" else assignments)(spec, words, report)


def by_role(spec, options, role):
    """The value of the option that means this, else None."""
    name = spec["table"]["names"].get(role)
    if name is None:
        return None
    if isinstance(name, str):
        return lookup(options, name)
    values = [lookup(options, one) for one in name]
    return None if None in values else prod(values)


def lookup(options, name):
    if "." not in name:
        return getattr(options, attribute(name), None)
    value = options
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


def attribute(name):
    return name.replace("-", "_")


def flags(spec, words, report):
    given = {}
    name = None
    for word in words:
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            given[name] = [value] if value else []
        elif name is not None:
            given[name].append(word)
        else:
            report.problem("option", f"{word} belongs to no option")
    defined, sources = definitions(spec, report)
    kind = Known if len(sources) == sum(len(spec["table"]["options"][one]) for one in ("folder", "megatron")) else Options
    options = kind(**{attribute(one): it.default for one, it in defined.items()})
    checks = report.data["options"]
    checks["given"], checks["sources"] = len(given), sources
    for name, values in given.items():
        known = defined.get(name) or defined.get(name.replace("_", "-"))
        if known is None:
            checks["unchecked"].append(name)
            value = guess(values)
        else:
            value, wrong = known.read(values)
            if wrong is None:
                checks["checked"] += 1
            else:
                checks["wrong"].append({"option": name, "text": wrong})
        setattr(options, attribute(name), value)
        report.data["values"][name] = value
    return options


class Definition:
    def __init__(self, call):
        self.keywords = {one.arg: one.value for one in call.keywords if one.arg}
        self.action = literal(self.keywords.get("action"))
        self.choices = literal(self.keywords.get("choices"))
        self.nargs = literal(self.keywords.get("nargs"))
        kind = self.keywords.get("type")
        self.type = kind.id if isinstance(kind, ast.Name) else None
        self.default = literal(self.keywords.get("default"))
        if self.action == "store_true":
            self.default = False
        if self.action == "store_false":
            self.default = True

    def read(self, values):
        """The value, and what is wrong with it."""
        if self.action in ("store_true", "store_false", "store_const"):
            return self.action != "store_false", f"takes no value, and has {' '.join(values)}" if values else None
        many = self.nargs in ("*", "+") or isinstance(self.nargs, int)
        if not values and self.nargs not in ("*", "?"):
            return None, "needs a value"
        if len(values) > 1 and not many:
            return values, f"takes one value, and has {len(values)}"
        converted = []
        for one in values:
            try:
                converted.append({"int": int, "float": float}.get(self.type, str)(one))
            except ValueError:
                return values, f"{one} is no {self.type}"
        wrong = [one for one in converted if isinstance(self.choices, (list, tuple)) and one not in self.choices]
        text = f"{wrong[0]} is none of {', '.join(map(str, self.choices))}" if wrong else None
        return (converted if many else converted[0] if converted else None), text


def definitions(spec, report):
    """Every `add_argument` of the files, by the name of its option; files that are not there are noted."""
    found, sources = {}, []
    for root, names in ((spec["folder"], spec["table"]["options"]["folder"]), (spec["megatron"], spec["table"]["options"]["megatron"])):
        for name in names:
            path = file_of(root, name)
            if path is None:
                continue
            try:
                tree = ast.parse(path.read_text(encoding="utf-8"))
            except SyntaxError as error:
                report.problem("option", f"{path} cannot be read: {error}")
                continue
            sources.append(str(path))
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    for option in option_names(node):
                        found[option] = Definition(node)
    return found, sources


def option_names(call):
    named = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if named not in ("add_argument", "reset_arg"):
        return []
    words = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return [word[2:] for word in words if word.startswith("--")]


def literal(node):
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def guess(values):
    if not values:
        return True
    read = [number(one) for one in values]
    return read if len(read) > 1 else read[0]


def number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "null": None}.get(text, text)
