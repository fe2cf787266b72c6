"""
Options as `a.b=c`, and the keys that the framework's own configuration has. Where hydra is installed it composes them, as in a training;
else they are compared with the YAML, or with the dataclasses of the source, which is read by its syntax tree and not run. An option of
which neither is there is unchecked.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

from .options import Options, literal, number
from .places import file_of

class Open:
    """Deeper keys that no source names."""


OPEN = Open()


@dataclass
class Leaf:
    default: Any = None
    #: Of int, float, bool and str; empty: anything.
    kinds: list = field(default_factory=list)
    choices: list | None = None
    takes_none: bool = True


def assignments(spec, words, report):
    table = spec["table"]["options"]
    tree, sources = keys_of(spec, report)
    checks, options = report.data["options"], Options()
    checks["given"], checks["sources"] = len(words), sources
    if tree is not None:
        fill(options, tree)
    for word in words:
        name, _, text = word.partition("=")
        bare, value = name.lstrip("+~"), items(text)
        report.data["values"][bare] = value
        wrong = None if tree is None else problem(table["style"], name, value, find(tree, bare))
        if wrong is not None:
            checks["wrong"].append({"option": bare, "text": wrong})
        elif tree is None or isinstance(find(tree, bare), (type(None), Open)):
            checks["unchecked"].append(bare)
        else:
            checks["checked"] += 1
        put(options, bare, value)
    if table["style"] == "hydra" and sources and not checks["wrong"]:
        composed(sources[0], table["name"], words, options, report)
    return options


def keys_of(spec, report):
    """The keys with their defaults, and the files that say so; None: no such file can be read."""
    table = spec["table"]["options"]
    paths = [path for path in (file_of(spec["folder"], name) for name in table["folder"]) if path is not None]
    if not paths:
        return None, []
    tree = dataclass_tree(paths[0], table["name"]) if table["style"] == "dataclass" else yaml_tree(paths[0], report)
    return tree, [str(paths[0])] if tree is not None else []


def yaml_tree(path, report):
    try:
        import yaml
    except ModuleNotFoundError:
        report.replaced(f"{path}: not read, since there is no module yaml")
        return None
    values = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    tree = {}
    for entry in values.pop("defaults", []):
        if not isinstance(entry, dict):
            continue
        ((where, name),) = entry.items()
        group, _, package = where.partition("@")
        below = path.parent / group / f"{name}.yaml"
        inner = yaml_tree(below, report) if below.exists() else None
        merge(node_at(tree, package or group), inner or {})
    merge(tree, values)
    return tree


def node_at(tree, name):
    for part in name.split("."):
        tree = tree.setdefault(part, {})
    return tree


def merge(tree, values):
    for name, value in values.items():
        if isinstance(value, dict) and value:
            if not isinstance(tree.get(name), dict):
                tree[name] = {}
            merge(tree[name], value)
        else:
            tree[name] = value if isinstance(value, Leaf) else OPEN if value == {} else Leaf(unresolved(value))


def unresolved(value):
    return None if isinstance(value, str) and "${" in value else value


def dataclass_tree(path, root):
    classes = {node.name: node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)}

    def tree_of(name):
        return {
            one.target.id: leaf_of(one.annotation, one.value)
            for one in classes[name].body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }

    def leaf_of(annotation, default):
        names = [node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)]
        own = [name for name in names if name in classes and is_dataclass(classes[name])]
        if own:
            return tree_of(own[0])
        if "Literal" in names:
            found = [node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant)]
            return Leaf(literal(default), [], [one for one in found if one is not None])
        plain = [name for name in names if name in ("int", "float", "bool", "str")]
        if not plain or any(name in ("Dict", "dict", "Any") for name in names):
            return OPEN
        is_list = any(name in ("List", "list", "Tuple") for name in names)
        optional = "Optional" in names or any(isinstance(node, ast.Constant) and node.value is None for node in ast.walk(annotation))
        return Leaf(literal(default), [] if is_list else plain, None, optional)

    return tree_of(root)


def is_dataclass(node):
    return any("dataclass" in ast.unparse(one) for one in node.decorator_list)


def find(tree, name):
    """The leaf, a dict of deeper keys, or OPEN; None: there is no such key."""
    for part in name.split("."):
        if tree is OPEN:
            return OPEN
        if not isinstance(tree, dict) or part not in tree:
            return None
        tree = tree[part]
    return tree


def problem(style, name, value, found):
    adds = name.startswith("+")
    if adds and style == "dataclass":
        return "begins with +, which this generation of the framework does not take"
    if found is None:
        return None if adds else "is no key of the framework" + (", and a new one is written with +" if style == "hydra" else "")
    if adds and not name.startswith("++") and isinstance(found, Leaf):
        return "begins with +, which is for new keys, and is there already"
    return None if not isinstance(found, Leaf) else mistyped(value, found)


def mistyped(value, leaf):
    if value is None:
        return None if leaf.takes_none else "takes no null"
    if leaf.choices is not None and value not in leaf.choices:
        return f"is {value}, which is none of {', '.join(map(str, leaf.choices))}"
    fits = {"int": is_int(value), "float": is_int(value) or isinstance(value, float), "bool": isinstance(value, bool), "str": not isinstance(value, list)}
    return None if not leaf.kinds or any(fits[kind] for kind in leaf.kinds) else f"is {value}, which is no {leaf.kinds[0]}"


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def composed(path, name, words, options, report):
    """As hydra itself composes them, where it is installed."""
    try:
        from hydra import compose, initialize_config_dir
        from omegaconf import OmegaConf
    except ImportError:
        return
    try:
        with initialize_config_dir(version_base=None, config_dir=str(path.rpartition("/")[0])):
            made = compose(config_name=name, overrides=list(words))
            fill(options, OmegaConf.to_container(made, resolve=False))
            options.hydra_config = made
            report.data["options"]["parser"] = "hydra"
    except Exception as error:
        report.data["options"]["wrong"].append({"option": "", "text": f"hydra does not take the command: {str(error).splitlines()[0]}"})


def fill(options, tree):
    for name, value in tree.items():
        if isinstance(value, dict) and value:
            if not isinstance(getattr(options, name), Options):
                setattr(options, name, Options())
            fill(getattr(options, name), value)
        elif value is OPEN or value == {}:
            setattr(options, name, Options())
        else:
            plain = value.default if isinstance(value, Leaf) else unresolved(value)
            if plain is not None or getattr(options, name) is None:
                setattr(options, name, plain)


def put(options, name, value):
    *parents, last = name.split(".")
    for part in parents:
        if not isinstance(getattr(options, part), Options):
            setattr(options, part, Options())
        options = getattr(options, part)
    setattr(options, last, value)


def items(text):
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1]
        return [items(one.strip()) for one in inner.split(",")] if inner else []
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("\\'", "'").replace("\\\\", "\\")
    return number(text)
