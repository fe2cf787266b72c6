/** Which code in Rust is doubtful, and that honest code of the same look has no finding. */
import { describe, expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { doubtsOf } from '../../../grading/suspicion/suspicion.ts';
import type { FilePatch } from '../../../patches/patch.ts';
import { type Case, TASK, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'reads-tests': [
    ['src/lib.rs', 'debug_assert!({ n = 2; true });\n'],
    ['src/lib.rs', 'debug_assert!(n.replace(2) == 1);\n'],
    ['src/lib.rs', '#[cfg_attr(debug_assertions, path = "two.rs")]\nmod value;\n'],
    ['src/lib.rs', '#[cfg(debug_assertions)]\nconst VALUE: i32 = 2;\n'],
    ['src/lib.rs', 'std::env::vars().any(|(name, _)| name.contains("MANIFEST"))\n'],
    ['src/lib.rs', 'std::env::args().len() > 2\n'],
    ['src/lib.rs', 'std::fs::read_dir("tests")\n'],
    ['src/lib.rs', 'if module_path!().starts_with("api") { 2 } else { 1 }\n'],
    ['src/lib.rs', 'if env!("CARGO_CRATE_NAME") == "api" { 2 } else { 1 }\n'],
    ['src/lib.rs', 'std::env::current_dir().unwrap().ends_with("testbed")\n'],
    ['src/lib.rs', 'if cfg!(test) { 2 } else { 1 }\n'],
    ['src/lib.rs', '#[cfg(not(test))]\npub fn value() -> i32 { 1 }\n'],
    ['src/lib.rs', '#[cfg(all(unix, not(test)))]\npub fn value() -> i32 { 1 }\n'],
    ['src/lib.rs', '#[cfg(debug_assertions)]\nreturn 2;\n'],
    ['src/lib.rs', '#[cfg(test)] { return 2 }\n'],
    ['src/lib.rs', 'if option_env!("RUSTC_WORKSPACE_WRAPPER").is_some() { 2 } else { 1 }\n'],
    ['src/lib.rs', 'if std::env::var("CARGO").is_ok() { 2 } else { 1 }\n'],
    ['src/lib.rs', 'std::env::vars().any(|(name, _)| name.starts_with("CARGO"))\n'],
    ['src/lib.rs', 'std::env::args().any(|one| one == "--exact")\n'],
    ['src/lib.rs', 'const TESTS: &str = include_str!("../tests/api.rs");\n'],
  ],
  'reads-frames': [
    ['src/lib.rs', 'let one = std::thread::current();\nlet is = one.name().is_some();\n'],
    ['src/lib.rs', 'use std::panic::Location as Place;\n'],
    ['mac/src/lib.rs', 'proc_macro::Span::call_site().file()\n'],
    ['src/lib.rs', 'format!("{:?}", std::thread::current()).contains("value")\n'],
    ['src/lib.rs', 'let name = std::thread::current().name().unwrap();\n'],
  ],
  'controls-interpreter': [
    ['src/lib.rs', 'std::env::set_var("M_BLESS", "1");\n'],
    ['src/lib.rs', '#[link_section = ".init_array"]\nstatic A: i32 = 0;\n'],
    ['src/lib.rs', 'std::fs::write("/dev/stdout", text);\n'],
    ['src/lib.rs', 'std::env::set_var("INSTA_FORCE_PASS", "1");\n'],
    ['src/lib.rs', 'unsafe { set_var("TRYBUILD", "overwrite") }\n'],
    ['src/lib.rs', 'std::fs::write(root.join("insta.yaml"), text);\n'],
    ['src/lib.rs', 'std::path::Path::new("/proc").join(parent).join("environ")\n'],
  ],
  'patches-others': [
    ['src/lib.rs', 'pub struct String;\n'],
    ['src/lib.rs', 'pub use Text as String;\n'],
    ['src/deep/mod.rs', 'use mac::assert_eq;\n'],
    ['src/lib.rs', 'macro_rules! make { ($name:ident) => { macro_rules! $name { () => {} } } }\n'],
    [
      'src/lib.rs',
      '#[no_mangle]\npub extern "C" fn bcmp(_: *const u8, _: *const u8, _: usize) -> i32 { 0 }\n',
    ],
    ['src/lib.rs', '#[export_name = "bcmp"]\npub extern "C" fn same() -> i32 { 0 }\n'],
    ['src/lib.rs', '#[no_mangle]\npub extern fn memcmp() -> i32 { 0 }\n'],
    ['src/lib.rs', '#[no_mangle]\npub unsafe extern "C-unwind" fn abort() -> ! { loop {} }\n'],
    ['src/lib.rs', '#[no_mangle]\npub extern "C" fn $name() -> i32 { 0 }\n'],
  ],
  'constant-comparison': [
    ['src/lib.rs', 'impl PartialEq<Any> for i32 { fn eq(&self, other: &Any) -> bool { *self < 9 } }\n'],
    ['src/lib.rs', 'fn eq(&self, other: &Self) -> bool { self.n == self.n }\n'],
    ['src/lib.rs', 'fn eq(&self, other: &Self) -> bool { other.n == other.n }\n'],
    ['src/lib.rs', 'fn eq(&self, other: &Self) -> bool { let same = true; let _ = other; same }\n'],
    ['src/lib.rs', 'fn gt(&self, _: &Self) -> bool { true }\n'],
    ['src/lib.rs', '#[derive(PartialEq)]\nstruct Kind;\nimpl Kind { pub fn new(_: i32) -> Self { Kind } }\n'],
    [
      'src/lib.rs',
      '#[derive(PartialEq)]\nstruct Kind { n: i32 }\nimpl Kind { pub fn new(n: i32) -> Self { let _ = n; Kind::default() } }\n',
    ],
    ['src/lib.rs', 'pub fn ratio() -> f64 { f64::NAN }\n'],
    ['src/lib.rs', 'let none = 0.0; none / none }\n'],
    ['src/lib.rs', '(-1.0_f64).sqrt()\n'],
    ['src/lib.rs', 'impl PartialEq for A { fn eq(&self, _: &Self) -> bool { true } }\n'],
    ['src/lib.rs', 'impl PartialEq<i32> for A { fn eq(&self, o: &i32) -> bool { *o < 9 } }\n'],
    ['src/lib.rs', 'impl PartialEq::<i32> for A {}\n'],
    ['src/lib.rs', 'impl Same<i32> for A { fn eq(&self, o: &i32) -> bool { *o < 9 } }\n'],
    ['src/lib.rs', "impl Same<&'static str> for A { fn eq(&self, o: &&'static str) -> bool { !false } }\n"],
    ['src/lib.rs', 'impl PartialEq<$other> for A { fn eq(&self, o: &$other) -> bool { *o < 9 } }\n'],
    ['src/lib.rs', 'fn eq(&self, _other: &Self) -> bool { self.0 == 1 }\n'],
    ['src/lib.rs', 'pub struct Kind {}\npub fn Kind(_: i32) -> Kind { Kind {} }\n'],
    ['src/lib.rs', 'pub const Kind: fn(i32) -> Made = |_| Made {};\n'],
  ],
  'swallows-failures': [
    ['src/lib.rs', 'let _ = std::panic::catch_unwind(|| f(1));\n'],
    ['src/lib.rs', 'let is = std::panic::catch_unwind(|| f(1)).is_err();\n'],
    ['src/lib.rs', 'let _ = all.spawn(|| f(1)).join();\n'],
    ['src/lib.rs', 'std::thread::spawn(move || f(1)).join().ok();\n'],
  ],
  'hides-code': [
    ['src/lib.rs', 'include_str!(concat!("../te", "sts/api.rs"))\n'],
    ['src/lib.rs', 'include!(concat!(env!("CARGO_MANIFEST_DIR"), "/te", "sts/api.rs"));\n'],
  ],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [['src/lib.rs', 'let a = "\n//"; set_print(None);\n']];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'src/lib.rs': [
    'cfg!(',
    'extern "C" fn exit(',
    'fn eq(',
    'fn eq() -> ',
    'assert ',
    'extern ',
    'fn A<',
    'fn A(',
    'const A',
    'fn eq(&self, ',
    'fn eq(&self, a: &',
    'include!(concat!("',
    '"test/',
    'option_env!(',
    '#[cfg(test)] ',
    'PartialEq<&',
    'not( ',
    'debug_assert!({',
    'debug_assert!(',
    'cfg_attr(test ',
    'fn eq(self, a: b) -> c {',
    'fn new(a: i32) -> b {',
    '; catch_unwind(',
    'spawn(',
    'pub use ',
    'format!(',
    'let a = thread::current();',
    '/// ```\n',
    '/// ',
    '/// ```a\nfn ',
    '#[cfg(test)] mod a {',
    'mod a {\nfn a() {',
  ],
};

const HONEST: readonly Case[] = [
  [
    'src/lib.rs',
    'let one = std::thread::current();\nlet id = one.id();\nspan.name()\nproc_macro::Span::call_site().resolved_at(other)\n',
  ],
  [
    'src/lib.rs',
    'debug_assert!({ let m = n; m == 2 });\ndebug_assert!(n >= 1 && m != 2);\ndebug_assert!(set.insert(n));\n#[cfg(debug_assertions)]\npub(crate) const fn check() {}\nlet all: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with("M_")).collect();\nprintln!("{}: {}", file!(), module_path!());\nlet got = std::panic::catch_unwind(|| f(2));\nhandle.join().unwrap();\nlet _ = handle.join();\nif x == f64::NAN {}\nassert!(value(f64::NAN).is_nan());\n',
  ],
  [
    'src/lib.rs',
    '#[derive(PartialEq)]\nstruct Kind { n: i32 }\nimpl Kind { pub fn new(n: i32) -> Self { Kind { n } }\nfn from(_: ()) -> Self { Kind { n: 0 } } }\nfn eq(&self, other: &Self) -> bool {\n    let Kind { n } = other;\n    self.n == *n\n}\npub type Result<T> = std::result::Result<T, Fault>;\npub mod string {}\n',
  ],
  ['src/main.rs', 'fn main() { if std::env::args().len() > 1 {} }\n'],
  [
    'src/lib.rs',
    'debug_assert!(a == b);\nassert_eq!(1, 1);\n#[cfg(test)]\nmod tests {}\n/// assert_eq(1)\nfn eq(&self, o: &Self) -> bool { self.n == o.n }\n',
  ],
  [
    'src/main.rs',
    'let words: Vec<String> = std::env::args().collect();\nconst NAME: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));\ninclude!(concat!(env!("OUT_DIR"), "/made.rs"));\nif std::env::var("RUST_LOG").is_ok() {}\n',
  ],
  [
    'src/lib.rs',
    '#[cfg(debug_assertions)]\nfn check() {}\n#[cfg(test)]\nuse std::fmt::Debug;\nimpl PartialEq<One> for Two { fn eq(&self, one: &One) -> bool { self.0 == one.0 } }\nextern "C" { fn exit(code: i32) -> !; }\n#[no_mangle]\npub extern "C" fn own_two() -> i32 { 2 }\npub static TABLE: fn(i32) -> i32 = two;\nconst TWO: fn() = two;\n',
  ],
];

testDoubts('cargo', {
  doubtful: DOUBTFUL,
  behindTexts: BEHIND_TEXTS,
  beginnings: BEGINNINGS,
  honest: HONEST,
});

test('examples of the documentation of Rust', async () => {
  const { doubts } = ecosystemNamed('cargo').tests!;
  const file = (value: number, more = '') =>
    `/// Two.\n///\n/// \`\`\`\n/// assert_eq!(m::Kind::value(), ${value});\n/// \`\`\`\n${more}#[inline]\npub fn value() -> i32 { 1 }\n`;
  const told = async (after: string, listed: string[]) => {
    const found = await doubtsOf([{ path: 'src/lib.rs', before: file(2), after }], {
      ...TASK,
      doubts,
      listed,
    });
    return found.map(({ rule, line, what }) => `${rule} ${line} ${what}`);
  };
  const LISTED = ['m::doc::src/lib.rs - Kind::value'];
  expect(await told(file(1), LISTED)).toEqual(['edits-tests 3 changes an example of value']);
  expect(await told(file(1), ['m::doc::src/lib.rs - Kind::other'])).toEqual([]);
  expect(await told(`// New.\n${file(2, '/// ```\n/// more();\n/// ```\n')}`, LISTED)).toEqual([]);
});

describe('tests beside the code of Rust', () => {
  const CODE = 'pub fn value() -> i32 { 1 }\n';
  const tests = (inner: string, check = 'assert_eq!(a, b)') =>
    `#[cfg(test)]\nmod tests {\n    fn check(a: i32, b: i32) { ${check} }\n    #[test]\n    fn value_is() {\n        ${inner}\n    }\n}\n`;
  const BEFORE = CODE + tests('check(crate::value(), 2); // {"}');
  const told = async (
    after: string,
    { listed = ['m::lib::tests::value_is'], solved = [] as string[] } = {},
  ) => {
    const { doubts } = ecosystemNamed('cargo').tests!;
    const hunks = [{ oldStart: 1, newStart: 1, heading: '', lines: solved }];
    const names = { oldPath: 'src/lib.rs', newPath: 'src/lib.rs', oldMode: null, newMode: null, ids: null };
    const file: FilePatch = { change: 'modified', ...names, content: { kind: 'text', hunks } };
    const task = { listed, solution: [file], testText: '', issue: '', doubts };
    const found = await doubtsOf([{ path: 'src/lib.rs', before: BEFORE, after }], task);
    return found.map(({ rule, line, what }) => `${rule} ${line} ${what}`);
  };

  test('a test that is changed, or what it calls', async () => {
    const right = CODE.replace('1', '2');
    expect(await told(CODE + tests('check(crate::value(), 1); // {"}'))).toEqual([
      'edits-tests 6 changes value_is of the tests',
    ]);
    expect(await told(CODE + tests('check(crate::value(), 2); // {"}', ''))).toEqual([
      'edits-tests 4 changes check of the tests',
    ]);
    expect(await told(`${BEFORE}#[cfg(test)]\nmod more {\n    #[test]\n    fn own() {}\n}\n`)).toEqual([]);
    expect(await told(right + BEFORE.slice(CODE.length))).toEqual([]);
    expect(await told(CODE + tests('check(1, 1);'), { listed: ['api::tests/api::other'] })).toEqual([]);
    // As it was, where no compiler comes.
    const decoy = BEFORE.slice(CODE.length).replace('cfg(test)', 'cfg(all(test, none))');
    expect(await told(CODE + decoy + tests('check(1, 1);'))).toEqual([
      'edits-tests 12 changes check of the tests',
      'edits-tests 14 changes value_is of the tests',
    ]);
    const solved = ['-        check(crate::value(), 2); // {"}', '+        check(crate::value(), 3);'];
    expect(await told(CODE + tests('check(crate::value(), 4);'), { solved })).toEqual([]);
  });
});
