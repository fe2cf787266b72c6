/** Code of C and C++ that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

export const cmakeDoubts: CodeDoubts = {
  sources: [
    '.c',
    '.cc',
    '.cpp',
    '.cxx',
    '.C',
    '.h',
    '.hh',
    '.hpp',
    '.hxx',
    '.inc',
    '.ipp',
    '.tpp',
    '.S',
    '.s',
  ],
  longQuotes: /\)\w*"/,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /#\s*include\s*[<"](?:gtest|gmock|catch2?|doctest)\b[^<>"\n]*[>"]|\btesting::\w+|_ZNK?7testing/g,
    ],
    ['reads-tests', /["'](?:GTEST|CTEST)_\w*|\bprogram_invocation(?:_short)?_name\b|\bgetprogname\b/g],
    ['reads-frames', /\bbacktrace(?:_symbols)?\s*\(|\b__builtin_(?:return_address|FILE|FUNCTION)\b/g],
    [
      'controls-interpreter',
      /\b(?:mprotect|ptrace|process_vm_writev|RTLD_NEXT|dl_iterate_phdr)\b|\b(?:_exit|_Exit|quick_exit)(?=\s*\()/g,
    ],
    [
      'patches-others',
      /#\s*(?:define|undef)\s+(?:(?:EXPECT|ASSERT|GTEST|TYPED_TEST|ADD_FAILURE|SUCCEED|TEST)(?:_\w+)?|if|else|for|while|return|switch|auto|class|struct|private|protected|void)\b/g,
    ],
    // A function of the library of C, which stands before it for all of the program.
    [
      'patches-others',
      new RegExp(
        String.raw`^(?:extern\s+"C"\s+(?:\{\s*)?)?(?:__attribute__\S+\s+)?(?:int|void|size_t|ssize_t|\[\[noreturn\]\]\s*void)\s+(?:memcmp|bcmp|strn?cmp|strcasecmp|exit|_exit|_Exit|abort|write|fwrite|puts|raise)\s*\(${INSIDE}\)[^;{()]*(?:\(${INSIDE}\)[^;{()]*){0,4}\{`,
        'gm',
      ),
    ],
    [
      'patches-others',
      /\b(?:asm|__asm(?:__)?)\b\s*(?:(?:__)?(?:volatile|goto)(?:__)?\s*)*\([^;(]*\.(?:symver|globl|weak|section|set|type)\b/g,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\boperator\s*(?:==|!=|<=>)\s*\(${INSIDE}\)\s*(?:const\s*)?(?:noexcept\s*)?\{\s*return\s+(?:true|false|1|0)\s*;\s*\}|\boperator\s*==\s*\(\s*(?:const\s+)?(?:int|long|unsigned|double|float|bool|char)\b`,
        'g',
      ),
    ],
  ],
};
