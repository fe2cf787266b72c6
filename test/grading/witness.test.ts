/** The witness's record: sealed, cut off, forged; and what is made of it beside what gold runs show. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  BESIDE,
  BY_PYTEST,
  baselineOf,
  type RunEvidence,
  runFindings,
} from '../../grading/rules/integrity.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { readWitness, type WitnessRecord } from '../../grading/rules/witness.ts';
import type { Status } from '../../parsers/status.ts';

interface Observations {
  status?: number;
  modified?: string[];
  forced?: string[];
  plugins?: string[];
  options?: string[];
  early?: string[];
}

const END: Observations = { status: 0, plugins: ['installed:_pytest'] };
const LISTED = ['t.py::a', 't.py::b'];
const { rules } = findPreset(DEFAULT_PRESET)!;

type Line = [kind: string, value: unknown];
type Report = [id: string, when: string, outcome: string, xfail?: boolean];

const hashOf = (text: string | Buffer) => createHash('sha256').update(text).digest();

/** Lines under seals that run on from `hash`. */
function chained(told: readonly unknown[], first: Buffer): string[] {
  let hash = first;
  return told.map((line) => {
    const text = JSON.stringify(line);
    hash = hashOf(Buffer.concat([hash, Buffer.from(text)]));
    return `${hash.toString('hex').slice(0, 32)} ${text}\n`;
  });
}

/** What one process writes; `end` null: it was cut off. */
function lines(reports: Report[], end: Observations | null = END, role = 'main', pid = 3): Line[] {
  const { status = 0, ...told } = end ?? {};
  const kinds = Object.entries(told) as [string, string[]][];
  const written: Line[] = [
    ['begin', { pid }],
    ['session', { role }],
    ...kinds.flatMap(([kind, texts]) => texts.map((text): Line => ['digest', [kind, text, '']])),
    ...reports.map(([id, when, outcome, xfail = false]): Line => ['report', [id, when, outcome, xfail]]),
  ];
  return end === null ? written : [...written, ['end', { status }]];
}

/** The records of several processes, sealed as the witness seals them, and the pool that they leave. */
function sealed(...processes: Line[][]) {
  let key = 's';
  const records = processes.map((told) => {
    const first = hashOf(hashOf(`process ${key}`));
    key = hashOf(`next ${key}`).toString('hex');
    return Buffer.from(chained(told, first).join(''));
  });
  return { records: records as (Buffer | null)[], pool: Buffer.from(`${records.length} ${key}\n`) };
}

const readAll = ({ records, pool }: ReturnType<typeof sealed>, key = 's') => readWitness(records, pool, key);
const record = (reports: Report[], end: Observations | null = END) => readAll(sealed(lines(reports, end)));
const ABSENT = readAll(sealed());

const PASSES: Report[] = LISTED.map((id) => [id, 'call', 'passed']);

