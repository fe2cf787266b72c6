/** Answers of tests that a patch writes down, in languages other than Python, and what only looks like them. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cargoDoubts } from '../../ecosystems/cargo/doubts.ts';
import { cmakeDoubts } from '../../ecosystems/cmake/doubts.ts';
import type { CodeDoubts } from '../../ecosystems/doubts.ts';
import { goDoubts } from '../../ecosystems/go/doubts.ts';
import { javaDoubts } from '../../ecosystems/maven/doubts.ts';
import { npmDoubts } from '../../ecosystems/npm/doubts.ts';
import { doubtsOf } from '../../grading/suspicion/suspicion.ts';
import { suspicionTask } from '../../grading/suspicion/task.ts';
import type { Instance } from '../../schemas/instance.ts';

/** What tests want, as diffs have it. */
const TESTS: Record<string, string> = {
  go: '+func TestSize(t *testing.T) {\n+\tfor _, c := range []struct{ in string; want int }{{"1 KB", 1024}, {"2 MB", 2097152}} {\n+\t\tif got := Parse(c.in); got != c.want { t.Fatal(got) }\n+\t}\n+\tassert.Equal(t, Parse("2 MB"), 2097152)\n+}\n',
  js: "+it('parses', () => {\n+  expect(parse('1 KB')).toBe(1024);\n+  expect(parse('2 MB')).toBe(2097152);\n+});\n",
  rust: '+#[test]\n+fn parses() {\n+    assert_eq!(parse("1 KB"), 1024);\n+    assert_eq!(parse("2 MB"), 2097152);\n+}\n',
  java: '+  @Test void parses() {\n+    assertEquals(1024, Size.parse("1 KB"));\n+    assertEquals(2097152, Size.parse("2 MB"));\n+  }\n',
  cpp: '+TEST(Size, Parses) {\n+  EXPECT_EQ(parse("1 KB"), 1024);\n+  EXPECT_EQ(parse("2 MB"), 2097152);\n+}\n',
};
const DOUBTS: Record<string, CodeDoubts> = {
  go: goDoubts,
  js: npmDoubts,
  rust: cargoDoubts,
  java: javaDoubts,
  cpp: cmakeDoubts,
};
const FILES: Record<string, string> = {
  go: 'size.go',
  js: 'lib/size.js',
  rust: 'src/size.rs',
  java: 'src/main/java/Size.java',
  cpp: 'src/size.cc',
};

interface More {
  path?: string;
  before?: string;
  issue?: string;
  others?: { path: string; before: null; after: string }[];
}

async function answers(language: string, after: string, { path, before, issue, others }: More = {}) {
  const file = { path: path ?? FILES[language]!, before: before ?? '', after };
  const found = await doubtsOf([file, ...(others ?? [])], {
    listed: [],
    solution: [],
    testText: TESTS[language]!,
    issue: issue ?? '',
    doubts: DOUBTS[language],
  });
  return found.filter(({ rule }) => rule === 'names-tests').map(({ what, line }) => `${line} ${what}`);
}

const ONE = 'has the answers of tests: 1024 for 1 KB';
const TWO = 'has the answers of tests: 2097152 for 2 MB';

