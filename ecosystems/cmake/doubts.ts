/** Code of C and C++ that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';
import { isEquality } from './comparison.ts';
import { ownTests } from './own-tests.ts';

/** Functions of C's library that stand before it for all of a program, of which classes have no namesakes. */
const LIBRARY = 'memcmp|bcmp|strn?cmp|strcasecmp|_exit|_Exit|abort|raise';
/** Types that tests compare, of the language and its library. */
const COMPARED = String.raw`(?:const\s+)?(?:(?:unsigned|signed|int|long|short|double|float|bool|char|auto|(?:std::)?(?:u?int(?:_fast|_least)?(?:8|16|32|64)|u?intmax|u?intptr|s?size|ptrdiff)_t)\b|(?:(?:::)?std::)?(?:basic_)?string(?:_view)?\b)`;
const IS_COMPARED = new RegExp(`^${COMPARED}`);
/** Values that a constructor is given. */
const SIMPLE = String.raw`(?:const\s+)?(?:(?:unsigned|int|long|double|float|bool|char)(?:\s+(?:int|long|char))?|std::string)\s*&?`;
const RUNNERS = '(?:EXPECT|ASSERT|GTEST|DOCTEST|TYPED_TEST|ADD_FAILURE|SUCCEED|TEST)';
/** Macros of doctest, which projects have for checks of their own as well, with other parameters. */
const CHECKS = '(?:CHECK|REQUIRE)(?:_[A-Z]+)?';

