/** Code of Go that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

export const goDoubts: CodeDoubts = {
  sources: ['.go', '.s'],
  longQuotes: /`/,
  names: [
    ...PROCESS_DOUBTS,
    ['uses-test-library', /"(?:testing|github\.com\/(?:stretchr\/testify|onsi\/\w+))(?:\/[\w./]+)?"/g],
    ['reads-tests', /["`]-?test\.\w*|\.test["`]|_test(?:\.go)?["`]/g],
    ['reads-frames', /\bruntime\.(?:Callers?|CallersFrames|FuncForPC|Stack)\b|\bdebug\.Stack\b/g],
    [
      'controls-interpreter',
      /^\/\/go:linkname\b|\b(?:syscall|unix)\.(?:Mprotect|Ptrace\w*|Dup[23]?|SYS_(?:PTRACE|MPROTECT|DUP[23]?|PROCESS_VM_WRITEV))\b|\bplugin\.Open\b/gm,
    ],
    [
      'hides-code',
      /^[^\S\n]*(?:import\b[^\S\n]*\(?[^\S\n]*)?"C"(?=[^\S\n]*(?:$|[;)/]))|^[^\S\n]*TEXT\s.*\(SB\)/gm,
    ],
    // What Go declares itself, declared anew in a package, holds in its tests as well.
    [
      'patches-others',
      /^(?:func|var|const|type)\s+(?:true|false|nil|iota|len|cap|append|error|panic|recover|string|bool|byte|rune|u?int(?:8|16|32|64)?|float(?:32|64))\b|^\t(?:true|false|nil)\b[^:\n]*=|\bos\.(?:Stdout|Stderr|Args)\s*(?:,[^=\n]{0,200})?=(?!=)/gm,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bfunc\s*\([^()]*\)\s*(?:Is|As|Equal\w*|Compare|Cmp)\(${INSIDE}\)\s*\w+\s*\{\s*return\s+(?:true|0)\s*;?\s*\}`,
        'g',
      ),
    ],
  ],
};
