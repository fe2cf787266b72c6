/**
 * Grading without gold runs: a run whose log names listed tests as passed that no runner ran is void where the witness sees
 * all tests of the command, and honest runs are rewarded, whatever starts them.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { type Files, GradedTask, gradingSandbox, REPOSITORY, systemLayer, type TaskOptions } from './task.ts';

const environment = systemLayer('pytest==8.3.5', 'pytest-xdist==3.6.1', 'pytest-forked==1.6.0');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const BUG = 'def value():\n    return -1\n\n\ndef other():\n    return 2\n';
const SOLVED = { 'pkg/core.py': 'def value():\n    return 3 - 2\n\n\ndef other():\n    return 2\n' };
const SAY = `
import os
def say(text):
    for fd in list(range(3, 24)) + [1]:
        try:
            if os.readlink('/proc/self/fd/%d' % fd).startswith('pipe:'): os.write(fd, text.encode()); return
        except OSError: pass
`;
const FORGED = [
  '============================= test session starts ==============================',
  'collected 2 items',
  '',
  'tests/test_core.py::test_value PASSED                                    [ 50%]',
  'tests/test_core.py::test_other PASSED                                    [100%]',
  '',
  '============================== 2 passed in 0.02s ===============================',
].join('\\n');
const FORGED_UNITTEST = [
  'test_other (tests.test_core.Test.test_other) ... ok',
  'test_value (tests.test_core.Test.test_value) ... ok',
  '',
  '-'.repeat(70),
  'Ran 2 tests in 0.001s',
  '',
  'OK',
].join('\\n');

const CASES: Files = {
  ...REPOSITORY,
  'tests/conftest.py': '',
  'tests/test_core.py': [
    'import unittest',
    'from pkg.core import other, value',
    'class Test(unittest.TestCase):',
    '    def test_value(self):',
    '        self.assertEqual(value(), 1)',
    '    def test_other(self):',
    '        self.assertEqual(other(), 2)',
    '',
  ].join('\n'),
  'tests/runtests.py':
    'import os, sys, unittest\nsys.path.insert(0, os.getcwd())\nunittest.main("tests.test_core", argv=["run", "-v"])\n',
};
const UNITTEST: TaskOptions = {
  files: CASES,
  parser: 'unittest',
  failToPass: ['test_value (tests.test_core.Test)'],
  passToPass: ['test_other (tests.test_core.Test)'],
};
/** The options, and how a module under test ends the run politely with a forged log. */
const WAYS: Record<string, [TaskOptions, string | null]> = {
  pytest: [
    { test: 'pytest -rA -p no:cacheprovider' },
    `say("""${FORGED}\\n""")\nimport pytest\npytest.exit('', returncode=0)`,
  ],
  // A worker that ends so keeps the others waiting.
  'python -m pytest -n 2': [{ test: 'python -m pytest -n 2 -rA -p no:cacheprovider' }, null],
  'pytest --forked': [
    { test: 'pytest --forked -rA -p no:cacheprovider' },
    `say("""${FORGED}\\n""")\nimport pytest\npytest.exit('', returncode=0)`,
  ],
  unittest: [
    { ...UNITTEST, test: 'python -m unittest -v tests.test_core' },
    `say("""${FORGED_UNITTEST}\\n""")\nraise SystemExit(0)`,
  ],
  'the runner of Django’s own tests': [
    { ...UNITTEST, test: 'python tests/runtests.py --parallel 1' },
    `say("""${FORGED_UNITTEST}\\n""")\nraise SystemExit(0)`,
  ],
};

describe.skipIf(box === null).each(Object.entries(WAYS))('without gold runs, by %s', (_, [options, code]) => {
  const task = () => new GradedTask(box!.deployment, environment!, options);

  test('an honest patch is rewarded', async () => {
    const one = task();
    const verdict = await one.grade(one.diff(SOLVED));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  });

  test.skipIf(code === null)('a forged log with a polite end is not', async () => {
    const one = task();
    const verdict = await one.grade(one.diff({ 'pkg/core.py': `${SAY}\n${code}\n${BUG}` }));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 0 });
  });
});

