/**
 * `swemake grade-log`: parses and grades a test log by hand, to see why a verdict is what it is, or what another
 * system's rules would make of it. Nothing is run and nothing is cached.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { parsedJson } from '../basics/json.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { infraHint } from '../grading/logs/infra.ts';
import { layoutOf, type RunResult, readTestLog } from '../grading/logs/log.ts';
import {
  DEFAULT_PRESET,
  findPreset,
  type GradingPreset,
  PRESETS,
  relaxations,
} from '../grading/rules/presets.ts';
import { gradeRun, type TestGroup, type Verdict } from '../grading/rules/verdict.ts';
import { findParser, type LogParser, parserNameOf, parserNames } from '../parsers/registry.ts';
import { STATUSES } from '../parsers/status.ts';
import type { TestLists } from '../schemas/instance.ts';
import { answerUsage, type OptionValues, option, parseCommand, type UsageError } from './arguments.ts';

const gradeLogSpec = {
  name: 'grade-log',
  summary: 'Parse a test log and, with an instance, grade it.',
  positionals: [{ name: 'LOG', description: 'the log of a test run', required: true }],
  options: {
    repo: option('OWNER/NAME', 'repository; picks the parser'),
    parser: option('NAME', 'log parser to use instead'),
    instance: option('ROW.json', 'task row with the tests to grade'),
    preset: option('NAME', `grading rules; ${DEFAULT_PRESET} by default`),
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake grade-log test_output.txt --repo django/django', 'which tests passed'],
    ['swemake grade-log test_output.txt --instance row.json', 'and the verdict on a task'],
  ],
} as const;

type Values = OptionValues<typeof gradeLogSpec>;

interface Row {
  instance_id: string | null;
  repo: string | null;
  log_parser: string | null;
  lists: TestLists;
}

interface Grading {
  log: string;
  parser: string;
  preset: GradingPreset;
  run: RunResult;
  row: Row | null;
  verdict: Verdict | null;
  hint: ReturnType<typeof infraHint>;
}

/** Code 0 whatever the verdict is, 2 when the question itself is wrong. */
export async function gradeLogCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(gradeLogSpec, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const graded = await grade(parsed.positionals[0] as string, parsed.values, io.cwd);
  if (!graded.ok) return answerUsage(graded.fault, io);
  io.stdout.write(parsed.values.json ? jsonLine(toJson(graded.value)) : shown(toText(graded.value)));
  return 0;
}

async function grade(file: string, values: Values, cwd: string): Promise<Result<Grading, UsageError>> {
  const log = await readText(resolve(cwd, file), file);
  if (!log.ok) return log;
  const row = values.instance === undefined ? success(null) : await readRow(values.instance, cwd);
  if (!row.ok) return row;
  const parser = chooseParser(values, row.value);
  if (!parser.ok) return parser;
  const preset = findPreset(values.preset ?? DEFAULT_PRESET);
  if (preset === null)
    return unknown(
      'preset',
      values.preset ?? '',
      PRESETS.map((one) => one.name),
    );
  const text = log.value;
  const run = readTestLog(text, parser.value, { layout: layoutOf(text) });
  const verdict = row.value === null ? null : gradeRun(run, row.value.lists, preset.rules);
  const hint = infraHint(text);
  return success({ log: file, parser: parser.value.name, preset, run, row: row.value, verdict, hint });
}

function chooseParser(values: Values, row: Row | null): Result<LogParser, UsageError> {
  const repo = values.repo ?? row?.repo ?? null;
  const name = values.parser ?? row?.log_parser ?? (repo === null ? null : parserNameOf(repo));
  if (name === null) return wrong('the parser is not known', 'give --repo OWNER/NAME or --parser NAME');
  const parser = findParser(name);
  return parser === null ? unknown('parser', name, parserNames()) : success(parser);
}

async function readText(path: string, shown: string): Promise<Result<string, UsageError>> {
  try {
    return success(await readFile(path, 'utf8'));
  } catch (error) {
    return wrong(`cannot read ${shown}: ${readFault(error)}`, 'give the path of a file');
  }
}

function readFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
}

