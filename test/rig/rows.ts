/**
 * Synthetic rows of SWE-smith's shape, for tests and benches of scale: some 5 KB each, spread over environments as
 * unevenly as real ones. The same arguments always give the same rows, and a row does not depend on how many
 * follow it.
 */
import { randomNumbers } from './random.ts';

export interface SmithRow {
  instance_id: string;
  repo: string;
  image_name: string;
  patch: string;
  FAIL_TO_PASS: string[];
  PASS_TO_PASS: string[];
  problem_statement: string;
}

const KINDS = [
  'func_pm_ctrl_invert_if',
  'func_pm_remove_assign',
  'func_pm_op_change',
  'lm_rewrite',
  'combine_file',
];
const WORDS =
  'the parser returns an empty list when value is given twice and order of keys changes after second call so result differs from documented behaviour'.split(
    ' ',
  );

/** `n` rows over `environments` images. */
export function* generateRows(n: number, environments: number, seed: number): Generator<SmithRow> {
  for (let row = 0; row < n; row += 1) yield generateRow(row, environments, seed);
}

/** The rows as the text of a JSONL file, in pieces of some MB. */
export function* generateJsonl(n: number, environments: number, seed: number): Generator<string> {
  let lines: string[] = [];
  for (const row of generateRows(n, environments, seed)) {
    lines.push(`${JSON.stringify(row)}\n`);
    if (lines.length < 500) continue;
    yield lines.join('');
    lines = [];
  }
  if (lines.length > 0) yield lines.join('');
}

function generateRow(row: number, environments: number, seed: number): SmithRow {
  const random = randomNumbers(seed * 1_000_003 + row);
  const below = (limit: number) => Math.floor(random() * limit);
  // The first rows visit every environment; later ones prefer those with a low number.
  const environment = row < environments ? row : Math.floor(environments * random() ** 2);
  const [owner, name] = [`owner${environment % 40}`, `package${environment}`];
  const commit = hex(randomNumbers(environment + 1), 8);
  const mark = hex(random, 8);
  const module = `module_${below(20)}`;
  const tests = (count: number, from: number) =>
    Array.from(
      { length: count },
      (_, i) => `tests/test_${module}.py::TestCase${(from + i) % 7}::test_case_${from + i}`,
    );
  return {
    instance_id: `${owner}__${name}.${commit}.${KINDS[below(KINDS.length)]}__${mark}`,
    repo: `swesmith/${owner}__${name}.${commit}`,
    image_name: `jyangballin/swesmith.x86_64.${owner}_1776_${name}.${commit}`,
    patch: patchOf(`${name}/${module}.py`, random),
    FAIL_TO_PASS: tests(1 + below(4), 0),
    PASS_TO_PASS: tests(30 + below(25), 10),
    problem_statement: `# ${sentence(random, 8)}\n\n${Array.from({ length: 12 }, () => sentence(random, 14)).join('\n')}\n`,
  };
}

function patchOf(path: string, random: () => number): string {
  const line = (mark: string) =>
    `${mark}    ${sentence(random, 5).replaceAll(' ', '_')} = ${Math.floor(random() * 1000)}\n`;
  const context = () => line(' ') + line(' ') + line(' ');
  const hunks = [20, 60, 140].map(
    (at) => `@@ -${at},7 +${at},7 @@\n${context()}${line('-')}${line('+')}${context()}`,
  );
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

function sentence(random: () => number, words: number): string {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}

function hex(random: () => number, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}