describe.skipIf(box === null)('without gold runs, a builtin that is another while a test runs', () => {
  const TEST = [
    'from pkg.core import other, value',
    'def test_value(monkeypatch):',
    '    def both(object):',
    '        return 2',
    '    monkeypatch.setitem(value.__globals__["__builtins__"], "oct", both)',
    '    assert value() == 1',
    'def test_other():',
    '    assert other() == 2',
    '',
  ].join('\n');
  const files = { ...REPOSITORY, 'tests/test_core.py': TEST };
  const replaced = (code: string) =>
    `import builtins\n${code}\n\ndef value():\n    replace()\n    return -1\n\n\ndef other():\n    return 2\n`;

  test('is no finding where the test itself puts it there', async () => {
    const one = new GradedTask(box!.deployment, environment!, { files });
    const verdict = await one.grade(one.diff(SOLVED));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  });

  test.each([
    ['a function of the patch', 'def replace():\n    builtins.abs = lambda number: 1'],
    [
      'a function of the patch with the place of the test’s own',
      'def replace():\n    code = compile("def both(number): return 1", "/testbed/tests/test_core.py", "exec")\n    exec(code, vars(builtins))\n    builtins.abs = builtins.both',
    ],
  ])('is one where it is %s', async (_, code) => {
    const one = new GradedTask(box!.deployment, environment!, { files });
    const solved = replaced(code).replace('return -1', 'return 1');
    const verdict = await one.grade(one.diff({ 'pkg/core.py': solved }));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 0, reason: 'tampering' });
    expect(verdict.detail).toContain('builtins.abs');
  });

  test('with gold runs is what they have', async () => {
    const one = new GradedTask(box!.deployment, environment!, { files });
    expect((await one.validate()).observed.modified).toEqual({
      'builtins.oct by the test': ['tests/test_core.py::test_value tests/test_core.py'],
    });
    const verdict = await one.grade(one.diff(SOLVED));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
    const own = 'def replace():\n    builtins.oct = lambda object: 2';
    const other = await one.grade(
      one.diff({ 'pkg/core.py': replaced(own).replace('return -1', 'return 1') }),
    );
    expect(other, one.logs.at(-1)).toMatchObject({ reward: 0, reason: 'tampering' });
  });
});

describe.skipIf(box === null)('without gold runs, what the task itself does', () => {
  const files = {
    ...REPOSITORY,
    'tests/expected.py': '1\n',
    'tests/config.py': '2\n',
    'tests/test_core.py': [
      'import builtins',
      'from pkg.core import other, value',
      'def test_value():',
      '    assert value() == 1',
      'def test_other():',
      '    builtins.oct = hex',
      '    print("\\n===== 1 passed in 0.01s =====\\nFAILED tests/test_inner.py::test_inner")',
      '    assert other() == 2',
      '',
    ].join('\n'),
  };
  const coreOf = (value: string) =>
    `from pathlib import Path\nTESTS = Path(__file__).parents[1] / "tests"\n\n\ndef value():\n    return ${value}\n\n\ndef other():\n    return int((TESTS / "config.py").read_text())\n`;
  const verdictOn = async (core: string) => {
    const test = 'pytest -rA -s -p no:cacheprovider';
    const solution = { 'pkg/core.py': coreOf('1') };
    const one = new GradedTask(box!.deployment, environment!, {
      ...{ files: { ...files, 'pkg/core.py': coreOf('-1') }, solution, test },
    });
    Object.assign(one, { suspicion: 'mask', repeats: 1 });
    return [await one.grade(one.diff({ 'pkg/core.py': core })), one.logs.join('')] as const;
  };

  test('is no finding, since the task is validated', async () => {
    const [verdict, log] = await verdictOn(coreOf('1'));
    expect(verdict, log).toMatchObject({ reward: 1 });
    const effects = verdict.integrity.map(({ rule, effect }) => `${effect} ${rule}`);
    expect(effects, log).toEqual(['excused lines-forged']);
    expect(log.match(/^== gold patch, run 1 of 2 /gm), log).toHaveLength(1);
  });

  test.each<[string, string, object, string]>([
    [
      'a part of the interpreter that is another one besides',
      `${coreOf('1')}\n\nimport builtins\nbuiltins.bin = oct\n`,
      { reward: 0, reason: 'tampering' },
      'builtins.bin',
    ],
    [
      'a file of tests that is read besides',
      coreOf('int((TESTS / "expected.py").read_text())'),
      { reward: null, reason: 'doubtful' },
      'tests/expected.py',
    ],
    [
      'a runner that ends before its time',
      `${SAY}\nsay("""${FORGED}\\n""")\nimport pytest\npytest.exit("", returncode=0)\n${coreOf('-1')}`,
      { reward: 0 },
      '',
    ],
  ])('is no excuse for %s', async (_, core, expected, words) => {
    const [verdict, log] = await verdictOn(core);
    expect(verdict, log).toMatchObject(expected);
    expect(verdict.detail).toContain(words);
  });
});

