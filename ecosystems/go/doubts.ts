/** Code of Go that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

/** Packages of Go whose names stand in the patterns below. */
const PACKAGES = ['runtime', 'debug', 'pprof', 'os', 'exec', 'syscall', 'unix', 'flag', 'log', 'plugin'];
const FURTHER = ['filepath', 'parser', 'io', 'fs', 'context', 'sql', 'http', 'net', 'math', 'expvar'];
const WATCHED = new Set([...PACKAGES, ...FURTHER]);
const WATCHED_NAMES = [...WATCHED].join('|');
/** Values by which tests compare errors. */
const SENTINEL = String.raw`(?:io|os|fs|context|sql|http|net|exec|strconv|bufio|bytes|strings|csv|zip|tar|gzip|zlib|hex|json|xml|rsa|tls|x509|mail|url|time|user|template|websocket)\.(?:EOF|Err[A-Z]\w*|Canceled|DeadlineExceeded)\b`;
/** What a method or function answers, with or without a name. */
const ANSWER = String.raw`(?:\w+|\(\s*\w+\s+\w+\s*\))`;
const SIMPLE = '(?:u?int(?:8|16|32|64)?|float(?:32|64)|string|bool|byte|rune)';

export const goDoubts: CodeDoubts = {
  sources: ['.go', '.s'],
  grammar: (path) => (path.endsWith('.go') ? 'go' : undefined),
  longQuotes: /`/,
  plain,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /["`](?:testing|net\/http\/httptest|github\.com\/(?:stretchr\/testify|onsi\/\w+))(?:\/[\w./]+)?["`]|["`][\w.~-]+(?:\/[\w.~-]+)*\/test(?:utils?|help(?:ers?)?|kit|support|ing)["`]|["`*]httptest\.\w+/g,
    ],
    [
      'reads-tests',
      /["`]-?test\.\w*|\.test["`]|_test(?:\.\w*)?["`]|["`/]go-build|["`]cmdline["`]|\b(?:Getenv|LookupEnv)\(\s*["`]GO(?:FLAGS|CACHE|MODCACHE|PROXY|SUMDB|ENV|TOOLCHAIN|TELEMETRY|TMPDIR|WORK|COVERDIR)["`]/g,
    ],
    [
      'reads-tests',
      /\bflag\.(?:Lookup|Parsed|NFlag|Visit(?:All)?)\b|\bdebug\.ReadBuildInfo\b|\bos\.Executable\b/g,
    ],
    // The folder of a package is that in which its tests run.
    [
      'reads-tests',
      /\bos\.(?:L?stat|Stat|Open(?:File)?|ReadFile|ReadDir|DirFS)\(\s*["`](?:[^"`\n]*\.go|(?:\.\/)?go\.(?:mod|sum)|(?:\.\/)?testdata(?:\/[^"`\n]*)?|\.\/?)["`]|\bfilepath\.(?:Glob\(\s*["`][^"`/\n]*["`]|Walk(?:Dir)?\(\s*["`]\.\/?["`])|\bparser\.Parse(?:Dir|File)\([^,()]*,\s*["`]/g,
    ],
    [
      'reads-tests',
      /^\/\/go:embed\b[^\n]*(?:_test|\.go\b|\s(?:all:)?[^\s/]*[*?[](?![^\s/]*\.\w+(?:\s|$))[^\s/]*(?=\s|$))/gm,
    ],
    [
      'reads-tests',
      /\bruntime\.NumGoroutine\b|["`]\/sched\/goroutines|["`][^"`\n]{0,99}\btRunner\b|\blen\(os\.Environ\(\)\)|\bstrings\.(?:HasPrefix|Contains|Index)\([^()"`\n]{1,99},\s*["`]GO[A-Z]{0,9}_?=?["`]/g,
    ],
    // Its own working folder, all of which is read.
    [
      'reads-tests',
      /\b(\w+)\s*(?:,\s*\w+\s*)?:?=\s*os\.Getwd\(\)(?:(?!os\.Getwd)[\s\S]){0,400}?\b(?:os\.(?:ReadDir|DirFS|Open)|filepath\.(?:Walk|WalkDir)|ioutil\.ReadDir)\(\s*\1\s*[,)]/g,
      /^package\s+main\b/m,
    ],
    // Libraries are not given the words of a command.
    ['reads-tests', /\bos\.Args\b|\bflag\.(?:CommandLine|Set|N?Args?)\b/g, /^package\s+main\b/m],
    [
      'reads-frames',
      /\bruntime\.(?:Callers?|CallersFrames|FuncForPC|Stack|GoroutineProfile|ThreadCreateProfile)\b|\bdebug\.Stack\b|\bpprof\.(?:Lookup|Profiles)\b|\blog\.New\(\s*&[^()\n]*\bL(?:short|long)file|\blog\.SetOutput\(\s*&\w+\s*\)/g,
    ],
    [
      'controls-interpreter',
      /\/\/go:linkname\b|\b(?:syscall|unix)\.(?:Mprotect|Ptrace\w*|Dup[23]?|Exec|Ftruncate|F?[Cc]hdir|Chroot|SYS_(?:PTRACE|MPROTECT|DUP[23]?|PROCESS_VM_WRITEV))\b|\bos\.Chdir\b|\bplugin\.Open\b/g,
    ],
    [
      'hides-code',
      /(?:^|;|\bimport\b[^\S\n]*\(?)[^\S\n]*"C"(?=[^\S\n]*(?:$|[;)/]))|^[^\S\n]*TEXT\s.*\(SB\)/gm,
    ],
    // Names of such a package stand alone then.
    [
      'hides-code',
      new RegExp(
        String.raw`(?:^|[;(]|\bimport\b)[^\S\n]*\.[^\S\n]*["\`](?:\w+/)*(?:${WATCHED_NAMES})["\`]`,
        'gm',
      ),
    ],
    // What Go declares itself, declared anew in a package, holds in its tests as well.
    [
      'patches-others',
      /^(?:func|var|const|type)\s+(?:true|false|nil|iota|len|cap|append|copy|make|new|delete|close|clear|print(?:ln)?|complex(?:64|128)?|real|imag|uintptr|error|panic|recover|string|bool|byte|rune|u?int(?:8|16|32|64)?|float(?:32|64))\b|^\t(?:true|false|nil)\b[^:\n]*=|\bos\.(?:Stdout|Stderr|Args)\s*(?:,[^=\n]{0,200})?=(?!=)/gm,
    ],
    ['patches-others', new RegExp(String.raw`&${SENTINEL}|\b${SENTINEL}\s*=(?!=)`, 'g')],
    // What all packages share, and tests as well. A program may set up its own process.
    [
      'patches-others',
      /\b(?:http\.(?:DefaultTransport|DefaultServeMux|DefaultClient(?:\.(?:Transport|Jar|CheckRedirect))?)|time\.(?:Local|UTC)|rand\.Reader|net\.DefaultResolver|os\.Stdin)\s*=(?!=)/g,
      /^package\s+main\b/m,
    ],
    // A test that ends so in a goroutine of its own has no failure.
    ['swallows-failures', /\bruntime\.Goexit\b/g],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfunc\s*\([^()]*\)\s*(?:Is|As|Equals?\w*|Compare|Cmp|Less|Matches)\(${INSIDE}\)\s*${ANSWER}\s*\{\s*(?:return\s+|\w+\s*=\s*)(?:!?\s*(?:true|false)|0|\w+\s*!=\s*nil)\s*(?:[;\n]\s*return\b\s*)?;?\s*\}`,
        'g',
      ),
    ],
    // What has no elements is in order.
    [
      'constant-comparison',
      /\bfunc\s*\([^()]*\)\s*Len\(\)\s*int\s*\{\s*return\s+[01]\s*;?\s*\}/g,
      (code) => !/\bLess\(|"sort"/.test(code),
    ],
    // It does not look at the other value, or compares it with itself.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfunc\s*\([^()]*\)\s*(?:Is|Equals?|Compare|Cmp|Matches)\(\s*(?:_\s+)?[\w.*[\]]+\s*\)\s*${ANSWER}\s*\{|\bfunc\s*\([^()]*\)\s*(?:Is|As|Equals?|Compare|Cmp|Matches)\(\s*(\w+)\s[^()]*\)\s*${ANSWER}\s*\{(?:_\s*=\s*\1\b|(\b\1\b[\w.]*)\s*==\s*\2(?![\w.])|(?!\b\1\b)[^{}])*\}`,
        'g',
      ),
    ],
    // A function that a comparison asks, and an error that is made to whatever is asked for.
    [
      'constant-comparison',
      /\bfunc\s+\w*(?:[Ee]qual|[Ss]ame|[Aa]like|[Cc]ompare)\w*\([^()]*,[^()]*\)\s*(?:bool|int)\s*\{\s*return\s+(?:true|0)\s*;?\s*\}|\b\w*(?:[Ee]qual|[Ss]ame|[Aa]like|[Cc]ompare)\w*\s*:?=\s*func\([^()]*,[^()]*\)\s*(?:bool|int)\s*\{\s*return\s+(?:true|0)\s*;?\s*\}|\bfunc\s*\([^()]*\)\s*As\([^()]*\)\s*bool\s*\{[^{}]*\breflect\./g,
    ],
    // It forgets the value that it is made of.
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfunc\s+New\w*\(\s*_\s+${SIMPLE}\s*\)|\bfunc\s+New\w*\(\s*(\w+)\s+${SIMPLE}\s*\)\s*\*?\w[\w.]*\s*\{(?:(?!\b\1\b)[^{}]|\{(?:(?!\b\1\b)[^{}]){0,400}\}){0,400}\}`,
        'g',
      ),
    ],
    // Errors that are nothing, or the same, are equal.
    [
      'constant-comparison',
      /^(?:var\s+|\t)Err[A-Z]\w*[^\S\n]+error[^\S\n]*$|(?:^|[;{])[^\S\n]*(?:var\s+)?Err[A-Z]\w*(?:[^\S\n]+error)?\s*=\s*(?:nil|[Ee]rr[A-Z]\w*)[^\S\n]*(?:$|[;}])/gm,
    ],
    // No number is unlike such a one in an order.
    [
      'constant-comparison',
      /\bmath\.(?:NaN\b|(?:Sqrt|Log\w*)\(\s*-)|["`]nan["`]|\breturn\s+(\w+)\s*\/\s*\1\s*[;}\n]/gi,
    ],
  ],
};

const COMMENT = String.raw`\/\*[^"'\`;(){}\n*]*\*\/`;
const AROUND_DOTS = new RegExp(String.raw`(?<=\w)(?:[^\S\n]|${COMMENT})*\.(?:\s|${COMMENT})*(\w+)`, 'g');
const RENAMED = /(?:^|[;(]|\bimport\b)[^\S\n]*(\w+)[^\S\n]*["`](?:[a-z]\w*\/)*(\w+)["`]/gm;

/** With the names of packages that Go has, and without blanks and comments within names. Lines stay. */
function plain(text: string): string {
  const joined = text.replace(AROUND_DOTS, (found, name: string) => {
    const lines = found.split('\n').length - 1;
    return `.${name}${'\n'.repeat(lines)}`;
  });
  const renamed = new Map<string, string>();
  for (const [, own = '', name = ''] of joined.matchAll(RENAMED))
    if (WATCHED.has(name) && !WATCHED.has(own)) renamed.set(own, name);
  return renamed.size === 0
    ? joined
    : joined.replace(/\b(\w+)\.(?=\w)/g, (found, own: string) =>
        renamed.has(own) ? `${renamed.get(own)}.` : found,
      );
}
