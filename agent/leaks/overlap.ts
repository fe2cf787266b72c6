/**
 * Finds text of the answer or of hidden tests in the output of a command. Several consecutive lines must be the same,
 * and the agent must have written none of them. Reading the repository shows its first state, which has no line that
 * is only in the answer. So reads of it are not compared with gold lines; otherwise an edit by `sed` would look like
 * a leak.
 */
import type { ShellCommand } from './commands.ts';
import { EDITS, evidenceOf, type LeakCheck, type LeakStep } from './finding.ts';
import { readPaths, toolPath } from './packages.ts';
import { isSignificant, type LeakTask } from './task.ts';

/**
 * Consecutive lines, and their characters. More is required for tests, since tests resemble each other more than code
 * does.
 */
const GOLD = { lines: 3, characters: 80 };
const TESTS = { lines: 5, characters: 200 };

export function goldTextCheck(task: LeakTask): LeakCheck {
  const names = task.goldFiles.map((path) => path.slice(path.lastIndexOf('/') + 1));
  // Once such a file was changed, its content may be the agent's own.
  let changed = task.gold.length === 0;
  return (step) => {
    changed ||=
      (WRITES.test(step.text) || EDITS.test(step.text)) && names.some((name) => step.text.includes(name));
    if (changed || readsRepositoryOnly(step)) return null;
    const seen = longestRun(task.gold, step, GOLD);
    return seen === null ? null : { rule: 'gold-text', severity: 'leak', evidence: evidenceOf(step, seen) };
  };
}

export function testTextCheck(task: LeakTask): LeakCheck {
  return (step) => {
    if (task.tests.length === 0) return null;
    const seen = longestRun(task.tests, step, TESTS);
    return seen === null ? null : { rule: 'test-text', severity: 'leak', evidence: evidenceOf(step, seen) };
  };
}

const REPOSITORY = '/testbed';
const PLAIN_READS =
  /^(?:cat|tac|nl|head|tail|sed|awk|grep|egrep|fgrep|rg|less|more|ls|find|wc|cd|echo|pwd|tree|file|sort|uniq|cut|tr)$/;

/** The step only looks at files of the repository. */
function readsRepositoryOnly(step: LeakStep): boolean {
  const { tool, commands } = step;
  if (tool === null || commands.length > 0)
    return commands.every(isPlainRead) && readPaths(step).every(isOfRepository);
  const path = toolPath(tool);
  return path === null ? Object.keys(tool).length === 0 : isOfRepository(path);
}

function isOfRepository(path: string): boolean {
  return !path.startsWith('/') || path === REPOSITORY || path.startsWith(`${REPOSITORY}/`);
}

function isPlainRead({ words }: ShellCommand): boolean {
  if (words[0] === 'git') return ['status', 'diff', 'add', 'grep', 'ls-files'].includes(words[1] ?? '');
  return PLAIN_READS.test(words[0]!);
}

const WRITES =
  /(?:^|[^-=<>\d&])>{1,2}(?![&=]|\s*\/dev\/null)|\bsed\b[^|;\n]*\s-(?:\w*i|-in-place)|\btee\b|\bpatch\b|\bapply\b|\bperl\b[^|;\n]*-\w*i|open\(|write|\bmv\b|\bcp\b/;

/** Consecutive significant lines that are in the output and in the runs, if they are enough. */
function longestRun(runs: readonly string[][], step: LeakStep, least: typeof GOLD): string | null {
  const output = unescaped(step.output);
  const places = placesOf(runs, (line) => !step.ownLines.has(line) && output.includes(line));
  if (places.size < least.lines) return null;
  let before = new Map<number, string[]>();
  for (const forms of formsOfLines(output)) {
    const now = new Map<number, string[]>();
    for (const form of forms) {
      for (const at of places.get(form) ?? []) {
        const row = [...(before.get(at - 1) ?? []), form];
        if (row.length >= least.lines && row.join('').length >= least.characters) return row.join(' ');
        now.set(at, row);
      }
    }
    before = now;
  }
  return null;
}

/** Positions of lines in the runs. Two runs are separated by a gap, so that no match goes from one to the next. */
function placesOf(runs: readonly string[][], wanted: (line: string) => boolean): Map<string, number[]> {
  const places = new Map<string, number[]>();
  let place = 0;
  for (const run of runs) {
    for (const line of run) {
      if (wanted(line)) places.set(line, [...(places.get(line) ?? []), place]);
      place += 1;
    }
    place += 1;
  }
  return places;
}

/** The lines of a text that an agent wrote. */
export function trimmedLines(text: string): string[] {
  return unescaped(text)
    .split('\n')
    .map((line) => line.trim());
}

/** Lines in rows of a dataset and in arguments of tools are written as JSON text. */
function unescaped(text: string): string {
  return text.includes('\\n')
    ? text.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\t', '\t')
    : text;
}

/** For each significant line: the line as it is, and without a line number, a path or a diff mark in front. */
function formsOfLines(output: string): Set<string>[] {
  const lines = output.split('\n').filter(isSignificant);
  return lines.map((line) => {
    const plain = line.replace(/^\s*\d+\s*[\t:|-]\s?/, '').replace(/^[^\s:]+:\d+[:-]\s?/, '');
    return new Set([
      line.trim(),
      plain.trim(),
      line.replace(/^[+-]/, '').trim(),
      plain.replace(/^[+-]/, '').trim(),
    ]);
  });
}
