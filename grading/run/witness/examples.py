"""Records the examples of doctests: a docstring is code that a patch may change, and its examples are the tests. Each
entry is a test and a digest of what it runs, expects and asks for by options.
"""


def examples_of(tests, id_of, tell):
    """`tests`: items of pytest or cases of unittest; `tell` takes those that are doctests."""
    for test in tests:
        found = getattr(test, 'dtest', None) or getattr(test, '_dt_test', None)
        if found is None or not hasattr(found, 'examples'):
            continue
        digest = sha256()
        for one in found.examples:
            options = sorted([str(key), str(bool(value))] for key, value in one.options.items())
            digest.update(_encoded([one.source, one.want, one.exc_msg, options]).encode('ascii') + b'\n')
        tell('doctest', id_of(test), digest.hexdigest()[:32])
