/** Which part of a log counts, and which logs count at all. */
import { describe, expect, test } from 'vitest';
import { infraHint } from '../../grading/logs/infra.ts';
import { layoutOf, readTestLog, recordedExitCode } from '../../grading/logs/log.ts';
import { findParser } from '../../parsers/registry.ts';

const pytest = findParser('pytest')!;
const framed = (body: string, tail = '') =>
  `+ : '>>>>> Start Test Output'\n${body}\n+ : '>>>>> End Test Output'\n${tail}`;
const PASS = 'a.py::t PASSED';

describe('gradable', () => {
  test('markers around tests', () => {
    const run = readTestLog(`x.py::before PASSED\n${framed(PASS)}\ny.py::after PASSED`, pytest);
    expect(run.gradable).toEqual({ ok: true });
    expect([...run.statusMap]).toEqual([['a.py::t', 'PASSED']]);
  });
  test('tests outside of the markers, when there are none inside', () => {
    expect(readTestLog(`${PASS}\n${framed('')}`, pytest).statusMap.size).toBe(1);
  });
});

describe('not gradable', () => {
  test.each([
    ['bad-marker', framed(`${PASS}\n>>>>> Patch Apply Failed`)],
    ['bad-marker', `>>>>> Tests Timed Out\n${framed(PASS)}`],
    ['markers-missing', PASS],
    ['markers-missing', `>>>>> Start Test Output\n${PASS}`],
    ['markers-missing', `${PASS}\n>>>>> End Test Output`],
    ['no-tests', framed('collected 0 items')],
  ])('%s', (reason, log) => {
    expect(readTestLog(log, pytest).gradable).toMatchObject({ ok: false, reason });
  });
  test('a run that timed out keeps what it got done', () => {
    const run = readTestLog(`>>>>> Start Test Output\n${PASS}\na.py::hangs `, pytest, { timedOut: true });
    expect(run).toMatchObject({ timedOut: true, gradable: { ok: false, reason: 'timed-out' } });
    expect([...run.statusMap]).toEqual([['a.py::t', 'PASSED']]);
  });
});

describe('exit code', () => {
  test('is the line behind the end marker, not one that a test printed', () => {
    const log = framed(
      '>>>>> Test Exit Code: 0\n>>>>> End Test Output\n>>>>> Test Exit Code: 0',
      '>>>>> Test Exit Code: 1\n',
    );
    expect(recordedExitCode(log)).toBe(1);
    expect(recordedExitCode(framed(PASS))).toBeNull();
  });
  test('is what the executor saw, when that is known', () => {
    expect(readTestLog(framed(PASS, '>>>>> Test Exit Code: 0'), pytest, { exitCode: 2 }).exitCode).toBe(2);
  });
});

test('layouts of logs on disk', () => {
  expect(layoutOf(framed(''))).toBe('modern');
  expect(layoutOf('>>>>> Applied Patch (pred)\n')).toBe('v1');
  expect(layoutOf(PASS)).toBe('whole');
  const old = `>>>>> Applied Patch (test)\nx.py::t PASSED\n>>>>> Applied Patch (pred)\n${PASS}`;
  expect([...readTestLog(old, pytest, { layout: 'v1' }).statusMap.keys()]).toEqual(['a.py::t']);
});

test('traces of a faulty machine', () => {
  expect(infraHint('curl: (6) Could not resolve host: x')).toEqual({
    tier: 'environment',
    reason: 'network_unreachable',
  });
  expect(infraHint('a\nKilled\nb')).toMatchObject({ reason: 'out_of_memory' });
  expect(infraHint('ModuleNotFoundError: No module named x')).toMatchObject({ tier: 'ambiguous' });
  expect(infraHint('1 passed')).toBeNull();
});
