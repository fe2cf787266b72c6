/** Ids for which several tests stand: how many of them ran is counted, and fewer than with the gold patch are no pass. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { baselineOf, type RunEvidence, runFindings } from '../../grading/rules/integrity.ts';
import { DEFAULT_PRESET, findPreset } from '../../grading/rules/presets.ts';
import { UNSEEN } from '../../grading/rules/witness.ts';
import type { Status } from '../../parsers/status.ts';

const NONCE = '0123456789abcdef'.repeat(4);
const { rules } = findPreset(DEFAULT_PRESET)!;
const HASH = '0123456789abcdef';

/** What the witness of an ecosystem sees in records, of which each is a list of lines without the secret. */
async function seen(ecosystem: string, records: readonly (readonly string[])[], secret = NONCE) {
  const witness = await ecosystemNamed(ecosystem).tests!.witness({
    ...{ folder: '/tmp/w', nonce: NONCE, command: '', testFiles: [], toolchain: {} },
    instance: { FAIL_TO_PASS: [], PASS_TO_PASS: [], test_patch: '' },
    read: async () => null,
  });
  return witness.seen(records.map((lines) => lines.map((line) => `${secret} ${line}\n`).join('')));
}

const inGo = (name: string, ...tests: string[]) => [
  `begin "${name}"`,
  ...tests.map((one) => `PASSED "${one}"`),
  'end ""',
];
const inRust = (binary: string, ...tests: string[]) => [
  `begin "${binary}-${HASH} src/lib.rs"`,
  ...tests.map((one) => `PASSED "${one}"`),
  'end ""',
];
const inJs = (...tests: string[][]) => [
  'begin 0 []',
  ...tests.map((path, at) => `PASSED ${at + 1} ${JSON.stringify(path)}`),
  'end 0 []',
];

test('Go: a name of two packages', async () => {
  const { several } = await seen(
    'go',
    [inGo('m/a', 'TestOne', 'TestTwo'), inGo('m/b', 'TestOne')],
    NONCE.slice(16),
  );
  expect([...several!]).toEqual([['TestOne', 2]]);
});

test('Rust: a name of two binaries', async () => {
  const { several } = await seen('cargo', [
    inRust('a', 'tests::one'),
    inRust('b', 'tests::one', 'tests::two'),
  ]);
  expect([...several!]).toEqual([['tests::one', 2]]);
});

test('JavaScript: a title of two files, or twice in one; a file that is run again is the same', async () => {
  const [a, b] = [
    inJs(['/testbed/a.js', 'x', 'one'], ['/testbed/a.js', 'two']),
    inJs(['/testbed/b.js', 'x', 'one']),
  ];
  const { several } = await seen('npm', [a, b, b]);
  expect(Object.fromEntries(several!)).toEqual({ 'x > one': 2, 'x one': 2, one: 2 });
  const titles = await seen('npm', [inJs(['one'], ['one'], ['two'])]);
  expect([...titles.several!]).toEqual([['one', 2]]);
});

test('Java: a method of two classes', async () => {
  const { several } = await seen('maven', [
    inJs(['a.ATest', 'one']),
    inJs(['b.ATest', 'one'], ['b.ATest', 'two']),
  ]);
  expect(several!.get('ATest#one')).toBe(2);
  expect(several!.has('a.ATest#one')).toBe(false);
});

function evidence(
  counts: Record<string, number>,
  statuses: Record<string, Status> = { one: 'PASSED', two: 'PASSED' },
): RunEvidence {
  const statusMap = new Map(Object.entries(statuses));
  return {
    run: { statusMap, exitCode: 0, timedOut: false, gradable: { ok: true } },
    witness: {
      ...{ ...UNSEEN, end: { status: null, sessions: 1 } },
      ...{ state: 'closed', statuses: statusMap, several: new Map(Object.entries(counts)) },
    },
    ...{ log: '', parser: 'go-test', written: [], isSeenWhole: true },
  };
}

const LISTED = ['one', 'two'];
const found = (gold: RunEvidence[], run: RunEvidence) =>
  runFindings(run, LISTED, rules, baselineOf(gold, [], LISTED, rules)).map(
    ({ rule, detail, effect }) => `${effect} ${rule}: ${detail}`,
  );

test('fewer tests of a name than with the gold patch', () => {
  const gold = [evidence({ one: 3 }), evidence({ one: 2, two: 2, other: 4 })];
  expect(baselineOf(gold, [], LISTED, rules).several).toEqual({ one: 2 });
  expect(found(gold, evidence({}))).toEqual([
    'voided witness-disagrees: tests of one name did not all run: one (1 of 2)',
  ]);
  for (const enough of [evidence({ one: 2 }), evidence({ one: 3, two: 2 })])
    expect(found(gold, enough)).toEqual([]);
});

test('where one test stands for each id, nothing is noted', () => {
  expect(baselineOf([evidence({})], [], LISTED, rules)).not.toHaveProperty('several');
  expect(found([evidence({})], evidence({ one: 2 }))).toEqual([]);
});

test('a test that did not run at all is not meant', () => {
  expect(found([evidence({ one: 2 })], evidence({}, { two: 'PASSED' })).join()).not.toContain('one name');
});
