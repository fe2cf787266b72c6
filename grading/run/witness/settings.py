"""How the interpreter was started, before any code of the repository was run, and what finds modules later."""


def _plain(text):
    """Without numbers of versions, which a build may change, and without the folder of a local workspace."""
    text = str(text)
    for mark in ('/opt/', '/testbed'):
        if mark in text:
            text = text[text.index(mark):]
    return ''.join('#' if one.isdigit() else one for one in text)


def tell_settings(tell):
    given = {
        'flags': ' '.join('%s=%s' % (name, getattr(sys.flags, name)) for name in dir(sys.flags)
                          if type(getattr(sys.flags, name)) in (int, bool) and not name.startswith(('n_', 'hash'))),
        'warnings': ' '.join(sys.warnoptions),
        'pycache_prefix': getattr(sys, 'pycache_prefix', None),
        'prefix': '%s %s' % (_plain(sys.prefix), _plain(sys.base_prefix)),
        'path': ' '.join(map(_plain, NATURAL_PATH)),
        'finders': ' '.join(map(_name_of, sys.meta_path)),
        'hooks of paths': ' '.join(map(_name_of, sys.path_hooks)),
    }
    for name, value in given.items():
        tell('setting', name, str(value))


def tell_hooks(tell):
    """Finders and hooks of paths whose code lies in the repository, and folders of it in which modules are looked for."""
    for entry in sys.path:
        if type(entry) is str and _below(_absolute(entry)):
            tell('path', relative(_absolute(entry)), 'searched')
    for one in list(sys.meta_path) + list(sys.path_hooks):
        kind = one if _is(one, (type, _FUNCTION)) else type(one)
        functions = [kind] if _is(kind, _FUNCTION) else [each for value in vars(kind).values() for each in _functions(value)]
        files = [each.__code__.co_filename for each in functions if _is(each, _FUNCTION)]
        if any(_below(_absolute(path)) for path in files if not path.startswith('<')):
            tell('hooks', _name_of(one), 'finds modules')


def tell_libraries(tell):
    """What libraries remember and tests ask them for, unless it is as it begins."""
    logging, decimal = sys.modules.get('logging'), sys.modules.get('decimal')
    if logging is not None and logging.root.manager.disable:
        tell('library', 'logging is off up to', str(logging.root.manager.disable))
    if decimal is not None:
        now = decimal.getcontext()
        if (now.prec, now.rounding) != (28, decimal.ROUND_HALF_EVEN):
            tell('library', 'decimal counts with', '%s %s' % (now.prec, now.rounding))


def _name_of(one):
    kind = one if _is(one, (type, _FUNCTION)) else type(one)
    return _plain('%s.%s' % (kind.__module__, kind.__qualname__))
