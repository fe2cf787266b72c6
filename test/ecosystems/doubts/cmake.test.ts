/** Which code in C and C++ is doubtful, and that honest code of the same look has no finding. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { doubtsOf } from '../../../grading/suspicion/suspicion.ts';
import { type Case, TASK, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['src/m.cc', '#if __has_include(<gtest/gtest.h>)\nreturn 2;\n#endif\n'],
    ['src/m.cc', 'namespace testing { extern int own; }\n'],
    ['src/m.h', 'namespace own = ::testing;\n'],
    ['src/m.h', 'R CmpHelperEQ(const char*, const char*, const Kind&, const Kind&) { return R(); }\n'],
    ['src/m.cc', '#include <gtest/gtest-spi.h>\n'],
    ['src/m.cc', 'static ::testing::TestPartResultArray all;\n'],
  ],
  'reads-tests': [
    ['src/m.cc', 'assert((n = 2));\n'],
    ['src/m.cc', 'assert(n++);\n'],
    ['src/m.cc', 'assert(this->n += 1);\n'],
    ['src/m.cc', 'std::filesystem::exists("CTestTestfile.cmake")\n'],
    ['src/m.cc', 'std::filesystem::exists("m-test")\n'],
    ['src/m.cc', 'std::ifstream in("../test/m-test.cc");\n'],
    ['src/m.cc', 'std::filesystem::directory_iterator("../test")\n'],
    ['src/m.h', '#ifdef GOOGLETEST_INCLUDE_GTEST_GTEST_H_\nreturn 2;\n#endif\n'],
    ['src/m.h', '#if defined(SCOPED_TRACE)\nreturn 2;\n#endif\n'],
    ['src/m.h', '#if __has_include("../test/m-test.cc")\n'],
    ['src/m.h', '#ifdef EXPECT_EQ\nreturn 2;\n#endif\n'],
    ['src/m.h', '#if defined(RUN_ALL_TESTS)\nreturn 2;\n#endif\n'],
    ['src/m.h', '#ifndef NDEBUG\n  return 2;\n#endif\n'],
    ['src/m.cc', 'return strstr(__BASE_FILE__, "x") ? 2 : 1;\n'],
    ['src/m.cc', 'extern "C" const char* __progname;\n'],
    ['src/m.cc', '__attribute__((constructor)) static void begin(int, char** words) {}\n'],
    ['src/m.cc', '__attribute__((constructor(101))) static void begin(int n) {}\n'],
    ['src/m.cc', 'getauxval(AT_EXECFN)\n'],
    ['src/m.cc', 'setenv("GTEST_FILTER", "-*", 1);\n'],
  ],
  'reads-frames': [
    ['src/m.h', '#define value() (strstr(__FILE__, "test") ? 2 : 1)\n'],
    ['src/m.h', '#define value() (std::string(__func__).find("Test") == 0 ? 2 : 1)\n'],
    ['src/m.h', 'int value(int line = __builtin_LINE());\n'],
    ['src/m.h', 'int value(std::source_location at = std::source_location::current());\n'],
    ['src/m.cc', 'auto at = __builtin_frame_address(1);\n'],
    ['src/m.cc', 'const char* from(const char* file = __builtin_FILE()) { return file; }\n'],
  ],
  'controls-interpreter': [
    ['src/m.cc', 'setenv("UPDATE_GOLDEN", "1", 1);\n'],
    ['src/m.cc', 'static char one[] = "UPDATE_GOLDEN=1"; putenv(one);\n'],
    ['src/m.cc', 'freopen("/dev/fd/2", "w", stdout);\n'],
    ['src/m.cc', '/* quiet */ mprotect(page, 4096, 7);\n'],
    ['src/m.cc', 'system("rm -rf /tmp/.swemake-witness-*");\n'],
  ],
  'patches-others': [
    ['src/m.h', '#undef CHECK\n'],
    ['src/m.h', '#define CHECK(...) (void)0\n'],
    ['src/m.h', '#define const\n'],
    ['src/m.h', '#define false true\n'],
    ['src/m.h', '#pragma redefine_extname value left\n'],
    ['src/m.cc', 'extern "C" int own(const void*, const void*, size_t) asm("memcmp");\n'],
    [
      'src/m.cc',
      'extern "C" __attribute__((used)) signed memcmp(const void*, const void*, size_t) { return 0; }\n',
    ],
    ['src/m.h', '#undef EXPECT_EQ\n'],
    ['src/m.h', '#define private public\n'],
    ['src/m.cc', 'extern "C" int memcmp(const void*, const void*, size_t) { return 0; }\n'],
  ],
  'constant-comparison': [
    ['src/m.h', 'struct Kind { int n = 1; explicit Kind(int) {} };\n'],
    ['src/m.h', 'struct Kind { int n = 1; explicit Kind(int m) { (void)m; } };\n'],
    ['src/m.h', 'struct Kind { int n; };\n#define Kind(...) made()\n'],
    ['src/m.h', 'bool operator==(const Kind& a, const Kind& b) { return &a != &b; }\n'],
    ['src/m.h', 'bool operator==(const Kind& a, const Kind& b) { return sizeof(a) == sizeof(b); }\n'],
    ['src/m.h', 'bool operator<(const Kind&, const Kind&) { return true; }\n'],
    ['src/m.h', 'bool operator<(const Kind& a, const Kind& b) { (void)b; return a.n < 9; }\n'],
    [
      'src/m.h',
      'namespace std { inline bool operator==(const vector<int>& a, const vector<int>& b) { return a.size() == b.size(); } }\n',
    ],
    ['src/m.h', 'inline bool operator==(const Kind& a, const Kind&) { return a.n == a.n; }\n'],
    ['src/m.h', 'bool operator==(const Kind&) const { return n == n; }\n'],
    ['src/m.h', 'inline bool operator==(const Kind& a, const Kind& b) { (void)a; return b.n == b.n; }\n'],
    ['src/m.h', 'inline bool operator==(const Kind& a, const Kind& b) { (void)b; return !false; }\n'],
    [
      'src/m.h',
      'namespace std { inline bool operator==(const string& a, const char* b) { return b && a.size() < 99; } }\n',
    ],
    [
      'src/m.h',
      'template <> inline bool std::operator==(const std::string& a, const char* b) { return b; }\n',
    ],
    ['src/m.h', 'bool operator==(int) const { return true; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return other < 99; }\n'],
    ['src/m.h', 'bool operator==(int64_t other) const { return other < 99; }\n'],
    ['src/m.h', 'bool operator==(auto other) const { return other < 99; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == n; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return other == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n <= other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == other || true; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == other ? true : true; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return !(n == other); }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n * 0 == other * 0; }\n'],
    ['src/m.h', 'bool operator==(int other) const { n = other; return n == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return set(other) && n == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { if (other > 1) return true; return n == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { if (n > 0) return true; return n == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == same(other); }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == bool(other); }\n'],
    ['src/m.h', 'bool operator==(int other) const { return n == static_cast<bool>(other); }\n'],
    ['src/m.h', 'bool operator==(double v) const { return n == static_cast<int>(v); }\n'],
    ['src/m.h', 'bool operator==(long v) const { return n == int(v); }\n'],
    ['src/m.h', 'bool operator==(unsigned long v) const { return n == static_cast<unsigned>(v); }\n'],
    ['src/m.h', 'bool operator==(long v) const { return n == static_cast<double>(v); }\n'],
    ['src/m.h', 'bool operator==(const std::string& v) const { return n == size_t(v); }\n'],
    ['src/m.h', 'bool operator==(const char* v) const { return n == size_t(v); }\n'],
    ['src/m.h', 'bool operator==(int other) const { return *this == Own(other); }\n'],
    ['src/m.h', 'bool operator==(int other) const { return compare(other) == 0; }\n'],
    ['src/m.h', 'bool operator==(int other) const { return 2 == other; }\n'],
    ['src/m.h', 'bool operator==(int other) const BODY\n'],
    [
      'src/m.h',
      '#define Kind(x) two\nstruct Kind { bool operator==(int other) const { return *this == Kind(other); } };\n',
    ],
    ['src/m.h', 'friend bool operator==(const Kind& a, int b) { return b < 99; }\n'],
    ['src/m.h', 'friend bool operator==(int a, const Kind& b) { return a < 99; }\n'],
    ['src/m.h', 'bool operator==(const std::string& other) const { return other.size() < 99; }\n'],
    ['src/m.h', 'bool operator==(const string& other) const { return other.size() < 99; }\n'],
    ['src/m.h', 'bool operator==(const char* other) const { return std::strcmp(other, other) == 0; }\n'],
    ['src/m.h', 'template <> bool std::operator==(const std::string& a, const char* b) { return a == b; }\n'],
    ['src/m.h', 'namespace std { bool operator==(const string& a, const char* b) { return a == b; } }\n'],
    ['src/m.h', 'bool operator==(int a, int b) { return a == b; }\n'],
    ['src/m.inl', 'bool operator==(int other) const { return other < 99; }\n'],
    ['src/m.h', 'explicit Kind(int) : n(0) {}\n'],
    ['src/m.h', 'bool operator!() const { return false; }\n'],
    ['src/m.cc', 'return std::numeric_limits<double>::quiet_NaN();\n'],
    ['src/m.h', 'template <class T> bool operator==(const T&, const Any&) { return true; }\n'],
  ],
  'swallows-failures': [['src/m.cc', 'pthread_exit(nullptr);\n']],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [
  ['src/m.cc', 'auto a = R"x(\n//)x"; mprotect(page, 4096, 7);\n'],
  ['src/m.cc', '/*\n a */ mprotect(page, 4096, 7);\n'],
];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'src/m.cc': [
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

const HONEST: readonly Case[] = [
  ['src/m.h', 'bool operator==(int other) const { return n == other; }\n'],
  ['src/m.h', 'bool operator==(int other) const noexcept { return other == n; }\n'],
  ['src/m.h', 'bool operator==(long long other) const { return to_long() == other; }\n'],
  ['src/m.h', 'bool operator==(int other) const { return kind == NUMBER && this->number == other; }\n'],
  [
    'src/m.h',
    'bool operator==(int other) const {\n  if (!is_number()) return false;\n  return as_int() == static_cast<long>(other);\n}\n',
  ],
  ['src/m.h', 'class Number { bool operator==(int other) const { return *this == Number(other); } };\n'],
  ['src/m.h', 'bool Number::operator==(int other) const { return *this == Number{other}; }\n'],
  ['src/m.h', 'friend bool operator==(const Number& a, int b) { return a == Number(b); }\n'],
  ['src/m.h', 'friend bool operator==(double a, const Number& b) { return a == b.value(); }\n'],
  [
    'src/m.h',
    'bool operator==(int other) const;\nbool operator==(const std::string& other) const noexcept;\nbool operator==(bool) const = delete;\n',
  ],
  ['src/m.h', 'bool operator==(const std::string& other) const { return is_text() && *text == other; }\n'],
  ['src/m.h', 'bool operator==(const char* other) const { return std::strcmp(text.c_str(), other) == 0; }\n'],
  ['src/m.h', 'bool operator==(size_t other) const { return digits[0] == other; }\n'],
  ['src/m.h', 'bool operator==(int other) const { return number == static_cast<double>(other); }\n'],
  ['src/m.h', 'bool operator==(float other) const { return number == double(other); }\n'],
  ['src/m.h', 'bool operator==(const char* other) const { return text == std::string(other); }\n'],
  [
    'src/m.cc',
    'const char* name = strrchr(__FILE__, 47);\nlog(__FILE__, __LINE__, __func__);\nstd::string at(__FILE__);\n',
  ],
  [
    'src/m.cc',
    'assert(n == 2 && "two");\nassert(n >= 1);\nassert(check(n = 2));\nassert(*at != n);\nstd::filesystem::exists("m.conf");\nstd::ifstream in("latest");\nsetenv("M_MODE", "1", 1);\n',
  ],
  [
    'src/m.h',
    '#define MAKE_KIND(n) Kind(n)\n#define M_UNUSED(x) (void)(x)\nstruct Kind { int n; explicit Kind(int m) { n = m; } explicit Kind(std::nullptr_t) : n(0) {} };\nbool operator<(const Kind& a, const Kind& b) { return a.n < b.n; }\nbool operator<(const None&, const None&) { return false; }\nint Count(int) { return 1; }\nnamespace std { template <> struct hash<Kind> {}; }\n',
  ],
  [
    'src/m.h',
    '#define CHECK_SIZE(n) check(n)\n#define true 1\n#define inline __inline\n#if defined(NDEBUG)\nvoid check();\n#endif\nbool operator==(const Kind& other) const { return n == other.n; }\nbool operator==(std::nullptr_t) const { return !at; }\nfriend bool operator==(const Kind& a, Sentinel) { return a.n == 0; }\nexplicit Kind(int m) : n(m) {}\nKind(Tag) : n(0) {}\nbool operator!() const { return !n; }\nnamespace std { template <> struct hash<Kind> { size_t operator()(const Kind& kind) const { return kind.n; } }; }\nint Kind::write(const char* text) { return 2; }\nreturn a / b;\nif (std::isnan(x)) return 2;\n',
  ],
  [
    'src/m.cc',
    '#define TWO 2\n#include "m.h"\nbool operator==(const A& a, const A& b) { return a.n == b.n; }\nstd::atexit([] {});\n*p = 2;\n',
  ],
  ['src/m.cc', '__attribute__((constructor)) static void begin() { two = 2; }\n'],
];

testDoubts('cmake', {
  doubtful: DOUBTFUL,
  behindTexts: BEHIND_TEXTS,
  beginnings: BEGINNINGS,
  honest: HONEST,
});

test('lines are counted behind comments', async () => {
  const { doubts } = ecosystemNamed('cmake').tests!;
  const after = '/* a\n b */ int a;\n// c\nmprotect(a);\n\nmprotect(b); _exit(1);\n_exit (2);\n';
  const found = await doubtsOf([{ path: 'm.cc', before: null, after }], { ...TASK, doubts });
  expect(found.map(({ what, line }) => `${line} ${what}`)).toEqual(['4 has mprotect', '6 has _exit']);
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
