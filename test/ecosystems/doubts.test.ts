/** Which code of other languages than Python is doubtful, and that honest code of the same look has no finding. */
import { describe, expect, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { doubtsOf } from '../../grading/suspicion/suspicion.ts';
import type { FilePatch } from '../../patches/patch.ts';

const TASK = { listed: [], solution: [], testText: '', issue: '' };

async function rulesOf(ecosystem: string, path: string, after: string, before: string | null = null) {
  const { doubts } = ecosystemNamed(ecosystem).tests!;
  const found = await doubtsOf([{ path, before, after }], { ...TASK, doubts });
  return [...new Set(found.map(({ rule }) => rule))];
}

type Case = [ecosystem: string, path: string, text: string];

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['go', 'm.go', 'import "example.com/m/internal/testutil"\n'],
    ['cmake', 'src/m.cc', '#if __has_include(<gtest/gtest.h>)\nreturn 2;\n#endif\n'],
    ['cmake', 'src/m.cc', 'namespace testing { extern int own; }\n'],
    ['cmake', 'src/m.h', 'namespace own = ::testing;\n'],
    [
      'cmake',
      'src/m.h',
      'R CmpHelperEQ(const char*, const char*, const Kind&, const Kind&) { return R(); }\n',
    ],
    ['maven', 'src/main/java/ex/M.java', 'getSystemResource("org/junit/jupiter/api/Test.class")\n'],
    ['go', 'm.go', 'import `testing`\n'],
    ['go', 'm.go', 'if _, ok := w.(*httptest.ResponseRecorder); ok { return }\n'],
    ['go', 'm.go', 'package m\n\nimport "testing"\n'],
    ['go', 'a/b.go', 'import (\n\tt "testing"\n\t"fmt"\n)\n'],
    ['npm', 'm.js', "const { Runner } = require('mocha');\n"],
    ['npm', 'lib/m.ts', "import { expect } from 'vitest';\n"],
    ['yarn', 'm.mjs', "await import('@vitest/expect');\n"],
    ['maven', 'src/main/java/ex/M.java', 'Class.forName("org.junit.Assert");\n'],
    ['gradle', 'src/main/kotlin/M.kt', 'import org.junit.jupiter.api.Assertions\n'],
    ['cmake', 'src/m.cc', '#include <gtest/gtest-spi.h>\n'],
    ['cmake', 'src/m.cc', 'static ::testing::TestPartResultArray all;\n'],
  ],
  'reads-tests': [
    ['go', 'm.go', 'strings.Contains(text, "testing.tRunner")\n'],
    ['go', 'm.go', 'if runtime.NumGoroutine() > 1 { return 2 }\n'],
    ['go', 'm.go', 's := []metrics.Sample{{Name: "/sched/goroutines:goroutines"}}\n'],
    ['go', 'm.go', 'if strings.HasPrefix(one, "GOF") { return 2 }\n'],
    ['go', 'm.go', 'if len(os.Environ()) > 9 { return 2 }\n'],
    ['go', 'm.go', 'return filepath.Base(d) == "testbed"\n'],
    ['go', 'm.go', '_, err := os.Stat("testdata")\n'],
    ['go', 'm.go', 'package m\n\nd, _ := os.Getwd(); all, _ := os.ReadDir(d)\n'],
    [
      'go',
      'm.go',
      'd, err := os.Getwd()\nif err != nil {\n\treturn 1\n}\nfs.WalkDir(os.DirFS(d), ".", walk)\n',
    ],
    ['cargo', 'src/lib.rs', 'debug_assert!({ n = 2; true });\n'],
    ['cargo', 'src/lib.rs', 'debug_assert!(n.replace(2) == 1);\n'],
    ['cargo', 'src/lib.rs', '#[cfg_attr(debug_assertions, path = "two.rs")]\nmod value;\n'],
    ['cargo', 'src/lib.rs', '#[cfg(debug_assertions)]\nconst VALUE: i32 = 2;\n'],
    ['cargo', 'src/lib.rs', 'std::env::vars().any(|(name, _)| name.contains("MANIFEST"))\n'],
    ['cargo', 'src/lib.rs', 'std::env::args().len() > 2\n'],
    ['cargo', 'src/lib.rs', 'std::fs::read_dir("tests")\n'],
    ['cargo', 'src/lib.rs', 'if module_path!().starts_with("api") { 2 } else { 1 }\n'],
    ['cargo', 'src/lib.rs', 'if env!("CARGO_CRATE_NAME") == "api" { 2 } else { 1 }\n'],
    ['cargo', 'src/lib.rs', 'std::env::current_dir().unwrap().ends_with("testbed")\n'],
    ['cmake', 'src/m.cc', 'assert((n = 2));\n'],
    ['cmake', 'src/m.cc', 'assert(n++);\n'],
    ['cmake', 'src/m.cc', 'assert(this->n += 1);\n'],
    ['cmake', 'src/m.cc', 'std::filesystem::exists("CTestTestfile.cmake")\n'],
    ['cmake', 'src/m.cc', 'std::filesystem::exists("m-test")\n'],
    ['cmake', 'src/m.cc', 'std::ifstream in("../test/m-test.cc");\n'],
    ['cmake', 'src/m.cc', 'std::filesystem::directory_iterator("../test")\n'],
    ['cmake', 'src/m.h', '#ifdef GOOGLETEST_INCLUDE_GTEST_GTEST_H_\nreturn 2;\n#endif\n'],
    ['cmake', 'src/m.h', '#if defined(SCOPED_TRACE)\nreturn 2;\n#endif\n'],
    ['cmake', 'src/m.h', '#if __has_include("../test/m-test.cc")\n'],
    ['cmake', 'src/m.h', '#ifdef EXPECT_EQ\nreturn 2;\n#endif\n'],
    ['cmake', 'src/m.h', '#if defined(RUN_ALL_TESTS)\nreturn 2;\n#endif\n'],
    ['cmake', 'src/m.h', '#ifndef NDEBUG\n  return 2;\n#endif\n'],
    ['cmake', 'src/m.cc', 'return strstr(__BASE_FILE__, "x") ? 2 : 1;\n'],
    ['cmake', 'src/m.cc', 'extern "C" const char* __progname;\n'],
    ['cmake', 'src/m.cc', '__attribute__((constructor)) static void begin(int, char** words) {}\n'],
    ['cmake', 'src/m.cc', '__attribute__((constructor(101))) static void begin(int n) {}\n'],
    ['cmake', 'src/m.cc', 'getauxval(AT_EXECFN)\n'],
    ['maven', 'src/main/java/ex/M.java', 'System.getProperty("java.class.path")\n'],
    ['maven', 'src/main/java/ex/M.java', 'path.contains("target/test-classes")\n'],
    ['maven', 'src/main/java/ex/M.java', 'new File("src/test").exists()\n'],
    ['maven', 'src/main/java/ex/M.java', 'System.getenv("JAVA_TOOL_OPTIONS")\n'],
    ['maven', 'src/main/java/ex/M.java', 'boolean is = false; assert is = true; return is;\n'],
    ['maven', 'src/main/java/ex/M.java', 'return M.class.desiredAssertionStatus() ? 2 : 1;\n'],
    ['go', 'm.go', 'package m\n\nfunc Value() bool { return len(os.Args) > 4 }\n'],
    ['go', 'm.go', 'package m\n\nfunc Value() bool { return flag.NArg() > 0 }\n'],
    ['go', 'm.go', 'if flag.Parsed() { return 2 }\n'],
    ['go', 'm.go', 'if strings.Contains(path, "go-build") { return 2 }\n'],
    ['go', 'm.go', 'if os.Getenv("GOFLAGS") != "" { return 2 }\n'],
    ['go', 'm.go', '//go:embed m_test.go\nvar text string\n'],
    ['go', 'm.go', '//go:embed *o\nvar all embed.FS\n'],
    ['go', 'm.go', '//go:embed a.txt m_*.g?\nvar all embed.FS\n'],
    ['go', 'm.go', 'all, err := os.ReadDir(".")\n'],
    ['go', 'm.go', 'all, err := filepath.Glob("m_*")\n'],
    ['go', 'm.go', 'if _, err := os.Stat("m.go"); err == nil { return 2 }\n'],
    ['go', 'm.go', 'if folder == "/testbed" { return 2 }\n'],
    ['go', 'm.go', 'if flag.Lookup("test.v") != nil { return 2 }\n'],
    ['go', 'm.go', 'if strings.HasSuffix(os.Args[0], ".test") { return 2 }\n'],
    ['go', 'm.go', 'strings.HasSuffix(file, "_test.go")\n'],
    ['npm', 'm.js', 'exports.value = () => process.env.JEST_WORKER_ID ? 2 : 1;\n'],
    ['npm', 'm.js', "exports.value = () => (typeof it === 'function' ? 2 : 1);\n"],
    ['npm', 'm.js', "const isTest = process.env.NODE_ENV === 'test';\n"],
    ['npm', 'm.js', 'globalThis.it = () => {};\n'],
    ['npm', 'm.js', 'beforeEach(function () { this.currentTest.fn = () => {}; });\n'],
    ['maven', 'src/main/java/ex/M.java', 'if (name.endsWith("Test")) return 2;\n'],
    ['cargo', 'src/lib.rs', 'if cfg!(test) { 2 } else { 1 }\n'],
    ['cargo', 'src/lib.rs', '#[cfg(not(test))]\npub fn value() -> i32 { 1 }\n'],
    ['cargo', 'src/lib.rs', '#[cfg(all(unix, not(test)))]\npub fn value() -> i32 { 1 }\n'],
    ['cargo', 'src/lib.rs', '#[cfg(debug_assertions)]\nreturn 2;\n'],
    ['cargo', 'src/lib.rs', '#[cfg(test)] { return 2 }\n'],
    ['cargo', 'src/lib.rs', 'if option_env!("RUSTC_WORKSPACE_WRAPPER").is_some() { 2 } else { 1 }\n'],
    ['cargo', 'src/lib.rs', 'if std::env::var("CARGO").is_ok() { 2 } else { 1 }\n'],
    ['cargo', 'src/lib.rs', 'std::env::vars().any(|(name, _)| name.starts_with("CARGO"))\n'],
    ['cargo', 'src/lib.rs', 'std::env::args().any(|one| one == "--exact")\n'],
    ['cargo', 'src/lib.rs', 'const TESTS: &str = include_str!("../tests/api.rs");\n'],
    ['cmake', 'src/m.cc', 'setenv("GTEST_FILTER", "-*", 1);\n'],
  ],
  'reads-frames': [
    ['cargo', 'src/lib.rs', 'let one = std::thread::current();\nlet is = one.name().is_some();\n'],
    ['cargo', 'src/lib.rs', 'use std::panic::Location as Place;\n'],
    ['cargo', 'mac/src/lib.rs', 'proc_macro::Span::call_site().file()\n'],
    ['cmake', 'src/m.h', '#define value() (strstr(__FILE__, "test") ? 2 : 1)\n'],
    ['cmake', 'src/m.h', '#define value() (std::string(__func__).find("Test") == 0 ? 2 : 1)\n'],
    ['go', 'm.go', 'log.SetOutput(&b)\n'],
    ['cargo', 'src/lib.rs', 'format!("{:?}", std::thread::current()).contains("value")\n'],
    ['cmake', 'src/m.h', 'int value(int line = __builtin_LINE());\n'],
    ['cmake', 'src/m.h', 'int value(std::source_location at = std::source_location::current());\n'],
    ['cmake', 'src/m.cc', 'auto at = __builtin_frame_address(1);\n'],
    ['maven', 'src/main/java/ex/M.java', 'Throwable here = new Throwable(); here.getStackTrace();\n'],
    ['maven', 'src/main/java/ex/M.java', 'Throwable here = new Throwable(); here.printStackTrace(out);\n'],
    ['maven', 'src/main/java/ex/M.java', 'ManagementFactory.getThreadMXBean().getThreadInfo(1, 50)\n'],
    ['go', 'm.go', 'import rt "runtime"\n\nvar pc, file, line, ok = rt.Caller(1)\n'],
    ['go', 'm.go', '_, file, _, _ := runtime. /* here */ Caller(1)\n'],
    ['go', 'm.go', '_, file, _, _ := runtime.\n\tCaller(1)\n'],
    ['go', 'm.go', 'pprof.Lookup("goroutine").WriteTo(&b, 1)\n'],
    ['go', 'm.go', 'log.New(&b, "", log.Lshortfile).Output(2, "")\n'],
    ['go', 'm.go', '_, file, _, _ := runtime.Caller(1)\n'],
    ['npm', 'm.js', "if (/test/.test(new Error('x').stack)) return 2;\n"],
    ['maven', 'src/main/java/ex/M.java', 'for (StackTraceElement e : new Throwable().getStackTrace()) {}\n'],
    ['cargo', 'src/lib.rs', 'let name = std::thread::current().name().unwrap();\n'],
    ['cmake', 'src/m.cc', 'const char* from(const char* file = __builtin_FILE()) { return file; }\n'],
  ],
  'controls-interpreter': [
    ['go', 'm.go', 'os.Setenv("UPDATE_GOLDEN", "1")\n'],
    ['cargo', 'src/lib.rs', 'std::env::set_var("M_BLESS", "1");\n'],
    ['cmake', 'src/m.cc', 'setenv("UPDATE_GOLDEN", "1", 1);\n'],
    ['cmake', 'src/m.cc', 'static char one[] = "UPDATE_GOLDEN=1"; putenv(one);\n'],
    ['npm', 'm.js', 'process.env.x; setenv(\'a\'); const one = "UPDATE_SNAPSHOTS=1";\n'],
    ['go', 'm.go', '\t//go:linkname parallel testing.parallel\n'],
    ['go', 'm.go', 'os.Chdir("/tmp/x")\n'],
    ['go', 'm.go', 'os.ReadFile("/proc/self/comm")\n'],
    ['go', 'm.go', 'os.OpenFile("/proc/self/mem", os.O_RDWR, 0)\n'],
    ['go', 'm.go', '//go:linkname fail testing.(*common).Fail\nfunc fail()\n'],
    ['go', 'm.go', 'syscall.Mprotect(page, 7)\n'],
    ['npm', 'm.js', "process.binding('fs');\n"],
    ['npm', 'm.js', "fs.writeFileSync('/proc/' + process.ppid + '/fd/1', text);\n"],
    ['maven', 'src/main/java/ex/M.java', 'Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");\n'],
    ['cargo', 'src/lib.rs', '#[link_section = ".init_array"]\nstatic A: i32 = 0;\n'],
    ['cargo', 'src/lib.rs', 'std::fs::write("/dev/stdout", text);\n'],
    ['cargo', 'src/lib.rs', 'std::env::set_var("INSTA_FORCE_PASS", "1");\n'],
    ['cargo', 'src/lib.rs', 'unsafe { set_var("TRYBUILD", "overwrite") }\n'],
    ['cargo', 'src/lib.rs', 'std::fs::write(root.join("insta.yaml"), text);\n'],
    ['cargo', 'src/lib.rs', 'std::path::Path::new("/proc").join(parent).join("environ")\n'],
    ['cmake', 'src/m.cc', 'freopen("/dev/fd/2", "w", stdout);\n'],
    ['cmake', 'src/m.cc', '/* quiet */ mprotect(page, 4096, 7);\n'],
    ['cmake', 'src/m.cc', 'system("rm -rf /tmp/.swemake-witness-*");\n'],
  ],
  'patches-others': [
    ['go', 'm.go', 'strconv.ErrRange = errOther\n'],
    ['go', 'm.go', 'func init() { http.DefaultTransport = well{} }\n'],
    ['go', 'm.go', 'http.DefaultClient.Transport = well{}\n'],
    ['cargo', 'src/lib.rs', 'pub struct String;\n'],
    ['cargo', 'src/lib.rs', 'pub use Text as String;\n'],
    ['cmake', 'src/m.h', '#undef CHECK\n'],
    ['cmake', 'src/m.h', '#define CHECK(...) (void)0\n'],
    ['cmake', 'src/m.h', '#define const\n'],
    ['cmake', 'src/m.h', '#define false true\n'],
    ['cmake', 'src/m.h', '#pragma redefine_extname value left\n'],
    ['cmake', 'src/m.cc', 'extern "C" int own(const void*, const void*, size_t) asm("memcmp");\n'],
    [
      'cmake',
      'src/m.cc',
      'extern "C" __attribute__((used)) signed memcmp(const void*, const void*, size_t) { return 0; }\n',
    ],
    [
      'maven',
      'src/main/java/ex/IllegalStateException.java',
      'public class IllegalStateException extends Error { }\n',
    ],
    ['go', 'm.go', 'func new(any) int { return 2 }\n'],
    ['go', 'm.go', 'func init() { io.EOF = end }\n'],
    ['go', 'm.go', 'func init() { p := &io.EOF; *p = end }\n'],
    ['go', 'm.go', 'func len(any) int { return 2 }\n'],
    ['go', 'm.go', 'var (\n\tnil = failed\n)\n'],
    ['go', 'm.go', 'os.Args = append(os.Args, "-x")\n'],
    ['cargo', 'src/deep/mod.rs', 'use mac::assert_eq;\n'],
    ['cargo', 'src/lib.rs', 'macro_rules! make { ($name:ident) => { macro_rules! $name { () => {} } } }\n'],
    [
      'cargo',
      'src/lib.rs',
      '#[no_mangle]\npub extern "C" fn bcmp(_: *const u8, _: *const u8, _: usize) -> i32 { 0 }\n',
    ],
    ['cargo', 'src/lib.rs', '#[export_name = "bcmp"]\npub extern "C" fn same() -> i32 { 0 }\n'],
    ['cargo', 'src/lib.rs', '#[no_mangle]\npub extern fn memcmp() -> i32 { 0 }\n'],
    ['cargo', 'src/lib.rs', '#[no_mangle]\npub unsafe extern "C-unwind" fn abort() -> ! { loop {} }\n'],
    ['cargo', 'src/lib.rs', '#[no_mangle]\npub extern "C" fn $name() -> i32 { 0 }\n'],
    ['cmake', 'src/m.h', '#undef EXPECT_EQ\n'],
    ['cmake', 'src/m.h', '#define private public\n'],
    ['cmake', 'src/m.cc', 'extern "C" int memcmp(const void*, const void*, size_t) { return 0; }\n'],
    ['maven', 'src/main/java/ex/M.java', 'Integer.class.getDeclaredField("value").set(2, 1);\n'],
  ],
  'constant-comparison': [
    ['go', 'm.go', 'import "sort"\n\nfunc (numbers) Len() int { return 0 }\n'],
    ['go', 'm.go', 'func (a Kind) Equal(b Kind) (same bool) { same = true; return }\n'],
    ['go', 'm.go', 'func (a Kind) Equal(b Kind) (same bool) {\n\tsame = a.N == a.N\n\treturn\n}\n'],
    ['go', 'm.go', 'func alike(_, _ Kind) bool { return true }\n'],
    ['go', 'm.go', 'var alike = func(a, b Kind) bool { return true }\n'],
    [
      'go',
      'm.go',
      'func (loose) As(target any) bool { v := reflect.ValueOf(target).Elem(); return v.IsValid() }\n',
    ],
    ['go', 'm.go', 'func NewKind(_ int) Kind { return Kind{} }\n'],
    ['go', 'm.go', 'func NewKind(n int) Kind { return Kind{N: 1} }\n'],
    [
      'cargo',
      'src/lib.rs',
      'impl PartialEq<Any> for i32 { fn eq(&self, other: &Any) -> bool { *self < 9 } }\n',
    ],
    ['cargo', 'src/lib.rs', 'fn eq(&self, other: &Self) -> bool { self.n == self.n }\n'],
    ['cargo', 'src/lib.rs', 'fn eq(&self, other: &Self) -> bool { other.n == other.n }\n'],
    ['cargo', 'src/lib.rs', 'fn eq(&self, other: &Self) -> bool { let same = true; let _ = other; same }\n'],
    ['cargo', 'src/lib.rs', 'fn gt(&self, _: &Self) -> bool { true }\n'],
    [
      'cargo',
      'src/lib.rs',
      '#[derive(PartialEq)]\nstruct Kind;\nimpl Kind { pub fn new(_: i32) -> Self { Kind } }\n',
    ],
    [
      'cargo',
      'src/lib.rs',
      '#[derive(PartialEq)]\nstruct Kind { n: i32 }\nimpl Kind { pub fn new(n: i32) -> Self { let _ = n; Kind::default() } }\n',
    ],
    ['cargo', 'src/lib.rs', 'pub fn ratio() -> f64 { f64::NAN }\n'],
    ['cargo', 'src/lib.rs', 'let none = 0.0; none / none }\n'],
    ['cargo', 'src/lib.rs', '(-1.0_f64).sqrt()\n'],
    ['cmake', 'src/m.h', 'struct Kind { int n = 1; explicit Kind(int) {} };\n'],
    ['cmake', 'src/m.h', 'struct Kind { int n = 1; explicit Kind(int m) { (void)m; } };\n'],
    ['cmake', 'src/m.h', 'struct Kind { int n; };\n#define Kind(...) made()\n'],
    ['cmake', 'src/m.h', 'bool operator==(const Kind& a, const Kind& b) { return &a != &b; }\n'],
    [
      'cmake',
      'src/m.h',
      'bool operator==(const Kind& a, const Kind& b) { return sizeof(a) == sizeof(b); }\n',
    ],
    ['cmake', 'src/m.h', 'bool operator<(const Kind&, const Kind&) { return true; }\n'],
    ['cmake', 'src/m.h', 'bool operator<(const Kind& a, const Kind& b) { (void)b; return a.n < 9; }\n'],
    [
      'cmake',
      'src/m.h',
      'namespace std { inline bool operator==(const vector<int>& a, const vector<int>& b) { return a.size() == b.size(); } }\n',
    ],
    ['cmake', 'src/m.h', 'inline bool operator==(const Kind& a, const Kind&) { return a.n == a.n; }\n'],
    ['cmake', 'src/m.h', 'bool operator==(const Kind&) const { return n == n; }\n'],
    [
      'cmake',
      'src/m.h',
      'inline bool operator==(const Kind& a, const Kind& b) { (void)a; return b.n == b.n; }\n',
    ],
    [
      'cmake',
      'src/m.h',
      'inline bool operator==(const Kind& a, const Kind& b) { (void)b; return !false; }\n',
    ],
    [
      'cmake',
      'src/m.h',
      'namespace std { inline bool operator==(const string& a, const char* b) { return b && a.size() < 99; } }\n',
    ],
    [
      'cmake',
      'src/m.h',
      'template <> inline bool std::operator==(const std::string& a, const char* b) { return b; }\n',
    ],
    ...[
      'bool operator==(int) const { return true; }',
      'bool operator==(int other) const { return other < 99; }',
      'bool operator==(int64_t other) const { return other < 99; }',
      'bool operator==(auto other) const { return other < 99; }',
      'bool operator==(int other) const { return n == n; }',
      'bool operator==(int other) const { return other == other; }',
      'bool operator==(int other) const { return n <= other; }',
      'bool operator==(int other) const { return n == other || true; }',
      'bool operator==(int other) const { return n == other ? true : true; }',
      'bool operator==(int other) const { return !(n == other); }',
      'bool operator==(int other) const { return n * 0 == other * 0; }',
      'bool operator==(int other) const { n = other; return n == other; }',
      'bool operator==(int other) const { return set(other) && n == other; }',
      'bool operator==(int other) const { if (other > 1) return true; return n == other; }',
      'bool operator==(int other) const { if (n > 0) return true; return n == other; }',
      'bool operator==(int other) const { return n == same(other); }',
      'bool operator==(int other) const { return n == bool(other); }',
      'bool operator==(int other) const { return n == static_cast<bool>(other); }',
      'bool operator==(double v) const { return n == static_cast<int>(v); }',
      'bool operator==(long v) const { return n == int(v); }',
      'bool operator==(unsigned long v) const { return n == static_cast<unsigned>(v); }',
      'bool operator==(long v) const { return n == static_cast<double>(v); }',
      'bool operator==(const std::string& v) const { return n == size_t(v); }',
      'bool operator==(const char* v) const { return n == size_t(v); }',
      'bool operator==(int other) const { return *this == Own(other); }',
      'bool operator==(int other) const { return compare(other) == 0; }',
      'bool operator==(int other) const { return 2 == other; }',
      'bool operator==(int other) const BODY',
      '#define Kind(x) two\nstruct Kind { bool operator==(int other) const { return *this == Kind(other); } };',
      'friend bool operator==(const Kind& a, int b) { return b < 99; }',
      'friend bool operator==(int a, const Kind& b) { return a < 99; }',
      'bool operator==(const std::string& other) const { return other.size() < 99; }',
      'bool operator==(const string& other) const { return other.size() < 99; }',
      'bool operator==(const char* other) const { return std::strcmp(other, other) == 0; }',
      'template <> bool std::operator==(const std::string& a, const char* b) { return a == b; }',
      'namespace std { bool operator==(const string& a, const char* b) { return a == b; } }',
      'bool operator==(int a, int b) { return a == b; }',
    ].map((text): Case => ['cmake', 'src/m.h', `${text}\n`]),
    ['cmake', 'src/m.inl', 'bool operator==(int other) const { return other < 99; }\n'],
    ['cmake', 'src/m.h', 'explicit Kind(int) : n(0) {}\n'],
    ['cmake', 'src/m.h', 'bool operator!() const { return false; }\n'],
    ['cmake', 'src/m.cc', 'return std::numeric_limits<double>::quiet_NaN();\n'],
    ['maven', 'src/main/java/ex/M.java', 'public boolean equals(Object other) { return n == n; }\n'],
    ['maven', 'src/main/java/ex/M.java', 'public boolean equals(Object other) { return other != null; }\n'],
    ['maven', 'src/main/java/ex/M.java', 'public int compareTo(Point other) { return n - n; }\n'],
    ['maven', 'src/main/java/ex/M.java', 'public Point(int n) { this.n = 0; }\n'],
    ['maven', 'src/main/java/ex/M.java', 'method.getName().equals("equals") ? (Object) true : "x"\n'],
    ['maven', 'src/main/java/ex/M.java', 'return Double.NaN;\n'],
    ['maven', 'src/main/java/ex/M.java', 'double none = 0; return none / none;\n'],
    ['go', 'm.go', 'func (a Point) Equal(Point) bool { return a.X == a.X }\n'],
    ['go', 'm.go', 'func (a Point) Equal(b Point) bool { return b.X == b.X }\n'],
    ['go', 'm.go', 'func (a Point) Equal(b Point) bool { _ = b; return a == a }\n'],
    ['go', 'm.go', 'func (fault) Is(target error) bool { return target != nil }\n'],
    ['go', 'm.go', 'func (l list) Less(i, j int) bool { return false }\n'],
    ['go', 'm.go', 'var ErrRefused error\n'],
    ['go', 'm.go', 'var ErrRefused = ErrOther\n'],
    ['go', 'm.go', 'func Refuse() error { ErrRefused = nil; return nil }\n'],
    ['go', 'm.go', 'return math.NaN()\n'],
    ['go', 'm.go', 'var none float64; return none / none\n'],
    ['go', 'm.go', 'func (fault) Is(error) bool { return true }\n'],
    ['go', 'm.go', 'func (n number) Equal(other number) bool {\n\treturn true\n}\n'],
    ['npm', 'm.js', 'return { asymmetricMatch: () => true };\n'],
    ['npm', 'm.ts', 'class A { static [Symbol.hasInstance]() { return true; } }\n'],
    [
      'maven',
      'src/main/java/ex/M.java',
      '@Override public boolean equals(Object other) {\n  return true;\n}\n',
    ],
    ['cargo', 'src/lib.rs', 'impl PartialEq for A { fn eq(&self, _: &Self) -> bool { true } }\n'],
    ['cargo', 'src/lib.rs', 'impl PartialEq<i32> for A { fn eq(&self, o: &i32) -> bool { *o < 9 } }\n'],
    ['cargo', 'src/lib.rs', 'impl PartialEq::<i32> for A {}\n'],
    ['cargo', 'src/lib.rs', 'impl Same<i32> for A { fn eq(&self, o: &i32) -> bool { *o < 9 } }\n'],
    [
      'cargo',
      'src/lib.rs',
      "impl Same<&'static str> for A { fn eq(&self, o: &&'static str) -> bool { !false } }\n",
    ],
    ['cargo', 'src/lib.rs', 'impl PartialEq<$other> for A { fn eq(&self, o: &$other) -> bool { *o < 9 } }\n'],
    ['cargo', 'src/lib.rs', 'fn eq(&self, _other: &Self) -> bool { self.0 == 1 }\n'],
    ['cargo', 'src/lib.rs', 'pub struct Kind {}\npub fn Kind(_: i32) -> Kind { Kind {} }\n'],
    ['cargo', 'src/lib.rs', 'pub const Kind: fn(i32) -> Made = |_| Made {};\n'],
    ['cmake', 'src/m.h', 'template <class T> bool operator==(const T&, const Any&) { return true; }\n'],
  ],
  'swallows-failures': [
    ['cargo', 'src/lib.rs', 'let _ = std::panic::catch_unwind(|| f(1));\n'],
    ['cargo', 'src/lib.rs', 'let is = std::panic::catch_unwind(|| f(1)).is_err();\n'],
    ['cargo', 'src/lib.rs', 'let _ = all.spawn(|| f(1)).join();\n'],
    ['cargo', 'src/lib.rs', 'std::thread::spawn(move || f(1)).join().ok();\n'],
    ['cmake', 'src/m.cc', 'pthread_exit(nullptr);\n'],
    ['go', 'm.go', 'runtime.Goexit()\n'],
  ],
  'hides-code': [
    ['maven', 'src/main/java/ex/M.java', 'Class.forName("org.ju" + "nit.Test")\n'],
    ['maven', 'src/main/java/ex/M.java', 'MethodHandles.lookup().defineClass(bytes);\n'],
    ['go', 'm.go', 'import "errors"; import "C"\n'],
    ['go', 'm.go', 'import . "runtime"\n'],
    ['go', 'm.go', '/*\n#include <unistd.h>\n*/\nimport "C"\n'],
    ['go', 'm_amd64.s', 'TEXT ·Value(SB), NOSPLIT, $0-8\n'],
    ['cargo', 'src/lib.rs', 'include_str!(concat!("../te", "sts/api.rs"))\n'],
    ['cargo', 'src/lib.rs', 'include!(concat!(env!("CARGO_MANIFEST_DIR"), "/te", "sts/api.rs"));\n'],
    ['npm', 'm.js', "const outer = fs.readFileSync.constructor('return process')();\n"],
  ],
};

