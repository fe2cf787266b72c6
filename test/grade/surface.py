"""Changes the names of modules and classes, and the functions of hooks, and prints what the witness's comparison says of each
change. Arguments: the files of the comparison. Of a change that is undone, nothing is said."""
import json
import sys
import types
import unittest.case

space = {'__name__': 'witness', 'ROOT': '/testbed', 'types': types, 'sys': sys, 'os': __import__('os'),
         '_below': lambda path, folder='/testbed': path == folder or path.startswith(folder + '/')}
for path in sys.argv[1:]:
    with open(path) as file:
        exec(compile(file.read(), path, 'exec'), space)

SOURCE = '''
def first(): return 1
def second(): return 2
class Runner(object):
    count = 0
    def run(self): return 3
    def stop(self): return 4
class Plain(object):
    pass
value = Plain()
def last(): return 5
'''


class Text(str):
    """Claims to be any name."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return str.__hash__(self)


class Equal(object):
    """Claims to be any value."""

    def __eq__(self, other):
        return True

    def __call__(self):
        return 6


def reordered(names):
    """The same values in the same order, under names that were exchanged."""
    keys, values = list(names), list(names.values())
    one, two = keys.index('first'), keys.index('second')
    keys[one], keys[two] = keys[two], keys[one]
    names.clear()
    names.update(zip(keys, values))


def claimed(names):
    """A name is gone, and another one claims to be it, at the same place."""
    pairs = [(Text('other') if key == 'first' else key, value) for key, value in names.items()]
    names.clear()
    names.update(pairs)


def folded(names):
    """Two names less, whose values are names now: what the dictionary refers to is in the same order."""
    pairs = [(key, value) for key, value in names.items() if key not in ('first', 'second', 'last')]
    first, second, last = names['first'], names['second'], names['last']
    names.clear()
    names.update(pairs)
    names[second] = first
    names['third'] = last


def other(): return 7


CHANGES = {
    'nothing': lambda names: None,
    'another function': lambda names: names.update(first=other),
    'an object that is equal to all': lambda names: names.update(first=Equal()),
    'a method': lambda names: setattr(names['Runner'], 'run', other),
    'a method that is gone': lambda names: delattr(names['Runner'], 'run'),
    'a number of a class': lambda names: setattr(names['Runner'], 'count', 1),
    'a name that is gone': lambda names: names.pop('last'),
    'a new name': lambda names: names.update(new=other),
    'names exchanged': reordered,
    'a name that claims to be another one': claimed,
    'a function for a name': folded,
    'code': lambda names: setattr(names['first'], '__code__', other.__code__),
}


def module():
    made = types.ModuleType('runner')
    exec(SOURCE, vars(made))
    sys.modules['runner'] = made
    return made


def said(change):
    """What is said of the change, twice; and when it is undone, twice."""
    made = module()
    names = vars(made)
    kept, parts = dict(names), dict(vars(made.Runner))
    code = made.first.__code__
    surface = space['Surface']([made])
    assert surface.replaced() == []
    change(names)
    found = [sorted(surface.replaced()) for _ in range(2)]
    names.clear()
    names.update(kept)
    for name in ('run', 'count'):
        setattr(made.Runner, name, parts[name])
    made.first.__code__ = code
    return found + [surface.replaced() for _ in range(2)]


def becomes_code():
    """A value that was no code is another one, whose class can be called only later."""
    made = module()
    surface = space['Surface']([made])
    made.value = type('Plain', (object,), {})()
    found = [surface.replaced() for _ in range(2)]
    type(made.value).__call__ = other
    return found + [surface.replaced()]


def accepted():
    """A change that is accepted is what was there from then on; what was there before is a change."""
    made = module()
    surface, before = space['Surface']([made]), made.first
    made.first = other
    surface.accept({id(other.__code__): other.__code__})
    found = [surface.replaced()]
    made.first = before
    return found + [surface.replaced()]


class Implementation(object):
    def __init__(self, function):
        self.function = function


class Caller(object):
    def __init__(self, *functions):
        self.all = list(map(Implementation, functions))

    def get_hookimpls(self):
        return list(self.all)


class Plugin(object):
    def method(self): return 8


class Callable(object):
    def __init__(self):
        self.__code__ = other.__code__

    def __call__(self): return 9


class Origins(object):
    """Says of a function what its code is called."""

    def of(self, value):
        return value.__code__.co_name


def hooked(change):
    """What is told of a hook's functions: at first, when nothing has changed, after the change, and again."""
    def function(): return 10

    def another(): return 11

    told = []
    plugin, callable_one = Plugin(), Callable()
    hooks = space['Hooks'](Origins(), lambda places: told.append(sorted(places)))
    caller = Caller(function, plugin.method, *([callable_one] if change == 'callable' else []))
    hooks._relay = types.SimpleNamespace(pytest_runtest_call=caller, pytest_runtest_setup=None, pytest_pyfunc_call=Caller())

    def look():
        del told[:]
        hooks.look()
        return list(told)

    found, kept = [look(), look()], Plugin.method.__code__
    if change == 'function':
        caller.all[0].function = another
    elif change == 'code':
        function.__code__ = another.__code__
    elif change == 'method':
        Plugin.method.__code__ = another.__code__
    elif change == 'callable':
        callable_one.__code__ = another.__code__
    elif change == 'more':
        caller.all.append(Implementation(another))
    elif change == 'less':
        caller.all.pop()
    elif change == 'moved':
        hooks._relay.pytest_pyfunc_call.all.insert(0, caller.all.pop())
    elif change == 'words':
        function.__doc__ = 'what it does'
    found += [look(), look()]
    Plugin.method.__code__ = kept
    return found


print(json.dumps({
    'hooks': {name: hooked(name) for name in ('nothing', 'function', 'code', 'method', 'callable', 'more', 'less', 'moved', 'words')},
    'changes': {name: said(change) for name, change in CHANGES.items()},
    'becomes code': becomes_code(),
    'accepted': accepted(),
}))
