/** Finds in a failed step's output which recipe key would help, with a value where the output names one. */

/** Git says it of a submodule that it cannot fetch. */
const SUBMODULE_LOST = /into submodule path '\/testbed\/([^']+)' failed/;

/** A file is not there. */
const MISSED =
  /No such file|not found|does not exist|cannot find|can't (?:open|find)|FileNotFoundError|could not (?:open|find)|unable to open/i;

const MISSED_SUBMODULES = 'a file is missing in submodules that the recipe does not name: ';

/** The first pattern that matches counts; `$1` is its group. */
const HINTS: readonly [RegExp, string][] = [
  [SUBMODULE_LOST, 'submodules ($1)'],
  [new RegExp(`^== note: ${MISSED_SUBMODULES}(.+)`, 'm'), 'submodules ($1)'],
  [
    /\bapt(?:-get)?: (?:command )?not found|E: Could not (?:open lock file|get lock)|are you root\?/,
    'system (a build cannot install Debian packages: list them there)',
  ],
  [/does not appear to be a Python project/, 'ecosystem (see docs/languages.md, or swemake import-recipes)'],
  [/requires a different Python: \S+ not in '([^']+)'/, 'python (the project wants $1)'],
  [/Requires-Python|requires-python|requires Python (?:'?)(?:[<>=~!])/, 'python (another version)'],
  [
    /ModuleNotFoundError: No module named '(?:distutils|imp|asynchat|asyncore|lib2to3)'|AttributeError: module 'pkgutil' has no attribute 'ImpImporter'/,
    'python (an older version)',
  ],
  [/use_2to3 is invalid/, 'pip (setuptools<58)'],
  [/fatal error: Python\.h: No such file/, 'system (python3-dev)'],
  [/fatal error: (\S+\.h(?:pp)?): No such file/, 'system (the Debian package with $1)'],
  [
    /error: command '?(?:\S*\/)?(gcc|cc|c\+\+|g\+\+|\S*-linux-gnu-gcc)'? failed: No such file|(?:unable to execute|can't find) '?(gcc|cc)|No (?:acceptable )?C compiler|Unknown compiler\(s\)/,
    'system (build-essential)',
  ],
  [
    /error: (?:can't find Rust compiler|rustc)|Cargo, the Rust package manager, is not installed/,
    'system (cargo and rustc)',
  ],
  [
    /(pg_config|mysql_config|xml2-config|xslt-config|pkg-config|nc-config|gdal-config|llvm-config|cmake|ninja|swig|make|git)(?: executable)?:? (?:is required|(?:command )?not found)|(\bgit\b)' not found/,
    'system (the Debian package with $1)',
  ],
  [
    /(?:line \d+|bash|sh|\/bin\/sh): (?:line \d+: )?(?:\d+: )?([\w.+-]+): (?:command )?not found/,
    'system, or pip (what has the program $1)',
  ],
  [
    /Could not open requirements file: .*'([^']+)'|File not found: `([^`]+)`/,
    'packages (the repository has no $1)',
  ],
  [/ModuleNotFoundError: No module named '([\w.]+)'/, 'pip (what has the module $1)'],
  [/does not provide the extra '?([\w-]+)/, 'install (there is no extra $1)'],
  [
    /setuptools[-_]scm was unable to detect version|LookupError: .*unable to detect version/,
    'env (SETUPTOOLS_SCM_PRETEND_VERSION)',
  ],
];

/** True when the step wanted a submodule, which the network of the build need not bring. */
export function lacksSubmodule(output: string): boolean {
  return SUBMODULE_LOST.test(output);
}

/**
 * A line for the log of a failed step about the submodules that its recipe does not name, so that their folders are empty, and in which
 * the output misses a file; nothing where there are none. `gitmodules`: the text of that file of the repository.
 */
export function submoduleNote(output: string, gitmodules: string, named: readonly string[]): string {
  const paths = [...gitmodules.matchAll(/^\s*path\s*=\s*(\S+)\s*$/gm)].map(([, path]) => path!);
  const lines = output.split('\n').filter((line) => MISSED.test(line));
  const misses = (path: string) => lines.some((line) => line.includes(`${path}/`));
  // A compiler is told in which folders to look, and names the header alone.
  const included = /fatal error: \S+: No such file/.test(output)
    ? output.split(/\s+/).filter((word) => word.startsWith('-I'))
    : [];
  const compiles = (path: string) => included.some((word) => `${word}/`.includes(`${path}/`));
  const missed = paths.filter((path) => !named.includes(path) && (misses(path) || compiles(path)));
  return missed.length === 0 ? '' : `== note: ${MISSED_SUBMODULES}${missed.join(', ')}\n`;
}

/** True for the line of {@link submoduleNote}. */
export function isSubmoduleNote(line: string): boolean {
  return line.startsWith(`== note: ${MISSED_SUBMODULES}`);
}

/** `; recipe key that would help: …`, or nothing. */
export function recipeHint(output: string): string {
  const hint = hintIn(output);
  return hint === null ? '' : `; recipe key that would help: ${hint}`;
}

/** The recipe key that would help, and in parentheses why; null when the output gives no hint. */
export function hintIn(output: string): string | null {
  for (const [sign, hint] of HINTS) {
    const found = sign.exec(output);
    if (found === null) continue;
    const name = found.slice(1).find((group) => group !== undefined) ?? '';
    return hint.replace('$1', () => name);
  }
  return null;
}