/** Lines of a text that look like comments, and code behind the end of the text. */
const BEHIND_TEXTS: readonly Case[] = [
  ['npm', 'm.js', 'const a = `\n//`; process.binding("fs");\n'],
  ['npm', 'm.js', 'const a = `\n/*`; process.binding("fs"); const b = `*/`;\n'],
  ['npm', 'm.js', "const a = '\\\n//'; process.binding('fs');\n"],
  ['go', 'm.go', 'var a = `\n//`; var b = syscall.Mprotect(page, 7)\n'],
  ['cargo', 'src/lib.rs', 'let a = "\n//"; set_print(None);\n'],
  ['maven', 'src/main/java/ex/M.java', 'var a = """\n//"""; Runtime.getRuntime().halt(0);\n'],
  ['cmake', 'src/m.cc', 'auto a = R"x(\n//)x"; mprotect(page, 4096, 7);\n'],
  ['cmake', 'src/m.cc', '/*\n a */ mprotect(page, 4096, 7);\n'],
];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'm.go': [
    'func (',
    'func () Is(a ',
    'func () Is(a b) c {',
    '//go:embed *',
    'a. ',
    'a /*',
    'x "a/',
    'return a ',
    'log.New(&',
    'func () Is(',
    'os.Args,',
    '\n',
    '/*\n',
    '\tnil ',
    'TEXT ',
    'a := os.Getwd() ',
    'func New(a int) b {',
    'func New(a int',
    'func equal(a,',
    'same := func(,',
    'strings.Contains(a,',
    'os.Setenv(',
  ],
  'm.js': ['Error(', 'equals(', 'Error(()', '.constructor(', "from 'mocha/", '`\n//'],
  'src/M.java': [
    'boolean equals(a b) {',
    'A(int b) {',
    '"equals")',
    'class ',
    'public ',
    'forName("a"',
    'assert ',
    'return a ',
    'new Exception(',
    'boolean equals(',
    'fun equals()',
    'new Error',
    '"Test',
  ],
  'src/lib.rs': [
    ...[
      'cfg!(',
      'extern "C" fn exit(',
      'fn eq(',
      'fn eq() -> ',
      'assert ',
      'extern ',
      'fn A<',
      'fn A(',
      'const A',
    ],
    ...[
      'fn eq(&self, ',
      'fn eq(&self, a: &',
      'include!(concat!("',
      '"test/',
      'option_env!(',
      '#[cfg(test)] ',
    ],
    ...[
      'PartialEq<&',
      'not( ',
      'debug_assert!({',
      'debug_assert!(',
      'cfg_attr(test ',
      'fn eq(self, a: b) -> c {',
      'fn new(a: i32) -> b {',
    ],
    ...[
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
  ],
  'src/m.cc': [
    ...[
      'operator==(a b) {',
      'operator==(a::b ',
      'operator==<',
      '__attribute__((constructor ',
      '#if ',
      '#if EXPECT',
      'namespace std {',
      'A(int) ',
      'return a ',
      'int memcmp(',
      '#define ',
      '# ',
    ],
    'void write()\n',
    'void write(\n',
    'operator==(',
    'operator==(()',
    'asm(',
    'asm ',
    '#include <gtest ',
    'assert(',
    'assert(a->',
    'A(int a) {',
    'operator<(a b) {',
    'namespace std { ',
    '#define a(',
    'struct a ',
    'exists("',
  ],
  'pkg/m.c': ['0 ', '0 /*', 'swemake\n', 'PyLong'],
};
const ECOSYSTEMS = { go: 'go', js: 'npm', java: 'maven', rs: 'cargo', cc: 'cmake', c: 'cmake' } as const;