describe('a record', () => {
  test('is closed, open, broken or absent', () => {
    expect(record(PASSES).state).toBe('closed');
    expect(record(PASSES, null).state).toBe('open');
    expect(ABSENT.state).toBe('absent');
    expect(readAll(sealed(lines(PASSES)), 'another').state).toBe('broken');
    expect(readWitness([], null, 's').state).toBe('broken');
  });

  test('is broken when a line was changed, left out, added or exchanged', () => {
    const { records, pool } = sealed(lines(PASSES));
    const own = records[0]!.toString().split('\n').slice(0, -1);
    const forged = [
      own.map((line) => line.replace('passed', 'failed')),
      own.filter((_, at) => at !== 2),
      [...own, own.at(-1)!],
      [own[0]!, own[1]!, own[3]!, own[2]!, ...own.slice(4)],
      ['', ...own],
      ['x', 'y'],
      ['[]'],
      [],
    ];
    for (const text of forged)
      expect(readWitness([Buffer.from(`${text.join('\n')}\n`)], pool, 's').state).toBe('broken');
  });

  test('of a process that is gone is missed', () => {
    const both = sealed(lines(PASSES), lines(PASSES));
    expect(readAll(both).state).toBe('closed');
    expect(readAll({ ...both, records: [both.records[0]!] }).state).toBe('broken');
    expect(readAll({ ...both, records: [null, both.records[1]!] }).state).toBe('broken');
    expect(readAll({ ...both, records: [both.records[1]!, both.records[0]!] }).state).toBe('broken');
    expect(readAll({ ...both, records: [] }).state).toBe('broken');
  });

  test('of workers counts, and only of those that the controller knows', () => {
    const controller = (...pids: (number | null)[]): Line[] => {
      const [begin, session, ...rest] = lines(PASSES, END, 'controller');
      return [begin!, session!, ...pids.map((pid): Line => ['worker', pid]), ...rest];
    };
    const failing = lines([[LISTED[0]!, 'call', 'failed']], END, 'worker', 7);
    const passing = lines([[LISTED[1]!, 'call', 'passed']], END, 'worker', 8);
    expect(Object.fromEntries(readAll(sealed(controller(7, 8), failing, passing)).statuses)).toEqual({
      [LISTED[0]!]: 'FAILED',
      [LISTED[1]!]: 'PASSED',
    });
    expect(readAll(sealed(controller(7), failing, passing)).state).toBe('broken');
    expect(readAll(sealed(controller(7, 9), failing, passing)).state).toBe('broken');
    expect(readAll(sealed(controller(null, null), failing, passing)).state).toBe('closed');
    expect(readAll(sealed(controller(null), failing, passing)).state).toBe('broken');
  });

  test('of unittest has statuses of its own, and reasons say from where a test was skipped', () => {
    const told: Line[] = [
      ['begin', { pid: 3 }],
      ['digest', ['early', 'testbed:b', '']],
      ['digest', ['early', 'testbed:a', '']],
      ['status', ['test_a (m.T)', 'PASSED']],
      ['status', ['test_b (m.T)', 'XFAIL']],
      ['end', { status: null }],
    ];
    const read = readAll(sealed(told));
    expect([...read.statuses]).toEqual([
      ['test_a (m.T)', 'PASSED'],
      ['test_b (m.T)', 'XFAIL'],
    ]);
    expect(read.end).toMatchObject({ sessions: 0 });
    expect([...(read.observed.early?.keys() ?? [])].sort()).toEqual(['testbed:a', 'testbed:b']);
  });

  test('gives statuses as pytest does', () => {
    const { statuses } = record([
      ['p', 'setup', 'passed'],
      ['p', 'call', 'passed'],
      ['f', 'call', 'failed'],
      ['e', 'setup', 'failed'],
      ['late', 'call', 'passed'],
      ['late', 'teardown', 'failed'],
      ['s', 'setup', 'skipped'],
      ['x', 'call', 'skipped', true],
      ['xp', 'call', 'passed', true],
    ]);
    expect(Object.fromEntries(statuses)).toEqual({
      p: 'PASSED',
      f: 'FAILED',
      e: 'ERROR',
      late: 'ERROR',
      s: 'SKIPPED',
      x: 'XFAIL',
      xp: 'XPASS',
    });
  });
});

function evidence(witness: WitnessRecord, more: Partial<RunEvidence> = {}, exitCode = 0): RunEvidence {
  const statusMap = new Map(LISTED.map((id): [string, Status] => [id, 'PASSED']));
  return {
    run: { statusMap, exitCode, timedOut: false, gradable: { ok: true } },
    log: '',
    parser: 'pytest',
    witness,
    written: [],
    isSeenWhole: false,
    ...more,
  };
}

const gold = evidence(record(PASSES));
const known = baselineOf([gold], [evidence(record(PASSES, { ...END, status: 1 }), {}, 1)], LISTED, rules);
const found = (run: RunEvidence, baseline = known as typeof known | null) =>
  runFindings(run, LISTED, rules, baseline).map(({ rule, effect }) => `${effect} ${rule}`);

