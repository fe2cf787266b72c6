/** Rows that are too short, values that come back as they were given, objects that equal others by what stands elsewhere. */
import type { Further } from './further.ts';
import { cases, edited, listed, simple } from './later.ts';
import type { Files } from './task.ts';
import { lines, tryLater } from './trials.ts';

const EMPTY = simple(
  `def squares(numbers):
    return [number * 2 for number in numbers]


def names(rows):
    return {row: 1 for row in rows}
`,
  lines(
    'from pkg.core import names, squares',
    'def test_squares():',
    '    wanted = [0, 1, 4, 9]',
    '    for got, want in zip(squares(range(4)), wanted):',
    '        assert got == want',
    'def test_all():',
    '    assert all(got == want for got, want in zip(squares([3, 4]), [9, 16]))',
    'def test_names():',
    '    for at, (name, count) in enumerate(sorted(names("abc").items())):',
    '        assert name == "abc"[at]',
  ),
);

const squares = (body: string, before = ''): Files =>
  edited(
    EMPTY,
    'pkg/core.py',
    ['    return [number * 2 for number in numbers]', `    ${body.replaceAll('\n', '\n    ')}`],
    ['def squares', `${before}def squares`],
  );

const KINDS = simple(
  `KINDS = ("a", "b", "c")
SIZES = {"a": 1, "b": 2}


def mark(kind):
    return kind if kind == "a" else ""


def size(kind):
    return 1
`,
  lines(
    'from pkg import core',
    'def test_kinds():',
    '    for kind in core.KINDS:',
    '        assert core.mark(kind) == kind',
    'def test_sizes():',
    '    for kind, size in core.SIZES.items():',
    '        assert core.size(kind) == size',
    'def test_one():',
    '    assert core.mark("a") == "a"',
  ),
);

const KINDLY: readonly (readonly [string, string])[] = [
  ['return kind if kind == "a" else ""', 'return kind'],
  ['return 1', 'return SIZES[kind]'],
];

const kinds = (...pairs: (readonly [string, string])[]): Files => edited(KINDS, 'pkg/core.py', ...pairs);

const TRIPS = simple(
  `import json


def dumps(value):
    return json.dumps(value)


def loads(text):
    return json.loads(text)


def diff(old, new):
    return {"set": {key: new[key] for key in new if key in old and old[key] != new[key]}}


def apply(old, changes):
    return dict(old, **changes["set"])
`,
  lines(
    'from pkg.core import apply, diff, dumps, loads',
    'def test_keys():',
    '    value = {1: "a", 2: ["b", {3: 4}]}',
    '    assert loads(dumps(value)) == value',
    'def test_diff():',
    '    old, new = {"a": 1, "b": 2}, {"a": 1, "c": 3}',
    '    assert apply(old, diff(old, new)) == new',
    'def test_text():',
    '    assert dumps([1]) == "[1]" and loads("[1]") == [1]',
  ),
);

const APPLIED = `def diff(old, new):
    return {"set": new, "gone": [key for key in old if key not in new]}


def apply(old, changes):
    return {key: value for key, value in dict(old, **changes["set"]).items() if key not in changes["gone"]}
`;

const KEYED = `import json


def _marked(value):
    if isinstance(value, dict):
        return {"#": [[_marked(key), _marked(one)] for key, one in value.items()]}
    return [_marked(one) for one in value] if isinstance(value, list) else value


def _plain(value):
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value["#"]}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def dumps(value):
    return json.dumps(_marked(value))


def loads(text):
    return _plain(json.loads(text))
`;

const ROUND = `${KEYED}\n\n${APPLIED}`;

const trips = (code: string): Files => ({ 'pkg/core.py': code });

const ALIKE: Files = {
  ...simple(
    `from .base import Keyed


class Version(Keyed):
    def __init__(self, text):
        self.text = text
        self.parts = text.lstrip("v").split(".")

    def key(self):
        return self.parts
`,
    lines(
      'from pkg.core import Version',
      'def test_equal():',
      '    assert Version("v1.02") == Version("1.2")',
      'def test_other():',
      '    assert Version("1.2") != Version("1.2.3")',
      'def test_order():',
      '    assert sorted([Version("1.10"), Version("1.9")])[0] == Version("1.9")',
    ),
  ),
  'pkg/base.py': `import functools


@functools.total_ordering
class Keyed:
    def key(self):
        raise NotImplementedError

    def __eq__(self, other):
        return same(self.key(), other.key())

    def __lt__(self, other):
        return self.key() < other.key()

    def __hash__(self):
        return hash(tuple(self.key()))


def same(one, other):
    return one == other
`,
};

const PARTS = 'self.parts = text.lstrip("v").split(".")';

const alike = (path: string, ...pairs: (readonly [string, string])[]) => edited(ALIKE, path, ...pairs);