export const cmakeDoubts: CodeDoubts = {
  sources: [
    ...['.c', '.cc', '.cpp', '.cxx', '.C', '.c++', '.cppm', '.ixx', '.cu', '.S', '.s'],
    ...[
      '.h',
      '.hh',
      '.hpp',
      '.hxx',
      '.H',
      '.h++',
      '.cuh',
      '.inc',
      '.ipp',
      '.tpp',
      '.inl',
      '.tcc',
      '.txx',
      '.def',
    ],
  ],
  grammar: (path) => (/\.[sS]$/.test(path) ? undefined : 'cpp'),
  longQuotes: /\)\w*"/,
  ownTests,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /#\s*include(?:_next)?\s*[<"](?:gtest|gmock|catch2?|doctest)\b[^<>"\n]*[>"]|\b__has_include(?:_next)?\s*\(\s*[<"](?:gtest|gmock|catch2?|doctest)\b|\b(?:testing|doctest)::\w+|\bnamespace\s+(?:\w+\s*=\s*)?(?:::)?(?:testing|doctest)\b|_ZNK?7testing|\bFLAGS_gtest_\w+|\bCmpHelper\w+/g,
    ],
    [
      'reads-tests',
      /["'](?:GTEST|CTEST|DASHBOARD_TEST)_\w*|["']TEST_FROM|\bprogram_invocation(?:_short)?_name\b|\bgetprogname\b|\b__progname\b|\bAT_EXECFN\b|\bpthread_getname_np\b|\bPR_GET_NAME\b|\b__libc_arg[cv]\b|\b_dl_argv\b|\b__attribute__\s*\(\(\s*constructor(?:\s*\(\d+\))?\s*\)\)[^;{(]*\(\s*int\b/g,
    ],
    [
      'reads-tests',
      /"[^"\n]*\bCTest(?:Testfile|Cost\w*)\.\w+"|"(?:[^"\n]*[/_-])?tests?(?:\/[^"\n]*)?\.(?:c|cc|cpp|cxx)"|\b(?:directory_iterator|opendir|scandir|exists|ifstream(?:\s+\w+)?|fopen|stat|access)\s*[({]\s*"(?:[^"\n]*[/_-])?tests?\/?"/g,
    ],
    // It holds only where it is debugged, as in tests.
    [
      'reads-tests',
      /\bassert\s*\(\s*(?:\(\s*){0,5}[*\w][\w.[\]]{0,200}(?:->[\w.[\]]{1,200}){0,9}\s*(?:[-+*/|&^]?=(?!=)|\+\+|--)|\bassert\s*\(\s*(?:\(\s*){0,5}(?:\+\+|--)/g,
    ],
    // What only code of tests is compiled with.
    [
      'reads-tests',
      new RegExp(
        String.raw`#\s*(?:el)?if(?:n?def)?\b[^\n]{0,200}\b(?:(?:${RUNNERS}|GOOGLETEST|GMOCK|INSTANTIATE)(?:_\w+)?|RUN_ALL_TESTS|SCOPED_TRACE|FRIEND_TEST|SUBCASE)\b|#\s*if(?:n?def\s|[^\n]{0,200}\bdefined\b)[^\n]{0,200}\bNDEBUG\b[^\n]{0,200}\n\s*return\b|\b__(?:BASE_FILE|INCLUDE_LEVEL)__|\benviron\b`,
        'g',
      ),
    ],
    [
      'reads-frames',
      /\bbacktrace(?:_symbols)?\s*\(|\b__builtin_(?:return_address|frame_address|extract_return_addr|dwarf_cfa|FILE|FUNCTION|LINE|COLUMN)\b|\bsource_location::current\b|\b_Unwind_(?:Backtrace|GetIP|Find\w+)\b|\bunw_(?:step|getcontext)\b|\bstd::stacktrace\b|\b(?:__builtin_|std::)?str(?:str|n?cmp)\s*\(\s*__(?:FILE|FILE_NAME|func|FUNCTION|PRETTY_FUNCTION)__|\bstring(?:_view)?\s*[({]\s*__(?:FILE|FILE_NAME|func|FUNCTION|PRETTY_FUNCTION)__\s*[)}]\s*\.(?:r?find|ends_with|starts_with|contains|compare)\b/g,
    ],
    [
      'controls-interpreter',
      /\b(?:mprotect|ptrace|process_vm_writev|RTLD_NEXT|dl_iterate_phdr|(?:make|set|swap)context)\b|\b(?:_exit|_Exit|quick_exit)(?=\s*\()|\.(?:init|fini|preinit)_array\b/g,
    ],
    // A test that ends so in a thread of its own has no failure.
    ['swallows-failures', /\b(?:pthread_exit|thrd_exit|pthread_cancel)(?=\s*\()|\bSYS_exit(?:_group)?\b/g],
    [
      'patches-others',
      new RegExp(
        String.raw`#\s*(?:define|undef)\s+(?:${RUNNERS}(?:_\w+)?|if|else|for|while|do|return|switch|case|default|break|goto|auto|class|struct|union|enum|private|protected|public|virtual|void|int|double|float|char|unsigned|const|operator|new|delete|throw|try|catch|namespace|using|template|typename|sizeof|this|std|testing|doctest)\b|#\s*undef\s+${CHECKS}\b|#\s*define\s+${CHECKS}\(\s*\.\.\.|#\s*define\s+(?:true\s+(?!\(*1)|false\s+(?!\(*0))|#\s*pragma\s+(?:redefine_extname|weak)\b|\b_Pragma\s*\(\s*"(?:redefine_extname|weak)`,
        'g',
      ),
    ],
    // A function of the library of C, which stands before it for all of the program.
    [
      'patches-others',
      new RegExp(
        String.raw`^(?:extern\s+"C"\s+(?:\{\s*)?)?(?:__attribute__\S+\s+)?(?:int|void|size_t|ssize_t|\[\[noreturn\]\]\s*void)\s+(?:exit|write|fwrite|puts)\s*\(${INSIDE}\)[^;{()]*(?:\(${INSIDE}\)[^;{()]*){0,4}\{`,
        'gm',
      ),
    ],
    [
      'patches-others',
      new RegExp(
        String.raw`^(?:extern\b|[\w[\]])(?:[^\n;{}()#=:.]|\(\([^()\n]*\)\)|"C"\s*\{){0,200}[\s*&](?:${LIBRARY})\s*\(${INSIDE}\)[^;{()]*(?:\(${INSIDE}\)[^;{()]*){0,4}\{`,
        'gm',
      ),
    ],
    [
      'patches-others',
      /\b(?:asm|__asm(?:__)?)\b\s*(?:(?:__)?(?:volatile|goto)(?:__)?\s*)*\([^;(]*\.(?:symver|globl|weak|section|set|type)\b|\)\s*(?:asm|__asm(?:__)?)\s*\(\s*"|\b(?:ifunc|weakref|alias)\s*\(\s*"/g,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\boperator\s*(?:==|!=|<=>)\s*\(${INSIDE}\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*(?:\(void\)\s*\w+\s*;\s*){0,4}return\s+(?:!?\s*(?:true|false)|1|0)\s*;\s*\}`,
        'g',
      ),
    ],
    // A number or a text that tests have equals an object, though not by its value.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\boperator\s*==\s*(?:<[^<>]*>\s*)?\((?:[^(),{};]{1,200},)?\s{0,9}${COMPARED}`,
        'g',
      ),
      (code, index) => isEquality(code, index, IS_COMPARED),
    ],
    // It does not look at the other value, or compares it with itself.
    [
      'constant-comparison',
      /\boperator\s{0,9}(?:==|<=>)\s{0,9}\((?:[^(),{};]{1,200},)?\s{0,9}(?:const\s{1,9})?(?!int\b|(?:\w+::){0,9}(?:\w*[sS]entinel\w*|\w*_t|\w*[tT]ag|monostate)\b)[\w:]{1,99}(?:<[\w:, ]{0,99}>)?\s{0,9}&{0,2}\s{0,9}\)[^{};()]{0,40}\{|\boperator\s*(?:==|<=>)\s*\([^(){}]*?[\w>&*](?:\s{1,3}|\s{0,3}[&*]{1,2}\s{0,3})(\w+)\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{(?:\(void\)\s*\1\b|(\b\1\b[\w.]*)\s*==\s*\2(?![\w.(])|(?!\b\1\b)[^{}])*\}/g,
    ],
    // It forgets the value that it is made of.
    [
      'constant-comparison',
      /\b[A-Z]\w*\(\s*(?:const\s+)?(?:(?:unsigned|int|long|double|float|bool|char)(?:\s+(?:int|long|char))?|std::string)\s*&?\s*\)\s*(?:noexcept\s*)?:\s*\w+\s*[({]/g,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`(?<![~\w])[A-Z]\w*\(\s*${SIMPLE}\s*\)\s*(?:noexcept\s*)?\{[^{}]{0,200}\}|(?<![~\w])[A-Z]\w*\(\s*${SIMPLE}\s*\b(\w+)\s*\)\s*(?:noexcept\s*)?\{(?:\s*\(void\)\s*\1\s*;|(?!\b\1\b)[^{}]){0,400}\}`,
        'g',
      ),
      (code, index) => !isConstructor(code, index),
    ],
    // An order that always holds, or looks at one side; what is compared by its place or its size.
    [
      'constant-comparison',
      /\boperator\s*(?:<|>|<=|>=)\s*\([^(){};]{1,300}\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*return\s+(?:true|1)\s*;\s*\}|\boperator\s*(?:<|>|<=|>=)\s*\([^(){};]{0,300}[\w>&*](?:\s{1,3}|\s{0,3}[&*]{1,2}\s{0,3})(\w+)\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{(?!\s*\}|\s*return\s+(?:false|0)\s*;)(?:\(void\)\s*\1\b|(?!\b\1\b|[A-Z_]{4,99}\()[^{}]){0,600}\}|\boperator\s*==\s*\([^(){};]{1,300}\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*return\s+(?:&\s*\w+\s*!=\s*&|sizeof\b)/g,
    ],
    // Of the library's own types, before the library's.
    ['constant-comparison', /\bnamespace\s+std\s*\{(?:[^{};]{0,300}\s)?operator\s*==/g],
    // A macro in the place of a constructor.
    [
      'constant-comparison',
      /#[^\S\n]*define[^\S\n]+\w+\(/g,
      (code, index) =>
        !classesIn(code).has(
          /^#[^\S\n]*define[^\S\n]+(\w+)\(/.exec(code.slice(index, index + 300))?.[1] ?? '',
        ),
    ],
    // Both true and false.
    [
      'constant-comparison',
      /\boperator\s*!\s*\(\s*\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*return\s+(?:true|false|[01])\s*;\s*\}/g,
    ],
    // No number is unlike such a one in an order.
    [
      'constant-comparison',
      /\b(?:std::)?nan[fl]?\s*\(\s*"|\b__builtin_nan|\b(?:quiet|signaling)_NaN\b|\bNAN\b|\b(?:sqrt|log)[fl]?\s*\(\s*-|\breturn\s+(\w+)\s*\/\s*\1\s*;/g,
    ],
  ],
};

/** Of a class of the file, and no function or call of such a name. */
function isConstructor(code: string, index: number): boolean {
  const name = /^\w+/.exec(code.slice(index, index + 200))![0];
  const before = code.slice(Math.max(0, index - 60), index);
  if (!/(?:^|[;{}:>]|\*\/|\b(?:explicit|constexpr|inline))\s*$/.test(before)) return false;
  return classesIn(code).has(name);
}

const CLASS = /\b(?:struct|class)\s{1,9}(\w{1,200})\s{0,9}(?:final\s{0,9})?[:{]/g;
let last: { code: string; classes: ReadonlySet<string> } = { code: '', classes: new Set() };

/** Names of the classes of a file, which is asked for many times. */
function classesIn(code: string): ReadonlySet<string> {
  if (last.code !== code)
    last = { code, classes: new Set([...code.matchAll(CLASS)].map(([, name]) => name!)) };
  return last.classes;
}
