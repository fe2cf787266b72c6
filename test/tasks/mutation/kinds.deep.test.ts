import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { derivePatches, listMutations } from '../../../tasks/mutation/derive.ts';
import { PYTHON_KINDS } from '../../../tasks/mutation/kinds.ts';
import type { Candidate } from '../../../tasks/mutation/mutation.ts';
import { findInterpreter } from '../../../tasks/python/interpreter.ts';
import { temporaryFolder } from '../../rig/folder.ts';

const python = await interpreterOf(null);

/** Kind, source, and the sources that its mutations make, in their order. */
const CASES: [kind: (typeof PYTHON_KINDS)[number], source: string, results: string[]][] = [
  ['flip_comparison', 'ok = a == b  # same\n', ['ok = a != b  # same\n']],
  ['flip_comparison', 'ok = 0 < (a) <= b\n', ['ok = 0 >= (a) <= b\n', 'ok = 0 < (a) > b\n']],
  ['shift_boundary', 'ok = a < b\n', ['ok = a <= b\n']],
  ['swap_operands', 'n = (a + 1) - b\n', ['n = b - (a + 1)\n', 'n = (1 + a) - b\n']],
  ['swap_operands', 'n = a - b - c\n', ['n = b - a - c\n', 'n = c - (a - b)\n']],
  ['swap_operands', 'n = "%s" % b\n', []],
  ['increase_constant', 'n = x[0] + 9  # 5\n', ['n = x[1] + 9  # 5\n', 'n = x[0] + 10  # 5\n']],
  ['decrease_constant', 'n = 0x10 + 1\n', ['n = 0x10 + 0\n']],
  ['increase_constant', 'def f(a: Literal[1]) -> Literal[2]: return f"{a + 1}"\n', []],
  [
    'change_operator',
    'x += a if b is not c else d\n',
    ['x -= a if b is not c else d\n', 'x += a if b is c else d\n'],
  ],
  ['change_operator', 'x = (a  # why\n     and b)\n', ['x = (a  # why\n     or b)\n']],
  ['change_operator', 'x = a not in b\n', ['x = a in b\n']],
  ['remove_branch', 'if a:\n    b()\nelse:  # no\n    c()\nd()\n', ['if a:\n    b()\nd()\n']],
  [
    'remove_branch',
    'if a:\n    b()\nelif c:\n    d()\nelse:\n    e()\n',
    ['if a:\n    b()\nelse:\n    e()\n', 'if a:\n    b()\nelif c:\n    d()\n'],
  ],
  [
    'remove_branch',
    'if a: b();\nelse: c()\nif d: e()\nelse:\n    f()\n',
    ['if a: b();\nelse: c()\nif d: e()\n'],
  ],
  ['constant_condition', 'if a > 1: b()\n', ['if True: b()\n', 'if False: b()\n']],
  ['constant_condition', 'if __name__ == "__main__":\n    main()\n', []],
  ['invert_if', 'if a and b:\n    c()\n', ['if not (a and b):\n    c()\n']],
  ['invert_if', 'x = a if not(b) else c\n', ['x = a if (b) else c\n']],
  ['remove_break', 'while a:\n    break\n', ['while a:\n    pass\n']],
  [
    'remove_wrapper',
    'def f():\n    try:\n        a = """\n        kept\n"""\n    except E:\n        pass\n    return a\n',
    ['def f():\n    a = """\n        kept\n"""\n    return a\n'],
  ],
  ['remove_wrapper', 'with lock:\n\tb()\n\n\tc()\n', ['b()\n\nc()\n']],
  ['remove_return_value', 'def f():\n    return (1, 2)\n', ['def f():\n    return None\n']],
  [
    'change_default',
    "def f(a=1, *, b=True, c='x'): ...\n",
    [
      "def f(a=2, *, b=True, c='x'): ...\n",
      "def f(a=1, *, b=False, c='x'): ...\n",
      'def f(a=1, *, b=True, c=""): ...\n',
    ],
  ],
  [
    'remove_decorator',
    'class A:\n    @property\n    def f(self): ...\n',
    ['class A:\n    def f(self): ...\n'],
  ],
  [
    'remove_base',
    'class A(B): ...\nclass C(D, E): ...\n',
    [
      'class A: ...\nclass C(D, E): ...\n',
      'class A(B): ...\nclass C(E): ...\n',
      'class A(B): ...\nclass C(D): ...\n',
    ],
  ],
  [
    'remove_assignment',
    'def f(a):\n    # one\n    a.b = 1  # two\n    c()\n',
    ['def f(a):\n    # one\n    c()\n'],
  ],
  ['remove_assignment', 'if a: b = 1\n', ['if a: pass\n']],
  ['remove_if', 'if a:\n    b()\nc()\n', ['c()\n']],
  ['remove_loop', 'def f():\n    for a in b:\n        c()\n', ['def f():\n    pass\n']],
  ['swap_statements', 'a = 1\n\n# two\nb = 2\n', ['b = 2\n\n# two\na = 1\n']],
  ['swap_statements', '"""Doc."""\nimport a\nreturns()\n', []],
];

