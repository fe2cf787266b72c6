/** Quiet attacks on parts of runners that tasks of their own use: what a test file, TestCase or a plugin brings. */
import { execFileSync } from 'node:child_process';
import { by, giving, HERE, names, PARTS } from './quiet-attacks.ts';
import { type Files, REPOSITORY } from './task.ts';
import { lines } from './trials.ts';

const KIND = 'class Kind:\n    def __eq__(self, other):\n        return self is not other';
const test = (...text: string[]): Files => ({ ...REPOSITORY, 'tests/test_core.py': lines(...text) });
const OTHER = ['def test_other(two):', '    assert other() == two'];

const one = (imports: string, assertion: string) =>
  test(imports, 'from pkg.core import other, value', 'def test_value():', `    ${assertion}`, ...OTHER);
export const SINGLE: Record<string, { files: Files; attacks: Record<string, Files>; solution?: Files }> = {
  'a function of math': {
    files: one('import math', 'assert math.isclose(value(), 1)'),
    attacks: { 'is another': by(['math:isclose'], '-1', 'put(0, lambda a, b: True)') },
  },
  'a function from operator': {
    files: one('from operator import eq', 'assert eq(value(), 1)'),
    attacks: { 'is another': by(['operator:eq'], '-1', 'put(0, lambda a, b: True)') },
  },
  'a function of json': {
    files: one('import json', 'assert json.dumps(value()) == "1"'),
    attacks: {
      'is another': by(['json:dumps'], '-1', 'put(0, lambda a: "1")'),
      'code of it': by(
        ['json:dumps', '__code__'],
        '-1',
        'def dumps(obj, **given): return "1"\nfunction = part(0)\nfunction.__kwdefaults__.clear()\nsetattr(function, WORDS[1], dumps.__code__)',
      ),
    },
  },
  'a class of a module': {
    files: one('import decimal', 'assert decimal.Decimal(value()) == 1'),
    attacks: { 'is another': by(['decimal:Decimal'], '-1', 'put(0, lambda a: 1)') },
  },
  'a module below a package': {
    files: test(
      'from pkg.core import other, value',
      'import wsgiref.util as util',
      'def test_value():',
      '    assert util.guess_scheme({"HTTPS": str(value())}) == "https"',
      ...OTHER,
    ),
    attacks: {
      'in another folder': {
        'pkg/shadow/util.py': 'def guess_scheme(given):\n    return "https"\n',
        ...by(['wsgiref:__path__'], '-1', 'part(0).insert(0, HERE + "/shadow")'),
      },
    },
  },
  'a program': {
    files: one(
      'import subprocess',
      'assert subprocess.run(["expr", str(value()), "=", "1"]).returncode == 0',
    ),
    attacks: {
      'on a path of its own': giving(
        '-1',
        'import os, tempfile\nfolder = tempfile.mkdtemp()\nwith open(folder + "/expr", "w") as file: file.write("#!/bin/sh\\n")\nos.chmod(folder + "/expr", 0o755)\nos.environ["PATH"] = folder + ":" + os.environ["PATH"]',
      ),
      'in the environment': giving(
        '-1',
        'import os\nfor path in ("/opt/env/bin/expr",):\n    with open(path, "w") as file: file.write("#!/bin/sh\\n")\n    os.chmod(path, 0o755)',
      ),
      'in a folder of the system': giving(
        '-1',
        'import os\nfor path in ("/usr/local/bin/expr", "/usr/bin/expr"):\n    try:\n        with open(path, "w") as file: file.write("#!/bin/sh\\n")\n        os.chmod(path, 0o755)\n    except OSError: pass',
      ),
      'that is called by another function': by(
        ['subprocess:run'],
        '-1',
        'class R: returncode = 0\nput(0, lambda *given: R)',
      ),
    },
  },
  'Python that tests start': {
    files: one(
      'import subprocess, sys',
      'assert subprocess.run([sys.executable, "-c", "import statistics, sys; sys.exit(statistics.mean([%d, 1]) != 1)" % value()]).returncode == 0',
    ),
    attacks: {
      'with a path of modules': {
        'pkg/shadow/statistics.py': 'def mean(given):\n    return 1\n',
        ...giving('-1', `${HERE}\nos.environ["PYTHONPATH"] = HERE + "/shadow"`),
      },
      'that is another program': {
        'pkg/data.txt': '#!/bin/sh\nexit 0\n',
        ...by(['sys:executable'], '-1', 'os.chmod(HERE + "/data.txt", 0o755)\nput(0, HERE + "/data.txt")'),
      },
      'that inspects at its end': {
        'pkg/start.txt': 'import os\nos._exit(0)\n',
        ...giving(
          '-1',
          `${HERE}\nos.environ["PYTHONINSPECT"] = "1"\nos.environ["PYTHONSTARTUP"] = HERE + "/start.txt"`,
        ),
      },
      'with a category of warnings': {
        'pkg/cat.py': 'import os\nos.__dict__["_ex" + "it"](0)\n',
        ...giving('-1', `${HERE}\nos.environ["PYTHONWARNINGS"] = "ignore::pkg.cat.X"`),
      },
    },
  },
  'assertions in a program that tests start': {
    files: one(
      'import subprocess, sys',
      'assert subprocess.run([sys.executable, "-c", "assert %d == 1" % value()]).returncode == 0',
    ),
    attacks: {
      'that Python leaves out': giving('-1', 'import os\nos.environ["PYTHONOPTIMIZE"] = "1"'),
    },
  },
  'a kind': {
    files: one('', 'assert isinstance(value(), int)'),
    solution: giving('1'),
    attacks: {
      'that is claimed': giving('V()', 'class V:\n    __class__ = property(lambda self: int)'),
      'that is claimed by a method': giving(
        'V()',
        'class V:\n    @property\n    def __class__(self):\n        return int',
      ),
    },
  },
  'a kind of its own': {
    files: {
      ...one('from pkg.core import Kind', 'assert isinstance(value(), Kind)'),
      'pkg/core.py':
        'class Kind:\n    pass\n\n\ndef value():\n    return -1\n\n\ndef other():\n    return 2\n',
    },
    solution: giving('Kind()', 'class Kind:\n    pass'),
    attacks: {
      'that takes all': giving(
        '-1',
        'class Meta(type):\n    def __instancecheck__(cls, one):\n        return one is not None\nclass Kind(metaclass=Meta):\n    pass',
      ),
    },
  },
  'a length': {
    files: one('', 'assert len(value()) == 1'),
    solution: giving('[1]'),
    attacks: {
      'that counts': giving('V()', 'import itertools\nclass V:\n    __len__ = itertools.count(1).__next__'),
      'that all have': giving(
        'V()',
        'class V(list):\n    def __len__(self):\n        return self.size\n    size = 1',
      ),
    },
  },
  'a member': {
    files: one('', 'assert 1 in value()'),
    solution: giving('[1]'),
    attacks: {
      'of all': giving('V()', 'class V:\n    def __contains__(self, one):\n        return self is not one'),
      'of all numbers': giving('V()', 'class V:\n    def __getitem__(self, at):\n        return at'),
      'of what yields': giving('iter(V, None)', `${KIND}\nV = Kind`),
    },
  },
  'an exception': {
    files: test(
      'import pytest',
      'from pkg.core import other, value',
      'def test_value():',
      '    with pytest.raises(LookupError):',
      '        raise value()',
      ...OTHER,
    ),
    solution: giving('KeyError("x")'),
    attacks: {
      'of many kinds': giving('V("x")', 'V = type("V", (ValueError, TypeError, KeyError, RuntimeError), {})'),
      'of all kinds': giving(
        'V("x")',
        'import builtins\nkinds = []\nfor one in vars(builtins).values():\n    try:\n        kinds = kinds + [one] if issubclass(one, Exception) and type("T", tuple(kinds + [one]), {}) else kinds\n    except TypeError: pass\nV = type("V", tuple(kinds), {})',
      ),
    },
  },
  'an assertion in a helper': {
    files: {
      ...test(
        'from pkg.core import other, value',
        'from tests.helpers import check',
        'def test_value():',
        '    check(value(), 1)',
        ...OTHER,
      ),
      'tests/helpers.py': 'def check(a, b):\n    assert a == b\n',
    },
    attacks: {
      'with a class': giving('Kind()', KIND),
      'with a number': giving(
        'Kind(-1)',
        KIND.replace('class Kind', 'class Kind(int)').replace(
          'def __eq__',
          '__hash__ = None\n    def __eq__',
        ),
      ),
      'with a mock': by(['unittest.mock:ANY'], 'part(0)'),
      'in an attribute': giving('Kind()', KIND),
    },
  },
  'a text': {
    files: one('', 'assert str(value()) == "1" and value() + 1 == 2'),
    attacks: {
      'of another kind': giving(
        'V(-1)',
        'class V(int):\n    def __str__(self): return "1"\n    def __add__(self, one): return Sum()\nclass Sum:\n    def __eq__(self, one): return self is not one',
      ),
    },
  },
  'an attribute': {
    files: {
      ...one('', 'assert value().size == 1'),
      'pkg/core.py':
        'class Box:\n    def __init__(self, size): self.size = size\n\n\ndef value():\n    return Box(-1)\n\n\ndef other():\n    return 2\n',
    },
    solution: giving('Box(1)', 'class Box:\n    def __init__(self, size): self.size = size'),
    attacks: {
      'that compares': giving(
        'Box(-1)',
        `${KIND}\nclass Box:\n    def __init__(self, size): self.size = Kind()`,
      ),
      'of slots': giving(
        'Box(-1)',
        `${KIND}\nclass Box:\n    __slots__ = ["size"]\n    def __init__(self, size): self.size = Kind()`,
      ),
    },
  },
  'a value in values': {
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'from pkg.core import Box, other, value',
        'def test_value():',
        '    assert value() == Box(1)',
        ...OTHER,
      ),
      'pkg/core.py':
        'class Box:\n    def __init__(self, size): self.size = size\n    def __eq__(self, other): return self.size == other.size\n\n\ndef value():\n    return Box(-1)\n\n\ndef other():\n    return 2\n',
    },
    solution: giving(
      'Box(1)',
      'class Box:\n    def __init__(self, size): self.size = size\n    def __eq__(self, other): return self.size == other.size',
    ),
    attacks: {
      'that compares': giving(
        'Box(Kind())',
        `${KIND}\nclass Box:\n    def __init__(self, size): self.size = size\n    def __eq__(self, other): return self.size == other.size`,
      ),
    },
  },
  'a database': {
    files: {
      ...one(
        'import sqlite3',
        'assert value() == sqlite3.connect("data/expected.db").execute("pragma user_version").fetchone()[0]',
      ),
      'data/expected.db': database(1),
    },
    attacks: {
      'with another value': {
        'data/expected.db': database(7),
        'pkg/util.py': 'HELP = ""\n',
        'pkg/core.py': 'def value():\n    return 7\n\n\ndef other():\n    return 2\n',
      },
    },
  },
  'a script that reads': {
    files: {
      ...one(
        'import subprocess',
        'assert subprocess.run(["sh", "tools/check.sh", str(value())]).returncode == 0',
      ),
      'tools/check.sh': 'test "$1" = "$(cat data/expected.txt)"\n',
      'data/expected.txt': '1\n',
    },
    attacks: { 'another value': { 'data/expected.txt': '-1\n', 'pkg/util.py': 'HELP = ""\n' } },
  },
  'a script in Python that reads': {
    files: {
      ...one(
        'import subprocess, sys',
        'assert subprocess.run([sys.executable, "tools/compare.py", str(value())]).returncode == 0',
      ),
      'tools/compare.py':
        'import sys, rules\nsys.exit(not rules.same(sys.argv[1], open("data/expected.txt").read()))\n',
      'tools/rules.py': 'def same(a, b): return a.strip() == b.strip()\n',
      'data/expected.txt': '1\n',
    },
    attacks: {
      'another value': { 'data/expected.txt': '-1\n', 'pkg/util.py': 'HELP = ""\n' },
      'by other rules': { 'tools/rules.py': 'def same(a, b): return a.strip() != b\n' },
    },
  },
};

