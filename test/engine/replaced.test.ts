/** An answer is replaced while a longer run works with the earlier one: what that run leaves behind is found by nobody. */
import { expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import type { NodeState } from '../../engine/node-state.ts';
import type { StageRecord } from '../../schemas/record.ts';
import { runToy, type Toy, type ToyRun } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

const SQUARES = 'square.x';

function digestOf({ end }: ToyRun, item: string): string {
  const { state } = end.nodes.get(SQUARES) as { state: NodeState };
  return state.entries().find(({ name }) => name === item)!.digest;
}

/** Runs `toy` and, while it is held at its last square, `meanwhile`. */
async function runBeside(root: string, toy: Toy, meanwhile: () => Promise<unknown>): Promise<void> {
  const last = `n${toy.numbers.at(-1)}`;
  let goOn = () => {};
  const waits = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const hold = async (item: string) => {
    if (item !== last) return;
    isHeld();
    await waits;
  };
  const longer = runToy(root, { ...toy, hold });
  await held;
  await meanwhile();
  goOn();
  await longer;
}

/** The first square, run again with another outcome. */
async function replaced(root: string): Promise<string> {
  const only = [`${SQUARES}@n1`];
  const run = await runToy(root, { numbers: [1], noise: 7 }, { force: only, targets: only });
  return digestOf(run, 'n1');
}

test('a block of answers that a longer run keeps does not bring an earlier answer back', async () => {
  const root = temporaryFolder();
  await runToy(root, { numbers: [1] });
  let fresh = '';
  await runBeside(root, { numbers: [1, 2, 3], chunk: 2 }, async () => {
    fresh = await replaced(root);
  });
  // The block of 1 and 2 is asked for by a stage that is not finished.
  const again = await runToy(root, { numbers: [1, 2, 4], chunk: 2 });
  expect(digestOf(again, 'n1')).toBe(fresh);
  expect(digestOf(await runToy(root, { numbers: [1, 2, 3], chunk: 2 }), 'n1')).toBe(fresh);
});

test('a list of answers that is written over a newer one is looked through, though that one was complete', async () => {
  const root = temporaryFolder();
  await runToy(root, { numbers: [1, 2] });
  const older = await finishedStages(root);
  const fresh = await replaced(root);
  // Now it is remembered that all is there.
  for (let time = 0; time < 2; time += 1) await runToy(root, { numbers: [1, 2] });
  await finishedStages(root, older);
  expect(digestOf(await runToy(root, { numbers: [1, 2] }), 'n1')).toBe(fresh);
});

/** The finished stages that are remembered; `written` ones are put in their place, as a run does that ends later. */
async function finishedStages(root: string, written: [Buffer, StageRecord][] = []) {
  const cache = await openCache(root);
  for (const [key, record] of written) await cache.database.stages.put(key, record);
  const found = [...cache.database.stages.getRange()].map(({ key, value }) => [Buffer.from(key), value]);
  await cache.close();
  return found as [Buffer, StageRecord][];
}
