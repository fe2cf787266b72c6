/**
 * Doubtful code of extension modules. What is compiled runs with all rights in the tested process, and no record shows what it
 * writes into memory. So the names of Python's C interface by which it reaches the interpreter are judged, line by line.
 */
import type { DoubtRule, NamedDoubt } from '../../ecosystems/doubts.ts';
import { type NamedSite, namedSites } from './named-sites.ts';

const NATIVE = /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|inc|pxi|rs)$/i;
/** A slot of a type that stays empty, and whose comment names it: `0, /* tp_richcompare *\/`. */
const EMPTY_SLOT = /\b(?:0|NULL|nullptr)\s*(?:,\s*)?\/\*\s*\w+\s*\*\//g;
const NAMES: readonly NamedDoubt[] = [
  ['hides-code', /\b(?:PyRun_\w+|Py_CompileString\w*|PyEval_EvalCode\w*)/g],
  [
    'reads-frames',
    /\b(?:PyEval_Get(?:Frame|Globals|Locals|Builtins)|PyThreadState_GetFrame|_?PyFrame_\w+)\b/g,
  ],
  [
    'controls-interpreter',
    /\b(?:_?PyEval_Set(?:Trace|Profile)\w*|PyImport_GetModuleDict|PySys_(?:SetObject|AddAuditHook)|Py_AtExit|Py_Exit|Py_Finalize\w*|PyThreadState_SetAsyncExc)\b|\b(?:_exit|_Exit|quick_exit|atexit|kill|mprotect)(?=\s*\()/g,
  ],
  [
    'patches-others',
    /\b(?:ob_digit|PyFunction_Set\w+|PyUnstable_\w+|PyCode_\w+|Py_SET_TYPE)\b|\bPy[A-Z]\w*_Type\s*\.\s*tp_\w+(?=\s*=[^=])/g,
  ],
  ['constant-comparison', /\b(?:Py_)?(?:tp_richcompare|nb_bool|sq_contains)\b/g],
];
/** Of Rust, and of C++'s raw texts. */
const LONG_QUOTES = /"/;
const TOLD: Readonly<Partial<Record<DoubtRule, string>>> = {
  'constant-comparison': 'compares in compiled code',
};

/** Whether a file is compiled into extension modules, by its name. */
export function isNative(path: string): boolean {
  return NATIVE.test(path);
}

/** Whether it is compiled already, so that its source cannot be judged. */
export function isCompiled(text: string): boolean {
  return text.startsWith('\x7fELF');
}

/** The places of a text. */
export function nativeSites(text: string): NamedSite[] {
  return namedSites(text.replace(EMPTY_SLOT, ''), { names: NAMES, longQuotes: LONG_QUOTES }).map((site) => ({
    ...site,
    what: TOLD[site.rule] ?? site.what,
  }));
}
