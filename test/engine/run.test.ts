import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Rest } from '../../contract/machine.ts';
import { deferred } from '../../engine/deferred.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

describe('a run', () => {
  test('does everything once, then nothing', async () => {
    const root = temporaryFolder();
    const first = await runToy(root, { numbers: [1, 2, 3] });
    expect(first.ran.sort()).toEqual(['n1', 'n2', 'n3', 'numbers', 'sum']);
    const second = await runToy(root, { numbers: [1, 2, 3] });
    expect(second.ran).toEqual([]);
    expect(second.end.executed).toBe(0);
    expect(second.end.cached).toBe(5);
    expect(second.events.filter((event) => event.type === 'stage-fresh')).toHaveLength(3);
  });

  test('runs only what a new number adds', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    const { ran } = await runToy(root, { numbers: [1, 2, 5] });
    expect(ran.sort()).toEqual(['n5', 'numbers', 'sum']);
  });

  test('stops where a rebuilt item is what it was', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 3], modulo: 2 });
    const { ran } = await runToy(root, { numbers: [1, 3], modulo: 2 }, { force: ['square'] });
    expect(ran.sort()).toEqual(['n1', 'n3']);
  });

  test('takes an answer that was forced to be another one wherever the item is', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    await runToy(root, { numbers: [1, 2, 3] });
    // By now it is remembered that all is there.
    await runToy(root, { numbers: [1, 2, 3] });
    const n1 = ['square.x@n1'];
    const forced = await runToy(root, { numbers: [1, 2], noise: 7 }, { force: n1, targets: n1 });
    expect(forced.ran).toEqual(['n1']);
    expect((await runToy(root, { numbers: [1, 2, 3] })).ran).toEqual(['sum']);
    expect((await runToy(root, { numbers: [1, 2, 3] })).ran).toEqual([]);
  });

  test('keeps going after a failure, and caches the failure as an answer', async () => {
    const root = temporaryFolder();
    const first = await runToy(root, { numbers: [-1, 2] });
    expect(first.end.counts).toMatchObject({ ok: 3, failed: 1 });
    expect((await runToy(root, { numbers: [-1, 2] })).ran).toEqual([]);
  });

  test('retries a fault and never caches it', async () => {
    const root = temporaryFolder();
    const faults = new Map([['n1', 4]]);
    const first = await runToy(root, { numbers: [1, 2], faults });
    expect(first.ran.filter((name) => name === 'n1')).toHaveLength(3);
    expect(first.end.counts).toMatchObject({ infra: 1 });
    const second = await runToy(root, { numbers: [1, 2], faults });
    expect(second.ran.filter((name) => name !== 'sum')).toEqual(['n1', 'n1']);
    expect(second.end.counts.infra).toBe(0);
    expect((await runToy(root, { numbers: [1, 2], faults })).ran).toEqual([]);
  });

  test('makes again what was deleted from the cache', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    for (const shard of readdirSync(join(root, 'blobs'))) {
      for (const name of readdirSync(join(root, 'blobs', shard))) rmSync(join(root, 'blobs', shard, name));
    }
    const second = await runToy(root, { numbers: [1, 2] });
    expect(second.end.executed).toBe(0);
    expect(
      (await runToy(root, { numbers: [1, 2] })).events.some((event) => event.type === 'stage-fresh'),
    ).toBe(true);
  });

  test('plans without running, and says why', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    const same = await runToy(root, { numbers: [1, 2] }, { dryRun: true });
    expect([...same.end.nodes.values()].map(({ state }) => state.planned)).toEqual([0, 0, 0]);
    const { end, ran } = await runToy(root, { numbers: [1, 2], modulo: 2 }, { dryRun: true });
    expect(ran).toEqual([]);
    expect(end.nodes.get('square.x')!.reasons).toEqual(new Map([['changed: modulo', 2]]));
    expect(end.nodes.get('sum')!.blocked).not.toBeNull();
  });

  test('says when swemake itself is what changed', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    const reasons = async (toy: { version: number; modulo?: number }) => {
      const { end } = await runToy(root, { numbers: [1, 2], ...toy }, { dryRun: true });
      return end.nodes.get('square.x')!.reasons;
    };
    expect(await reasons({ version: 2 })).toEqual(new Map([['swemake changed: square 1 → 2', 2]]));
    expect(await reasons({ version: 3, modulo: 2 })).toEqual(
      new Map([['swemake changed: square 1 → 3, changed: modulo', 2]]),
    );
  });

  test('runs only the items that were asked for', async () => {
    const root = temporaryFolder();
    const { ran } = await runToy(root, { numbers: [1, 2, 3] }, { targets: ['square.x@n2'] });
    expect(ran.filter((name) => name.startsWith('n')).sort()).toEqual(['n2', 'numbers']);
  });

  test('runs all items that another target needs', async () => {
    const root = temporaryFolder();
    const { ran } = await runToy(root, { numbers: [1, 2, 3] }, { targets: ['square.x@n2', 'sum'] });
    expect([...ran].sort()).toEqual(['n1', 'n2', 'n3', 'numbers', 'sum']);
  });

  test('starts nothing new once it is told to stop', async () => {
    const root = temporaryFolder();
    const { ran, end } = await runToy(root, { numbers: [1, 2] }, { drain: AbortSignal.abort() });
    expect(ran).toEqual([]);
    expect(end.drained).toBe(true);
    expect((await runToy(root, { numbers: [1, 2] })).end.counts).toMatchObject({ ok: 4, infra: 0 });
  });

  test('does not wait for a question that is not answered once it is told to stop', async () => {
    const stop = new AbortController();
    const asking = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('given up')));
        stop.abort();
      });
    const root = temporaryFolder();
    const { ran, end } = await runToy(root, { numbers: [1], asking }, { drain: stop.signal });
    expect([ran, end.drained]).toEqual([[], true]);
    expect(end.nodes.get('numbers')!.blocked).toMatchObject({ status: 'infra' });
    expect((await runToy(root, { numbers: [1] })).end.counts).toMatchObject({ ok: 3, infra: 0 });
  });

  test('lets another item begin while one rests', async () => {
    const began = deferred<void>();
    const order: string[] = [];
    const hold = async (item: string, rest: Rest) => {
      order.push(`${item} begins`);
      if (item === 'n1') await rest(() => began.promise);
      else began.resolve();
      // Time for what may not happen: the first one has no processor before the second one ends.
      await setImmediate();
      order.push(`${item} ends`);
    };
    const { end } = await runToy(temporaryFolder(), { numbers: [1, 2, 3], hold }, { cpu: 1 });
    const names = ['n1 begins', 'n2 begins', 'n2 ends', 'n1 ends', 'n3 begins', 'n3 ends'];
    expect([order, end.counts.ok]).toEqual([names, 5]);
  });

  test('T47 gives the same records whatever the order and the parallelism', async () => {
    const digests = async (jobs: number, numbers: number[]) => {
      const { end } = await runToy(temporaryFolder(), { numbers }, { jobs });
      return end.nodes
        .get('square.x')!
        .state.entries()
        .map((entry) => [entry.name, entry.key, entry.digest])
        .sort();
    };
    expect(await digests(1, [1, 2, 3, 4])).toEqual(await digests(4, [4, 3, 2, 1]));
  });

  test('T41 two runs on one cache share the work', async () => {
    const root = temporaryFolder();
    const runs = await Promise.all([
      runToy(root, { numbers: [1, 2, 3] }),
      runToy(root, { numbers: [1, 2, 3] }),
    ]);
    expect(runs.flatMap(({ ran }) => ran).sort()).toEqual(['n1', 'n2', 'n3', 'numbers', 'sum']);
  });
});
