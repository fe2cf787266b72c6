/** What a report quotes of a log: its last lines, the line that complains, and the recipe key that would likely help. Pure. */
import type { Outcome } from '../../schemas/outcome.ts';
import { isSubmoduleNote } from '../environments/hints.ts';
import { suggestedOverride } from './hints.ts';

export interface Excerpt {
  /** The last lines of the log. */
  tail: string;
  /** The line that complains; null when none does. */
  complaint: string | null;
  /** Null when the log gives no hint. */
  hint: string | null;
}

/** Lines that are quoted. */
const TAIL_LINES = 15;
/** Characters of such a line; a test may print one endless line. */
const MAX_LINE = 500;
/** The last lines of a log in which complaints are looked for. */
const MAX_LINES = 20_000;
/** What the witness's own failing tests say. */
const CANARY = /^\W*(?:E\s+)?(?:\w*Error: )?(?:this test )?must fail\W*$/;
/** Characters of a complaint. */
const MAX_COMPLAINT = 160;

/** `log` is null where none was kept. */
export function excerptOf(log: string | null, outcome: Outcome): Excerpt {
  const lines = (log ?? '')
    .trimEnd()
    .split('\n')
    .filter((line) => !CANARY.test(line))
    .slice(-MAX_LINES)
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const part = lastPart(lines).join('\n');
  const complaint = mainComplaint(part) ?? mainComplaint(lines.join('\n'));
  const all = lines.join('\n');
  const day = /^== index as of (\d{4}-\d\d-\d\d)/m.exec(all)?.[1] ?? null;
  // The builder's own note is surer than what a tool complains of.
  const own = lines.findLast((line) => isSubmoduleNote(line)) ?? '';
  const texts = [own, withReasons(complaint ?? '', part), part, all];
  const hint = texts.reduce<string | null>(
    (found, text) => found ?? suggestedOverride(outcome, text, day),
    null,
  );
  return { tail: lines.slice(-TAIL_LINES).join('\n'), complaint, hint };
}

/** What pip says of versions that it found, and did not take, stands above its complaint. */
function withReasons(complaint: string, part: string): string {
  if (!complaint.startsWith('No matching distribution found')) return complaint;
  const reasons = part.match(/^ERROR: (?:Ignored the following versions|Could not find a version) .*$/gm);
  return [...(reasons ?? []), complaint].join('\n');
}

/** The last step or run of the log, which decided: its title begins with `== `. */
function lastPart(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => /^== (?!note\b)/.test(line));
  return start < 0 ? lines : lines.slice(start);
}

/** From what says most to what says least. */
const COMPLAINTS: readonly RegExp[] = [
  // pip indents what a build raised.
  /^(?:E\s+|[ \t]+)?((?:ModuleNotFoundError|ImportError): .*)$/gm,
  /^E\s+((?:\w+\.)*\w*(?:Error|Exception|Failure|Warning)\b.*)$/gm,
  /^(?:INTERNALERROR>)?[ \t]*((?:\w+\.)*\w*(?:Error|Exception)\b(?: \[\w+\])?:.*)$/gm,
  // jest.
  /^[ \t]+(Cannot find (?:module|package) '.*)$/gm,
  // Compilers.
  /^\s*\S+:\d+(?::\d+)?: ((?:fatal )?error: .+)$/gm,
  /^error(?:\[E\d+\])?: (?!could not compile|aborting due to|test failed|process didn't exit)(.+)$/gm,
  /^\S+\.go:\d+(?::\d+)?: (.+)$/gm,
  /^\[ERROR\] \S+\.java:\[\d+,\d+\] (.+)$/gm,
  // Build tools.
  /^CMake Error[^\n]*\n\s+(\S.*)$/gm,
  /^\[FATAL\] (.+?)(?: @ *)?$/gm,
  /^\[ERROR\] (?:Failed to execute goal .* on project \S+: )?(?!\[|COMPILATION ERROR|Compilation failure|The build could not read|Failed to execute|To see|Re-run|For more|->|Tests run|There are test|Please refer|After correcting|Failures:|Errors:)(\S.*?)(?: -> \[Help \d+\])?$/gm,
  /^npm (?:ERR!|error) ((?:ERESOLVE|notarget|notsup|engine|Missing:|404|`npm ci`).*)$/gm,
  /^go: (?!downloading|finding|extracting)(.+)$/gm,
  // What programs say of their arguments, such as pytest without a plugin.
  /^[\w./-]+: error: (.+)$/gm,
  /^(?:ERROR|Error|error|FATAL|fatal): *(?! |Exception:$|metadata-generation-failed|subprocess-exited-with-error|ResolutionImpossible|Could not build wheels)(.+)$/gm,
  /^(?:bash|sh|make)[^:]*: (.*(?:not found|No such file or directory|Error \d+).*)$/gm,
  /^E\s{2,}(\S.*)$/gm,
  // Tests that did not run say why.
  /^(SKIPPED \[\d+\] .+)$/gm,
];

/** The line that complains most often of those that say most, the last one of equals; null when none complains. */
export function mainComplaint(log: string): string | null {
  for (const pattern of COMPLAINTS) {
    const counts = new Map<string, number>();
    for (const [, line = ''] of log.matchAll(pattern)) {
      const complaint = line.trim();
      const count = (counts.get(complaint) ?? 0) + 1;
      counts.delete(complaint);
      counts.set(complaint, count);
    }
    let best: string | null = null;
    for (const [complaint, count] of counts)
      if (best === null || count >= counts.get(best)!) best = complaint;
    if (best !== null) return best.length > MAX_COMPLAINT ? `${best.slice(0, MAX_COMPLAINT)}…` : best;
  }
  return null;
}
