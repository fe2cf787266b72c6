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
    labels = set()
    for kind in known.values():
        try:
            labels.update(label for _, label in _facts_of(kind)[4])
        except Exception:
            # A class that cannot be looked at has no label: its methods are doubted.
            continue
    for label in sorted(labels):
        write('kind', ['classes', label])
