/** Parts of sending items to a cluster: how large a job is, and that a lease that is over stays over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Allocations, candidatesFor, DEFAULT_JOBS } from '../../app/dispatch/allocations.ts';
import { sizeJob } from '../../app/dispatch/amounts.ts';
import type { Batch } from '../../app/dispatch/batch.ts';
import { Heartbeat } from '../../app/dispatch/heartbeat.ts';
import { Lease } from '../../app/dispatch/lease.ts';
import { Mailbox } from '../../app/dispatch/mailbox.ts';
import { runBatch } from '../../app/dispatch/run-batch.ts';
import { folderStore } from '../../cache/remote/folder-store.ts';
import type { RemoteStore } from '../../cache/remote/store.ts';
import type { ActionEnd } from '../../engine/action.ts';
import type { Machine } from '../../executors/job-service.ts';
import { temporaryFolder } from '../rig/folder.ts';

const machine = (amounts: Machine['amounts']): Machine => ({
  name: 'm',
  address: '10.0.0.1',
  isAlive: true,
  isHead: false,
  amounts,
});
const ITEM = { cpu: 1, sandbox: 1 };

test('a job asks for so many times what an item takes, and no more than the largest machine has', () => {
  const seeds = { cpu: 64, sandbox: 128, sandbox_start_up: 128, tar_io: 40 };
  expect(sizeJob(ITEM, 3, 8, [machine(seeds), machine(seeds)])).toEqual({
    atOnce: 8,
    amounts: { cpu: 8, sandbox: 8, sandbox_start_up: 8, tar_io: 3 },
    jobs: 16,
  });
  expect(sizeJob(ITEM, 99, 8, [machine({ ...seeds, cpu: 2 }), machine({})])).toEqual({
    atOnce: 2,
    amounts: { cpu: 2, sandbox: 2, sandbox_start_up: 2, tar_io: 40 },
    jobs: 1,
  });
});

test('a rollout keeps no processor; what no machine has is not asked for', () => {
  const size = sizeJob({ rollout: 1, sandbox: 1 }, 1, 8, [machine({ cpu: 1, sandbox: 128 })]);
  expect(size).toEqual({ atOnce: 8, amounts: { sandbox: 8 }, jobs: 16 });
  expect(sizeJob(ITEM, 1, 8, [])).toEqual({ atOnce: 8, amounts: {}, jobs: 16 });
  const dead = { ...machine({ cpu: 64 }), isAlive: false };
  expect(sizeJob(ITEM, 1, 8, [dead]).amounts).toEqual({});
});

const at = (address: string, amounts: Machine['amounts']): Machine => ({ ...machine(amounts), address });

test('jobs go to the machine of which least is taken, and to none that has no room', () => {
  const allocations = new Allocations();
  const machines = [at('a', { sandbox: 16 }), at('b', { sandbox: 16 }), at('head', {})];
  const rollouts = { sandbox: 4 };
  const order = ['1', '2', '3', '4'].map((id) => {
    const placement = allocations.find(rollouts, machines)!;
    allocations.hold(id, placement.address, rollouts);
    return `${placement.address} ${placement.times}`;
  });
  expect(order).toEqual(['a 4', 'b 4', 'a 3', 'b 3']);
  expect(allocations.find(rollouts, machines, new Set(['a']))).toEqual({ address: 'b', times: 2 });
  expect(allocations.find({ sandbox: 9 }, machines)).toBeNull();
  expect(allocations.release('2')).toEqual(rollouts);
  expect(allocations.find({ sandbox: 9 }, machines)).toEqual({ address: 'b', times: 1 });
  // What a job turned out to take.
  allocations.hold('4', 'b', { sandbox: 16 });
  expect(allocations.find(rollouts, machines)).toEqual({ address: 'a', times: 2 });
});

test('what jobs of another stage take is missing from what is left', () => {
  const allocations = new Allocations();
  const machines = [at('a', { cpu: 4, sandbox: 128 })];
  allocations.hold('rollouts', 'a', { sandbox: 100 });
  expect(allocations.find(ITEM, machines)).toEqual({ address: 'a', times: 4 });
  allocations.hold('grades', 'a', { cpu: 3, sandbox: 3 });
  expect(allocations.find(ITEM, machines)).toEqual({ address: 'a', times: 1 });
});

test('where nothing is counted, so many jobs are spread over the machines that have anything', () => {
  const allocations = new Allocations();
  const machines = [at('a', { cpu: 1 }), at('b', { cpu: 1 }), at('head', {})];
  const found: string[] = [];
  for (
    let placement = allocations.find({}, machines);
    placement !== null;
    placement = allocations.find({}, machines)
  ) {
    allocations.hold(`${found.length}`, placement.address, {});
    found.push(placement.address);
  }
  expect(found).toHaveLength(DEFAULT_JOBS);
  expect(new Set(found)).toEqual(new Set(['a', 'b']));
  const dead = { ...at('a', { cpu: 1 }), isAlive: false };
  expect(candidatesFor({}, [dead, at('head', {})])).toEqual([]);
});

/** A store whose writing can be cut off. */
function cuttable(): { store: RemoteStore; cut: boolean } {
  const inner = folderStore(temporaryFolder());
  const rig = {
    cut: false,
    store: {
      ...inner,
      put: async (...args: Parameters<RemoteStore['put']>) =>
        rig.cut ? ({ kind: 'fault', why: 'broken', detail: 'cut' } as const) : inner.put(...args),
    },
  };
  return rig;
}

