/** What ran is compared with the gold runs outside of the tested process, and forked processes have seals of their own. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { goldObservations, observationsIn, unlikeGold } from '../../grading/rules/observations.ts';
import { type Entry, sealedEntries } from '../../grading/rules/seals.ts';
import type { Status } from '../../parsers/status.ts';

type Line = [subject: string, key: string, value: string];

const GOLD: Line[] = [
  ['module', 'tests/a.py', 'one'],
  ['function', 'tests/a.py: same', 'two'],
  ['runner', 'pluggy/_hooks.py', 'three'],
  ['passed', 'by', 'runtest 4'],
  ['case', 'pkg.Case.run', 'five'],
  ['examples', 'test_a', '100'],
];
const gold = goldObservations([observationsIn(GOLD), observationsIn(GOLD)]);

function found(lines: Line[], status: Status = 'PASSED'): string[] {
  const judged = { observed: observationsIn(lines), statuses: new Map([['test_a', status]]) };
  return unlikeGold(judged, ['test_a'], gold).map(({ effect, detail }) => `${effect} ${detail}`);
}
const changed = (key: string, value: string) =>
  GOLD.map((line): Line => (line[1] === key ? [line[0], key, value] : line));

test('what the gold runs told is no finding', () => {
  expect(found(GOLD)).toEqual([]);
  expect(found([...GOLD, ['module', 'tests/more.py', 'x'], ['runner', 'asyncio/events.py', 'y']])).toEqual(
    [],
  );
});

test('another value, or none, voids the run; where honest patches do the same, it masks the reward', () => {
  expect(found(changed('tests/a.py', 'x'))).toEqual(['voided tests or helpers with other code: tests/a.py']);
  expect(found([...GOLD, ['module', 'tests/a.py', 'x']])).toHaveLength(1);
  expect(found(GOLD.slice(1))).toEqual(['voided tests or helpers with other code: tests/a.py']);
  expect(found(changed('pluggy/_hooks.py', 'x'))).toEqual([
    'voided modules of the runner with other code: pluggy/_hooks.py',
  ]);
  expect(found(changed('by', 'testbed:pkg x'))).toEqual(['voided reported as passed by: testbed:pkg x']);
  expect(found([...GOLD, ['case', 'pkg.Case.__getattribute__', 'x']])).toEqual([
    'voided methods that decide what tests come to: pkg.Case.__getattribute__',
  ]);
  expect(found(changed('pkg.Case.run', 'x'))).toEqual([
    'masked methods that decide what tests come to: pkg.Case.run',
  ]);
  expect(found(changed('test_a', '1'))).toEqual(['masked fewer examples than with the gold patch: test_a']);
});

test('a test that passes without an assertion that it reaches in the gold runs is a doubt', () => {
  const told = (test: string, ...places: string[]) => places.map((one): Line => ['asserted', test, one]);
  const [whole, other] = [told('test_a', 'a.js:1', 'a.js:3', '?'), told('test_b', 'a.js:5')];
  const gold = goldObservations([observationsIn([...whole, ...other]), observationsIn(whole)]);
  const findings = (lines: Line[], status: Status = 'PASSED', listed = ['test_a', 'test_b']) => {
    const statuses = new Map<string, Status>(listed.map((id) => [id, status]));
    return unlikeGold({ observed: observationsIn(lines), statuses }, listed, gold).map(
      ({ rule, effect, detail }) => `${rule} ${effect} ${detail}`,
    );
  };
  const missed = (place: string) => `assertions-missed masked passed without an assertion: test_a${place}`;
  expect(findings(whole)).toEqual([]);
  expect(findings(told('test_a', 'a.js:1', 'a.js:2', 'a.js:3', '?'))).toEqual([]);
  expect(findings([])).toEqual([missed(', a.js:1')]);
  expect(findings(told('test_a', 'a.js:1', '?'))).toEqual([missed(', a.js:3')]);
  expect(findings(told('test_a', 'a.js:1', 'a.js:3'))).toEqual([missed('')]);
  // More than the witness looks for, which code can call as well.
  expect(findings(told('test_a', 'a.js:1', '*'))).toEqual([missed(', a.js:3')]);
  const many = goldObservations([observationsIn(told('test_a', 'a.js:1', 'a.js:3', '*'))]);
  const reached = {
    observed: observationsIn(told('test_a', 'a.js:1')),
    statuses: new Map([['test_a', 'PASSED' as const]]),
  };
  expect(unlikeGold(reached, ['test_a'], many)).toEqual([]);
  expect(findings([], 'FAILED')).toEqual([]);
  expect(findings([], 'PASSED', ['test_b'])).toEqual([]);
});

test('a property that all objects get is a doubt', () => {
  expect(found([...GOLD, ['inherited', 'mode', '']])).toEqual([
    'masked properties that all objects have: mode',
  ]);
});

test('examples of Hypothesis, which differ by chance', () => {
  const given = (...values: string[]) => observationsIn(values.map((value) => ['given', 'test_a', value]));
  const usual = goldObservations([given('100 0'), given('100 20')]);
  const details = (...values: string[]) =>
    unlikeGold({ observed: given(...values), statuses: new Map() }, [], usual).map(({ detail }) => detail);
  expect([details('100 0'), details('90 40'), details()]).toEqual([[], [], []]);
  expect(details('100 60')).toEqual(['many examples that are rejected: test_a']);
  expect(details('1 0')).toEqual(['fewer examples than with the gold patch: test_a']);
});

test('a test that enters none of its subtests has fewer', () => {
  const subtests: Line = ['examples', 'subtests of tests.a.Test.test_a', '3'];
  const usual = goldObservations([observationsIn([subtests]), observationsIn([subtests])]);
  const judged = (status: Status) => ({
    observed: observationsIn([]),
    statuses: new Map([['test_a', status]]),
  });
  expect(unlikeGold(judged('PASSED'), [], usual)).toMatchObject([{ effect: 'masked' }]);
  expect(unlikeGold(judged('FAILED'), [], usual)).toEqual([]);
});

test('what is missing where tests failed is no finding: a module may not be importable', () => {
  expect(found(GOLD.slice(2), 'ERROR')).toEqual([]);
});

test('what the gold runs do not agree on is exempt, and so are files that tests make', () => {
  const runs = [GOLD, changed('tests/a.py', 'x')].map(observationsIn);
  expect(goldObservations(runs).module).toEqual({ 'tests/a.py': null });
  const made: Line[] = [
    ['module', 'tests/tmp1.py', 'x'],
    ['function', 'tests/tmp1.py: one', 'x'],
    ['temporary', 'tests/tmp1.py', 'gone'],
  ];
  expect(goldObservations([observationsIn([...GOLD, ...made])])).toMatchObject({
    module: { 'tests/a.py': ['one'] },
    function: { 'tests/a.py: same': ['two'] },
  });
});

const hashOf = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** Lines under one chain of seals, and what it comes to after each. */
function chain(entries: Entry[], first: Buffer): { lines: string[]; hashes: Buffer[] } {
  const hashes = [first];
  const lines = entries.map((entry) => {
    const text = JSON.stringify(entry);
    hashes.push(hashOf(Buffer.concat([hashes.at(-1)!, Buffer.from(text)])));
    return `${hashes.at(-1)!.toString('hex').slice(0, 32)} ${text}`;
  });
  return { lines, hashes };
}

