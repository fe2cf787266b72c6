/**
 * Turns rows of R2E-Gym into rows of SWE-bench. There a commit is the task: the fix is what it changes in Python
 * files that are not tests, the task begins with the commit before it, and the hidden tests are separate files. The
 * row names the tests that must pass without their files. In which file each one is, and which ones did not pass
 * before, is read from the row's logs of both commits.
 */
import { parsePytest } from '../../parsers/pytest.ts';
import type { BadRow } from '../../schemas/instance.ts';
import { badRow, type NumberedRow, objectOf, type RawRow } from '../row.ts';

/** Whose repository a short name of R2E-Gym means. */
const REPOSITORIES: Readonly<Record<string, string>> = {
  aiohttp: 'aio-libs/aiohttp',
  bokeh: 'bokeh/bokeh',
  coveragepy: 'nedbat/coveragepy',
  datalad: 'datalad/datalad',
  mypy: 'python/mypy',
  numpy: 'numpy/numpy',
  orange3: 'biolab/orange3',
  pandas: 'pandas-dev/pandas',
  Pillow: 'python-pillow/Pillow',
  pillow: 'python-pillow/Pillow',
  pyramid: 'Pylons/pyramid',
  scrapy: 'scrapy/scrapy',
  statsmodels: 'statsmodels/statsmodels',
  sympy: 'sympy/sympy',
  tornado: 'tornadoweb/tornado',
};

/** Where the hidden tests lie, as in the paths of the row's logs. */
const FOLDER = 'r2e_tests';

/** Columns that are taken apart here; some of them hold the answer, and they are larger than all others together. */
const TAKEN_APART = ['parsed_commit_content', 'execution_result_content', 'expected_output_json', 'prompt'];

/** The row with SWE-bench's columns. */
export function r2eRow({ line, row }: NumberedRow): NumberedRow | BadRow {
  const bad = (field: string, message: string) => badRow(line, row.commit_hash, field, message);
  const { repo_name: name, commit_hash: hash } = row;
  if (typeof name !== 'string' || name === '') return bad('repo_name', 'is missing');
  if (typeof hash !== 'string' || !/^[0-9a-f]{40}$/.test(hash))
    return bad('commit_hash', 'is no full commit');
  const commit = objectOf(row.parsed_commit_content) as Commit | null;
  if (!Array.isArray(commit?.file_diffs)) return bad('parsed_commit_content', 'is no commit');
  const execution = objectOf(row.execution_result_content) as Execution | null;
  const expected = objectOf(row.expected_output_json);
  if (execution === null) return bad('execution_result_content', 'is no JSON object');
  if (expected === null) return bad('expected_output_json', 'is no JSON object');
  const { test_file_names: names, test_file_codes: codes } = execution;
  if (!isTexts(names) || !isTexts(codes) || names.length !== codes.length || names.length === 0)
    return bad('execution_result_content', 'holds no test files with their names');
  if (names.some((file) => !/^[\w-][\w.-]*$/.test(file)))
    return bad('execution_result_content', 'has a name of a test file that is a path');
  const tests = testsOf(execution, expected);
  const kept = Object.entries(row).filter(([column]) => !TAKEN_APART.includes(column));
  const made = {
    instance_id: `${name}__${hash}`,
    repo: REPOSITORIES[name] ?? name,
    base_commit: baseOf(commit, hash),
    patch: fixOf(commit),
    test_patch: names.map((file, index) => newFile(`${FOLDER}/${file}`, codes[index]!)).join(''),
    problem_statement: issueOf(row.problem_statement),
    ...tests,
  };
  return { line, row: { ...Object.fromEntries(kept), ...made } };
}

interface Commit {
  file_diffs: FileDiff[];
  old_commit_hash?: string;
}

interface FileDiff {
  header: { file: { path: string }; misc_line?: string | null };
  index_line?: { old_commit_hash: string; new_commit_hash: string; mode: string } | null;
  is_binary_file?: boolean;
  minus_file?: { path: string } | null;
  plus_file?: { path: string } | null;
  hunks?: Hunk[];
}

interface Hunk {
  descriptor: { old_range: Range; new_range: Range; section: string };
  line_group: { all_lines: { content: string; type: string }[] };
}

interface Range {
  start: number;
  length: number | null;
}

interface Execution {
  test_file_names?: unknown;
  test_file_codes?: unknown;
  new_commit_res_stdout?: unknown;
  old_commit_res_stdout?: unknown;
}

