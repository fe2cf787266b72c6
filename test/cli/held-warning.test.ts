/** The warning that a stage's files were left as they are names what stands in the way, and the way out. */
import { expect, test } from 'vitest';
import { heldWarning } from '../../cli/held-warning.ts';

const HELD = { isAll: false, missing: 2, folder: 'out/x/incomplete/filter.train' };

test('few instances are named, with the setting that leaves them out and no other', () => {
  const said = heldWarning({ ...HELD, stage: 'filter.train', instances: ['a__b-1', 'c.d+e'] });
  expect(said).toContain('faults keep 2 instances from a verdict (a__b-1, c.d+e)');
  expect(said).toContain('results of the others are in out/x/incomplete/filter.train;');
  const pattern = new RegExp(/dataset\.train\.select\.match: (\S+)$/.exec(said)![1]!, 'u');
  const all = ['a__b-1', 'c.d+e', 'a__b-11', 'xa__b-1', 'cxd+e'];
  expect(all.filter((id) => pattern.test(id))).toEqual(['a__b-11', 'xa__b-1', 'cxd+e']);
});

test('many are counted: then the machine is at fault and not an instance', () => {
  const instances = Array.from({ length: 40 }, (_, index) => `i-${index}`);
  const said = heldWarning({ ...HELD, stage: 'filter.train', instances });
  expect(said).toMatch(/faults keep 40 instances from a verdict, so .* build again$/);
});

test('where none has a verdict, none is left out: a secret or an endpoint is missing', () => {
  const said = heldWarning({ ...HELD, stage: 'evaluate.eval', instances: ['a__b-1'], isAll: true });
  expect(said).toMatch(/\(a__b-1\), so .* build again$/);
});

test('faults of which no instance is known', () => {
  expect(heldWarning({ ...HELD, stage: 'evaluate.eval', instances: [] })).toMatch(
    /^evaluate.eval: faults keep some/,
  );
});
