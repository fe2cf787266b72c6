/** Files of tests that the runner could not load, and why, by what it prints. Pure. */
import { named } from '../../basics/named.ts';

/** A file, a folder, or a module of unittest by its dotted name. */
export interface Unloaded {
  file: string;
  /** The error that it raised; null where the output hides it. */
  why: string | null;
}

/** Of ids of Python that fail, those that stand for no test: pytest reports what it cannot collect by its path, and unittest by a test that it makes up. */
export function unloadedIds(failing: Iterable<string>): string[] {
  return [...failing].filter(isLoader);
}

/** Of other languages' ids: jest and vitest report a script that they cannot load by its path. */
export function unloadedScripts(failing: Iterable<string>): string[] {
  return [...failing].filter((id) => !id.includes(' > ') && /^[^/\s][^\n]*\.[cm]?[jt]sx?$/.test(id));
}

function isLoader(id: string): boolean {
  if (id.includes('(unittest.loader._FailedTest')) return true;
  return !/::|[\s()]/.test(id) && (id.endsWith('.py') || id.includes('/'));
}

/** A section of pytest's errors, or of unittest's. */
const SECTION = /^(?:_{2,} ERROR collecting (.+?) _{2,}|ERROR: (\S+) \(unittest\.loader\._FailedTest\S*\))$/;
/** Any other section begins or ends so. */
const OTHER = /^(?:={4,}|_{4,}|(?:ERROR|FAIL): )/;
/** The error itself, from what says most to what says least. Lines of source code are indented. */
const RAISED = [
  /^E {3}((?:\w+\.)*\w*(?:Error|Exception|Warning|Exit|Failed|Skipped)\b.*)$/,
  /^E {3}(\S.*)$/,
  /^((?:\w+\.)*\w*(?:Error|Exception)\b.*)$/,
  /^ *(\S.*)$/,
];

/** What pytest and unittest could not load, in the order of the log; the error that was raised last counts. */
export function unloadedIn(log: string): Unloaded[] {
  const found = new Map<string, string | null>();
  let lines: string[] | null = null;
  let file = '';
  const end = () => {
    if (lines !== null) found.set(file, raisedIn(lines));
    lines = null;
  };
  for (const line of log.split('\n').map((one) => one.trimEnd())) {
    const [, collected, loaded] = SECTION.exec(line) ?? [];
    if (collected !== undefined || loaded !== undefined) {
      end();
      file = collected ?? loaded!;
      lines = [];
    } else if (lines !== null && OTHER.test(line)) end();
    else lines?.push(line);
  }
  end();
  return [...found].map(([name, why]) => ({ file: name, why }));
}

/** Characters of an error that are said. */
const MOST = 160;

function raisedIn(lines: readonly string[]): string | null {
  for (const pattern of RAISED) {
    const text = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []).at(-1);
    if (text !== undefined) return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
  }
  return null;
}

/** How many different errors are said. */
const CAUSES = 3;

/**
 * `tests/a.py, tests/b.py do not load: ModuleNotFoundError: No module named 'c'`; missing modules stand before other errors. `ids`: what is
 * known not to load, of which some may not be in `found`.
 */
export function unloadedText(ids: readonly string[], found: readonly Unloaded[]): string {
  const known = new Set(found.map(({ file }) => file));
  const rest = ids.filter((id) => !known.has(id) && !id.includes('(')).map((file) => ({ file, why: null }));
  const causes = new Map<string | null, string[]>();
  for (const { file, why } of [...found, ...rest]) causes.set(why, [...(causes.get(why) ?? []), file]);
  const rank = ([why]: [string | null, unknown]) => (why?.includes('No module named') ? 0 : 1);
  const sorted = [...causes].sort((a, b) => rank(a) - rank(b) || b[1].length - a[1].length);
  const texts = sorted.map(([why, files]) => {
    const text = `${named(files)} ${files.length === 1 ? 'does' : 'do'} not load`;
    return why === null ? text : `${text}: ${why}`;
  });
  const more = texts.length - CAUSES;
  return [...texts.slice(0, CAUSES), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

const HIDES = / --tb=no\b/;

/** The command with tracebacks, of which `--tb=no` shows none; null where it hides nothing that is known. */
export function withTracebacks(command: string): string | null {
  return HIDES.test(command) ? command.replace(HIDES, ' --tb=short').replace(/ -rA\b/, '') : null;
}