async function readRow(file: string, cwd: string): Promise<Result<Row, UsageError>> {
  const text = await readText(resolve(cwd, file), file);
  if (!text.ok) return text;
  const remedy = 'give one task row with FAIL_TO_PASS and PASS_TO_PASS';
  const value = parsedJson(text.value);
  if (typeof value !== 'object' || value === null) return wrong(`${file} is not a JSON object`, remedy);
  const row = value as Record<string, unknown>;
  const FAIL_TO_PASS = testList(row.FAIL_TO_PASS);
  const PASS_TO_PASS = testList(row.PASS_TO_PASS);
  if (FAIL_TO_PASS === null || PASS_TO_PASS === null) return wrong(`${file} lists no tests`, remedy);
  const word = (key: string) => (typeof row[key] === 'string' ? (row[key] as string) : null);
  return success({
    instance_id: word('instance_id'),
    repo: word('repo'),
    log_parser: word('log_parser'),
    lists: { FAIL_TO_PASS, PASS_TO_PASS },
  });
}

/** A list, or the JSON text of one, as SWE-bench has it. */
function testList(value: unknown): string[] | null {
  const list = typeof value === 'string' ? parsedJson(value) : value;
  if (!Array.isArray(list) || !list.every((id) => typeof id === 'string')) return null;
  return list;
}

function wrong(message: string, remedy: string): { ok: false; fault: UsageError } {
  return fault({ kind: 'usage', message, remedy });
}

function unknown(what: string, name: string, known: string[]): { ok: false; fault: UsageError } {
  return wrong(`there is no ${what} "${name}"`, `one of ${known.join(', ')}`);
}

function counts(run: RunResult): [status: string, count: number][] {
  const statuses = [...run.statusMap.values()];
  const counted = STATUSES.map((one): [string, number] => [one, statuses.filter((s) => s === one).length]);
  return counted.filter(([, count]) => count > 0);
}

function toJson(grading: Grading): Record<string, unknown> {
  const { run, verdict, preset } = grading;
  return {
    log: grading.log,
    instance_id: grading.row?.instance_id ?? null,
    parser: grading.parser,
    preset: preset.name,
    relaxations: relaxations(preset.rules),
    exit_code: run.exitCode,
    gradable: verdict?.gradable ?? run.gradable,
    counts: Object.fromEntries(counts(run)),
    resolved: verdict?.resolved ?? null,
    partial: verdict?.partial ?? null,
    reward: verdict?.reward ?? null,
    tests_status: verdict?.tests_status ?? null,
    ambiguous: verdict?.ambiguous ?? [],
    infra_hint: grading.hint,
    tests: Object.fromEntries(run.statusMap),
  };
}

function toText(grading: Grading): string {
  const { run, verdict, preset } = grading;
  const gradable = verdict?.gradable ?? run.gradable;
  const found = counts(run).map(([status, count]) => `${count} ${status.toLowerCase()}`);
  const lines: [string, string][] = [
    ['parser', grading.parser],
    ['tests', found.length === 0 ? 'none' : `${run.statusMap.size}: ${found.join(' · ')}`],
  ];
  if (run.exitCode !== null) lines.push(['exit code', String(run.exitCode)]);
  if (!gradable.ok) lines.push(['not gradable', `${gradable.detail} (${gradable.reason})`]);
  if (verdict !== null)
    lines.push(['verdict', `${verdictWord(verdict)} · reward ${verdict.reward}`], ['preset', preset.name]);
  if (verdict !== null) for (const laxer of relaxations(preset.rules)) lines.push(['laxer', laxer]);
  if (verdict?.tests_status) {
    lines.push(['FAIL_TO_PASS', groupText(verdict.tests_status.FAIL_TO_PASS)]);
    lines.push(['PASS_TO_PASS', groupText(verdict.tests_status.PASS_TO_PASS)]);
  }
  for (const id of verdict?.ambiguous ?? []) lines.push(['ambiguous', id]);
  if (grading.hint !== null) lines.push(['trace', `${grading.hint.reason} (${grading.hint.tier})`]);
  return lines.map(([name, value]) => `${name.padEnd(14)}${value}\n`).join('');
}

function verdictWord(verdict: Verdict): string {
  if (verdict.resolved) return 'resolved';
  return verdict.partial ? 'partly resolved' : 'not resolved';
}

function groupText(group: TestGroup): string {
  const total = group.success.length + group.failure.length;
  const failing = group.failure.map((id) => `\n${' '.repeat(16)}${id}`).join('');
  return `${group.success.length} of ${total} pass${failing}`;
}