/** Of those that the row expects to pass: the ones that pass after the commit, by whether they did before. */
function testsOf(
  { new_commit_res_stdout: after, old_commit_res_stdout: before }: Execution,
  expected: RawRow,
): { FAIL_TO_PASS: string[]; PASS_TO_PASS: string[] } {
  const wanted = new Set(
    Object.entries(expected)
      .filter(([, status]) => status === 'PASSED')
      .map(([key]) => keyOf(key)),
  );
  const [then, earlier] = [after, before].map((log) =>
    parsePytest(typeof log === 'string' ? withoutColours(log) : ''),
  );
  const passed = [...then!].filter(([id, status]) => status === 'PASSED' && wanted.has(keyOf(nameOf(id))));
  const ids = passed.map(([id]) => id);
  return {
    FAIL_TO_PASS: ids.filter((id) => earlier!.get(id) !== 'PASSED'),
    PASS_TO_PASS: ids.filter((id) => earlier!.get(id) === 'PASSED'),
  };
}

/** `TestA.test_b` of `r2e_tests/test_1.py::TestA::test_b`. */
function nameOf(id: string): string {
  return id.split('::').slice(1).join('.');
}

function keyOf(name: string): string {
  return withoutColours(name).split(' - ')[0]!;
}

function withoutColours(text: string): string {
  return text.replace(/\x1b\[[0-9;]*m|\r/g, '');
}

/** The commit before, by its name where the row knows it. */
function baseOf({ old_commit_hash: old }: Commit, hash: string): string {
  return typeof old === 'string' && /^[0-9a-f]{40}$/.test(old) ? old : `${hash}^`;
}

function fixOf({ file_diffs: files }: Commit): string {
  return files
    .filter(({ header, is_binary_file: isBinary }) => {
      const { path } = header.file;
      return isBinary !== true && path.endsWith('.py') && !isTest(path);
    })
    .map(diffText)
    .join('');
}

/** As the dataset's own tools tell tests from other files. */
function isTest(path: string): boolean {
  const parts = path.split('/');
  const file = parts.at(-1)!;
  return (
    file.endsWith('_test.py') ||
    file.startsWith('test_') ||
    ['tests', 'Tests', 'test', 'Test'].some((folder) => parts.includes(folder))
  );
}

function diffText({ header, index_line: index, minus_file, plus_file, hunks = [] }: FileDiff): string {
  const { path } = header.file;
  const lines = [`diff --git a/${path} b/${path}`];
  if (header.misc_line) lines.push(header.misc_line);
  if (index)
    lines.push(
      `index ${index.old_commit_hash}..${index.new_commit_hash}${index.mode ? ` ${index.mode}` : ''}`,
    );
  if (minus_file && plus_file) lines.push(`--- ${minus_file.path}`, `+++ ${plus_file.path}`);
  return `${[...lines, ...hunks.flatMap(hunkLines)].join('\n')}\n`;
}

const MARKS: Readonly<Record<string, string>> = { context: ' ', added: '+', deleted: '-', note: '\\ ' };

/** As many lines as its head says: the last hunk of a file was taken apart with an empty line too many. */
function hunkLines({ descriptor, line_group: { all_lines: lines } }: Hunk): string[] {
  const { old_range: from, new_range: to, section } = descriptor;
  let [old, added] = [from.length ?? 1, to.length ?? 1];
  const shown: string[] = [];
  for (const { content, type } of lines) {
    if (type !== 'note' && old <= 0 && added <= 0) break;
    if (type === 'context' || type === 'deleted') old--;
    if (type === 'context' || type === 'added') added--;
    shown.push(`${MARKS[type] ?? ' '}${content}`);
  }
  const head = `@@ -${rangeText(from)} +${rangeText(to)} @@${section === '' ? '' : ` ${section}`}`;
  return [head, ...shown];
}

function rangeText({ start, length }: Range): string {
  return length === null ? `${start}` : `${start},${length}`;
}

/** A diff that makes a file. */
function newFile(path: string, text: string): string {
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n`;
  if (text === '') return `${head}index 0000000..e69de29\n`;
  const isWhole = text.endsWith('\n');
  const lines = (isWhole ? text.slice(0, -1) : text).split('\n');
  const added = lines.map((line) => `+${line}\n`).join('');
  const end = isWhole ? '' : '\\ No newline at end of file\n';
  return `${head}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${added}${end}`;
}

/** What stands between the marks of the issue; the rest is about writing it. */
function issueOf(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  return (/\[ISSUE\](.*)\[\/ISSUE\]/s.exec(text)?.[1] ?? text).trim();
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
