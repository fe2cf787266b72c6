/**
 * What stands behind a verdict: the lines of the test log that speak of each listed test, and where in the patch and
 * in the rollout each finding has its cause.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Secrets } from '../../contract/secrets.ts';
import type { Finding } from '../../grading/rules/findings.ts';
import type { TestsStatus } from '../../grading/rules/verdict.ts';
import { type Bytes, logRange } from './log-range.ts';
import type { ShownStep } from './steps.ts';

interface LogLine {
  /** From 1. */
  number: number;
  text: string;
}

export interface TestEvidence {
  test: string;
  list: 'FAIL_TO_PASS' | 'PASS_TO_PASS';
  passed: boolean;
  /** The last lines that name it; none when the log does not. */
  lines: LogLine[];
}

/** Lines per test, and characters of each. */
const LINES = 4;
const MAX_CHARACTERS = 400;
/** Tests that passed as they had to are many, so they are only counted. */
const PASSED_SHOWN = 50;

/** Bytes at the end of a log in which lines are looked for: a runner names its tests at the end once more. */
const SEARCHED = 16 << 20;

/** Failing tests first. A part of the log is in memory at a time. */
export async function testEvidence(
  status: TestsStatus | null,
  log: Bytes | null,
  secrets: Pick<Secrets, 'redact'>,
): Promise<TestEvidence[]> {
  if (status === null) return [];
  const groups = (['FAIL_TO_PASS', 'PASS_TO_PASS'] as const).flatMap((list) => [
    ...status[list].failure.map((test) => ({ test, list, passed: false })),
    ...status[list].success
      .slice(0, list === 'PASS_TO_PASS' ? PASSED_SHOWN : undefined)
      .map((test) => ({ test, list, passed: true })),
  ]);
  const sorted = [...groups.filter(({ passed }) => !passed), ...groups.filter(({ passed }) => passed)];
  const searches = sorted.map((one) => ({
    one,
    found: namesOf(one.test).map((name) => new LastLines(name)),
  }));
  if (log !== null)
    await search(
      log,
      secrets,
      searches.flatMap(({ found }) => found),
    );
  return searches.map(({ one, found }) => ({
    ...one,
    lines: found.find(({ lines }) => lines.length > 0)?.lines ?? [],
  }));
}

/** A test's whole name; as newer versions of unittest write it; its last part, as summaries do. */
function namesOf(test: string): string[] {
  const last = test.includes('::') ? test.slice(test.lastIndexOf('::') + 2) : test.split(' ')[0]!;
  return [test, test.replace(/\)$/, ''), last].filter((name) => name !== '');
}

/** The last lines that hold a name: as a whole, since other tests have longer names that begin or end alike. */
class LastLines {
  readonly lines: LogLine[] = [];
  readonly #name: string;
  readonly #whole: RegExp;

  constructor(name: string) {
    this.#name = name;
    const text = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    // What stands beside a name that ends in a letter or a digit is no further part of it, nor a parameter.
    this.#whole = new RegExp(
      `${/^\w/.test(name) ? '(?<!\\w)' : ''}${text}${/\w$/.test(name) ? '(?![\\w[])' : ''}`,
    );
  }

  /** `first` is the number of the first line. */
  look(text: string, lines: readonly string[], first: number): void {
    if (!text.includes(this.#name)) return;
    for (const [index, line] of lines.entries()) {
      if (!line.includes(this.#name) || !this.#whole.test(line)) continue;
      this.lines.push({ number: first + index, text: line.slice(0, MAX_CHARACTERS) });
      if (this.lines.length > LINES) this.lines.shift();
    }
  }
}

async function search(
  log: Bytes,
  secrets: Pick<Secrets, 'redact'>,
  all: readonly LastLines[],
): Promise<void> {
  const from = Math.max(0, log.size - SEARCHED);
  let range = logRange(log, from, secrets);
  let number = 1 + (await linesBefore(log, range.from));
  for (;;) {
    const lines = range.text.split('\n');
    for (const one of all) one.look(range.text, lines, number);
    number += lines.length - 1;
    if (range.to >= log.size) return;
    // Others are served meanwhile.
    await yieldToEventLoop();
    range = logRange(log, range.to, secrets);
  }
}

const BLOCK = 1 << 20;
const LINE_BREAK = 10;

async function linesBefore(log: Bytes, end: number): Promise<number> {
  let count = 0;
  for (let at = 0; at < end; at += BLOCK) {
    const block = log.read(at, Math.min(end, at + BLOCK));
    for (let found = block.indexOf(LINE_BREAK); found !== -1; found = block.indexOf(LINE_BREAK, found + 1))
      count += 1;
    await yieldToEventLoop();
  }
  return count;
}

export interface FindingPlace extends Finding {
  /** Files of the patch that it speaks of. */
  files: string[];
  /** Numbers of the steps whose actions name one of these files. */
  steps: number[];
}

export function findingPlaces(
  findings: readonly Finding[],
  patch: string,
  steps: readonly ShownStep[],
): FindingPlace[] {
  const files = filesOf(patch);
  return findings.map((finding) => {
    const named = files.filter((file) => finding.detail.includes(file));
    const touching = steps.filter(({ actions }) =>
      actions.some(({ command }) =>
        named.some((file) => command.includes(file) || command.includes(base(file))),
      ),
    );
    return { ...finding, files: named, steps: touching.map(({ number }) => number) };
  });
}

function base(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

/** Files that a diff touches, as it names them. */
function filesOf(patch: string): string[] {
  const names = [...patch.matchAll(/^(?:\+\+\+ b|--- a)\/(.+)$/gm)].map(([, name]) => name!.trim());
  return [...new Set(names)];
}
