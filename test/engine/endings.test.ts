/** However a run ends, it ends: a full disk, a journal that cannot be written, a rejection that nobody waits for. */

import { asBinary } from 'lmdb';
import { describe, expect, test } from 'vitest';
import { mapLimit } from '../../basics/map-limit.ts';
import { type Cache, LostOutput } from '../../cache/cache.ts';
import type { RunEvent } from '../../engine/events.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';

function full(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

/** Refuses from now on what is written to one of the databases. */
function refuse(name: 'records' | 'stages' | 'latest' | 'memos' | 'uses') {
  return ({ database }: Cache) => {
    Object.assign(database[name], { put: () => Promise.reject(full()) });
  };
}

describe('a disk that is full', () => {
  test('while a finished stage is written down: it is not made, what is below waits, answers stay', async () => {
    const root = temporaryFolder();
    const { end, ran } = await runToy(root, { numbers: [1, 2] }, { arrange: refuse('stages') });
    expect(ran).toEqual(['numbers']);
    expect(end.nodes.get('numbers')!.blocked).toMatchObject({ status: 'infra', reason: 'disk-full' });
    expect(end.nodes.get('square.x')!.blocked).toMatchObject({ reason: 'upstream-infra' });
    expect(end.counts).toMatchObject({ ok: 1, infra: 0 });
    const again = await runToy(root, { numbers: [1, 2] });
    expect(again.ran.sort()).toEqual(['n1', 'n2', 'sum']);
    expect(again.end.counts).toMatchObject({ ok: 4, infra: 0 });
  });

  test('while an answer is written down: it is none', async () => {
    const root = temporaryFolder();
    const { end } = await runToy(root, { numbers: [1] }, { arrange: refuse('records') });
    expect(end.nodes.get('numbers')!.state.entry('')!.outcome).toMatchObject({ reason: 'disk-full' });
    expect((await runToy(root, { numbers: [1] })).end.counts).toMatchObject({ ok: 3, infra: 0 });
  });

  test('while it is noted that an item is answered: the answer holds', async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1, 2] });
    await runToy(root, { numbers: [1, 2], modulo: 2 });
    // Back to the first answers, which `latest` does not name now.
    const { end, ran } = await runToy(
      root,
      { numbers: [1, 2] },
      { arrange: refuse('latest'), force: ['sum'] },
    );
    expect(ran.filter((name) => name !== 'sum')).toEqual([]);
    expect(end.nodes.get('square.x')!.state.counts).toMatchObject({ ok: 2, infra: 0 });
  });
});

describe('a bug of ours', () => {
  const broken = (): never => (undefined as unknown as { called(): never }).called();

  test('in an item is no fault of the machine: it is tried once, and its log says where', async () => {
    const hold = async (item: string) => (item === 'n1' ? broken() : undefined);
    const { end, ran, events } = await runToy(temporaryFolder(), { numbers: [1, 2], hold });
    const square = end.nodes.get('square.x')!.state;
    expect(square.entry('n1')!.outcome).toMatchObject({ status: 'infra', reason: 'internal' });
    expect(square.counts).toMatchObject({ ok: 1, infra: 1 });
    expect(ran.filter((name) => name === 'n1')).toHaveLength(1);
    const told = events.find((event) => event.type === 'item-finished' && event.item === 'n1');
    expect(told).toMatchObject({
      log: expect.stringMatching(/a bug in swemake.*TypeError.*endings\.test\.ts/s),
    });
  });

  test('in a plan blocks the stage, with the same lines', async () => {
    const { events } = await runToy(temporaryFolder(), { numbers: [1], asking: async () => broken() });
    expect(events.find((event) => event.type === 'stage-blocked')).toMatchObject({
      stage: 'numbers',
      outcome: { reason: 'internal' },
      log: expect.stringContaining('endings.test.ts'),
    });
  });
});

