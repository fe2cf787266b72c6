/** The eval script, run by a real bash. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { evalScript } from '../../grading/logs/eval-script.ts';
import { readTestLog, testOutput } from '../../grading/logs/log.ts';
import { findParser } from '../../parsers/registry.ts';

function run(testCommand: string, evalCommands: string[] = []) {
  const script = evalScript({ evalCommands, testCommand }).replaceAll('/testbed', '/tmp');
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8', timeout: 10_000 });
  const read = readTestLog(stdout, findParser('pytest')!);
  return { status, stdout, stderr, read, output: testOutput(stdout, 'modern') };
}

test('the exit code is the test command’s, in the log as well', () => {
  const { status, read } = run('echo "a.py::t FAILED"; false');
  expect(status).toBe(1);
  expect(read).toMatchObject({ exitCode: 1, timedOut: false, gradable: { ok: true } });
  expect([...read.statusMap]).toEqual([['a.py::t', 'FAILED']]);
});

test.each([
  ['exit in the command', 'echo "a.py::t PASSED"; exit 3', 3],
  ['output without a newline', 'printf "a.py::t PASSED"', 0],
  ['a comment at the end', 'echo "a.py::t PASSED" # done', 0],
  ['a here-document', "cat <<'EOF'\na.py::t PASSED\nEOF", 0],
  ['output on stderr', 'echo "a.py::t PASSED" >&2', 0],
  ['several lines', 'echo one\necho "a.py::t PASSED"', 0],
])('%s', (_name, command, code) => {
  const { status, stderr, read } = run(command);
  expect([status, stderr]).toEqual([code, '']);
  expect([read.exitCode, ...read.statusMap]).toEqual([code, ['a.py::t', 'PASSED']]);
});

test('eval commands share the shell and may fail', () => {
  const { output, status } = run('echo "$GREETING"', [
    'export GREETING=hello',
    'false',
    "echo 'not test output'",
  ]);
  expect(status).toBe(0);
  expect(output.ok && output.text.trim()).toBe('hello');
});

test('an empty command runs, and names no test', () => {
  const { status, read } = run('');
  expect(status).toBe(0);
  expect(read.gradable).toMatchObject({ ok: false, reason: 'no-tests' });
});
