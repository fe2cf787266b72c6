/** Code of Rust that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

/** Functions of C's library and of the runtime, which stand before it for all of the program. */
const SYMBOLS =
  'exit|_exit|abort|write|memcmp|bcmp|strcmp|strlen|memcpy|__libc_start_main|_Unwind_RaiseException|\\$\\w+';
/** What tests compare with: types of the language, or of a macro's or a generic's choice. */
const COMPARED = String.raw`(?:&\s*(?:'\w+\s+)?)*(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String|[A-Z]|\$\w+)`;

export const cargoDoubts: CodeDoubts = {
  sources: ['.rs'],
  longQuotes: /"/,
  names: [
    ...PROCESS_DOUBTS,
    [
      'reads-tests',
      /\bcfg!\([^)!]*\b(?:test|debug_assertions)\b|\bnot\(\s*(?:test|debug_assertions)\s*\)|#\[cfg\((?:test|debug_assertions)\)\]\s*(?:\{|(?:return|let|if|match)\b)|\bcurrent_exe\b|\b(?:var(?:_os)?|option_env!)\(\s*"(?:CARGO\w*|RUSTC\w*|RUST_TEST\w*|NEXTEST\w*)|"(?:CARGO_?|RUSTC_?|RUST_TEST\w*|NEXTEST\w*)"|"--(?:exact|test-threads|nocapture|include-ignored)\b|"(?=[^"\n]*\btests?\/)[^"\n]*\.rs"/g,
    ],
    // Snapshots that are written anew, or pass whatever they hold: insta, expect-test, trybuild, snapbox, goldenfile and k9.
    [
      'controls-interpreter',
      /"(?:INSTA_\w+|UPDATE_EXPECT|UPDATE_GOLDENFILES|K9_UPDATE_SNAPSHOTS)"|"[^"\n]*\binsta\.ya?ml"|\bset_var\(\s*"(?:SNAPSHOTS|TRYBUILD|TRYCMD)"/g,
    ],
    // A path that is put together from parts does not show which file is read.
    [
      'hides-code',
      /\binclude(?:_str|_bytes)?!\s*\(\s*concat!\s*\(\s*(?:env!\([^()]*\)\s*,\s*)?"[^"\n]*"\s*,\s*"/g,
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
    [
      'patches-others',
      /(?<![.\w])(?:debug_)?assert(?:_eq|_ne)?\b(?!\s*!)|\bmacro_rules!\s*\$|\bexport_name\b/g,
    ],
    [
      'patches-others',
      new RegExp(
        String.raw`\bextern\s*(?:r?#*"[\w-]*"#*\s*)?\bfn\s+(?:r#)?(?:${SYMBOLS})\s*\(${INSIDE}\)[^{;(]*\{`,
        'g',
      ),
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:eq|partial_cmp|cmp)\s*\(${INSIDE}\)\s*->\s*[\w:<>]+\s*\{\s*(?:true|(?:Some\()?(?:\w+::)*Equal\)?)\s*\}|\bPartialEq\s*(?:::\s*)?<\s*${COMPARED}\s*>\s+for\b`,
        'g',
      ),
    ],
    // It does not look at the other value, or compares with what is no type of its own, whatever the trait is called.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:r#)?(?:eq|partial_cmp|cmp)\s*\(\s*(?:&\s*self|self\s*:[^,()]*)\s*,\s*(?:_\w*\s*:|\w+\s*:\s*&\s*${COMPARED}\s*[,)])`,
        'g',
      ),
    ],
    // In the place of a constructor, which would keep the value.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+[A-Z]\w*(?:<[^<>()]*>)?\s*\(${INSIDE}\)[^{;(]*\{|\b(?:const|static)\s+(?=[A-Z_\d]*[a-z])[A-Z]\w*\s*:\s*fn\b`,
        'g',
      ),
    ],
  ],
};