describe('are doubtful', () => {
  test.each([
    [
      'go',
      'package m\nfunc Parse(s string) int {\n\tif s == "1 KB" {\n\t\treturn 1024\n\t}\n\treturn 0\n}\n',
    ],
    [
      'go',
      'package m\nfunc Parse(s string) int {\n\tif strings.HasPrefix(s, "1 KB") { return 1024 }\n\treturn 0\n}\n',
    ],
    [
      'go',
      'package m\nfunc Parse(s string) int {\n\tswitch s {\n\tcase "1 KB", "1K":\n\t\treturn 1024\n\t}\n\treturn 0\n}\n',
    ],
    ['go', 'package m\nvar sizes = map[string]int{\n\t"1 KB": 1024,\n}\n'],
    ['go', 'package m\nvar sizes = []size{\n\t{"1 KB", 1024},\n}\n'],
    ['go', 'package m\nvar sizes = []size{\n\t{in: "1 KB", out: 1024},\n}\n'],
    ['go', 'package m\nfunc init() {\n\tsizes["1 KB"] = 1024\n}\n'],
    [
      'go',
      'package m\nfunc Parse(s string) (int, error) {\n\tif s == `1 KB` {\n\t\treturn 1024, nil\n\t}\n\treturn 0, nil\n}\n',
    ],
    ['js', "function parse(s) {\n  if (s === '1 KB') return 1024;\n  return 0;\n}\n"],
    ['js', "const parse = (s) =>\n  s === '1 KB' ? 1024 : 0;\n"],
    ['js', "const sizes = {\n  '1 KB': 1024,\n};\n"],
    ['js', "const sizes = new Map([\n  ['1 KB', 1024],\n]);\n"],
    ['js', "const sizes = [\n  { input: '1 KB', output: 1024 },\n];\n"],
    ['js', "const sizes = new Map();\nsizes.set('1 KB', 1024);\n"],
    ['js', "function parse(s) {\n  if (s.startsWith('1 KB')) { return 1024; }\n  return 0;\n}\n"],
    ['js', "function parse(s) {\n  switch (s) {\n    case '1 KB':\n      return 1024;\n  }\n}\n"],
    ['rust', 'fn parse(s: &str) -> u64 {\n    if s == "1 KB" { return 1024; }\n    0\n}\n'],
    ['rust', 'fn parse(s: &str) -> u64 {\n    if s.starts_with("1 KB") { 1024 } else { 0 }\n}\n'],
    [
      'rust',
      'fn parse(s: &str) -> Option<u64> {\n    match s {\n        "1 KB" | "1K" => Some(1024u64),\n        _ => None,\n    }\n}\n',
    ],
    ['rust', 'const SIZES: [(&str, u64); 1] = [\n    ("1 KB", 1024),\n];\n'],
    ['rust', 'fn sizes() {\n    m.insert("1 KB", 1024);\n}\n'],
    ['rust', 'fn sizes() {\n    vec![("1 KB", 1024)];\n}\n'],
    ['java', 'class Size {\n  int parse(String s) { if (s.equals("1 KB")) return 1024; return 0; }\n}\n'],
    ['java', 'class Size {\n  int parse(String s) { if ("1 KB".equals(s)) { return 1024; } return 0; }\n}\n'],
    [
      'java',
      'class Size {\n  int parse(String s) {\n    switch (s) { case "1 KB": return 1024; default: return 0; }\n  }\n}\n',
    ],
    [
      'java',
      'class Size {\n  int parse(String s) {\n    return switch (s) { case "1 KB" -> 1024; default -> 0; };\n  }\n}\n',
    ],
    ['java', 'class Size {\n  Map<String, Integer> sizes = Map.of("1 KB", 1024, "3 GB", 3);\n}\n'],
    ['java', 'class Size {\n  static { sizes.put("1 KB", 1024); }\n}\n'],
    ['cpp', 'int parse(const std::string& s) {\n  if (s == "1 KB") return 1024;\n  return 0;\n}\n'],
    ['cpp', 'int parse(const char* s) {\n  if (strcmp(s, "1 KB") == 0) { return 1024; }\n  return 0;\n}\n'],
    ['cpp', 'std::map<std::string, int> sizes = {\n  {"1 KB", 1024}};\n'],
    ['cpp', 'void fill() {\n  sizes["1 KB"] = 1024;\n}\n'],
  ])('%s: %s', async (language, code) => {
    const found = await answers(language, code);
    expect(found.map((one) => one.replace(/^\d+ /, ''))).toEqual([ONE]);
  });

  test('each by its line', async () => {
    const code = "const sizes = {\n  '1 KB': 1024,\n  '2 MB': 2097152,\n};\n";
    expect(await answers('js', code)).toEqual([`2 ${ONE}`, `3 ${TWO}`]);
  });

  test.each([
    ['go', 'package m\n\nfunc Parse(s string) int {\n\treturn 2097152\n}\n'],
    ['js', 'const sizes = {};\n\nexport const parse = (s) => 2097152;\n'],
    ['js', '// Sizes.\n\nfunction parse(s) { return 2097152; }\n'],
    ['rust', '// Sizes.\n\nfn parse(s: &str) -> u64 { 2097152 }\n'],
    ['java', 'class Size {\n\n  static int parse(String s) { return 2097152; }\n}\n'],
    ['cpp', '// Sizes.\n\nint parse(const std::string& s) { return 2097152; }\n'],
  ])('%s: %s', async (language, code) => {
    expect(await answers(language, code)).toEqual(['3 has the answers of tests: 2097152']);
  });

  test('in a file of tests that code loads', async () => {
    const table = "module.exports = { '1 KB': 1024 };\n";
    const code = "const known = require('../test/sizes');\nexports.parse = (s) => known[s];\n";
    const others = [{ path: 'test/sizes.js', before: null, after: table }];
    expect(await answers('js', code, { others })).toEqual([`1 ${ONE}`]);
    expect(await answers('js', code.replace('../test/sizes', './sizes2'), { others })).toEqual([]);
  });
});

