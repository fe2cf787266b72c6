"""Checks one run of pytest for changes: of the plugin manager, its hooks, and single tests. Everything is reported as
labels. The gold runs show which labels are usual for the task.
"""
RUNTEST_HOOKS = ['pytest_runtest_protocol', 'pytest_runtest_setup', 'pytest_runtest_call', 'pytest_runtest_teardown',
                 'pytest_runtest_makereport', 'pytest_runtest_logreport', 'pytest_pyfunc_call']
DECIDING_HOOKS = RUNTEST_HOOKS + ['pytest_collection_modifyitems', 'pytest_pycollect_makeitem', 'pytest_itemcollected',
                                  'pytest_make_collect_report', 'pytest_runtestloop', 'pytest_report_teststatus',
                                  'pytest_fixture_setup']
_methods = {}
_called_by_hook = attrgetter('function')


def _methods_of(kind):
    """Names that an instance should not have, since its class has them."""
    if kind not in _methods:
        _methods[kind] = frozenset(
            name for base in kind.__mro__ for name, value in vars(base).items()
            if isinstance(value, (_FUNCTION, classmethod, staticmethod)))
    return _methods[kind]


def overridden(label, thing):
    """Methods that the object itself replaces."""
    own = getattr(thing, '__dict__', None) or {}
    return ['%s.%s' % (label, name) for name in sorted(_methods_of(type(thing)).intersection(own))
            if not _is_its_method(own[name], name, thing)]


def _is_its_method(value, name, thing):
    """pytest keeps a method of a TestCase under its name while it runs."""
    functions = (vars(base)[name] for base in type(thing).__mro__ if name in vars(base))
    return _is(value, types.MethodType) and value.__self__ is thing and value.__func__ is next(functions, None)


def _function_of(test):
    if _is(test, types.MethodType):
        test = test.__func__
    return test if _is(test, _FUNCTION) else None


class Hooks(object):
    """The functions that are called: the plugin manager's own, and those of each hook."""

    def __init__(self, origins, tell):
        self.origins, self.tell = origins, tell
        self._callers, self._seen = {}, {}

    def begin(self, config):
        self._config, self._manager = config, config.pluginmanager
        self._kinds = type(config), type(config.pluginmanager), type(config.hook), type(config.pluginmanager.hook)
        self._inner = getattr(config.pluginmanager, '_inner_hookexec', None)
        self._pluggy = frozenset(value for module in loaded_modules(lambda name: name.split('.')[0] == 'pluggy')
                                 for value in vars(module).values() if _is(value, type))
        self._relay = config.pluginmanager.hook
        self._callers.update(vars(self._relay))
        self.look(self._callers)

    def look(self, names=RUNTEST_HOOKS):
        """Reports the labels of functions that are new."""
        relay = vars(self._relay)
        for name in names:
            caller = relay.get(name)
            if not hasattr(type(caller), 'get_hookimpls'):
                continue
            functions = list(map(_called_by_hook, type(caller).get_hookimpls(caller)))
            # What else can be called says itself what its code is, by code of its own.
            held = functions + [getattr(one, '__code__', None) for one in functions if _function_of(one) is None]
            plain = [one for one in map(_function_of, functions) if one is not None]
            LOOKING[0] = True
            held += map(_code_of, plain)
            LOOKING[0] = False
            if not _are_same(held, self._seen.get(name, ())):
                self._seen[name] = held
                places = list(map(self.origins.of, functions))
                self.tell(places)
                if name in DECIDING_HOOKS:
                    # A package may contain fixtures for its tests without deciding their results.
                    self.tell('%s %s' % (place, name) for place in places if place.startswith('testbed:'))

    def of_other_classes(self, names=RUNTEST_HOOKS):
        """Labels of hooks whose objects are not of pluggy's own classes."""
        relay, found = vars(self._relay), []
        for name in names:
            caller = relay.get(name)
            if name not in relay or self._is_tracer(name, caller):
                continue
            list_of = getattr(type(caller), 'get_hookimpls', None) if type(caller) in self._pluggy else None
            if list_of is None or not self._pluggy.issuperset(map(type, list_of(caller))):
                found.append('hook.%s' % name)
        return found

    def _is_tracer(self, name, value):
        """Old versions of pluggy keep an object among the hooks that is none."""
        return value is self._callers.get(name) and type(value) in self._pluggy \
            and not hasattr(type(value), 'get_hookimpls')

    def changed(self):
        config, manager = self._config, self._config.pluginmanager
        found = overridden('config', config) + overridden('config.pluginmanager', manager)
        kinds = type(config), type(manager), type(config.hook), type(manager.hook)
        if manager is not self._manager or manager.hook is not self._relay or self._kinds != kinds:
            found.append('config.pluginmanager')
        if getattr(manager, '_inner_hookexec', None) is not self._inner:
            found.append('config.pluginmanager._inner_hookexec')
        relay = vars(self._relay)
        found += ['hook.%s' % name for name, caller in self._callers.items() if relay.get(name) is not caller]
        for name, caller in relay.items():
            if not self._is_tracer(name, caller):
                found += self._calls_otherwise('hook.%s' % name, caller)
        self.look(list(relay))
        return found + self.of_other_classes(list(relay)) + self.proxied(config.hook)

    def proxied(self, proxy):
        """Labels of hooks of a proxy that are neither callers of the manager nor pytest's own functions."""
        relay, found = vars(self._relay), overridden('hook', proxy)
        for name, caller in list(vars(proxy).items()) if proxy is not self._relay else ():
            if name in relay and caller is not relay[name]:
                if not (_is(caller, _FUNCTION) and self.origins.of(caller).startswith('installed:')):
                    found += self._calls_otherwise('hook.%s' % name, caller)
            elif name.endswith('hook_relay') and caller is not self._relay:
                # pytest has one for folders to which not each conftest.py applies.
                is_own = type(caller) is getattr(sys.modules['_pytest.main'], 'FSHookProxy', None) and caller.pm is self._manager
                found += self.proxied(caller) if is_own else ['config.hook']
        return found

    def _calls_otherwise(self, label, caller):
        call = getattr(caller, '_hookexec', None)
        if type(caller) not in self._pluggy:
            return [label]
        is_own = _is(call, types.MethodType) and call.__self__ is self._manager \
            and call.__func__ is type(self._manager)._hookexec
        return overridden(label, caller) + ([] if is_own else [label + '._hookexec'])


