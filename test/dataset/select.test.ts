import { expect, test } from 'vitest';
import type { SelectConfig } from '../../schemas/generated/project.ts';
import { Selection } from '../../stages/dataset/select.ts';

const ids = Array.from({ length: 300 }, (_, index) => `repo-${index}`);

test('without settings all are chosen', () => {
  expect(selectIds(ids, { seed: 0 })).toEqual(ids);
});

test('match, then sample, then slice; the order stays', () => {
  const matched = selectIds(ids, { seed: 7, match: '[02468]$' });
  expect(matched).toHaveLength(150);
  const sampled = selectIds(ids, { seed: 7, match: '[02468]$', sample: 20 });
  expect(sampled).toHaveLength(20);
  expect(sampled).toEqual(matched.filter((id) => sampled.includes(id)));
  expect(selectIds(ids, { seed: 7, match: '[02468]$', sample: 20, slice: '5:-5' })).toEqual(
    sampled.slice(5, -5),
  );
});

test('a sample depends on seed and ids, not on the order of rows or on rows that fall out', () => {
  const sampled = selectIds(ids, { seed: 1, sample: 10 });
  expect(new Set(selectIds([...ids].reverse(), { seed: 1, sample: 10 }))).toEqual(new Set(sampled));
  expect(selectIds(ids, { seed: 2, sample: 10 })).not.toEqual(sampled);
  const fewer = ids.filter((id) => sampled.includes(id) || Number(id.slice(5)) % 2 === 0);
  expect(selectIds(fewer, { seed: 1, sample: 10 })).toEqual(sampled);
});

test('this seed draws these rows, on every machine and in every version', () => {
  expect(selectIds(ids, { seed: 7, sample: 3 })).toMatchInlineSnapshot(`
    [
      "repo-73",
      "repo-75",
      "repo-273",
    ]
  `);
});

test('a sample larger than the dataset is the dataset', () => {
  expect(selectIds(ids, { seed: 1, sample: 1000 })).toEqual(ids);
});

test.each([
  ['0:2', ['a', 'b']],
  [':-1', ['a', 'b']],
  ['-2:', ['b', 'c']],
  ['2:1', []],
  [':', ['a', 'b', 'c']],
])('slice %s', (slice, expected) => {
  expect(selectIds(['a', 'b', 'c'], { seed: 0, slice })).toEqual(expected);
});

function selectIds(ids: readonly string[], config: SelectConfig): string[] {
  const selection = new Selection<string>(config);
  for (const id of ids) if (selection.matches(id)) selection.offer(id, id);
  return selection.chosen();
}