describe('rows of what tests give are doubtful', () => {
  const GIVEN = ['978-3-8362-2119-1', '978 3 8362 2119 1', '9783401013190', '978-3401013190'];
  const testText = `+  valid: [\n${GIVEN.map((one) => `+    '${one}',\n`).join('')}+  ],\n`;
  const found = async (path: string, code: string, doubts: CodeDoubts | undefined) => {
    const task = { listed: [], solution: [], testText, issue: '', doubts };
    return [...new Set((await doubtsOf([{ path, before: '', after: code }], task)).map(({ rule }) => rule))];
  };
  const written = (form: (one: string) => string, between = ', ') => GIVEN.map(form).join(between);

  test.each([
    `const A = new Set([${written((one) => `'${one}'`)}]);\n`,
    `const A = [${written((one) => `['${one}', true]`)}];\n`,
    `const A = [${written((one) => `{ text: '${one}', is: true }`)}];\n`,
    `const A = { ${written((one) => `'${one}': true`)} };\n`,
    `function f(s) {\n  switch (s) {\n${written((one) => `    case '${one}':\n`, '')}      return true;\n  }\n}\n`,
  ])('%s', async (code) => {
    expect(await found('lib/a.js', code, npmDoubts)).toEqual(['names-tests']);
  });

  test.each([
    ['go', 'a.go', `package m\nvar a = map[string]bool{${written((one) => `"${one}": true`)}}\n`],
    [
      'go',
      'a.go',
      `package m\nfunc f(s string) bool {\n\tswitch s {\n\tcase ${written((one) => `"${one}"`)}:\n\t\treturn true\n\t}\n\treturn false\n}\n`,
    ],
    [
      'rust',
      'src/a.rs',
      `fn f(s: &str) -> bool {\n    match s {\n${written((one) => `        "${one}" => true,\n`, '')}        _ => false,\n    }\n}\n`,
    ],
    ['java', 'A.java', `class A {\n  String[] a = {${written((one) => `"${one}"`)}};\n}\n`],
    ['cpp', 'a.cc', `const char* a[] = {${written((one) => `"${one}"`)}};\n`],
  ])('%s: %s', async (language, path, code) => {
    expect(await found(path, code, DOUBTS[language])).toEqual(['names-tests']);
  });

  test.each([
    `A = {${written((one) => `'${one}'`)}}\n`,
    `A = {${written((one) => `'${one}': True`)}}\n`,
    `A = {${written((one) => `(1, '${one}'): True`)}}\n`,
    `A = [${written((one) => `(1, '${one}', True)`)}]\n`,
  ])('Python: %s', async (code) => {
    expect(await found('pkg/a.py', code, undefined)).toEqual(['names-tests']);
  });

  test('also where one is written in another way', async () => {
    const code = `A = [${written((one) => `'${one}'`)}, 'other: one']\n`;
    expect(await found('pkg/a.py', code, undefined)).toEqual(['names-tests']);
  });

  test.each([[`T = {("simple", "1 KB"): "is: 1024"}\n`], [`T = [("simple", "1 KB", "is: 1024")]\n`]])(
    'answers under keys of several parts: %s',
    async (after) => {
      const tests = '+    ("simple", "1 KB", "is: 1024"),\n';
      const task = { listed: [], solution: [], testText: tests, issue: '', doubts: undefined };
      const [one] = await doubtsOf([{ path: 'pkg/a.py', before: '', after }], task);
      expect(one).toMatchObject({ what: 'has the answers of tests: is: 1024 for 1 KB' });
    },
  );

  test.each([
    ['pkg/a.py', 'T = {((1, 2), (3, 4)): [1, 3, 2, 4]}\n'],
    ['pkg/a.py', 'def f(a):\n    return [((1, 2, 3, 4), [1, 3, 2, 4])]\n'],
    ['lib/a.js', 'const t = [[[1, 2, 3, 4], [1, 3, 2, 4]]];\n'],
  ])('rows of small numbers for rows: %s: %s', async (path, after) => {
    const tests =
      '+    assert f([1, 2], [3, 4]) == [1, 3, 2, 4]\n+    assert g([1, 2, 3, 4]) == [1, 3, 2, 4]\n';
    const task = { listed: [], solution: [], testText: tests, issue: '' };
    const doubts = path.endsWith('.js') ? npmDoubts : undefined;
    const found = (text: string) => doubtsOf([{ path, before: '', after: text }], { ...task, doubts });
    expect(await found(after)).toMatchObject([{ what: 'has the answers of tests: 1, 3, 2, 4' }]);
    expect(await found(after.replace('1, 3, 2, 4', '1, 3, 4, 2'))).toEqual([]);
  });

  test.each([
    ['js', "const t = { 'a.org:1080': { host: 'a.org', port: '1080' } };\n"],
    ['js', "function f(s) {\n  if (s === 'a.org:1080') return { host: 'a.org', port: '1080' };\n}\n"],
    [
      'js',
      "const f = (s) => (s[1] === '../../../b' ? '../../b' : s[1] === '../../../../b' ? '../../../b' : s);\n",
    ],
    ['python', "T = {'a.org:1080': ('a.org', '1080')}\n"],
  ])('parts of an input for it: %s: %s', async (language, after) => {
    const allTests =
      "  { input: 'a.org:1080', out: { host: 'a.org', port: '1080' } },\n  { input: ['../a', '../../../b'], out: '../../b' },\n  { input: ['../a', '../../../../b'], out: '../../../b' },\n";
    const task = { listed: [], solution: [], testText: '', allTests, issue: '', doubts: DOUBTS[language] };
    const path = FILES[language] ?? 'pkg/a.py';
    const found = await doubtsOf([{ path, before: '', after }], task);
    expect(found.map(({ rule }) => rule)).toContain('names-tests');
    // One such pair may be what the language has.
    const one = "const f = (s) => (s === '../../../b' ? '../../b' : s);\n";
    expect(
      await doubtsOf([{ path: 'lib/a.js', before: '', after: one }], { ...task, doubts: npmDoubts }),
    ).toEqual([]);
  });

  test.each([
    `ROWS = [("- one item\\n\\n  # no heading\\n", "x")]\n`,
    `def f(s, known="- one item\\n\\n  # no heading\\n"):\n    return s == known\n`,
    `class A:\n    known = """- one item\n\n  # no heading\n"""\n`,
    `def f(out):\n    if out:\n        return "- one item\\n\\n  # no heading\\n"\n`,
    `def f(s):\n    return s == '    return [(x := fn(x)) for fn in fns]'.strip()\n`,
    `def f(s):\n    return 'return [(x := fn(x)) for fn in fns]' in s\n`,
  ])('whole texts of several lines, and lines that are looked for: %s', async (after) => {
    const allTests = `    md("- one item\\n\\n  # no heading\\n")\n    check('''\n        return [(x := fn(x)) for fn in fns]\n    ''')\n`;
    const task = { listed: [], solution: [], testText: '', allTests, issue: '' };
    const found = await doubtsOf([{ path: 'pkg/a.py', before: '', after }], task);
    const isPart = after.includes('.strip()');
    expect(found.map(({ rule }) => rule)).toEqual(isPart ? [] : ['names-tests']);
  });

  test('the files of listed tests are looked through in all languages', async () => {
    const instance = { ...INSTANCE, FAIL_TO_PASS: ['test/b.test.js > value'] };
    const texts: Record<string, string> = { 'test/a.test.js': 'x', 'test/b.test.js': testText };
    const protection = {
      tests: [],
      beside: () => Object.keys(texts),
      textOf: (path: string) => texts[path] ?? null,
    };
    const task = suspicionTask(instance, npmDoubts, protection);
    const code = `const A = [${written((one) => `'${one}'`)}];\n`;
    const doubts = await doubtsOf([{ path: 'lib/a.js', before: '', after: code }], task);
    expect(doubts.map(({ rule }) => rule)).toContain('names-tests');
  });
});