class Items(object):
    """The collected tests as they were before the first of them ran."""

    def __init__(self, held, hooks, tell):
        self._held, self._origins, self._hooks, self._tell = held, hooks.origins, hooks, tell
        self._known, self._cases = {}, Cases(tell)

    def begin(self, items):
        self._cases.begin()
        for item in items:
            value = getattr(item, 'obj', None)
            test = _function_of(value)
            self._known[id(item)] = item, type(item), type(item.ihook), test, test and test.__code__, _owner(item)
            place = '' if test is None else relative(test.__code__.co_filename)
            self._tell('test', item.nodeid, self._held.label_of(value) or place or type(value).__name__)

    def changed(self, item):
        """Labels of what was done to one test; called before and after it runs, so that it cannot put itself back."""
        known = self._known.get(id(item))
        found = overridden('item', item)
        if known is None:
            return found
        _, kind, proxy, test, code, owner = known
        if type(item) is not kind:
            found.append('item.__class__')
        hooks = item.ihook
        found += ['item.ihook'] if type(hooks) is not proxy else self._hooks.proxied(hooks)
        if test is not None:
            now = getattr(item, 'obj', None)
            if test.__code__ is not code:
                found.append('item.obj.__code__')
            elif _function_of(now) is not test and not self._is_wrapped(now, test):
                found.append('item.obj')
        return found + (['item.cls'] if _owner(item) is not owner else []) + self._cases.changed(owner)

    def _is_wrapped(self, value, test):
        """Whether a plugin of the environment put a function around the test."""
        return self._origins.of(value).startswith('installed:') \
            and _leads_to(value, lambda one: _function_of(one) is test)

    def all_changed(self):
        found = [label for item, *_ in self._known.values() for label in overridden('item', item)]
        parents = {id(parent): parent for item, *_ in self._known.values() for parent in _parents(item)}
        # Plugins of the environment may do so, as pytest-asyncio does.
        return found + [label for parent in parents.values() for label in overridden('node', parent)
                        if not self._origins.of(vars(parent)[label.partition('.')[2]]).startswith('installed:')]


def _owner(item):
    """The class or module of a test, which pytest keeps; not the object that old versions make for each run."""
    owners = [vars(parent).get('_obj') for parent in _parents(item)]
    return next((one for one in owners if isinstance(one, (type, types.ModuleType))), None)


def _parents(item):
    while item.parent is not None:
        item = item.parent
        yield item


def relative(path):
    path = _absolute(path)
    return path[len(ROOT) + 1:] if _below(path) else path