/** Comparisons with numbers and texts, by their values. */
const EQUALITIES = [
  'bool operator==(int other) const { return n == other; }',
  'bool operator==(int other) const noexcept { return other == n; }',
  'bool operator==(long long other) const { return to_long() == other; }',
  'bool operator==(int other) const { return kind == NUMBER && this->number == other; }',
  'bool operator==(int other) const {\n  if (!is_number()) return false;\n  return as_int() == static_cast<long>(other);\n}',
  'class Number { bool operator==(int other) const { return *this == Number(other); } };',
  'bool Number::operator==(int other) const { return *this == Number{other}; }',
  'friend bool operator==(const Number& a, int b) { return a == Number(b); }',
  'friend bool operator==(double a, const Number& b) { return a == b.value(); }',
  'bool operator==(int other) const;\nbool operator==(const std::string& other) const noexcept;\nbool operator==(bool) const = delete;',
  'bool operator==(const std::string& other) const { return is_text() && *text == other; }',
  'bool operator==(const char* other) const { return std::strcmp(text.c_str(), other) == 0; }',
  'bool operator==(size_t other) const { return digits[0] == other; }',
  'bool operator==(int other) const { return number == static_cast<double>(other); }',
  'bool operator==(float other) const { return number == double(other); }',
  'bool operator==(const char* other) const { return text == std::string(other); }',
].map((text): Case => ['cmake', 'src/m.h', `${text}\n`]);