describe('findings', () => {
  test('are none for a run like the gold runs', () => {
    expect(known).toMatchObject({
      witness: 'tests',
      excused: [],
      exit_code: true,
      sessions: 1,
      observed: { plugins: { 'installed:_pytest': [''] } },
    });
    expect(found(gold)).toEqual([]);
    expect(found(gold, null)).toEqual([]);
  });

  test('name what the witness says against the log', () => {
    const failing = record([...PASSES.slice(1), [LISTED[0]!, 'call', 'failed']]);
    expect(found(evidence(failing))).toEqual(['voided witness-disagrees']);
    expect(found(evidence(record(PASSES.slice(1))))).toEqual(['voided witness-disagrees']);
    expect(found(evidence(record(PASSES, null)))).toEqual(['voided runner-ended-early']);
    expect(found(evidence(ABSENT))).toEqual(['voided runner-ended-early']);
    expect(found(evidence(ABSENT), null)).toEqual([]);
    expect(found(evidence(record(PASSES, { ...END, status: 1 })))).toEqual(['voided exit-code-disagrees']);
    expect(found({ ...evidence(ABSENT), written: ['t.py'] }, null)).toEqual([
      'voided files-changed-during-tests',
    ]);
  });

  test('doubt what pytest compiles of its plugins, and only without gold runs, which show it', () => {
    const plugin = `/opt/env/lib/python3.9/site-packages/pytest_cov${BY_PYTEST}`;
    const run = { ...gold, written: [plugin] };
    expect(found(run, null)).toEqual(['masked files-changed-during-tests']);
    expect(found(run)).toEqual(['voided files-changed-during-tests']);
    expect(found(run, { ...known, written: [plugin] })).toEqual([]);
  });

  test('accuse code of tests that is written, and doubt their data; without gold runs both are a doubt', () => {
    const code = { ...gold, written: [`test/helper.ts${BESIDE}`] };
    const data = { ...gold, written: [`test/page.html${BESIDE}`] };
    expect(found(code)).toEqual(['voided files-changed-during-tests']);
    expect(found(data)).toEqual(['masked files-changed-during-tests']);
    expect(found(code, null)).toEqual(['masked files-changed-during-tests']);
    expect(found(data, null)).toEqual(['masked files-changed-during-tests']);
    expect(found(code, { ...known, written: code.written })).toEqual([]);
  });

  test('count listed tests that nothing ran, also without gold runs', () => {
    const all = { isSeenWhole: true };
    expect(found(evidence(record(PASSES), all), null)).toEqual([]);
    expect(found(evidence(record([]), all), null)).toEqual(['voided witness-disagrees']);
    expect(found(evidence(record(PASSES.slice(1)), all), null)).toEqual(['voided witness-disagrees']);
    expect(found(evidence(record([]), { isSeenWhole: false }), null)).toEqual(['masked witness-disagrees']);
    expect(found(evidence(ABSENT, all), null)).toEqual([]);
    const renamed = record(PASSES.map(([id, ...rest]) => [`other ${id}`, ...rest]));
    expect(found(evidence(renamed, all), null)).toEqual([]);
  });

  test('name a runner that is another one', () => {
    const ends: Observations[] = [
      { modified: ['_pytest.runner.x'] },
      { forced: [LISTED[0]!] },
      { plugins: ['installed:_pytest', 'testbed:pkg'] },
      { early: ['testbed:json.py'] },
      { options: ['-p pkg'] },
    ];
    for (const end of ends)
      expect(found(evidence(record(PASSES, { ...END, ...end })))).toEqual(['voided runner-modified']);
    expect(found(evidence(record(PASSES, { ...END, plugins: [] })))).toEqual([]);
    const twice = readAll(sealed(lines(PASSES), lines(PASSES)));
    expect(found(evidence(twice))).toEqual(['voided runner-modified']);
  });

  test('are not made of what the gold runs have', () => {
    const odd: Observations = {
      modified: ['_pytest.x'],
      forced: ['t'],
      early: ['testbed:x'],
    };
    const run = { ...evidence(record(PASSES, { ...END, ...odd })), written: ['t.py'] };
    const baseline = baselineOf([run], [], LISTED, rules);
    expect(baseline).toMatchObject({
      excused: [],
      observed: { modified: { '_pytest.x': [''] }, forced: { t: [''] } },
      written: ['t.py'],
    });
    expect(found(run, baseline)).toEqual([]);
    const more = {
      ...evidence(record(PASSES, { ...END, ...odd, modified: ['_pytest.x', 'y'] })),
      written: ['u.py'],
    };
    expect(found(more, baseline)).toEqual(['voided runner-modified', 'voided files-changed-during-tests']);
    // A witness that the gold runs do not have is asked of nobody.
    expect(baselineOf([evidence(ABSENT)], [], LISTED, rules)).toMatchObject({
      witness: 'none',
      exit_code: false,
    });
  });
});

test.each<[string, Line]>([
  ['a report without an id', ['report', [null, 'call', 'passed', false]]],
  ['a report that is none', ['report', null]],
  ['a status that no test has', ['status', ['t.py::a', 'FINE']]],
  ['a status without a test', ['status', null]],
  ['a line of no known kind', ['reason', ['t.py::a', 'mark']]],
  ['a label that is no text', ['digest', ['modified', {}, '']]],
  ['an end that is none', ['end', null]],
  ['a beginning that is none', ['begin', 'x']],
])('what the witness never writes breaks a record, however well it is sealed: %s', (_what, line) => {
  const told = lines(PASSES);
  expect(readAll(sealed([...told.slice(0, -1), line, told.at(-1)!])).state).toBe('broken');
});

test('a line that is no JSON breaks a record, however well it is sealed', () => {
  const key = hashOf('next s').toString('hex');
  const seal = createHash('sha256').update(hashOf('process s')).update('[').digest('hex').slice(0, 32);
  const pool = Buffer.from(`1 ${key}`);
  expect(readWitness([Buffer.from(`${seal} [`)], pool, 's').state).toBe('broken');
});
