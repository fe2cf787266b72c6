"""Small mutations of the functions that a solution changes, and where they fit in another solution. Standard library only.

    mutants.py list     reads {files: [{path, before, after}]}, answers with a list of mutants
                        {file, line, function, kind, old, new, is_changed}, the last for those of changed lines
    mutants.py place    reads {mutants, texts: {path: text}}, answers with a list: the text of the mutant's file with the
                        mutation in it, or null where it does not fit

A mutant is whole lines of one function. It fits in a file whose function of that name has these lines exactly once.
"""

import ast
import difflib
import json
import os
import sys
import warnings

# `python -I` leaves this folder out.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from mutation_kinds import FUNCTIONS, candidates  # noqa: E402
from mutation_source import Source, Unsupported  # noqa: E402

MODULE = "<module>"
# More lines are no small mutation.
LONGEST = 6


def parsed(text):
    """The parsed file; None for one that cannot be read."""
    try:
        return Source(text.encode("utf-8"))
    except (Unsupported, UnicodeEncodeError):
        return None


def functions(tree):
    """(name as mutations have it, first line, last line) of each function; one in another is a part of it, too."""
    pending = [(tree, "")]
    while pending:
        node, scope = pending.pop()
        for child in ast.iter_child_nodes(node):
            name = scope
            if isinstance(child, FUNCTIONS + (ast.ClassDef,)):
                name = child.name if scope == "" else scope + "." + child.name
            if isinstance(child, FUNCTIONS):
                yield name, child.lineno, child.end_lineno
            pending.append((child, name))


def is_compiled(text, path):
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def changed_lines(before, after):
    """Numbers of the lines that are new or stand elsewhere, and of those around lines that are gone."""
    start, ends = 0, 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    while ends < min(len(before), len(after)) - start and before[-1 - ends] == after[-1 - ends]:
        ends += 1
    parts = before[start : len(before) - ends], after[start : len(after) - ends]
    changed = set()
    for tag, _, _, first, last in difflib.SequenceMatcher(None, *parts).get_opcodes():
        if tag == "delete":
            changed.update((start + first, start + first + 1))
        elif tag != "equal":
            changed.update(range(start + first + 1, start + last + 1))
    return changed


def mutants_of(path, before, after):
    """Mutants of the functions that have changed lines."""
    source = parsed(after)
    if source is None:
        return
    texts = after.split("\n")
    changed = changed_lines((before or "").split("\n"), texts)
    ranges = [one for one in functions(source.tree) if any(one[1] <= number <= one[2] for number in changed)]
    names = {name for name, _, _ in ranges}
    for function, kind, _, (start, end, replacement) in candidates(source):
        if function not in names:
            continue
        first = source.data.count(b"\n", 0, start) + 1
        last = source.data.count(b"\n", 0, max(start, end - 1)) + 1
        old = "\n".join(texts[first - 1 : last])
        head = source.data[source.line_start(first) : start]
        tail = source.data[end : source.line_start(last + 1)]
        new = (head + replacement + tail).decode("utf-8").rstrip("\n")
        if last - first >= LONGEST or old.strip() == new.strip():
            continue
        mutant = {"file": path, "line": first, "function": function, "kind": kind, "old": old, "new": new}
        if placed(mutant, after) is not None:
            yield dict(mutant, is_changed=bool(changed.intersection(range(first, last + 1))))


def placed(mutant, text):
    """The text with the mutation in it; None where its function does not have just these lines once."""
    source = parsed(text)
    if source is None:
        return None
    texts = text.split("\n")
    old = mutant["old"].split("\n")
    found = {
        number
        for name, first, last in functions(source.tree)
        if name == mutant["function"]
        for number in range(first - 1, last - len(old) + 1)
        if texts[number : number + len(old)] == old
    }
    if len(found) != 1:
        return None
    at = found.pop()
    new = mutant["new"].split("\n") if mutant["new"] else []
    result = "\n".join(texts[:at] + new + texts[at + len(old) :])
    return result if is_compiled(result, mutant["file"]) else None


def main():
    warnings.simplefilter("ignore")
    request = json.load(sys.stdin)
    if sys.argv[1] == "list":
        answer = [one for file in request["files"] for one in mutants_of(file["path"], file["before"], file["after"])]
    else:
        texts = request["texts"]
        answer = [placed(one, texts[one["file"]]) if one["file"] in texts else None for one in request["mutants"]]
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