describe.skipIf(python === null)('kinds of mutations', () => {
  it.each(CASES.map(([kind, source, results]) => ({ kind, source, results })))(
    '$kind: $source',
    async (one) => {
      const folder = tree({ 'm.py': one.source });
      const wanted = (await candidates(folder)).filter(({ kind }) => kind === one.kind);
      expect(await mutated(folder, wanted)).toEqual(one.results);
    },
  );

  it('knows in TypeScript what it knows in Python', () => {
    expect([...new Set(CASES.map(([kind]) => kind))].sort()).toEqual([...PYTHON_KINDS].sort());
  });

  it('names functions by their qualified name and counts their candidates by position', async () => {
    const folder = tree({
      'm.py': 'class A:\n    def f(self):\n        def g(): return 1\n        return 2\nx = 3\n',
    });
    const found = (await candidates(folder)).filter(({ kind }) => kind === 'increase_constant');
    expect(found.map(({ function: name, index, line }) => [name, index, line])).toEqual([
      ['A.f.g', 0, 3],
      ['A.f', 0, 4],
      ['<module>', 0, 5],
    ]);
  });

  it('leaves tests, build scripts and hidden folders alone, unless they are named', async () => {
    const names = ['a/b.py', 'a/test_b.py', 'tests/c.py', 'setup.py', 'conftest.py', '.tox/d.py'];
    const folder = tree(Object.fromEntries(names.map((name) => [name, 'x = 1\n'])));
    expect(new Set((await candidates(folder)).map(({ file }) => file))).toEqual(new Set(['a/b.py']));
    const named = await listMutations(['tests/c.py'], { sourceFolder: folder, python: python! });
    expect(named.ok && named.value.length).toBeGreaterThan(0);
  });

  it('keeps CRLF, a missing last line end and text that is not ASCII', async () => {
    const folder = tree({ 'm.py': 'ä = "é"\r\nif ä == "é" and 1 < 2: ö = 1\r\nü = ä <= "é"' });
    const found = await candidates(folder);
    const results = await mutated(folder, found);
    expect(results.length).toBeGreaterThan(8);
    expect(results).toContain('ä = "é"\r\nif ä == "é" and 1 < 2: ö = 1\r\nü = ä > "é"');
  });

  it('answers what it cannot do, and does the rest', async () => {
    const folder = tree({
      'm.py': 'x = 1\n',
      'bad.py': 'x = = 1\n',
      'latin.py': '# coding: latin-1\nx = 1\n',
    });
    const one = { file: 'm.py', function: '<module>', kind: 'increase_constant', index: 0 };
    const requests = [
      one,
      { ...one, index: 5 },
      { ...one, kind: 'explode' },
      { ...one, file: 'no.py' },
      { ...one, file: '../m.py' },
      { ...one, file: 'bad.py' },
      { ...one, file: 'latin.py' },
    ];
    const answers = await derivePatches(requests, { sourceFolder: folder, python: python! });
    if (!answers.ok) throw new Error(answers.fault.detail);
    const [first, ...others] = answers.value;
    expect(first).toHaveProperty('patch');
    expect(others.map((answer) => ('error' in answer ? answer.error : 'a patch'))).toEqual([
      'm.py has no increase_constant number 5 in <module>',
      'there is no kind explode of mutation',
      expect.stringContaining('no.py'),
      '../m.py is not inside of the source',
      expect.stringContaining('cannot be parsed'),
      expect.stringContaining('encoding'),
    ]);
  });
});