test('a lease holds while it is renewed, ends when nothing new is said, and never comes back', async () => {
  const rig = cuttable();
  const mailbox = new Mailbox(rig.store);
  const heartbeat = new Heartbeat(mailbox, 'job', 6000, new AbortController().signal);
  await heartbeat.begin();
  const lease = new Lease(mailbox, 'job', 6);
  expect(await lease.begin()).toBe(true);
  await sleep(8000);
  expect(lease.holds()).toBe(true);
  rig.cut = true;
  await new Promise((resolve) => lease.over.addEventListener('abort', resolve));
  rig.cut = false;
  await heartbeat.begin();
  expect(lease.holds()).toBe(false);
  heartbeat.end();
  lease.end();
});

test('a lease that is revoked ends at once, and one that nobody gave never begins', async () => {
  const mailbox = new Mailbox(cuttable().store);
  const drain = new AbortController();
  const heartbeat = new Heartbeat(mailbox, 'job', 5000, drain.signal);
  await heartbeat.begin();
  const lease = new Lease(mailbox, 'job', 5);
  await lease.begin();
  drain.abort();
  await new Promise((resolve) => lease.drained.addEventListener('abort', resolve));
  expect(lease.holds()).toBe(true);
  await heartbeat.revoke();
  await new Promise((resolve) => lease.over.addEventListener('abort', resolve));
  lease.end();
  const late = new Lease(mailbox, 'job', 5);
  expect(await late.begin()).toBe(false);
  expect(await new Lease(mailbox, 'another', 0.3).begin()).toBe(false);
});

test('an answer that the cache here cannot read is a fault of its item', async () => {
  const folder = temporaryFolder();
  const store = folderStore(folder);
  const mailbox = new Mailbox(store);
  const ends: ActionEnd[] = [];
  const report = { beat: 1, notes: {}, items: { a: { kind: 'answered', digest: 'd', executed: true } } };
  const service = {
    submit: async ({ id }: { id: string }) => {
      await mailbox.post('report', id, { ...report, fault: null, lacks: [], hasEnded: true });
      return null;
    },
  };
  const records = {
    get: () => {
      throw new Error('MDB_PROBLEM');
    },
  };
  const sender = {
    project: { config: { cache: { remote: {} } }, file: '', folder: '', secrets: new Map() },
    cache: { database: { records } },
    services: { signal: new AbortController().signal, secrets: { holds: () => false } },
    run: 'run',
  };
  const node = { stage: 's', dataset: '', address: 's', inputs: {} };
  const action = { node, key: 'k', address: 's@a', item: { name: 'a' }, preimage: { parts: {} } };
  await runBatch({
    ...{ id: 'batch', store, mailbox, sender, machines: [], atOnce: 1, machine: 'm' },
    items: [
      {
        action: { ...action, stage: { resources: () => ITEM } },
        request: { force: false, inputs: {}, waits: () => undefined, progress: () => undefined },
        settle: (end: ActionEnd) => ends.push(end),
      },
    ],
    cluster: {
      service,
      config: { lease: 60, wait: 60, folder, program: 'p' },
      allocations: new Allocations(),
    },
    remote: { fetchItem: async () => true },
    drain: new AbortController().signal,
  } as unknown as Batch);
  expect(ends).toMatchObject([{ kind: 'fault', outcome: { reason: 'machine', detail: 'MDB_PROBLEM' } }]);
});