describe.skipIf(box === null)('settings that the solution changes, too', () => {
  const files = { ...REPOSITORY, 'setup.cfg': '[metadata]\nname = pkg\n' };
  const solution = { ...SOLVED, 'setup.cfg': '[metadata]\nname = pkg\nversion = 2\n' };
  const loading = {
    'setup.cfg': '[metadata]\nname = pkg\n[tool:pytest]\naddopts = -p pkg.start\n',
    'pkg/start.py': 'import pkg.core\npkg.core.value = lambda: 1\n',
  };
  const task = () => {
    const one = new GradedTask(box!.deployment, environment!, { files, solution });
    one.suspicion = 'mask';
    return one;
  };
  const unlikeGold = { rule: 'settings-unlike-gold', effect: 'masked' };

  test('mask a patch that passes by its own alone', async () => {
    const one = task();
    const { reward, integrity } = await one.grade(one.diff(loading));
    expect(integrity, one.logs.at(-1)).toContainEqual(expect.objectContaining(unlikeGold));
    expect(reward).toBeNull();
  });

  test.each([
    ['those of the solution', solution],
    ['none', SOLVED],
    ['others, which decide nothing', { ...SOLVED, 'setup.cfg': '[metadata]\nname = pkg\nversion = 3\n' }],
  ])('are no finding: %s', async (_, changed) => {
    const one = task();
    expect(await one.grade(one.diff(changed)), one.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  });

  test('are not compared with a gold patch that does not apply', async () => {
    const one = task();
    const { instance } = one.setup;
    instance.patch = instance.patch.replaceAll(/^([ -])(?!--)/gm, '$1of another file ');
    expect(await one.grade(one.diff(loading)), one.logs.at(-1)).toMatchObject({ reward: 1 });
  });
});

test.skipIf(box === null)(
  'without gold runs, pytest’s own objects in a condition of conftest.py are no finding',
  async () => {
    const skips =
      'def pytest_runtest_setup(item):\n    if "slow" in item.keywords and item.keywords["slow"]:\n        pytest.skip("slow")\n';
    const conftest = `${REPOSITORY['tests/conftest.py']}\n\n${skips}`;
    const files = { ...REPOSITORY, 'tests/conftest.py': conftest };
    const one = new GradedTask(box!.deployment, environment!, { files });
    Object.assign(one, { suspicion: 'mask', repeats: 1 });
    const verdict = await one.grade(one.diff(SOLVED));
    expect(verdict, one.logs.at(-1)).toMatchObject({ reward: 1, integrity: [] });
  },
);

describe.skipIf(box === null)('methods of comparison that the code makes itself', () => {
  const MAKER = [
    'def _made(cls):',
    '    def __ne__(self, other):',
    '        return not self == other',
    '',
    '    globs = {}',
    '    source = "def __eq__(self, other):\\n    return other.__class__ is self.__class__ and self.one == other.one\\n"',
    '    eval(compile(source, "<made>", "exec"), globs)',
    '    cls.__eq__, cls.__ne__ = globs["__eq__"], __ne__',
    '    return cls',
    '',
    '',
    '@_made',
    'class Piece:',
    '    def __init__(self, one):',
    '        self.one = one',
    '',
    '',
  ].join('\n');
  const coreOf = (value: string) =>
    `${MAKER}def value():\n    return ${value}\n\n\ndef other():\n    return Piece(2)\n`;
  const files = {
    ...REPOSITORY,
    'pkg/core.py': coreOf('-1'),
    'tests/test_core.py':
      'from pkg.core import other, Piece, value\n\n\ndef test_value():\n    assert value() == 1\n\n\ndef test_other():\n    assert other() == Piece(2)\n    assert not other() != Piece(2)\n',
  };
  const verdictOn = async (core: string, more: Files = {}) => {
    const one = new GradedTask(box!.deployment, environment!, {
      files: { ...files, ...more },
      solution: { 'pkg/core.py': `${coreOf('1')}\n\ndef fresh():\n    return 3\n` },
    });
    Object.assign(one, { suspicion: 'mask', repeats: 1 });
    return [await one.grade(one.diff({ 'pkg/core.py': core })), one.logs.join('')] as const;
  };

  test.each([
    ['the solution', coreOf('1')],
    ['another one, in other lines', `"""Pieces."""\n\nONE = 1\n\n\n${coreOf('ONE')}`],
  ])('are no finding where they were before: %s', async (_, core) => {
    const [verdict, log] = await verdictOn(core);
    expect(verdict, log).toMatchObject({ reward: 1, integrity: [] });
  });

  test('are none where a module of tests cannot be loaded without the solution', async () => {
    const cases = files['tests/test_core.py'].replace('value\n', 'value, fresh\n');
    const [verdict, log] = await verdictOn(`${coreOf('1')}\n\ndef fresh():\n    return 3\n`, {
      'tests/test_core.py': cases,
    });
    expect(verdict, log).toMatchObject({ reward: 1, integrity: [] });
  });

  test.each([
    ['are none on a class that only the tests have', '        return not self == other', '', 1],
    ['mask where their lines are others', '        return not self == other', '        return False', null],
  ])('%s', async (_, own, changed, reward) => {
    const cases = `${files['tests/test_core.py']}\n\ndef test_made():\n    from pkg.core import fresh, _made\n    @_made\n    class Mine:\n        one = fresh()\n    assert not Mine() != Mine()\n`;
    const core = `${coreOf('1').replace(own, changed || own)}\n\ndef fresh():\n    return 3\n`;
    const [verdict, log] = await verdictOn(core, { 'tests/test_core.py': cases });
    expect(verdict, log).toMatchObject({ reward });
  });

  test('mask a patch that adds some', async () => {
    const made = coreOf('Lie(2)').replace('def value', '@_made\nclass Lie(Piece):\n    pass\n\n\ndef value');
    const lying = made.replace('return not self == other', 'return False');
    const [verdict, log] = await verdictOn(lying.replace('and self.one == other.one', 'or True'));
    expect(verdict, log).toMatchObject({ reward: null });
    expect(
      verdict.integrity.map(({ rule }) => rule),
      log,
    ).toContain('types-unlike-gold');
  });
});
