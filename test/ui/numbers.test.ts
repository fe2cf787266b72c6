/** What the page knows of hundreds of thousands of answers, in columns. */
import { expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { Keys } from '../../ui/server/keys.ts';
import { type Numbers, NumberTable } from '../../ui/server/numbers.ts';
import { stepsTime } from '../../ui/server/time.ts';
import type { TimePart } from '../../ui/shapes.ts';

const keyOf = (index: number) => digestOf(`answer ${index}`) as never;
const MANY = 5000;

test('a key keeps its number while the table grows, and is given back as it was', () => {
  const keys = new Keys();
  for (let index = 0; index < MANY; index += 1) expect(keys.add(keyOf(index))).toBe(index);
  for (let index = MANY - 1; index >= 0; index -= 1) {
    expect(keys.add(keyOf(index))).toBe(index);
    expect(keys.text(index)).toBe(keyOf(index));
  }
  expect(keys.size).toBe(MANY);
});

test('keys that begin alike are told apart', () => {
  const keys = new Keys();
  const alike = ['1', '2', '3'].map((end) => `${'ab'.repeat(31)}0${end}` as never);
  expect(alike.map((key) => keys.add(key))).toEqual([0, 1, 2]);
  expect(alike.map((key) => keys.add(key))).toEqual([0, 1, 2]);
});

test('numbers come back as they were set, also beyond the first thousands', () => {
  const table = new NumberTable();
  const plain: Numbers = {
    ...{ ms: 3.5, waited: 0, promptTokens: 0, completionTokens: 0, cost: null, exit: '', findings: [] },
  };
  const rollout: Numbers = {
    ...{ ms: 7_200_000, waited: 12.5, promptTokens: 5_000_000_000, completionTokens: 9, cost: 0 },
    ...{ exit: 'submitted', findings: ['tests-edited, noted', 'runner-modified, voided'] },
  };
  table.set(3, plain);
  table.set(70_000, rollout);
  expect(table.get(3)).toEqual(plain);
  expect(table.get(70_000)).toEqual(rollout);
  expect([table.get(4), table.get(100_000)]).toEqual([null, null]);
  table.set(3, rollout);
  expect(table.get(3)).toEqual(rollout);
});

test('a step has the time of its own call, after one that summed the history up, and of an agent from elsewhere', () => {
  const call = (took: number) => ({ took, waited: 0, attempts: 1 });
  const calls = [call(1000), call(50), call(2000)];
  const [first, second, last] = stepsTime('i', [{ call: 0 }, { call: 2 }], {
    calls,
    steps: [10, 20],
    diff: 5,
  }).parts as [TimePart, TimePart, TimePart];
  expect([first, second, last].map(({ name, ms }) => [name, ms])).toEqual([
    ['step 1', 1010],
    ['step 2', 2070],
    ['diff', 5],
  ]);
  expect(second.parts.map(({ name, ms }) => [name, ms])).toEqual([
    ['model', 2050],
    ['commands', 20],
  ]);
  const outside = stepsTime('i', [{ call: 0 }, { call: 1 }, { call: 2 }], { calls, steps: [], diff: 5 });
  expect(outside.ms).toBe(3055);
  expect(outside.parts[2]!.parts).toMatchObject([{ name: 'model', ms: 2000 }]);
});