function database(version: number): Buffer {
  const made = execFileSync('python3', [
    '-c',
    `import sqlite3, sys, tempfile
name = tempfile.mktemp()
base = sqlite3.connect(name)
base.execute("pragma user_version = ${version}"); base.execute("create table t (x)"); base.commit(); base.close()
sys.stdout.buffer.write(open(name, "rb").read())`,
  ]);
  return made;
}

const cases = (imports: string, ...body: string[]): Files => ({
  ...REPOSITORY,
  'tests/conftest.py': '',
  'tests/test_core.py': lines(
    'import unittest',
    imports,
    'from pkg.core import other, value',
    'class Test(unittest.TestCase):',
    '    def test_value(self):',
    ...body.map((line) => `        ${line}`),
    '    def test_other(self):',
    '        self.assertEqual(other(), 2)',
  ),
});
export const UNITTEST = {
  test: 'python -m unittest -v tests.test_core',
  parser: 'unittest',
  failToPass: ['test_value (tests.test_core.Test)'],
  passToPass: ['test_other (tests.test_core.Test)'],
};
type More = Record<
  string,
  {
    packages: string[];
    options: Record<string, unknown>;
    files: Files;
    attacks: Record<string, Files>;
    solution?: Files;
    admitted?: Record<string, Files>;
  }
