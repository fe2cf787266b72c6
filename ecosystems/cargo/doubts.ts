/** Code of Rust that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

export const cargoDoubts: CodeDoubts = {
  sources: ['.rs'],
  longQuotes: /"/,
  names: [
    ...PROCESS_DOUBTS,
    [
      'reads-tests',
      /\bcfg!\([^)!]*\b(?:test|debug_assertions)\b|\bcfg\(not\((?:test|debug_assertions)\)|\bcurrent_exe\b|\bvar(?:_os)?\(\s*"(?:CARGO_(?:MANIFEST|PKG|TARGET|BIN)\w*|RUST_TEST\w*|NEXTEST\w*)/g,
    ],
    [
      'reads-frames',
      /\bBacktrace\b|\bthread::current\(\)\s*\.name\(\)|\bcurrent\(\)\s*\.name\(\)|\bLocation::caller\b/g,
    ],
    [
      'controls-interpreter',
      /\blink_section\b|#\[(?:\w+::)?(?:ctor|dtor)\b|\bglobal_asm!|\bset_output_capture\b|\bset_print\b/g,
    ],
    // A macro of such a name is another one for all that brings it in.
    ['patches-others', /(?<![.\w])(?:debug_)?assert(?:_eq|_ne)?\b(?!\s*!)|\bmacro_rules!\s*\$/g],
    [
      'patches-others',
      new RegExp(
        String.raw`\bextern\s+"C"\s+fn\s+(?:exit|_exit|abort|write|memcmp|bcmp|strcmp|strlen|memcpy)\s*\(${INSIDE}\)[^{;(]*\{`,
        'g',
      ),
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:eq|partial_cmp|cmp)\s*\(${INSIDE}\)\s*->\s*[\w:<>]+\s*\{\s*(?:true|(?:Some\()?(?:\w+::)*Equal\)?)\s*\}|\bPartialEq\s*<\s*&?(?:'\w+\s+)?(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String|[A-Z])\s*>\s+for\b`,
        'g',
      ),
    ],
  ],
};
