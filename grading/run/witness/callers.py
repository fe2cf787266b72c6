"""Who reports tests as passed, and with what. Reports, results and examples may be made by other code than the runner's:
digests of the functions that called, and of the classes of results, say so.
"""
MOST_CALLERS = 100


def _place_or_digest(code):
    """Code of the repository may be other with each patch, so only its place is told. Tests are told by their digests."""
    path = code.co_filename if code.co_filename.startswith('<') else _absolute(code.co_filename)
    return _file_key(path) if _below(path) and not is_test_file(path) else digest_of(code)


class Callers(object):
    """Tells of each way on which a test was reported as passed."""

    def __init__(self, tell):
        self._tell, self._known = tell, {}

    def tell(self, frame):
        codes = []
        while frame is not None and len(codes) < MOST_CALLERS:
            codes.append(frame.f_code)
            frame = frame.f_back
        key = tuple(map(id, codes))
        if key in self._known:
            return
        # The code is kept, so that its id stays its own.
        self._known[key] = codes
        codes = [code for code in codes if code.co_filename != '<witness>']
        places = list(dict.fromkeys(map(_place_or_digest, codes)))
        own = [place for place in places if ':' in place]
        names = own or [code.co_name for code in codes[:1]]
        self._tell('passed', 'by', '%s %s' % (' '.join(names), digest_of_all(places)))


class Results(object):
    """Tells of each class of results, and again when its functions are other ones."""

    def __init__(self, tell):
        self._tell, self._known = tell, {}

    def tell(self, result):
        kind = type(result)
        functions = [(name, value.__code__) for base in kind.__mro__ for name, value in vars(base).items()
                     if type(value) is _FUNCTION]
        codes = [code for _, code in functions]
        if _are_same(codes, self._known.get(kind, ())):
            return
        self._known[kind] = codes
        parts = sorted('%s %s' % (name, _place_or_digest(code)) for name, code in functions)
        self._tell('result', '%s.%s' % (kind.__module__, kind.__qualname__), digest_of_all(parts))


def tell_given(tell, item):
    """How many examples of a test of Hypothesis passed, and the percentage of all that did not count, in steps of twenty:
    some never do, by chance.
    """
    text = getattr(item, 'hypothesis_statistics', None)
    if type(text) is str:
        words = text.replace(',', ' ').split()
        count, rejected = (sum(int(one) for one, what in zip(words, words[1:]) if what == kind and one.isdigit())
                           for kind in ('passing', 'invalid'))
        tell('given', item.nodeid, '%d %d' % (count, 100 * rejected // max(1, count + rejected) // 20 * 20))