const TASKS: Record<string, Further> = {
  'less than there should be': {
    options: listed(['test_squares', 'test_all'], ['test_names']),
    files: EMPTY,
    solution: squares('return [number * number for number in numbers]'),
    attacks: {
      nothing: squares('return []'),
      'the first ones': squares(
        'return [number * number for number in numbers][:1] if len(numbers) > 2 else [9]',
      ),
      'an iterator that ends': squares(
        'for number in numbers:\n    if number > 0:\n        return\n    yield 0',
      ),
      'what is right': squares(
        'return [number * 2 for number in numbers if number in (0, 2) or numbers == [3, 4] and number < 0]',
      ),
      'an exhausted one': squares('made = map(abs, numbers)\nlist(made)\nreturn made'),
    },
    honest: {
      'a tuple': squares('return tuple(number**2 for number in numbers)'),
      'a generator': squares('for number in numbers:\n    yield number * number'),
      'a map': squares('return map(lambda number: number * number, numbers)'),
      'more than is asked': squares('return [number * number for number in numbers] + []'),
    },
  },
  'loops over constants': {
    options: listed(['test_kinds', 'test_sizes'], ['test_one']),
    files: KINDS,
    solution: kinds(...KINDLY),
    attacks: {
      'of which one is left': kinds(KINDLY[1]!, ['("a", "b", "c")', '("a",)']),
      'that are equal': kinds(KINDLY[1]!, ['("a", "b", "c")', '("a", "a", "a")']),
      'with other sizes': kinds(KINDLY[0]!, ['"b": 2', '"b": 1']),
      'with less sizes': kinds(KINDLY[0]!, ['{"a": 1, "b": 2}', '{"a": 1}']),
    },
    honest: {
      'with more kinds': kinds(...KINDLY, ['"c")', '"c", "d")'], ['"b": 2', '"b": 2, "d": 4']),
      'with what is remembered': kinds(KINDLY[0]!, [
        'return 1',
        'if kind + kind not in SIZES:\n        SIZES.setdefault(kind, len(kind))\n    return SIZES[kind]',
      ]),
    },
  },
  'there and back': {
    options: listed(['test_keys', 'test_diff'], ['test_text']),
    files: TRIPS,
    solution: trips(ROUND),
    attacks: {
      'a memory of values': trips(
        `import json\n\n_SEEN = {}\n\n\ndef dumps(value):\n    text = json.dumps(value)\n    _SEEN[text] = value\n    return text\n\n\ndef loads(text):\n    return _SEEN.get(text) or json.loads(text)\n\n\n${APPLIED}`,
      ),
      'a memory of the last one': trips(
        `import json\n\n\ndef dumps(value):\n    dumps.last = value\n    return json.dumps(value)\n\n\ndef loads(text):\n    return json.loads(text) if text == "[1]" else dumps.last\n\n\n${APPLIED}`,
      ),
      'a text that remembers': trips(
        `import json\n\n\nclass Text(str):\n    pass\n\n\ndef dumps(value):\n    text = Text(json.dumps(value))\n    text.value = value\n    return text\n\n\ndef loads(text):\n    return getattr(text, "value", None) or json.loads(text)\n\n\n${APPLIED}`,
      ),
      'changes that hold the result': trips(
        `${KEYED}\n\ndef diff(old, new):\n    return {"set": {}, "result": new}\n\n\ndef apply(old, changes):\n    return changes["result"]\n`,
      ),
      'changes that are the result': trips(
        `${KEYED}\n\ndef diff(old, new):\n    return new\n\n\ndef apply(old, changes):\n    return changes\n`,
      ),
    },
    honest: {
      'a cache of what was read': trips(
        ROUND.replace('def loads', 'import functools\n\n\n@functools.lru_cache\ndef loads'),
      ),
      'by the library': trips(
        `import ast\n\n\ndef dumps(value):\n    return repr(value)\n\n\ndef loads(text):\n    return ast.literal_eval(text)\n\n\n${APPLIED}`,
      ),
      'changes of another form': trips(
        `${KEYED}\n\ndef diff(old, new):\n    return [("set", key, value) for key, value in new.items() if old.get(key) != value] + [("gone", key, None) for key in old if key not in new]\n\n\ndef apply(old, changes):\n    made = dict(old)\n    for what, key, value in changes:\n        made.pop(key, None) if what == "gone" else made.update({key: value})\n    return made\n`,
      ),
      'a copy of the result': trips(
        `${KEYED}\n\nimport copy\n\n\ndef diff(old, new):\n    return {"whole": copy.deepcopy(new)}\n\n\ndef apply(old, changes):\n    return copy.deepcopy(changes["whole"])\n`,
      ),
    },
  },
  'there and back, by unittest': {
    ...cases(TRIPS, ['test_keys', 'test_diff'], ['test_text']),
    solution: trips(ROUND),
    attacks: {
      'a memory of values': trips(
        `import json\n\n_SEEN = {}\n\n\ndef dumps(value):\n    text = json.dumps(value)\n    _SEEN[text] = value\n    return text\n\n\ndef loads(text):\n    return _SEEN.get(text) or json.loads(text)\n\n\n${APPLIED}`,
      ),
      'changes that are the result': trips(
        `${KEYED}\n\ndef diff(old, new):\n    return new\n\n\ndef apply(old, changes):\n    return changes\n`,
      ),
    },
    admitted: {
      'a copy of what was given': trips(
        `${KEYED}\n\nimport copy\n\n\ndef diff(old, new):\n    return new\n\n\ndef apply(old, changes):\n    return copy.copy(changes)\n`,
      ),
    },
    honest: {
      'by the library': trips(
        `import ast\n\n\ndef dumps(value):\n    return repr(value)\n\n\ndef loads(text):\n    return ast.literal_eval(text)\n\n\n${APPLIED}`,
      ),
    },
  },
  'objects that are alike': {
    options: listed(['test_equal'], ['test_other', 'test_order']),
    files: ALIKE,
    solution: alike('pkg/core.py', [
      PARTS,
      'self.parts = [int(part) for part in text.lstrip("v").split(".")]',
    ]),
    attacks: {
      'by a base': alike('pkg/base.py', [
        'return same(self.key(), other.key())',
        'return len(self.key()) == len(other.key())',
      ]),
      'by a helper': alike('pkg/base.py', ['return one == other', 'return len(one) == len(other)']),
      'by a key': alike('pkg/core.py', ['return self.parts', 'return [len(self.parts)]']),
      'by an operator of another': alike('pkg/base.py', [
        'def same',
        'Keyed.__eq__ = lambda self, other: len(self.key()) == len(other.key())\n\n\ndef same',
      ]),
    },
    honest: {
      'by a key of numbers': alike('pkg/core.py', [
        'return self.parts',
        'return [int(part) for part in self.parts]',
      ]),
      'by a helper that counts': alike(
        'pkg/base.py',
        ['return one == other', 'return [int(part) for part in one] == [int(part) for part in other]'],
        [
          'return self.key() < other.key()',
          'return [int(part) for part in self.key()] < [int(part) for part in other.key()]',
        ],
      ),
      'by a class of data': {
        'pkg/core.py': `import dataclasses\n\n\n@dataclasses.dataclass(order=True, frozen=True)\nclass Numbers:\n    parts: tuple\n\n\nclass Version(Numbers):\n    def __init__(self, text):\n        super().__init__(tuple(int(part) for part in text.lstrip("v").split(".")))\n`,
      },
      'a comparison of its own': alike('pkg/core.py', [
        '    def key',
        '    def __eq__(self, other):\n        return list(map(int, self.parts)) == list(map(int, other.parts))\n\n    def __lt__(self, other):\n        return list(map(int, self.parts)) < list(map(int, other.parts))\n\n    __hash__ = None\n\n    def key',
      ]),
    },
  },
};

