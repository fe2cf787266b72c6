/** What was damaged on the disk between two builds is made again; nothing is made as if it had never been there. */
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Digest } from '../../basics/digest.ts';
import { type Cache, openCache } from '../../cache/cache.ts';
import { Bench } from '../sft-data/bench.ts';

const GOLDEN = 'golden.train';
/** A change that golden is made again for, and its rollouts are not. */
const CHANGED = 'trainer.sft.golden.max_steps=90';

function bench(): Bench {
  const made = new Bench();
  made.addInstances('a', 'b', 'c');
  made.played = ['a', 'b', 'c'].map((instance) => ({ instance, sample: '0' }));
  return made;
}

/** Writes other bytes of the same length into the blobs that `choose` names. */
async function damage(of: Bench, choose: (cache: Cache) => Digest[]): Promise<void> {
  const cache = await openCache(join(of.folder, '.swemake'));
  for (const digest of choose(cache)) {
    const path = cache.blobs.path(digest);
    chmodSync(path, 0o644);
    writeFileSync(path, Buffer.alloc(statSync(path).size, 'x'));
  }
  await cache.close();
}

test('the list of a finished stage’s items', async () => {
  const made = bench();
  await made.run();
  // By now it is remembered that all is there.
  await made.run();
  await damage(made, ({ database }) =>
    [...database.stages.getRange({})].flatMap(({ value }) =>
      value.items === 3 ? [value.manifest.digest as Digest] : [],
    ),
  );
  const run = await made.run(CHANGED);
  expect(run.outcome(GOLDEN)).toMatchObject({ status: 'infra', detail: expect.stringContaining('damaged') });
  const again = await made.run(CHANGED);
  expect(await again.lines(GOLDEN, 'golden.jsonl')).toHaveLength(3);
});

test('a trajectory', async () => {
  const made = bench();
  for (const one of made.played)
    one.edit = (of) => {
      of.messages[1]!.content = 'x'.repeat(20_000);
    };
  await made.run();
  await damage(made, ({ database }) =>
    [...database.records.getRange({})].flatMap(({ value: { outputs } }) =>
      outputs.trajectory?.kind === 'blob' ? [outputs.trajectory.digest] : [],
    ),
  );
  const run = await made.run(CHANGED);
  expect(run.outcome(GOLDEN)).toMatchObject({ status: 'infra', detail: expect.stringContaining('gone') });
  const again = await made.run(CHANGED);
  expect(again.ran['rollouts.train']).toBeGreaterThan(0);
  expect(await again.lines(GOLDEN, 'dropped.jsonl')).toEqual([]);
});
