/** The command, on files as a user has them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gradeLogCommand } from '../../cli/grade-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'swemake-grade-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LOG = `+ : '>>>>> Start Test Output'
t.py::test_a PASSED
t.py::test_b FAILED
+ : '>>>>> End Test Output'
>>>>> Test Exit Code: 1
`;
const ROW = {
  instance_id: 'o__n-1',
  repo: 'o/n',
  FAIL_TO_PASS: '["t.py::test_a"]',
  PASS_TO_PASS: ['t.py::test_b', 't.py::test_gone'],
};
writeFileSync(join(folder, 'log.txt'), LOG);
writeFileSync(join(folder, 'row.json'), JSON.stringify(ROW));
writeFileSync(join(folder, 'bad.json'), '{"FAIL_TO_PASS": 1}');

async function run(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (written[name] += text) });
  const io = { stdout: sink('stdout'), stderr: sink('stderr'), env: {}, cwd: folder, isTTY: false };
  return { code: await gradeLogCommand(args, io), ...written };
}

test('a log alone is parsed', async () => {
  const { code, stdout } = await run('log.txt', '--repo', 'o/n');
  expect(code).toBe(0);
  expect(stdout).toBe('parser        pytest\ntests         2: 1 passed · 1 failed\nexit code     1\n');
});

test('with an instance it is graded', async () => {
  const { code, stdout } = await run('log.txt', '--instance', 'row.json');
  expect(code).toBe(0);
  expect(stdout).toContain('verdict       not resolved · reward 0\n');
  expect(stdout).toContain('FAIL_TO_PASS  1 of 1 pass\n');
  expect(stdout).toContain(
    'PASS_TO_PASS  0 of 2 pass\n                t.py::test_b\n                t.py::test_gone\n',
  );
});

test('--json is one object', async () => {
  const { stdout } = await run('log.txt', '--instance', 'row.json', '--json');
  expect(JSON.parse(stdout)).toEqual({
    log: 'log.txt',
    instance_id: 'o__n-1',
    parser: 'pytest',
    preset: 'strict',
    relaxations: [],
    exit_code: 1,
    gradable: { ok: true },
    counts: { PASSED: 1, FAILED: 1 },
    resolved: false,
    partial: false,
    reward: 0,
    tests_status: {
      FAIL_TO_PASS: { success: ['t.py::test_a'], failure: [] },
      PASS_TO_PASS: { success: [], failure: ['t.py::test_b', 't.py::test_gone'] },
    },
    ambiguous: [],
    infra_hint: null,
    tests: { 't.py::test_a': 'PASSED', 't.py::test_b': 'FAILED' },
  });
});

test('a laxer preset says so', async () => {
  const { stdout } = await run('log.txt', '--instance', 'row.json', '--preset', 'swebench-4');
  expect(stdout).toContain('laxer         the exit code is not cross-checked\n');
});

test('the repository or the name picks the parser', async () => {
  const parserOf = async (...args: string[]) =>
    JSON.parse((await run('log.txt', '--json', ...args)).stdout).parser;
  expect(await parserOf('--repo', 'django/django')).toBe('parse_log_django');
  expect(await parserOf('--repo', 'o/n', '--parser', 'parse_log_flask')).toBe('parse_log_pytest');
});

describe('wrong questions end with code 2 and a remedy', () => {
  test.each([
    [['log.txt'], 'the parser is not known'],
    [['gone.txt', '--repo', 'o/n'], 'cannot read gone.txt: there is no such file'],
    [['log.txt', '--parser', 'pytset'], 'there is no parser "pytset"'],
    [['log.txt', '--repo', 'o/n', '--preset', 'x'], 'there is no preset "x"'],
    [['log.txt', '--instance', 'bad.json'], 'bad.json lists no tests'],
    [['log.txt', '--instance', 'log.txt'], 'log.txt is not a JSON object'],
    [[], 'LOG is missing'],
  ])('%s', async (args, message) => {
    const { code, stderr, stdout } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