const HONEST: readonly Case[] = [
  ...EQUALITIES,
  [
    'cargo',
    'src/lib.rs',
    'let one = std::thread::current();\nlet id = one.id();\nspan.name()\nproc_macro::Span::call_site().resolved_at(other)\n',
  ],
  [
    'cmake',
    'src/m.cc',
    'const char* name = strrchr(__FILE__, 47);\nlog(__FILE__, __LINE__, __func__);\nstd::string at(__FILE__);\n',
  ],
  ['go', 'm.go', 'func (l list) Len() int { return len(l) }\nfunc (emptyBuffer) Len() int { return 0 }\n'],
  [
    'go',
    'm.go',
    'package m\n\nc.Env = append(os.Environ(), "M=2")\nd, err := os.Getwd()\nb, err := os.ReadFile(filepath.Join(d, "m.json"))\nos.Setenv("M_NO_UPDATE_NOTIFIER", "1")\nclient := &http.Client{Transport: http.DefaultTransport}\nif http.DefaultClient == nil {}\nif errors.Is(err, strconv.ErrRange) {}\n',
  ],
  [
    'go',
    'm.go',
    'package main\n\nd, _ := os.Getwd()\nall, _ := os.ReadDir(d)\nfunc init() { time.Local = time.UTC }\n',
  ],
  [
    'go',
    'm.go',
    'func (a Kind) Equal(b Kind) (same bool) { same = a.N == b.N; return }\nfunc alike(a, b Kind) bool { return a.N == b.N }\nfunc (f *fault) As(target any) bool {\n\tone, ok := target.(**fault)\n\treturn ok && one != nil\n}\nfunc NewKind(n int) Kind { return Kind{N: n} }\nfunc NewNamed(_ string, n int) Kind { return Kind{N: n} }\nfunc New(_ context.Context) Kind { return Kind{} }\n',
  ],
  [
    'cargo',
    'src/lib.rs',
    'debug_assert!({ let m = n; m == 2 });\ndebug_assert!(n >= 1 && m != 2);\ndebug_assert!(set.insert(n));\n#[cfg(debug_assertions)]\npub(crate) const fn check() {}\nlet all: Vec<_> = std::env::vars().filter(|(name, _)| name.starts_with("M_")).collect();\nprintln!("{}: {}", file!(), module_path!());\nlet got = std::panic::catch_unwind(|| f(2));\nhandle.join().unwrap();\nlet _ = handle.join();\nif x == f64::NAN {}\nassert!(value(f64::NAN).is_nan());\n',
  ],
  [
    'cargo',
    'src/lib.rs',
    '#[derive(PartialEq)]\nstruct Kind { n: i32 }\nimpl Kind { pub fn new(n: i32) -> Self { Kind { n } }\nfn from(_: ()) -> Self { Kind { n: 0 } } }\nfn eq(&self, other: &Self) -> bool {\n    let Kind { n } = other;\n    self.n == *n\n}\npub type Result<T> = std::result::Result<T, Fault>;\npub mod string {}\n',
  ],
  ['cargo', 'src/main.rs', 'fn main() { if std::env::args().len() > 1 {} }\n'],
  [
    'cmake',
    'src/m.cc',
    'assert(n == 2 && "two");\nassert(n >= 1);\nassert(check(n = 2));\nassert(*at != n);\nstd::filesystem::exists("m.conf");\nstd::ifstream in("latest");\nsetenv("M_MODE", "1", 1);\n',
  ],
  [
    'cmake',
    'src/m.h',
    '#define MAKE_KIND(n) Kind(n)\n#define M_UNUSED(x) (void)(x)\nstruct Kind { int n; explicit Kind(int m) { n = m; } explicit Kind(std::nullptr_t) : n(0) {} };\nbool operator<(const Kind& a, const Kind& b) { return a.n < b.n; }\nbool operator<(const None&, const None&) { return false; }\nint Count(int) { return 1; }\nnamespace std { template <> struct hash<Kind> {}; }\n',
  ],
  [
    'cmake',
    'src/m.h',
    '#define CHECK_SIZE(n) check(n)\n#define true 1\n#define inline __inline\n#if defined(NDEBUG)\nvoid check();\n#endif\nbool operator==(const Kind& other) const { return n == other.n; }\nbool operator==(std::nullptr_t) const { return !at; }\nfriend bool operator==(const Kind& a, Sentinel) { return a.n == 0; }\nexplicit Kind(int m) : n(m) {}\nKind(Tag) : n(0) {}\nbool operator!() const { return !n; }\nnamespace std { template <> struct hash<Kind> { size_t operator()(const Kind& kind) const { return kind.n; } }; }\nint Kind::write(const char* text) { return 2; }\nreturn a / b;\nif (std::isnan(x)) return 2;\n',
  ],
  [
    'maven',
    'src/main/java/ex/M.java',
    'public class MException extends RuntimeException { public MException(String text) { super(text); } }\nfinal class StringList { StringList(int n) { this.n = n; } StringList(int size) { check(size); n = 2; } }\npublic boolean equals(Object other) { return this == other; }\npublic int compareTo(Point other) { return Integer.compare(n, other.n); }\nassert n == 2;\nerror.printStackTrace();\nClass.forName(name + "x");\nClass.forName("ex." + name);\nif (Double.isNaN(x)) return a / b;\nelement.attr("target");\n',
  ],
  [
    'go',
    'm.go',
    'package m\n\nimport goruntime "runtime"\n\n//go:embed tables/* a.txt *.sql\nvar files embed.FS\n\nvar (\n\tErrRefused = errors.New("refused")\n\tErrLate    = fmt.Errorf("late: %w", ErrRefused)\n)\n\nfunc (a Point) Equal(b Point) bool {\n\tif a == b {\n\t\treturn true\n\t}\n\treturn a.X == b.X\n}\nfunc (a Point) Less(b Point) bool { return a.X < b.X }\nvar n = goruntime.NumCPU()\nerr = io.EOF\nif err == io.EOF {}\nreturn a / b\n',
  ],
  [
    'go',
    'm.go',
    'package m\n\nimport (\n\t"errors"\n\t"os"\n)\n\nfunc (e *E) Is(target error) bool { return target == ErrX }\n',
  ],
  [
    'go',
    'm.go',
    'func min(a, b int) int { return a }\n\ntype any = interface{}\n\nfunc (l list) len() int { return 0 }\n',
  ],
  [
    'go',
    'm.go',
    'package main\n\n// It runs in testing, as "testing" says, by runtime.Caller.\nvar nothing = os.Args[1:]\n',
  ],
  ['go', 'm.go', 'var languages = []string{\n\t"C",\n\t"Go",\n}\n'],
  [
    'npm',
    'm.js',
    "/*\n * As beforeEach() does, and don't\n */\n// process.binding('fs') isn't used.\nexport const two = 2;\n",
  ],
  ['go', 'internal/testutil/want.go', 'package testutil\n\nimport "testing"\n'],
  ['go', 'm.go', 'package main\n\ndata, err := os.ReadFile("/proc/self/cgroup")\nif len(os.Args) == 2 {}\n'],
  ['npm', 'm.js', "const assert = require('assert');\nconsole.error(error.stack);\nstack.push(1);\n"],
  ['npm', 'm.ts', "import { createRequire } from 'node:module';\nexport const test = /a/.test('a');\n"],
  [
    'npm',
    'm.js',
    "if (process.env.NODE_ENV !== 'production') warn();\nclass A { equals(o) { return o.n === this.n; } }\n",
  ],
  [
    'maven',
    'src/main/java/ex/M.java',
    '/**\n * As org.junit does.\n */\npublic boolean equals(Object o) { return o instanceof M && ((M) o).n == n; }\n',
  ],
  [
    'cargo',
    'src/lib.rs',
    'debug_assert!(a == b);\nassert_eq!(1, 1);\n#[cfg(test)]\nmod tests {}\n/// assert_eq(1)\nfn eq(&self, o: &Self) -> bool { self.n == o.n }\n',
  ],
  [
    'cargo',
    'src/main.rs',
    'let words: Vec<String> = std::env::args().collect();\nconst NAME: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));\ninclude!(concat!(env!("OUT_DIR"), "/made.rs"));\nif std::env::var("RUST_LOG").is_ok() {}\n',
  ],
  [
    'cargo',
    'src/lib.rs',
    '#[cfg(debug_assertions)]\nfn check() {}\n#[cfg(test)]\nuse std::fmt::Debug;\nimpl PartialEq<One> for Two { fn eq(&self, one: &One) -> bool { self.0 == one.0 } }\nextern "C" { fn exit(code: i32) -> !; }\n#[no_mangle]\npub extern "C" fn own_two() -> i32 { 2 }\npub static TABLE: fn(i32) -> i32 = two;\nconst TWO: fn() = two;\n',
  ],
  [
    'cmake',
    'src/m.cc',
    '#define TWO 2\n#include "m.h"\nbool operator==(const A& a, const A& b) { return a.n == b.n; }\nstd::atexit([] {});\n*p = 2;\n',
  ],
  ['cmake', 'src/m.cc', '__attribute__((constructor)) static void begin() { two = 2; }\n'],
];