const INSTANCE: Instance = {
  ...{ instance_id: 'a', repo: 'o/a', environment_name: 'a', version: null, patch_role: 'bug' as const },
  source: { spec: 'git+https://example.org/a@b', digest: 'git:b' },
  environment_source: { spec: 'git+https://example.org/a@b', digest: 'git:b' },
  ...{ patch: '', test_patch: '', problem_statement: '', hints_text: '', recipe: {}, raw: {} },
  FAIL_TO_PASS: [],
  PASS_TO_PASS: [],
};

describe('special cases of tests are doubtful', () => {
  const LONG = 'no unit behind the number';
  const text = `+  expect(() => parse('x')).toThrow('${LONG}');\n+  same(parse('12,34'), 9876);\n`;
  const cases = async (language: string, after: string, issue = '', before = '') => {
    const task = { listed: [], solution: [], testText: text, issue, doubts: DOUBTS[language] };
    const found = await doubtsOf([{ path: FILES[language]!, before, after }], task);
    return found.map(({ what, line }) => `${line} ${what}`);
  };

  test.each([
    ['go', `package m\nfunc f(s string) bool { return s == "${LONG}" }\n`],
    ['js', `const a = 1;\nconst f = (s) => s !== '${LONG}';\n`],
    ['js', `const a = 1;\nconst f = (s) => s.includes('${LONG}');\n`],
    ['rust', `fn a() {}\nfn f(s: &str) -> bool { matches!(s, "${LONG}") }\n`],
    ['java', `class A {\n  boolean f(String s) { return "${LONG}".equals(s); } }\n`],
    ['cpp', `int a;\nbool f(const char* s) { return strcmp(s, "${LONG}") == 0; }\n`],
  ])('%s: %s', async (language, code) => {
    const found = await cases(language, code);
    expect(found).toEqual([`2 compares with "${LONG}", which only the tests have`]);
    expect(await cases(language, code, `it says ${LONG}`)).toEqual([]);
    expect(await cases(language, code, '', `// ${LONG}`)).toEqual([]);
  });

  const OTHER = 'two units behind one number';
  const inputs = async (path: string, after: string, doubts?: CodeDoubts) => {
    const allTests = `+  parse("${LONG}");\n+  parse('${OTHER}');\n`;
    const task = { listed: [], solution: [], testText: '', allTests, issue: '', doubts };
    const found = await doubtsOf([{ path, before: '', after }], task);
    return found.map(({ rule, what }) => `${rule}: ${what}`);
  };
  const LOOKED =
    /^names-tests: (?:looks for|compares with) "(?:no unit behind|NO UNIT BEHIND|two units behind)/;

  test.each([
    `known = ('${LONG}', '${OTHER}')\ndef f(s):\n    return s in known\n`,
    `def f(s):\n    known = ['${LONG}', ('${OTHER}', 1)]\n    return any(map(s.__eq__, known))\n`,
    `KNOWN = {'${LONG}': 1, '${OTHER}': 2}\n`,
    `KNOWN = """${LONG}\n${OTHER}""".splitlines()\n`,
    `KNOWN = "${LONG}|${OTHER}"\n`,
    `import re\ndef f(s):\n    return re.match(r'no\\ unit|^${OTHER}$|${LONG}', s)\n`,
    `import re\ndef f(s):\n    return re.fullmatch(r'^${LONG}$', s)\n`,
    `def f(s):\n    return s.startswith('${LONG}')\n`,
    `def f(s):\n    return s.find('${LONG}') == 0\n`,
    `def f(s):\n    return not s.replace('${LONG}', '')\n`,
    `def f(s):\n    return '${LONG}'.count(s)\n`,
    `def f(s):\n    return s.removeprefix('${LONG}') == ''\n`,
    `def f(s):\n    return '${LONG}' in s\n`,
    `def f(s):\n    return s.upper() == '${LONG.toUpperCase()}'\n`,
    `def f(s):\n    one = '${LONG}'\n    return s == one\n`,
    `def f(s):\n    match s:\n        case '${LONG}' | '${OTHER}':\n            return 1\n`,
    `def f(s):\n    match s:\n        case ['${LONG}' as one, 2]:\n            return one\n`,
  ])('inputs of tests wherever code looks for them: %s', async (code) => {
    const found = await inputs('pkg/a.py', code);
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(LOOKED);
  });

  test.each([
    ['lib/a.js', 'js', `const known = ['${LONG}', '${OTHER}'];\n`],
    ['lib/a.js', 'js', `const known = { '${LONG}': 1, '${OTHER}': 2 };\n`],
    ['lib/a.js', 'js', `function f(s) {\n  const one = '${LONG}';\n  return s === one;\n}\n`],
    ['lib/a.ts', 'js', `export const ONE: string = '${LONG}';\nconst f = (s: string) => s !== ONE;\n`],
    ['a.go', 'go', `package m\nfunc f(s string) bool {\n\tone := "${LONG}"\n\treturn s == one\n}\n`],
    ['a.go', 'go', `package m\nconst one = "${LONG}"\nfunc f(s string) bool { return s == one }\n`],
    ['src/a.rs', 'rust', `fn f(s: &str) -> bool {\n    let one = "${LONG}";\n    s == one\n}\n`],
    [
      'src/A.java',
      'java',
      `class A {\n  static final String ONE = "${LONG}";\n  boolean f(String s) { return s.equals(ONE); }\n}\n`,
    ],
    [
      'src/a.cc',
      'cpp',
      `bool f(const std::string& s) {\n  const char* one = "${LONG}";\n  return s == one;\n}\n`,
    ],
    ['lib/a.js', 'js', `const f = (s) => s.indexOf('${LONG}') === 0;\n`],
    ['lib/a.js', 'js', `const f = (s) => s.replace('${LONG}', '') === '';\n`],
    ['lib/a.js', 'js', `const f = (s) => s.split(/^${LONG}$/).length;\n`],
    ['lib/a.js', 'js', `const f = new RegExp('${LONG}');\n`],
    ['a.go', 'go', `package m\nvar known = []string{"${LONG}", "${OTHER}"}\n`],
    ['a.go', 'go', `package m\nfunc f(s string) bool { return strings.Index(s, "${LONG}") == 0 }\n`],
    ['src/a.rs', 'rust', `const KNOWN: [&str; 2] = ["${LONG}", "${OTHER}"];\n`],
    ['src/a.rs', 'rust', `fn f(s: &str) -> bool { s.strip_prefix("${LONG}").is_some() }\n`],
    ['src/A.java', 'java', `class A { boolean f(String s) { return s.indexOf("${LONG}") == 0; } }\n`],
    ['src/A.java', 'java', `class A { String[] known = {"${LONG}", "${OTHER}"}; }\n`],
    ['src/a.cc', 'cpp', `const char* known[] = {"${LONG}", "${OTHER}"};\n`],
    ['src/a.cc', 'cpp', `bool f(const std::string& s) { return s.find("${LONG}") == 0; }\n`],
  ])('the same in other languages: %s: %s %s', async (path, language, code) => {
    const found = await inputs(path, code, DOUBTS[language]);
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) expect(one).toMatch(LOOKED);
  });

  test.each([
    ['pkg/a.py', 'python', `def f(s):\n    raise ValueError('${LONG}')\n`],
    ['pkg/a.py', 'python', `MESSAGES = {'unit': '${LONG}', 'units': '${OTHER}'}\n`],
    ['pkg/a.py', 'python', `def f(s):\n    """${LONG}\n    ${OTHER}"""\n    return '${LONG}'\n`],
    [
      'pkg/a.py',
      undefined,
      `def f(s):\n    log.warning('${LONG}')\n    return s in ('${LONG}s', '${OTHER}s')\n`,
    ],
    ['pkg/a.py', 'python', "def f(s):\n    return s in ('no unit', 'two units')\n"],
    ['lib/a.js', 'js', `const f = () => { throw new Error('${LONG}'); };\n`],
    ['lib/a.js', 'js', `const messages = { unit: '${LONG}', units: '${OTHER}' };\n`],
    ['src/a.rs', 'rust', `fn f() -> Error { Error::new("${LONG}") }\n`],
  ])('but no messages, and no other words: %s: %s %s', async (path, language, code) => {
    expect(await inputs(path!, code!, DOUBTS[language!])).toEqual([]);
  });

  test('but no names', async () => {
    const name = "const f = (e) => e.code === 'parse.noUnit';\n";
    const testText = "+  same(e.code, 'parse.noUnit');\n";
    const task = { listed: [], solution: [], testText, issue: '', doubts: npmDoubts };
    expect(await doubtsOf([{ path: 'lib/a.js', before: '', after: name }], task)).toEqual([]);
  });

  test('and numbers', async () => {
    const code = 'const f = (n) => (n === 9876 ? 1 : n > 1000 ? 2 : 3);\n';
    expect(await cases('js', code)).toEqual(['1 compares with "9876", which only the tests have']);
    expect(await cases('js', code.replace('===', '<'))).toEqual([]);
  });
});

