/** Code of Rust that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';
import { ownTests } from './own-tests.ts';

/** Functions of C's library and of the runtime, which stand before it for all of the program. */
const SYMBOLS =
  'exit|_exit|abort|write|memcmp|bcmp|strcmp|strlen|memcpy|__libc_start_main|_Unwind_RaiseException|\\$\\w+';
/** What tests compare with: types of the language, or of a macro's or a generic's choice. */
const COMPARED = String.raw`(?:&\s*(?:'\w+\s+)?)*(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String|[A-Z]|\$\w+)`;

/** What a constructor is given that tests compare. */
const SIMPLE = String.raw`(?:&\s*(?:'\w+\s+)?)?(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|str|String)`;
/** Methods by which values are compared. */
const COMPARES = '(?:eq|ne|lt|le|gt|ge|partial_cmp|cmp)';
/** What asks a text for a part of it. */
const ASKS = String.raw`\s*(?:[!=]=|\.(?:contains|starts_with|ends_with|eq|find|split\w*)\b)`;

export const cargoDoubts: CodeDoubts = {
  sources: ['.rs'],
  grammar: () => 'rust',
  longQuotes: /"/,
  ownTests,
  names: [
    ...PROCESS_DOUBTS,
    [
      'reads-tests',
      /\bcfg!\([^)!]*\b(?:test|debug_assertions)\b|\bnot\(\s*(?:test|debug_assertions)\s*\)|#\[cfg\((?:test|debug_assertions)\)\]\s*(?:\{|(?:return|let|if|match)\b)|\bcurrent_exe\b|\b(?:var(?:_os)?|option_env!)\(\s*"(?:CARGO\w*|RUSTC\w*|RUST_TEST\w*|NEXTEST\w*)|"(?:CARGO_?|RUSTC_?|RUST_TEST\w*|NEXTEST\w*)"|"--(?:exact|test-threads|nocapture|include-ignored)\b|"(?=[^"\n]*\btests?\/)[^"\n]*\.rs"/g,
    ],
    // What holds only where it is debugged, as in tests.
    [
      'reads-tests',
      /\bdebug_assert(?:_eq|_ne)?!\s*\(\s*\{(?:[^{}"]{0,200}[;{])?\s*\*?\w[\w.]*\s*[-+*/]?=(?![=>])|\bdebug_assert(?:_eq|_ne)?!\s*\([^;"]{0,200}\.(?:replace|set|store|swap|fetch_\w+)\(|\bcfg_attr\(\s*(?:not\(\s*)?(?:debug_assertions|test)\b[^\n]{0,200}\bpath\b|#\[cfg\(debug_assertions\)\]\s*(?:pub(?:\([^()]*\))?\s+)?(?:const|static)\s+\w+\s*:\s*(?:[iu]\d+|[iu]size|f\d+|bool|&(?:'static\s+)?str)\s*=/g,
    ],
    // All variables of the process, and words of its command in a library.
    [
      'reads-tests',
      /\benv::vars(?:_os)?\(\)\s*\.(?:any|count|position|len|size_hint)\b|\b(?:read_dir|read_to_string|fs::read|File::open|WalkDir::new|glob)\(\s*"(?:\.\/)?tests(?:\/[^"\n]*)?"/g,
    ],
    ['reads-tests', /\benv::args(?:_os)?\(\)\s*\.(?:len|count|any|position)\b/g, /\bfn\s+main\b/],
    // A macro that tests use is compiled in their files.
    [
      'reads-tests',
      new RegExp(String.raw`\b(?:(?:file|module_path)!\(\)|env!\("CARGO_(?:CRATE|BIN)_NAME"\))${ASKS}`, 'g'),
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
      /\bBacktrace\b|\bthread::current\(\)\s*\.name\(\)|\bcurrent\(\)\s*\.name\(\)|\b(?:format|write|format_args)!\([^;]{0,200}\bthread::current\(\)\s*[,)]|\bLocation::caller\b|\bLocation\s+as\b|\blet\s+(\w+)\s*=\s*(?:std::)?thread::current\(\)\s*;(?:(?!thread::current)[\s\S]){0,300}?\b\1\s*\.name\(|\bcall_site\(\)\s*\.(?:file|local_file|source_file)\b/g,
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
    // Types and traits of the language, which all that takes in a module by a star has under these names then.
    [
      'patches-others',
      /\bpub\s+(?:struct|enum|union|trait)\s+(?:String|Vec|Option|Result|Box|ToString|ToOwned|From|Into|Default|PartialEq|Eq|PartialOrd|Ord|Clone|Debug|Iterator|IntoIterator)\b|\bpub\s+use\b[^;]{0,200}\bas\s+(?:String|Vec|Option|Some|None|Ok|Err|Box|ToString|PartialEq|PartialOrd|Ord)\b/g,
    ],
    // Assertions are panics, which code under test may catch, but not leave.
    [
      'swallows-failures',
      /\blet\s+_\s*=\s*[\w:]{0,99}catch_unwind\b|[;{]\s*[\w:]{0,99}catch_unwind\([^;]{0,300}\)\s*;|\bcatch_unwind\([^;]{0,300}\)\s*\.(?:ok|is_ok|is_err|unwrap_or\w*)\(/g,
    ],
    [
      'swallows-failures',
      /\blet\s+_\s*=\s*[\w:.]{1,99}spawn\([^;]{0,300}\)\s*\.join\(\)\s*;|\bspawn\([^;]{0,300}\)\s*\.join\(\)\s*\.(?:ok|is_ok|is_err)\(\)/g,
    ],
    // No number is unlike such a one in an order.
    [
      'constant-comparison',
      /(?:\breturn\s+|[{;]\s*|=>\s*)f(?:32|64)::NAN\s*[;},]|[;{]\s*(\w+)\s*\/\s*\1\s*[;}]|\(\s*-\s*\d[\d._]*(?:f32|f64)?\s*\)\s*\.(?:sqrt|ln|log\w*|powf)\(/g,
    ],
    // It does not look at the other value, or compares it or itself with itself.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:r#)?${COMPARES}\s*\(\s*(?:&\s*)?self\b[^,()]{0,99},\s*(\w+)\s*:[^()]{1,200}\)\s*->\s*[\w:<>]{1,99}\s*\{(?:\s*let\s+_\w*\s*=\s*&?\s*\1\s*;|(\b\1\b[\w.]*)\s*==\s*\2(?![\w.(])|(?!\b\1\b)[^{}]){0,600}\}`,
        'g',
      ),
    ],
    // It forgets the value that it is made of.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:new|from|of|with_\w+)\s*\(\s*(?:_\w*\s*:\s*${SIMPLE}\s*[,)]|(\w+)\s*:\s*${SIMPLE}\s*\)\s*->\s*[\w:<>]{1,99}\s*\{(?:\s*let\s+_\w*\s*=\s*&?\s*\1\s*;|(?!\b\1\b)[^{}]|\{(?:\b\1\s*:(?!:)|(?!\b\1\b)[^{}]){0,400}\}){0,600}\})`,
        'g',
      ),
      (code) => !/\bPartial(?:Eq|Ord)\b/.test(code),
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+${COMPARES}\s*\(${INSIDE}\)\s*->\s*[\w:<>]+\s*\{\s*(?:true|(?:Some\()?(?:\w+::)*Equal\)?)\s*\}|\bPartialEq\s*(?:::\s*)?<\s*${COMPARED}\s*>\s+for\b`,
        'g',
      ),
    ],
    // It does not look at the other value, or compares with what is no type of its own, whatever the trait is called.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfn\s+(?:r#)?${COMPARES}\s*\(\s*(?:&\s*self|self\s*:[^,()]*)\s*,\s*(?:_\w*\s*:|\w+\s*:\s*&\s*${COMPARED}\s*[,)])`,
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