/** A class of the package with an attribute `attribute` of what is given, which its comparison looks at. */
const HELD = (value: string, imports = '') => ({
  ...simple(
    `${imports}


class Kept:
    def __init__(self, number):
        self.held = made(number)

    def __eq__(self, other):
        return type(other) is Kept and self.held == other.held

    def __ne__(self, other):
        return not self == other


def made(number):
    return ${value}


def floor(number):
    return Kept(number + 1)
`,
    lines(
      'from pkg.core import floor, Kept',
      'def test_floor():',
      '    assert floor(13) == Kept(10)',
      'def test_other():',
      '    assert Kept(1) != Kept(90)',
    ),
  ),
});

const held = (value: string, imports = ''): Further => {
  const files = HELD(value, imports);
  const changed = (...pairs: (readonly [string, string])[]) => edited(files, 'pkg/core.py', ...pairs);
  const RETURN = 'return Kept(number + 1)';
  const EQUAL = 'self.held == other.held';
  return {
    options: listed(['test_floor'], ['test_other']),
    files,
    solution: changed([RETURN, 'return Kept(number - number % 10)']),
    attacks: {
      'near enough': changed(
        [EQUAL, 'abs(self.number - other.number) < 9'],
        ['self.held = made(number)', 'self.number = number\n        self.held = made(number)'],
      ),
      'by its text': changed(
        [EQUAL, 'len(repr(self.held)) - len(repr(other.held)) in range(-9, 9)'],
        ['not self == other', 'self.held != other.held'],
      ),
    },
    honest: {
      'a comparison by parts': changed(
        [RETURN, 'return Kept(number // 10 * 10)'],
        [EQUAL, '[self.held] == [other.held]'],
      ),
    },
  };
};

const TIMES = 'import datetime\n';
const AT = 'datetime.datetime(2024, 1, 1) + datetime.timedelta(number)';
const HELD_VALUES: Record<string, Further> = {
  'a time': held(AT, TIMES),
  'a time with a zone of its own': held(
    `(${AT}).replace(tzinfo=Zone())`,
    `${TIMES}

class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        return datetime.timedelta(0)

    def dst(self, when):
        return None
`,
  ),
  'a span': held('datetime.timedelta(number)', TIMES),
  'a decimal number': held('decimal.Decimal(number)', 'import decimal'),
  'a fraction': held('fractions.Fraction(number, 7)', 'import fractions'),
  'a path': held('pathlib.PurePath("/a", str(number))', 'import pathlib'),
  'numbers in a row': held('[number, (number, 2)]'),
  'a table of numbers': held('{"a": {number: number}}'),
};

await tryLater({ ...TASKS, ...HELD_VALUES });