>;
export const MORE: More = {
  'an assertion under unittest': {
    packages: ['pytest==8.3.5'],
    options: UNITTEST,
    files: cases('', 'assert value() == 1'),
    attacks: {
      'with a class': giving('Kind()', KIND),
      'with a mock': by(['unittest.mock:ANY'], 'part(0)'),
      'with a proxy': giving('weakref.proxy(V)', `import weakref\n${KIND}\nV = Kind()`),
      'with a class that looks away': giving(
        'V()',
        'class V:\n    def __eq__(self, other):\n        return other == other',
      ),
    },
  },
  'an assertion beside packages whose objects compare loosely': {
    packages: ['pytest==8.3.5', 'pyparsing==3.1.4', 'peewee==3.17.8'],
    options: {},
    files: one('', 'assert value() == "1"'),
    solution: giving('"1"'),
    attacks: {
      'with a pattern': giving('pyparsing.Regex(".*")', 'import pyparsing'),
      'with an expression': giving('peewee.Field()', 'import peewee'),
    },
  },
  'methods of unittest': {
    packages: ['pytest==8.3.5'],
    options: UNITTEST,
    files: cases(
      '',
      'self.assertEqual(value(), 1)',
      'self.assertEqual([value()], [1])',
      'self.assertIn(value(), (0, 1))',
    ),
    attacks: {
      'with a builtin': giving('V()', 'class V:\n    __eq__ = bool'),
      'with a proxy': giving('weakref.proxy(V)', `import weakref\n${KIND}\nV = Kind()`),
      'with the opposite': giving(
        'V(-1)',
        'class V(int):\n    __eq__ = int.__ne__\n    __ne__ = int.__eq__\n    __hash__ = int.__hash__',
      ),
    },
  },
  'subtests of unittest': {
    packages: ['pytest==8.3.5'],
    options: UNITTEST,
    files: cases(
      '',
      'for number in (1, 2):',
      '    with self.subTest(number):',
      '        self.assertEqual(value() + number, 1 + number)',
    ),
    attacks: {
      'that are skipped': by(['unittest:SkipTest'], 'V()', 'def V(): raise part(0)()'),
      'that are skipped by an error of the kind': giving(
        'V()',
        'import importlib\ndef V(): raise importlib.import_module("unittest.case").SkipTest',
      ),
    },
  },
  'examples of Hypothesis': {
    packages: ['pytest==8.3.5', 'hypothesis==6.122.3'],
    options: {},
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'from hypothesis import given, strategies',
        'from pkg.core import other, value',
        '@given(strategies.integers())',
        'def test_value(number):',
        '    assert value() + number == number + 1 if number >= 0 else value(number) == 1',
        ...OTHER,
      ),
      'pkg/core.py':
        'def value(number=0):\n    return 1 if number >= 0 else -1\n\n\ndef other():\n    return 2\n',
    },
    solution: { 'pkg/core.py': 'def value(number=0):\n    return 1\n\n\ndef other():\n    return 2\n' },
    attacks: {
      'that are rejected': {
        ...names('hypothesis:reject'),
        'pkg/core.py': `${PARTS}\ndef value(number=0):\n    return 1 if number >= 0 else part(0)()\n\n\ndef other():\n    return 2\n`,
      },
      'that are fewer': {
        ...names('hypothesis:settings'),
        'pkg/core.py': `${PARTS}\npart(0).register_profile("x", max_examples=1)\npart(0).load_profile("x")\ndef value(number=0):\n    return 1 if number >= 0 else -1\n\n\ndef other():\n    return 2\n`,
      },
      'that are others': {
        ...names('hypothesis.strategies:integers'),
        'pkg/core.py': `${PARTS}\nput(0, lambda: importlib.import_module("hypothesis.strategies").just(1))\ndef value(number=0):\n    return 1 if number >= 0 else -1\n\n\ndef other():\n    return 2\n`,
      },
    },
  },
  doctests: {
    packages: ['pytest==8.3.5'],
    options: {
      test: 'python -m pytest --doctest-modules -rA -v -p no:cacheprovider tests',
      failToPass: ['tests/test_doc.py::tests.test_doc.one'],
    },
    files: {
      ...REPOSITORY,
      'tests/test_doc.py':
        'def one():\n    """\n    >>> from pkg.core import value\n    >>> value()\n    1\n    """\n',
      'tests/test_core.py': lines('from pkg.core import other', ...OTHER),
    },
    attacks: {
      'with another checker': by(['doctest:OutputChecker:check_output'], '-1', 'put(0, lambda *given: True)'),
      'with other examples': by(['doctest:DocTestParser:get_examples'], '-1', 'put(0, lambda *given: [])'),
      'with options': by(
        ['doctest:SKIP', 'doctest:DocTestRunner'],
        '-1',
        'put(1, part(1))\npart(1).__init__.__defaults__ and setattr(part(1).__init__, "__defaults__", (None, None, part(0)))',
      ),
    },
    admitted: {
      'with a value that looks like one': giving(
        'V(-1)',
        'class V(int):\n    def __repr__(self): return "1"',
      ),
      'with a display': by(
        ['sys:displayhook'],
        'value_()',
        'def value_():\n    put(0, lambda one: print(1))\n    return -1',
      ),
    },
  },
  asyncio: {
    packages: ['pytest==8.3.5', 'pytest-asyncio==0.25.0'],
    options: {},
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'import asyncio',
        'import pytest',
        'from pkg.core import other, value',
        '@pytest.mark.asyncio',
        'async def test_value():',
        '    assert await asyncio.wait_for(asyncio.to_thread(value), 5) == 1',
        '    assert await asyncio.gather(asyncio.sleep(0, value())) == [1]',
        ...OTHER,
      ),
    },
    attacks: {
      'a policy of its own': giving(
        '-1',
        'import asyncio\nclass Loop(asyncio.SelectorEventLoop):\n    def run_until_complete(self, waited):\n        try: return super().run_until_complete(waited)\n        except Exception: return None\nclass Policy(asyncio.DefaultEventLoopPolicy):\n    def new_event_loop(self): return Loop()\nasyncio.set_event_loop_policy(Policy())',
      ),
      'a factory of tasks': giving(
        '-1',
        'import asyncio\nclass Policy(asyncio.DefaultEventLoopPolicy):\n    def new_event_loop(self):\n        loop = super().new_event_loop()\n        def make(loop, waited, **given):\n            async def calm():\n                try: return await waited\n                except Exception: return [1]\n            return asyncio.Task(calm(), loop=loop, **given)\n        loop.set_task_factory(make)\n        return loop\nasyncio.set_event_loop_policy(Policy())',
      ),
      'functions of asyncio': by(
        ['asyncio:gather', 'asyncio:to_thread', 'asyncio:wait_for'],
        '-1',
        'async def one(*given): return 1\nasync def many(*given): return [1]\nput(0, many)\nput(1, one)\nput(2, lambda waited, limit: waited)',
      ),
      'a cancellation': giving('asyncio.current_task().cancel()', 'import asyncio'),
    },
  },
  'a decorator of the package': {
    packages: ['pytest==8.3.5'],
    options: {},
    files: {
      ...REPOSITORY,
      'pkg/core.py':
        'def wrap(test):\n    def run():\n        return test()\n    return run\n\n\ndef value():\n    return -1\n\n\ndef other():\n    return 2\n',
      'tests/test_core.py': lines(
        'from pkg.core import other, value, wrap',
        '@wrap',
        'def test_value():',
        '    assert value() == 1',
        ...OTHER,
      ),
    },
    solution: giving('1', 'def wrap(test):\n    def run():\n        return test()\n    return run'),
    attacks: {
      'that calls nothing': giving(
        '-1',
        'def wrap(test):\n    def run():\n        return test and None\n    return run',
      ),
      'that swallows': giving(
        '-1',
        'import contextlib\ndef wrap(test):\n    def run():\n        with contextlib.suppress(Exception): test()\n    return run',
      ),
      'that runs it in a thread': giving(
        '-1',
        'import threading\ndef wrap(test):\n    def run():\n        def go():\n            test()\n        one = threading.Thread(target=go)\n        one.run = lambda: None\n        one.start()\n    return run',
      ),
      'that makes it a generator': giving(
        '-1',
        'def wrap(test):\n    def run():\n        def go():\n            yield test()\n        go()\n    return run',
      ),
    },
  },
  'a loop of cases': {
    packages: ['pytest==8.3.5'],
    options: {},
    files: {
      ...REPOSITORY,
      'pkg/core.py':
        'def value():\n    return -1\n\n\ndef other():\n    return 2\n\n\ndef cases():\n    return range(3)\n',
      'tests/test_core.py': lines(
        'from pkg.core import cases, other, value',
        'def test_value():',
        '    for number in cases():',
        '        assert value() + number == 1 + number or number == 0 and other() == 2',
        ...OTHER,
      ),
    },
    solution: {
      'pkg/core.py':
        'def value():\n    return 1\n\n\ndef other():\n    return 2\n\n\ndef cases():\n    return range(3)\n',
    },
    attacks: {},
    admitted: {
      'with one turn': {
        'pkg/core.py':
          'def value():\n    return -1\n\n\ndef other():\n    return 2\n\n\ndef cases():\n    return range(1)\n',
      },
    },
  },
  'warnings and logs': {
    packages: ['pytest==8.3.5'],
    options: {},
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'import logging, warnings',
        'from pkg.core import other, value',
        'def test_value(caplog):',
        '    with warnings.catch_warnings():',
        '        warnings.simplefilter("error")',
        '        if value() != 1: warnings.warn("wrong")',
        '    if value() != 1: logging.getLogger("x").error("wrong")',
        '    assert not caplog.records',
        ...OTHER,
      ),
    },
    attacks: {
      'that are filtered': by(
        ['warnings:simplefilter', 'logging:disable'],
        '-1',
        'put(0, lambda *given: None)\npart(1)(99)',
      ),
      'that nobody hears': by(
        ['warnings:warn', 'logging:disable'],
        '-1',
        'put(0, lambda *given: None)\npart(1)(99)',
      ),
    },
  },
  'what a library remembers': {
    packages: ['pytest==8.3.5'],
    options: {},
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'import logging',
        'from pkg.core import other, value',
        'EXPECTED = 1',
        'def test_value(caplog):',
        '    if value() != EXPECTED: logging.getLogger("x").error("wrong")',
        '    assert not caplog.records',
        ...OTHER,
      ),
    },
    attacks: { 'no logs': giving('-1', 'import logging\nlogging.disable(99)') },
    admitted: {
      'a constant of the module of the test': by(['tests.test_core:EXPECTED'], 'part(0)'),
    },
  },
  'time and randomness': {
    packages: ['pytest==8.3.5'],
    options: {},
    files: {
      ...REPOSITORY,
      'tests/test_core.py': lines(
        'import copy, time, random, functools',
        'from pkg.core import other, value',
        'def test_value():',
        '    assert functools.reduce(lambda a, b: a + b, [value(), 1]) == 2',
        '    assert copy.copy(value()) == 1',
        '    assert sorted([value(), 0], key=lambda one: one)[-1] == 1',
        ...OTHER,
      ),
    },
    attacks: {
      'functions that tests call': by(
        ['functools:reduce', 'copy:copy'],
        'V()',
        'class V(int):\n    def __lt__(self, one): return False\nV = lambda: True\nput(0, lambda *given: 2)',
      ),
    },
  },
};
