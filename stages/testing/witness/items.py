"""What of one run of pytest is not as pytest made it: the manager of its plugins, its hooks, and single tests.
Everything is told as labels; whether a label is usual for the task is known from the gold runs.
"""
RUNTEST_HOOKS = ['pytest_runtest_protocol', 'pytest_runtest_setup', 'pytest_runtest_call', 'pytest_runtest_teardown',
                 'pytest_runtest_makereport', 'pytest_runtest_logreport', 'pytest_pyfunc_call']
_methods = {}


def _methods_of(kind):
    """Names that an instance of a class has no business to hold itself."""
    if kind not in _methods:
        _methods[kind] = frozenset(
            name for base in kind.__mro__ for name, value in vars(base).items()
            if isinstance(value, (_FUNCTION, classmethod, staticmethod)))
    return _methods[kind]


def overridden(label, thing):
    """Methods that the object itself replaces."""
    own = getattr(thing, '__dict__', None)
    return ['%s.%s' % (label, name) for name in sorted(_methods_of(type(thing)).intersection(own or ()))]


def _function_of(test):
    if _is(test, types.MethodType):
        test = test.__func__
    return test if _is(test, _FUNCTION) else None


class Hooks(object):
    """Who is called: the plugin manager's way of calling, and the functions of each hook."""

    def __init__(self, config, origins):
        self._config, self._manager, self._origins = config, config.pluginmanager, origins
        self._kinds = type(config), type(config.pluginmanager), type(config.hook)
        self._inner = getattr(config.pluginmanager, '_inner_hookexec', None)
        self._names = dict(vars(config.hook))
        self._seen = {}
        self.sources = set()
        self.look(self._names)

    def look(self, names=RUNTEST_HOOKS):
        """Adds the places of functions that were not seen before."""
        relay = vars(self._config.hook)
        for name in names:
            caller = relay.get(name)
            if not hasattr(type(caller), 'get_hookimpls'):
                continue
            found = type(caller).get_hookimpls(caller)
            ids = list(map(id, found))
            if self._seen.get(name, (None,))[0] == ids:
                continue
            self._seen[name] = ids, found
            for implementation in found:
                self.sources.add(self._origins.of(implementation.function))

    def changed(self):
        config, manager = self._config, self._config.pluginmanager
        found = overridden('config', config) + overridden('config.hook', config.hook)
        found += overridden('config.pluginmanager', manager)
        if manager is not self._manager or self._kinds != (type(config), type(manager), type(config.hook)):
            found.append('config.pluginmanager')
        if getattr(manager, '_inner_hookexec', None) is not self._inner:
            found.append('config.pluginmanager._inner_hookexec')
        relay = vars(config.hook)
        for name, caller in self._names.items():
            if relay.get(name) is not caller:
                found.append('config.hook.%s' % name)
        for name, caller in relay.items():
            call = getattr(caller, '_hookexec', None)
            if call is not None and (type(call) is not types.MethodType or call.__self__ is not manager
                                     or call.__func__ is not type(manager)._hookexec):
                found.append('config.hook.%s._hookexec' % name)
            found += overridden('config.hook.%s' % name, caller)
        self.look(list(relay))
        return found


class Items(object):
    """The collected tests as they were before the first of them ran."""

    def __init__(self, items, origins):
        self._origins, self._known = origins, {}
        self.strangers = set()
        for item in items:
            test = _function_of(getattr(item, 'obj', None))
            self._known[id(item)] = item, type(item), type(item.ihook), test, test and test.__code__
            if test is not None:
                own, path = str(getattr(item, 'path', None) or item.fspath), _unwrapped(test).__code__.co_filename
                if os.path.abspath(path) != os.path.abspath(own):
                    self.strangers.add('%s: %s' % (relative(own), relative(path)))

    def changed(self, item):
        """Labels of what was done to one test; called beside each of its runs."""
        known = self._known.get(id(item))
        found = overridden('item', item)
        if known is None:
            return found
        _, kind, proxy, test, code = known
        if type(item) is not kind:
            found.append('item.__class__')
        if type(item.ihook) is not proxy or overridden('', item.ihook):
            found.append('item.ihook')
        now = _function_of(getattr(item, 'obj', None))
        if now is not None and test is not None:
            if test.__code__ is not code:
                found.append('item.obj.__code__')
            elif now is not test and not self._origins.of(now).startswith('installed:'):
                found.append('item.obj')
        return found

    def all_changed(self):
        found = [label for item, _, _, _, _ in self._known.values() for label in overridden('item', item)]
        parents = {id(parent): parent for item, _, _, _, _ in self._known.values() for parent in _parents(item)}
        return found + [label for parent in parents.values() for label in overridden('node', parent)]


def _parents(item):
    while item.parent is not None:
        item = item.parent
        yield item


def relative(path):
    path = os.path.abspath(path)
    return path[len(ROOT) + 1:] if _below(path) else path


def _unwrapped(test):
    for _ in range(16):
        inner = vars(test).get('__wrapped__')
        if not _is(inner, _FUNCTION):
            break
        test = inner
    return test
