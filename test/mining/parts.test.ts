/** The pure parts of `mine`: which files are tests, what a statement is made of, and what runs make of a test. */
import { describe, expect, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { listsOf } from '../../grading/rules/lists.ts';
import type { Status } from '../../parsers/status.ts';
import { isTestPath, partingOf } from '../../tasks/mining/commits.ts';
import { issueNumbers, messageOf, readIssues, statementOf } from '../../tasks/mining/statement.ts';

test('files of tests, and what they need', () => {
  const paths = [
    'tests/a.py',
    'pkg/test/data.json',
    'test_x.py',
    'a/x_test.py',
    'conftest.py',
    'src/testing/help.py',
  ];
  expect(paths.filter(isTestPath)).toEqual(paths);
  expect(['latest.py', 'contest/a.py', 'src/attest.py', 'README.md', 'tests.md'].filter(isTestPath)).toEqual(
    [],
  );
});

test.each([
  ['python', ['tests/a.py'], ['a.py', 'setup.cfg'], ['a.py', 'tests/a.py']],
  ['go', ['a_test.go', 'testdata/a.txt'], ['a.go', 'go.mod'], ['a.go', 'a_test.go']],
  ['npm', ['test/a.js', 'src/a.test.ts'], ['src/a.ts', 'package.json'], ['src/a.ts', 'test/a.js']],
  ['cargo', ['tests/a.rs'], ['src/lib.rs', 'Cargo.toml'], ['src/lib.rs', 'tests/a.rs']],
  ['maven', ['src/test/java/ATest.java'], ['src/main/java/A.java', 'pom.xml'], ['src/main/java/A.java']],
  ['cmake', ['test/a-test.cc'], ['src/a.cc', 'CMakeLists.txt'], ['src/a.cc', 'test/a-test.cc']],
])('%s: tests, what is beside them, and source files', (name, tests, others, sources) => {
  const { isTest, isSource } = partingOf(ecosystemNamed(name));
  const all = [...tests, ...others];
  expect(all.filter(isTest)).toEqual(tests);
  for (const path of sources) expect(isSource(path)).toBe(true);
  for (const path of ['setup.cfg', 'go.mod', 'package.json', 'pom.xml']) expect(isSource(path)).toBe(false);
});

describe('statements', () => {
  const NONE = new Map<string, string>();
  const of = (text: string, issues = NONE) => statementOf('c0ffee', messageOf(text), issues);

  test('are the message, without what is for tools', () => {
    const text = 'Clamp forgets its bound (#7)\n\nIt should be 10.\n\nSigned-off-by: a <a@b>\nChange-Id: I0';
    expect(of(text)).toBe('Clamp forgets its bound\n\nIt should be 10.');
  });

  test('of a merge are its body', () => {
    expect(of('Merge pull request #9 from me/x\n\nA function that doubles')).toBe('A function that doubles');
    expect(of("Merge branch 'x'")).toBeNull();
  });

  test('of a merge that says too little are what its commits say', () => {
    const merge = messageOf('Merge pull request #9 from me/x');
    const brought = ['typo', 'Filters can be pickled, too', 'Fix #12 now'].map(messageOf);
    expect(statementOf('c0ffee', merge, NONE, brought)).toBe('Filters can be pickled, too');
    expect(statementOf('c0ffee', merge, new Map([['12', 'A filter is not pickled']]), brought)).toBe(
      'A filter is not pickled',
    );
    expect(statementOf('c0ffee', merge, NONE, [messageOf('typo')])).toBeNull();
  });

  test('need some words', () => {
    expect(of('Fix #12 now (#13)')).toBeNull();
    expect(of('Fix error message\n\nclose #2245')).toBeNull();
    expect(of('Bump 1.2.3 to 1.2.4 and 1.2.5')).toBeNull();
  });

  test('are the issue that is closed, before any other that is named', () => {
    const issues = new Map([
      ['3', 'the words of issue three'],
      ['7', 'the words of request seven'],
    ]);
    expect(issueNumbers(messageOf('Clamp (#7)\n\nFixes #3, see #5'))).toEqual(['3', '7', '5']);
    expect(of('Clamp (#7)\n\nFixes #3', issues)).toBe('the words of issue three');
    expect(of('x', new Map([['c0ffee', 'the words of a commit']]))).toBe('the words of a commit');
  });

  test('come from files of several forms', () => {
    expect(readIssues('{"3": "text"}')).toEqual(new Map([['3', 'text']]));
    const line = '{"number": 3, "title": "a", "body": "b"}';
    expect(readIssues(line)).toEqual(new Map([['3', 'a\n\nb']]));
    expect(readIssues(`${line}\n{"commit": "c0ffee", "body": "c"}\n`)).toEqual(
      new Map([
        ['3', 'a\n\nb'],
        ['c0ffee', 'c'],
      ]),
    );
    expect(readIssues('nothing of it')).toBe('it is neither JSON nor JSON lines');
    expect(readIssues('[{"title": "a"}]')).toBe('issue 1 needs number or commit, and title or body');
  });
});

test('tests by what they did before and with the gold patch', () => {
  const run = (statuses: Record<string, Status>) => new Map(Object.entries(statuses));
  const before = {
    fixed: 'FAILED',
    kept: 'PASSED',
    broke: 'PASSED',
    flaky: 'PASSED',
    off: 'SKIPPED',
    late: 'FAILED',
  } as const;
  const gold = {
    fixed: 'PASSED',
    kept: 'PASSED',
    broke: 'FAILED',
    flaky: 'PASSED',
    off: 'PASSED',
    late: 'PASSED',
    added: 'PASSED',
  } as const;
  const lists = listsOf({
    before: [run(before), run({ ...before, flaky: 'ERROR' })],
    gold: [run(gold), run({ ...gold, late: 'FAILED' })],
  });
  expect(lists).toEqual({
    FAIL_TO_PASS: ['fixed', 'added'],
    PASS_TO_PASS: ['kept'],
    unstable: ['flaky', 'late'],
    broken: ['broke'],
  });
});