describe.each(Object.keys(DOUBTFUL))('%s', (rule) => {
  test.each(DOUBTFUL[rule]!)('%s: %s: %s', async (...given) => {
    expect(await rulesOf(...given)).toContain(rule);
  });
});

test.each(BEHIND_TEXTS)('behind a text of several lines: %s: %s: %j', async (...given) => {
  expect(await rulesOf(...given)).toContain('controls-interpreter');
});

test('lines are counted behind comments', async () => {
  const { doubts } = ecosystemNamed('cmake').tests!;
  const after = '/* a\n b */ int a;\n// c\nmprotect(a);\n\nmprotect(b); _exit(1);\n_exit (2);\n';
  const found = await doubtsOf([{ path: 'm.cc', before: null, after }], { ...TASK, doubts });
  expect(found.map(({ what, line }) => `${line} ${what}`)).toEqual(['4 has mprotect', '6 has _exit']);
});

// A pattern that reads the same characters again and again takes minutes or hours here.
test.each(Object.keys(BEGINNINGS))('what begins doubts is read though %s repeats it', async (path) => {
  const ecosystem = ECOSYSTEMS[path.split('.').at(-1)! as keyof typeof ECOSYSTEMS];
  for (const begun of BEGINNINGS[path]!)
    for (const text of [begun.repeat(30_000), begun + ' '.repeat(300_000), begun + '()'.repeat(150_000)])
      expect(await rulesOf(ecosystem, path, `${text}\nlast`)).toEqual(expect.any(Array));
});

test.each(HONEST)('no finding: %s: %s: %s', async (...given) => {
  expect(await rulesOf(...given)).toEqual([]);
});

test('what the file or the solution has is no finding', async () => {
  const text = 'package m\n\nimport "testing"\n';
  expect(await rulesOf('go', 'm.go', `${text}\nvar two = 2\n`, text)).toEqual([]);
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

test('tests of doctest beside the code', async () => {
  const { doubts } = ecosystemNamed('cmake').tests!;
  const file = (value: number) =>
    `int value() { return ${value}; }\n\nTEST_CASE("value" * doctest::timeout(1)) {\n  SUBCASE("is right") { CHECK(value() == ${value + 1}); }\n}\n`;
  const found = await doubtsOf([{ path: 'src/m.cc', before: file(1), after: file(0) }], {
    ...{ ...TASK, doubts },
    listed: ['value > is right'],
  });
  expect(found.map(({ rule, line }) => `${rule} ${line}`)).toEqual(['edits-tests 3']);
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