test('a forked process goes on with a chain of its own, and another process cannot', () => {
  const key = Buffer.from('key');
  const own = chain(
    [
      ['begin', { pid: 5 }],
      ['session', {}],
      ['end', {}],
    ],
    hashOf(key),
  );
  const first = (at: number) => hashOf(Buffer.concat([Buffer.from('child 7 '), own.hashes[at]!]));
  const told: Entry[] = [
    ['fork', [5, 2], 7],
    ['made', ['t', 'call', 'passed'], 7],
  ];
  const child = chain(told, first(2)).lines;
  const read = (lines: string[]) => sealedEntries(Buffer.from(`${lines.join('\n')}\n`), key);
  const [one, two, end] = own.lines as [string, string, string];
  expect(read([one, two, ...child, end])?.filter((entry) => entry[2] === 7)).toEqual(told);
  // Lines of several processes may be written in any order.
  expect(read([child[0]!, one, child[1]!, two, end])).not.toBeNull();
  expect(read([one, two, end, ...chain(told, first(1)).lines])).toBeNull();
  expect(read([one, two, end, child[1]!])).toBeNull();
  expect(read([one, two, end, child[0]!, child[1]!.replace('passed', 'failed')])).toBeNull();
});

test('a subject may have any name: the code under test can write records', () => {
  const lines: Line[] = ['constructor', '__proto__', 'toString'].map((subject) => [subject, 'a', 'b']);
  expect(found([...GOLD, ...lines])).toEqual([]);
});