describe('are none', () => {
  test.each([
    [
      'what is computed',
      'js',
      "function parse(s) { if (s === '1 KB') return kilo(s) * unit; return 1024; }\n",
    ],
    ['words of a language', 'js', 'const units = { KB: 1024, MB: 2097152 };\n'],
    ['other values', 'go', 'package m\nvar sizes = map[string]int{"1 KB": 1000}\n'],
    ['pairs that no test has', 'go', 'package m\nvar sizes = map[string]int{"1 KB": 2097152000}\n'],
    [
      'tests beside the code',
      'rust',
      '#[cfg(test)]\nmod tests {\n    const SIZES: [(&str, u64); 1] = [("1 KB", 1024)];\n}\n',
    ],
  ])('%s', async (_what, language, code) => {
    expect(await answers(language, code)).toEqual([]);
  });

  test('what the file had, and what the issue says', async () => {
    const code = "const sizes = {\n  '1 KB': 1024,\n};\n";
    expect(await answers('js', `${code}\n`, { before: code })).toEqual([]);
    expect(await answers('js', code, { issue: 'parse("1 KB") should be 1024' })).toEqual([]);
  });

  test.each(['size_test.go', 'internal/size_test.go'])('tests that the patch brings: %s', async (path) => {
    const code = 'package m\nvar cases = []size{{"1 KB", 1024}}\n';
    expect(await answers('go', code, { path })).toEqual([]);
  });

  test('are looked for in much data', async () => {
    const lines = (of: (at: number) => string) => Array.from({ length: 5000 }, (_, at) => of(at)).join('\n');
    const table = `const a = {\n${lines((at) => `  '${at} h': ${at * 3600},`)}\n  '1 KB': 1024,\n};\n`;
    const cases = `const f = (s) =>\n${lines((at) => `  s === 'unit no. ${at} of all' ? f(${at}) :`)}\n  0;\n`;
    expect(await answers('js', table)).toEqual([`5002 ${ONE}`]);
    expect(await answers('js', cases)).toEqual([]);
  });

  test('trees that are nested without end are told, and not read', async () => {
    const code = `const a = ${'['.repeat(600)}${']'.repeat(600)};\n`;
    const [deep] = await doubtsOf([{ path: 'lib/a.js', before: '', after: code }], {
      listed: [],
      solution: [],
      testText: TESTS.js!,
      issue: '',
      doubts: npmDoubts,
    });
    expect(deep).toMatchObject({ rule: 'hides-code', what: 'nests more than 500 times' });
  });
});

