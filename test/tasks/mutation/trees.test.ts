/** Mutations of other languages than Python: what each kind changes, names, numbers, and patches that git applies. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { derivePatches, listMutations } from '../../../tasks/mutation/derive.ts';
import { MUTATION_KINDS, PYTHON_KINDS } from '../../../tasks/mutation/kinds.ts';
import type { Candidate } from '../../../tasks/mutation/mutation.ts';
import { KINDS } from '../../../tasks/mutation/trees/kinds.ts';
import { LANGUAGES } from '../../../tasks/mutation/trees/languages.ts';
import { folderOf } from '../../rig/folder.ts';

const ALL = ['.go', '.js', '.ts', '.tsx', '.rs', '.java', '.cpp'];

async function list(folder: string, files: string[] = []): Promise<Candidate[]> {
  const listed = await listMutations(files, { sourceFolder: folder, python: 'python3' }, ALL);
  if (!listed.ok) throw new Error(listed.fault.detail);
  return listed.value;
}

/** The file after each mutation of a kind; git applies them. */
async function results(file: string, text: string, kind: string): Promise<string[]> {
  const folder = folderOf({ [file]: text });
  const wanted = (await list(folder, [file])).filter((one) => one.kind === kind);
  const answers = await derivePatches(wanted, { sourceFolder: folder, python: 'python3' });
  if (!answers.ok) throw new Error(answers.fault.detail);
  return answers.value.map((answer) => {
    if ('error' in answer) return `error: ${answer.error}`;
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
    execFileSync('git', ['apply', '-'], { cwd: folder, input: answer.patch, env });
    const changed = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), text);
    return changed;
  });
}

const GO = (body: string) => `package a\n\nfunc f(a, b int) int {\n${body}\n\treturn a\n}\n`;

it.for<[kind: string, file: string, text: string, wanted: string[]]>([
  ['flip_comparison', 'a.go', GO('\tif a == b {\n\t}'), [GO('\tif a != b {\n\t}')]],
  ['flip_comparison', 'a.js', 'x = a === b\n', ['x = a !== b\n']],
  ['shift_boundary', 'a.rs', 'fn f() -> bool { a < b }\n', ['fn f() -> bool { a <= b }\n']],
  [
    'change_operator',
    'A.java',
    'class A { int f() { return a + b; } }\n',
    ['class A { int f() { return a - b; } }\n'],
  ],
  ['change_operator', 'a.cpp', 'bool f() { return a && b; }\n', ['bool f() { return a || b; }\n']],
  ['change_operator', 'a.js', 'x += 1\n', ['x -= 1\n']],
  ['increase_constant', 'a.go', GO('\ta = 9 + 0x1'), [GO('\ta = 10 + 0x1')]],
  ['decrease_constant', 'a.ts', 'const x: number = 0 + 5;\n', ['const x: number = 0 + 4;\n']],
  ['flip_boolean', 'a.rs', 'fn f() -> bool { true }\n', ['fn f() -> bool { false }\n']],
  ['flip_boolean', 'a.js', 'toString()\n', []],
  ['invert_if', 'a.go', GO('\tif a > b {\n\t}'), [GO('\tif !(a > b) {\n\t}')]],
  ['invert_if', 'a.js', 'if (a && b) c()\n', ['if (!(a && b)) c()\n']],
  ['invert_if', 'a.rs', 'fn f() { if let Some(x) = y { g() } }\n', []],
  [
    'constant_condition',
    'A.java',
    'class A { void f() { if (a) b(); } }\n',
    ['class A { void f() { if (true) b(); } }\n', 'class A { void f() { if (false) b(); } }\n'],
  ],
  ['remove_branch', 'a.js', 'if (a) {\n  b()\n} else {\n  c()\n}\n', ['if (a) {\n  b()\n}\n']],
  ['remove_if', 'a.go', GO('\tif a == b {\n\t\treturn b\n\t}'), [GO('').replace('{\n\n', '{\n')]],
  ['remove_if', 'a.js', 'if (a) {\n  b()\n} else if (c) {\n  d()\n}\n', []],
  [
    'remove_loop',
    'a.cpp',
    'void f() {\n  for (;;) {\n    g();\n  }\n  h();\n}\n',
    ['void f() {\n  h();\n}\n'],
  ],
  ['remove_break', 'a.js', 'for (;;) {\n  break;\n}\n', ['for (;;) {\n  ;\n}\n']],
  ['remove_assignment', 'a.js', 'a = 1;\nb();\n', ['b();\n', 'a = 1;\n']],
  ['remove_assignment', 'a.js', 'if (a) b()\n', []],
  ['remove_throw', 'a.ts', "if (a) throw new Error('x');\n", ['if (a) ;\n']],
  [
    'remove_return_value',
    'a.js',
    'function f() {\n  return 1;\n}\n',
    ['function f() {\n  return undefined;\n}\n'],
  ],
  ['remove_return_value', 'a.ts', 'function f(): number {\n  return 1;\n}\n', []],
  [
    'remove_body',
    'a.go',
    GO('\ta = b'),
    ['package a\n\nfunc f(a, b int) int { panic("not implemented") }\n'],
  ],
  ['remove_body', 'a.rs', 'fn f() -> u8 {\n    1\n}\n', ['fn f() -> u8 { unimplemented!() }\n']],
  [
    'remove_body',
    'a.js',
    'const f = () => {\n  g()\n}\n',
    ["const f = () => { throw new Error('not implemented') }\n"],
  ],
])('%s in %s', async ([kind, file, text, wanted]) => {
  expect(await results(file, text, kind)).toEqual(wanted);
});

