/**
 * Reads a row's own grading script (`eval_script` of SWE-bench 5, SWE-Gym and others) into the commands before the
 * tests and the tests. Its commands that add the hidden tests are left out, since swemake has already added them
 * where a patch cannot reach them. Commands that only show the repository are left out, too. The rest is treated like
 * a recipe's commands.
 */
import { END_MARKER, START_MARKER } from './log.ts';

export interface RowScript {
  /** Run before the tests, in the same shell. */
  evalCommands: string[];
  testCommand: string;
}

export interface RowScriptFacts {
  /** The row's hidden tests as a diff. */
  testPatch: string;
  /** The environment is a conda environment, as the script expects. Any other is active without a command. */
  hasConda: boolean;
}

/** `git apply -v - <<'EOF_1'`, `cat > file <<EOF`: the delimiter is the second group. */
const HERE_DOCUMENT = /<<-?\s*(['"]?)([A-Za-z_]\w*)\1/;
const APPLIES = /^(?:git\s+apply|patch)\s/;
const SHOWS = /^git\s+(?:-\S+\s+\S+=\S+\s+)?(?:status|show|diff|log)(?:\s[^|&;<>]*)?$/;
const ACTIVATES = /^(?:source|\.)\s+\S*\/(?:activate|conda\.sh)$|^conda\s+activate\s+\S+$/;
const CHECKS_OUT = /^git\s+checkout\s+(?:[0-9a-f]{7,40}|HEAD)\s/;
/** The base commit has another id in swemake's repository. */
const BASE_COMMIT = /^(git\s+(?:checkout|reset|restore)\s(?:\S+\s)*?)[0-9a-f]{40}\b/;
const OPTIONS = /^set\s+[-+]/;

/** Null for an empty script. */
export function readRowScript(script: string, facts: RowScriptFacts): RowScript | null {
  const statements = statementsOf(script);
  const start = statements.findIndex((one) => isMarker(one, START_MARKER));
  const end = statements.findIndex((one, index) => index > start && isMarker(one, END_MARKER));
  const brings = statements.some((one) => bringsTests(one, facts));
  const kept = (some: readonly string[]) => some.flatMap((one) => keep(one, brings, facts));
  const tests = kept(statements.slice(start + 1, end < 0 ? undefined : end));
  if (tests.every((one) => one.trim() === '' || one.startsWith('#'))) return null;
  if (start < 0) return { evalCommands: [], testCommand: tests.join('\n') };
  const before = kept(statements.slice(0, start));
  const options = before.filter((one) => OPTIONS.test(one.trim()));
  return {
    // With `set -x` the command that prints a marker would print it twice. The tests get the script's options back.
    evalCommands: [...before, '{ set +eux; set +o pipefail; } 2> /dev/null'],
    testCommand: [...options, ...tests].join('\n'),
  };
}

/** The command without its here-documents, whose words are not the shell's. */
export function withoutDocuments(command: string): string {
  return statementsOf(command)
    .map((one) => (HERE_DOCUMENT.test(firstLine(one)) ? firstLine(one) : one))
    .join('\n');
}

/** Lines, each with the here-document that it begins. */
function statementsOf(script: string): string[] {
  const statements: string[] = [];
  let delimiter: string | null = null;
  for (const line of script.replace(/\r\n/g, '\n').split('\n')) {
    if (delimiter === null) {
      statements.push(line);
      delimiter = HERE_DOCUMENT.exec(line)?.[2] ?? null;
    } else {
      statements.push(`${statements.pop()}\n${line}`);
      if (line.replace(/^\t+/, '') === delimiter) delimiter = null;
    }
  }
  return statements;
}

function firstLine(statement: string): string {
  return statement.slice(0, (statement.indexOf('\n') + 1 || statement.length + 1) - 1);
}

function isMarker(statement: string, marker: string): boolean {
  return /^\s*(?::|echo|printf)\s/.test(statement) && statement.includes(marker);
}

/** Whether it applies the hidden tests. */
function bringsTests(statement: string, { testPatch }: RowScriptFacts): boolean {
  if (testPatch.trim() === '' || !APPLIES.test(statement.trim())) return false;
  const [, ...body] = statement.split('\n');
  return body.slice(0, -1).join('\n').trim() === testPatch.replace(/\r\n/g, '\n').trim();
}

function keep(statement: string, brings: boolean, facts: RowScriptFacts): string[] {
  const text = statement.trim();
  if (SHOWS.test(text) || bringsTests(statement, facts)) return [];
  if (!facts.hasConda && ACTIVATES.test(text)) return [];
  // It checks the tests out before the patch is applied, or after they ran.
  if (brings && CHECKS_OUT.test(text)) return [];
  return [BASE_COMMIT.test(text) ? text.replace(BASE_COMMIT, '$1HEAD') : statement];
}
