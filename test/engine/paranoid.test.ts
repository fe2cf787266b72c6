/** What decides an item and is in no trace is found when everything that was found is looked at all the same. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

beforeEach(() => {
  process.env.SWEMAKE_PARANOID = '1';
});
afterEach(() => {
  delete process.env.SWEMAKE_PARANOID;
});

const NUMBERS = [1, 2, 3];

test.each([
  ['a finished stage', [1, 2, 3]],
  ['a block of answers', [1, 2, 4]],
])('%s', async (_, numbers) => {
  const root = temporaryFolder();
  await runToy(root, { numbers: NUMBERS, chunk: 2, undeclared: 'a' });
  const same = await runToy(root, { numbers: NUMBERS, chunk: 2, undeclared: 'a' });
  expect(same.end.counts.infra).toBe(0);
  const { end } = await runToy(root, { numbers, chunk: 2, undeclared: 'b' });
  expect(end.nodes.get('square.x')!.blocked).toMatchObject({
    reason: 'internal',
    detail: expect.stringContaining(
      'square.x was found finished in the cache, but these items have another key now: n1, n2',
    ),
  });
});

test('without it, nobody sees that', async () => {
  delete process.env.SWEMAKE_PARANOID;
  const root = temporaryFolder();
  await runToy(root, { numbers: NUMBERS, undeclared: 'a' });
  expect((await runToy(root, { numbers: NUMBERS, undeclared: 'b' })).ran).toEqual([]);
});