it('every kind is known by name, and is tried above', () => {
  expect(MUTATION_KINDS).toEqual([...new Set([...PYTHON_KINDS, ...Object.keys(KINDS)])]);
  expect(new Set(MUTATION_KINDS).size).toBe(MUTATION_KINDS.length);
});

it.for<[file: string, text: string, names: string[]]>([
  ['a.go', 'package a\n\nfunc (t *Tree[K]) Add(x int) { x = x + 1 }\n', ['Tree.Add']],
  ['a.js', 'class A { m() { x = 1 + 2 } }\nconst g = () => { x = 3 }\n', ['A.m', 'g']],
  ['a.rs', 'impl<T> Set<T> { fn len(&self) -> usize { self.n + 1 } }\n', ['Set<T>.len']],
  ['A.java', 'class A { class B { int f() { return 1; } } }\n', ['A.B.f']],
  ['a.cpp', 'namespace n { int S::f(int a) { return a + 1; } }\n', ['n.S::f']],
  ['a.ts', 'abstract class A { f(): number { return 1 } }\n', ['A.f']],
])('functions of %s have qualified names', async ([file, text, names]) => {
  const found = await list(folderOf({ [file]: text }));
  expect([...new Set(found.map((one) => one.function))]).toEqual(names);
});

it('tests, generated files and files of builds are left out', async () => {
  const code = 'x = 1 + 2\n';
  const folder = folderOf({
    ...{ 'lib/a.js': code, 'lib/a.test.js': code, 'test/b.js': code, 'node_modules/c/d.js': code },
    ...{ 'jest.config.js': code, 'a.min.js': code, 'x.d.ts': 'declare const x = 1\n' },
    ...{
      'src/lib.rs':
        'fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests { fn g() -> u8 { 2 } }\n#[tokio::test]\nfn h() { k(3) }\n',
    },
    ...{ 'a_test.go': GO('\ta = 1'), 'src/test/java/ATest.java': 'class ATest { int f() { return 1; } }\n' },
    'broken.js': 'function f( { return 1 + 2\n',
    ...{
      'type-tests/a.ts': code,
      'perf-testing/a.ts': code,
      'demo/a.ts': code,
      'typescript_test/b.ts': code,
      'lib/b.test-d.ts': code,
    },
    ...{ 'website/c.js': code, 'scripts/d.mjs': code, 'lib/e.bench.js': code, 'lib/f.typetest.ts': code },
    'latest/attestation/g.js': code,
  });
  const found = await list(folder);
  expect([...new Set(found.map(({ file }) => file))]).toEqual([
    'latest/attestation/g.js',
    'lib/a.js',
    'src/lib.rs',
  ]);
  const names = found.filter(({ file }) => file === 'src/lib.rs').map((one) => one.function);
  expect([...new Set(names)]).toEqual(['f']);
});

it('a mutation that is not there, and a path that leads out, are answered with why', async () => {
  const folder = folderOf({ 'a.js': 'x = 1\n' });
  const requests = [
    { file: 'a.js', function: '<module>', kind: 'flip_comparison', index: 0 },
    { file: '../a.js', function: '<module>', kind: 'increase_constant', index: 0 },
    { file: 'none.go', function: 'f', kind: 'remove_if', index: 0 },
  ];
  const answers = await derivePatches(requests, { sourceFolder: folder, python: 'python3' });
  expect(answers).toMatchObject({
    value: [
      { error: 'a.js has no flip_comparison number 0 in <module>' },
      { error: '../a.js is not in the source' },
      { error: 'none.go is not in the source' },
    ],
  });
});

it('lines with CR LF, without an end, and beyond ASCII stay as they are', async () => {
  for (const text of ['// ü 😀\r\nx = 1 + 2\r\ny = 3\r\n', 'x = 1 + 2'])
    expect(await results('a.js', text, 'change_operator')).toEqual([text.replace('+', '-')]);
});

it('each language has a grammar, and no file belongs to two', () => {
  expect(LANGUAGES.map(({ grammar }) => grammar)).toEqual([
    ...new Set(LANGUAGES.map(({ grammar }) => grammar)),
  ]);
  for (const file of ['a.go', 'a.js', 'a.mjs', 'a.jsx', 'a.ts', 'a.tsx', 'a.rs', 'A.java', 'a.c', 'a.hpp'])
    expect(LANGUAGES.filter(({ files }) => files.test(file))).toHaveLength(1);
});