/** Everything that parses under 3.8 and whose positions `ast` once got wrong or changed. */
const TRICKY = `
import os
class A(B, metaclass=M):
    @staticmethod
    @decorate(1,
              2)
    def f(a, /, b=1, *c, d=-2, **e) -> 3:
        x = [i for i in range(10) if i % 2 == 0 if i]
        y = {**e, 'k': a[1:2, 3], "z": (1,)}
        if (n := len(x)) > 10 and not (a or
                                       b):
            return sum(i * 2 for i in x)
        elif x is not None:
            pass
        elif (y): z = 1; w = 2
        else:
            raise E(f"{a + 1!r:>{b - 1}}" "tail" f"{'nested'}") from None
        with open(a) as f, g():
            f.read()
        try:
            assert 1 < 2 < 3, """long
            text"""
        except (E, F) as error:
            return ~a ** -b
        else:
            del x[0]
        finally:
            a = b = c
        async def inner():
            async with a: await b
            async for i in c: yield i
        while True:
            continue
        lambda q=5, *r: q @ r
        return (yield), *a, (not b)
é = "ü" + 'ö' if 'ä' != "ß" else -1
`;

describe('one numbering under every Python', () => {
  it('gives the same candidates and patches', async (context) => {
    const folder = tree({ 'm.py': TRICKY });
    const seen: [version: string, answer: string][] = [];
    for (const version of ['3.8', '3.9', '3.10', '3.11', '3.12', '3.13']) {
      const found = await interpreterOf(version);
      if (found === null) continue;
      const options = { sourceFolder: folder, python: found };
      const listed = await listMutations([], options);
      if (!listed.ok) throw new Error(listed.fault.detail);
      const patches = await derivePatches(listed.value, options);
      seen.push([version, JSON.stringify([listed.value, patches])]);
    }
    if (seen.length < 2) return context.skip('this needs two of Python 3.8 to 3.13');
    expect(new Set(seen.map(([, answer]) => answer)).size, seen.map(([version]) => version).join()).toBe(1);
    expect((JSON.parse(seen[0]![1]) as [Candidate[]])[0].length).toBeGreaterThan(80);
  });
});

async function interpreterOf(version: string | null): Promise<string | null> {
  const found = await findInterpreter(version, { env: process.env });
  return found.ok ? found.value.executable : null;
}

function tree(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function candidates(folder: string): Promise<Candidate[]> {
  const listed = await listMutations([], { sourceFolder: folder, python: python! });
  if (!listed.ok) throw new Error(listed.fault.detail);
  return listed.value;
}

/** m.py with each of the mutations, as git makes it from their patches; applying them back gives the original. */
async function mutated(folder: string, wanted: readonly Candidate[]): Promise<string[]> {
  const answers = await derivePatches(wanted, { sourceFolder: folder, python: python! });
  if (!answers.ok) throw new Error(answers.fault.detail);
  const path = join(folder, 'm.py');
  const original = readFileSync(path, 'utf8');
  return answers.value.map((answer) => {
    if ('error' in answer) return answer.error;
    const git = (...extra: string[]) =>
      execFileSync('git', ['apply', ...extra, '-'], {
        cwd: folder,
        input: answer.patch,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
    git();
    const result = readFileSync(path, 'utf8');
    git('--reverse');
    expect(readFileSync(path, 'utf8')).toBe(original);
    return result;
  });
}