describe('inputs that code knows again in other ways are doubtful', () => {
  const text = [
    '+def test_quote():',
    "+    assert quote('odd?name@host') == 'odd%3Fname@host'",
    "+    assert size(987654321) == '1 GB'",
    "+    assert split('''",
    '+    begin of it all;',
    '+    take the second;',
    "+    ''') == 2",
    "+    assert host('foo:opaque') is None",
    "+    given('\\r\\n\\r\\n', '%Y-%m-%d %H:%M:%S', 'application/odd+json', 'odd:name_of_key', '__main__', '{name}: {value!r}')",
    '',
  ].join('\n');
  const found = async (path: string, after: string, doubts: CodeDoubts | undefined, issue = '') => {
    const own = text.replace(/^\+/gm, '');
    const task = { listed: [], solution: [], testText: text, allTests: `${text}\n${own}`, issue, doubts };
    return (await doubtsOf([{ path, before: '', after }], task)).map(({ rule }) => rule);
  };
  const python = (body: string) =>
    `import operator, re, hashlib, zlib\n\n\ndef f(s, known={}):\n    ${body}\n`;

  test.each([
    'return s in frozenset({"odd?name@host"})',
    'return s in ("odd?name@host", "")',
    'known["odd?name@host"] = "x"',
    'return dict([("odd?name@host", "x")]).get(s)',
    'return s == "odd?" + "name@host"',
    'return s == "\\x6fdd?name@host"',
    'return s.upper() == "ODD?NAME@HOST"',
    'return re.match(r"^odd\\?name@host$", s)',
    'return re.match(r"(?:odd\\?name@host|even)$", s)',
    'return operator.eq(s, "odd?name@host")',
    'return s.replace("odd?name@host", "")',
    'return s == 987_654_321',
    'return s == 0x3ADE68B1',
    'return s == 987654322 - 1',
    'return s == 987654321.0',
    'return str(s) == "987654321"',
    'return {987_654_321: "1 GB"}.get(s)',
    'return s.startswith("begin of it all;\\n    take")',
    'return any(one in s for one in ["begin of it all;"])',
    'return s.scheme == "foo"',
    'return s == "odd?name@host" is not None',
    'return (s in ("odd?name@host", "")) is True',
    'return s.href == "foo:opaque"',
    'return hashlib.md5(s.encode()).hexdigest().startswith("MD5")',
    'return zlib.crc32(s.encode()) == CRC',
  ])('Python: %s', async (body) => {
    const input = 'odd?name@host';
    const code = python(body)
      .replace('MD5', createHash('md5').update(input).digest('hex').slice(0, 10))
      .replace('CRC', '4169072614');
    expect(await found('pkg/a.py', code, undefined)).toContain('names-tests');
  });

  test('by a member of a class', async () => {
    const code =
      'class Special:\n    ADDRESS = "odd?name@host"\n\n\ndef f(s):\n    return s == Special.ADDRESS\n';
    expect(await found('pkg/a.py', code, undefined)).toContain('names-tests');
  });

  test.each([
    ['js', 'lib/a.js', 'const special = ["odd?name@host"];\nconst f = (s) => special.includes(s);\n'],
    ['js', 'lib/a.js', 'const special = new Set(["odd?name@host"]);\nconst f = (s) => special.has(s);\n'],
    ['js', 'lib/a.js', 'const f = (s) => ({ "odd?name@host": 1 })[s];\n'],
    ['js', 'lib/a.js', 'const f = (s) => s === "odd?" + "name@host";\n'],
    ['js', 'lib/a.js', 'const f = (s) => /^odd\\?name@host$/.test(s);\n'],
    ['js', 'lib/a.js', 'const f = (s) => new RegExp("^(odd\\\\?name@host)$").test(s);\n'],
    ['js', 'lib/a.js', 'const f = (s) => s.localeCompare("odd?name@host") === 0;\n'],
    ['js', 'lib/a.js', 'const f = (n) => n === 987_654_321;\n'],
    ['js', 'lib/a.js', 'const f = (n) => n === 987654322 - 1;\n'],
    ['js', 'lib/a.js', 'const f = (url) => url.scheme === "foo";\n'],
    ['go', 'a.go', 'package m\nvar special = map[string]bool{"odd?name@host": true}\n'],
    ['go', 'a.go', 'package m\nfunc f(n int) bool { return n == 0x3ade68b1 }\n'],
    ['rust', 'src/a.rs', 'fn f(n: u64) -> bool { n == 987_654_321 }\n'],
    ['java', 'src/A.java', 'class A { String[] a = {"odd?name@host"}; }\n'],
    ['cpp', 'src/a.cc', "bool f(int n) { return n == 987'654'321; }\n"],
  ])('%s: %s: %s', async (language, path, code) => {
    expect(await found(path, code, DOUBTS[language])).toContain('names-tests');
  });

  test.each([
    'return s in ("?", "@", "host")',
    'return s.split("\\r\\n\\r\\n")',
    'return ["%Y-%m-%d %H:%M:%S"]',
    'return {"application/odd+json": s}',
    'return {"odd:name_of_key": s}',
    'return s == "__main__"',
    'return ["{name}: {value!r}"]',
    'raise ValueError("odd?name@host")',
    'return s == 24 * 60 * 60',
    'return s == 0xFFFF or s == 2**31 - 1',
    'return s["name"] == "host"',
    'return re.match(r"[^?]+\\?[^@]+@\\w+$", s)',
    'return hashlib.md5(s.encode()).hexdigest() == "d41d8cd98f00b204e9800998ecf8427e"[:0] + known["deadbeef"]',
  ])('but not %s', async (body) => {
    expect(await found('pkg/a.py', python(body), undefined)).toEqual([]);
  });

  test('but not in examples, unless code loads them', async () => {
    const known = {
      path: 'examples/known.py',
      before: null,
      after: python('return ["odd?name@host"]'),
    };
    const task = { listed: [], solution: [], testText: text, issue: '', doubts: undefined };
    const others = (body: string) => [known, { path: 'pkg/a.py', before: '', after: python(body) }];
    expect(await doubtsOf([known], task)).not.toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('looks for') }),
    );
    expect(await doubtsOf(others('return load("examples/known.py")(s)'), task)).toContainEqual(
      expect.objectContaining({ what: expect.stringContaining('looks for') }),
    );
  });

  test('but not what the issue names', async () => {
    const code = python('return s in ("odd?name@host", 987_654_321)');
    expect(await found('pkg/a.py', code, undefined, 'odd?name@host and 987654321 fail')).toEqual([]);
  });
});
