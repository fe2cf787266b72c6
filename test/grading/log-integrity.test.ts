/** Logs that agree with themselves, and logs that do not. */
import { describe, expect, test } from 'vitest';
import { END_MARKER, readTestLog, START_MARKER } from '../../grading/logs/log.ts';
import { logFindings } from '../../grading/rules/log-integrity.ts';
import { findParser } from '../../parsers/registry.ts';

const ID = 'tests/test_a.py::test_one';
const OTHER = 'tests/test_a.py::test_two';

function rules(
  lines: string[],
  parser = 'pytest',
  exitCode: number | null = 0,
  listed = [ID, OTHER],
): string[] {
  const log = [START_MARKER, ...lines, '', END_MARKER].join('\n');
  const run = readTestLog(log, findParser(parser)!, { exitCode });
  return logFindings({ log, run, parser, listed }).map(({ rule }) => rule);
}

const title = (text: string) => `${'='.repeat(20)} ${text} ${'='.repeat(20)}`;
const START = title('test session starts');
const end = (text: string) => title(`${text} in 0.02s`);

describe('of pytest', () => {
  const honest = [START, `${ID} PASSED`, `${OTHER} FAILED`, end('1 failed, 1 passed, 2 warnings')];

  test('an honest log has no finding, with or without -q, xdist and several sessions', () => {
    expect(rules(honest)).toEqual([]);
    expect(rules([...honest, START, `${ID} PASSED`, end('1 passed')])).toEqual([]);
    expect(rules([`PASSED ${ID}`, '1 passed in 0.02s'])).toEqual([]);
    expect(rules([START, `[gw0] PASSED ${ID}`, end('1 passed')])).toEqual([]);
    expect(rules([START, end('no tests ran')])).toEqual([]);
    expect(rules([START, `${ID} PASSED`, `${ID} ERROR`, end('1 passed, 1 error')])).toEqual([]);
    expect(rules([START, `${ID} PASSED`, end('1 passed, 557 subtests passed')])).toEqual([]);
  });

  test('an id that upstream’s parser writes in another way is none that pytest did not write', () => {
    const id = 'tests/test_a.py::test_one[/tmp/a/b.py]';
    const lines = [START, title('short test summary info'), `PASSED ${id}`, end('1 passed')];
    const shortened = 'tests/test_a.py::test_one[/b.py]';
    const parser = 'parse_log_pytest_options';
    const judged = (text: string[]) => rules(text, parser, 0, [shortened]);
    expect(judged(lines)).toEqual([]);
    expect(judged([START, 'tests/test_a.py::test_one FAILED', end('1 failed'), `PASSED ${id}`])).toContain(
      'lines-forged',
    );
  });

  test('a session without an end', () => {
    expect(rules(honest.slice(0, -1))).toEqual(['runner-ended-early']);
    expect(rules([...honest, START])).toEqual(['runner-ended-early']);
  });

  test('a session inside of a test’s output has its own end', () => {
    const inner = [START, 'x.py::test PASSED', end('1 passed')];
    expect(rules([START, `${ID} PASSED`, title('PASSES'), ...inner, end('1 passed')])).toEqual([]);
  });

  test('more passed tests than counted, and failures that are nowhere', () => {
    expect(rules([START, `${ID} PASSED`, `${OTHER} PASSED`, end('1 failed, 1 passed')])).toEqual([
      'counts-disagree',
      'counts-disagree',
    ]);
  });

  test('pytest breaks down itself, and so names no test that failed', () => {
    const broken = [
      START,
      'tests/test_a.py .F',
      'INTERNALERROR> SystemError: depth',
      end('1 failed, 1 passed'),
    ];
    expect(rules(broken, 'pytest', 3)).toEqual([]);
    expect(rules(broken, 'pytest', 0)).toEqual(['counts-disagree']);
    const forged = [START, `${ID} PASSED`, `${OTHER} PASSED`, end('1 failed, 2 passed')];
    expect(rules(forged, 'pytest', 3)).toEqual(['counts-disagree']);
  });

  test('reports behind the end', () => {
    expect(rules([START, end('1 failed'), `${ID} PASSED`, `FAILED ${OTHER}`])).toContain('lines-forged');
    expect(rules([...honest, 'some::thing else', 'see a::b'])).toEqual([]);
  });

  test('a passed line in captured output, which upstream’s parsers take', () => {
    const printed = [
      START,
      'tests/test_a.py F.',
      title('FAILURES'),
      `PASSED ${ID}`,
      title('short test summary info'),
      `PASSED ${OTHER}`,
      end('1 failed, 1 passed'),
    ];
    expect(rules(printed, 'parse_log_pytest')).toContain('lines-forged');
    expect(rules(printed, 'pytest')).toEqual(['counts-disagree']);
  });

  test('markers that occur twice, and a command that was killed', () => {
    expect(rules([...honest, END_MARKER])).toEqual(['markers-forged']);
    expect(rules([START_MARKER, ...honest])).toEqual(['markers-forged']);
    expect(rules(honest, 'pytest', null)).toEqual(['runner-ended-early']);
  });
});

describe('of unittest', () => {
  const RULE = '-'.repeat(70);
  const honest = ['test_a (t.T) ... ok', 'test_b (t.T) ... FAIL', RULE, 'Ran 2 tests in 0.001s', ''];

  test('an honest log has no finding', () => {
    expect(rules([...honest, 'FAILED (failures=1)'], 'unittest')).toEqual([]);
    expect(rules(['test_a (t.T) ... ok', RULE, 'Ran 1 test in 0.1s', '', 'OK'], 'unittest')).toEqual([]);
    expect(rules([RULE, 'Ran 0 tests in 0.000s', '', 'NO TESTS RAN'], 'unittest')).toEqual([]);
  });

  test('one without its count or its verdict', () => {
    expect(rules(honest.slice(0, 2), 'unittest')).toEqual(['runner-ended-early']);
    expect(rules(honest, 'unittest')).toEqual(['runner-ended-early']);
  });

  test('counts that do not fit', () => {
    const two = ['test_a (t.T) ... ok', 'test_b (t.T) ... ok', RULE];
    expect(rules([...two, 'Ran 1 test in 0.1s', '', 'OK'], 'unittest')).toEqual(['counts-disagree']);
    expect(rules([...two, 'Ran 2 tests in 0.1s', '', 'FAILED (failures=1)'], 'unittest')).toEqual([
      'counts-disagree',
    ]);
    const late = [RULE, 'Ran 1 test in 0.1s', '', 'FAILED (failures=1)', 'test_a (t.T) ... ok'];
    expect(rules(['test_b (t.T) ... FAIL', ...late], 'unittest')).toEqual(['lines-forged']);
  });
});

test('a runner that nobody knows is not accused', () => {
  expect(rules(['test_a ok'], 'parse_log_sympy')).toEqual([]);
  expect(rules([], 'pytest')).toEqual([]);
});