test('an output that is lost is named, and the item is not tried again', async () => {
  const hold = async (item: string) => {
    if (item === 'n1') throw new LostOutput('numbers.json');
  };
  const { end, ran } = await runToy(temporaryFolder(), { numbers: [1], hold });
  const { outcome } = end.nodes.get('square.x')!.state.entry('n1')!;
  expect(outcome).toMatchObject({
    reason: 'output-lost',
    detail: expect.stringContaining('numbers.json'),
  });
  expect(ran.filter((name) => name === 'n1')).toHaveLength(1);
});

describe('a record', () => {
  const answered = async () => {
    const root = temporaryFolder();
    await runToy(root, { numbers: [1] });
    return root;
  };

  test('that the database cannot give is a fault, and nothing runs again', async () => {
    const damaged = () => {
      throw Object.assign(new Error('MDB_CORRUPTED: located page was wrong type'), { code: -30796 });
    };
    const arrange = ({ database }: Cache) =>
      void Object.assign(database.records, { get: damaged, getBinary: damaged });
    const { end, ran } = await runToy(await answered(), { numbers: [1] }, { arrange, force: ['sum'] });
    expect(ran).toEqual([]);
    expect(end.nodes.get('sum')!.blocked ?? end.nodes.get('sum')!.state.entry('')!.outcome).toMatchObject({
      status: 'infra',
    });
  });

  test('whose bytes are no record is made again', async () => {
    const arrange = ({ database: { records } }: Cache) => {
      for (const key of [...records.getKeys()])
        records.putSync(key, asBinary(Buffer.from([0xc1, 0x00])) as never);
    };
    const root = await answered();
    const { end, ran } = await runToy(root, { numbers: [1] }, { arrange, force: ['numbers'] });
    expect(ran.sort()).toEqual(['n1', 'numbers', 'sum']);
    expect(end.counts).toMatchObject({ ok: 3 });
  });
});

test('a run whose events cannot be kept ends with that error', async () => {
  const emit = (event: RunEvent) => {
    if (event.type === 'item-finished' && event.stage === 'square.x') throw new Error('the journal is gone');
  };
  await expect(runToy(temporaryFolder(), { numbers: [1, 2] }, { emit })).rejects.toThrow(
    'the journal is gone',
  );
  const opened = (event: RunEvent) => {
    if (event.type === 'stage-opened' || event.type === 'stage-blocked')
      throw new Error('the journal is gone');
  };
  await expect(runToy(temporaryFolder(), { numbers: [1] }, { emit: opened })).rejects.toThrow(
    'journal is gone',
  );
});

test('what is answered already is found while every place to run in is taken', async () => {
  const root = temporaryFolder();
  await runToy(root, { numbers: [2, 3] });
  let found = () => 0;
  const emit = (event: RunEvent) => {
    if (event.type === 'stage-opened' && event.stage === 'square.x') found = () => event.now!().cached;
  };
  const hold = async (item: string) => {
    while (item === 'n1' && found() < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const { ran } = await runToy(root, { numbers: [1, 2, 3], hold }, { jobs: 1, emit });
  expect(ran.sort()).toEqual(['n1', 'numbers', 'sum']);
});

describe('mapLimit', () => {
  test('begins nothing new after a rejection, and throws it once the rest has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = async (n: number) => {
      begun.push(n);
      if (n === 1) throw new Error('the second');
      await new Promise((resolve) => setTimeout(resolve, 5));
      ended.push(n);
    };
    await expect(mapLimit([0, 1, 2, 3, 4, 5], 2, work)).rejects.toThrow('the second');
    expect(begun).toEqual([0, 1]);
    expect(ended).toEqual([0]);
  });

  test('throws what is thrown before anything is waited for, too', async () => {
    const work = (): Promise<void> => {
      throw new Error('at once');
    };
    await expect(mapLimit([1, 2, 3], 2, work)).rejects.toThrow('at once');
    expect(await mapLimit([3, 1, 2], 2, async (n, at) => n * 10 + at)).toEqual([30, 11, 22]);
  });
});
