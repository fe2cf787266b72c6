"""Records which methods of comparison the classes of the repository have, in a run without a patch. Code may make such methods
while it is loaded, so that no text of a class has them; and modules of tests that import what only the solution has never get
to an assertion that would show them. An entry `kind` has the slot `classes` and a label `own FILE:LINE NAME` (operands.py).
"""


def tell_classes(write):
    """All classes that the process has loaded, at its end."""
    left, known = [object], {}
    while left:
        base = left.pop()
        for kind in type.__subclasses__(base):
            # By its address: a class of classes may say which are the same.
            if id(kind) not in known:
                known[id(kind)] = kind
                left.append(kind)
    for kind in known.values():
        for label in _own_labels(kind):
            write('kind', ['classes', label])


def _own_labels(kind):
    members = _members_of(kind)
    try:
        found = [_own_method(kind, name, members[name]) for name in _WATCHED.intersection(members) if members[name] is not None]
    except Exception:
        # A class that cannot be looked at has no label, and what meets at assertions is doubted.
        return []
    return sorted(label for label in found if label is not None)
