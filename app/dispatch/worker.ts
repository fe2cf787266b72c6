/**
 * One job on a machine of a cluster. It fetches its shard, runs the items in workspaces of this machine, writes each
 * answer to the remote store when it is made, and reports it. Once the lease is over nothing is written: another
 * machine may be running the same items then.
 */
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import { lookUp } from '../../cache/cache.ts';
import type { RemoteCache } from '../../cache/remote/remote.ts';
import type { RemoteStore } from '../../cache/remote/store.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { createSecrets } from '../../contract/secrets.ts';
import type { Entry } from '../../contract/stage.ts';
import type { RunEvent } from '../../engine/events.ts';
import { faultOf } from '../../engine/item-action.ts';
import { addressOf, runGraph } from '../../engine/run.ts';
import { Selection } from '../../engine/selection.ts';
import { infra, isFault } from '../../schemas/outcome.ts';
import { STAGES } from '../../stages/registry.ts';
import { hostCapacity } from '../host-capacity.ts';
import type { CommandIo } from '../io.ts';
import { openRemote, openRemoteStore } from '../remote.ts';
import { openSession, type Session } from '../session.ts';
import { fullVersion } from '../version.ts';
import { Lease } from './lease.ts';
import { Mailbox } from './mailbox.ts';
import { Reporter } from './reporter.ts';
import { parseEntries, type Report, type Shard, type ShardName } from './shard.ts';

export interface WorkerJob {
  id: string;
  shard: ShardName;
  remote: NonNullable<ResolvedConfig['cache']['remote']>;
  /** What relative paths of it mean. */
  folder: string;
  /** Placeholder -> variable. */
  secrets: [string, string][];
}

/** Tries to say that a job has ended. */
const LAST_TRIES = 20;
/** Milliseconds between tries to write an answer that the store did not take. */
const AGAIN = 2000;

type Why = Pick<Report, 'fault' | 'lacks'>;
const WELL: Why = { fault: null, lacks: [] };

/** Runs the job. Null when it could say how it ended; else what kept it from that. */
export async function runJob(job: WorkerJob, io: CommandIo): Promise<string | null> {
  const secrets = createSecrets(new Map(job.secrets), io.env);
  const opened = await openRemoteStore(
    { config: { cache: { remote: job.remote } }, folder: job.folder },
    secrets,
  );
  if (opened === null || 'problem' in opened)
    return `the remote cache cannot be used: ${opened?.problem ?? 'none is named'}`;
  const { store } = opened;
  try {
    const shard = await readShard(store, job.shard);
    if (typeof shard === 'string') return shard;
    const mailbox = new Mailbox(store);
    const lease = new Lease(mailbox, job.id, shard.lease);
    if (!(await lease.begin())) return 'no build waits for this job';
    const reporter = new Reporter(mailbox, job.id, (shard.lease * 1000) / 5);
    reporter.begin();
    try {
      await reporter.end(await runShard(shard, store, { lease, reporter, io }), LAST_TRIES);
    } catch (error) {
      const outcome = faultOf(error, new AbortController().signal);
      await reporter.end({ fault: outcome, lacks: [] }, LAST_TRIES);
      throw error;
    } finally {
      lease.end();
    }
    return null;
  } finally {
    await store.close();
  }
}

interface Duty {
  lease: Lease;
  reporter: Reporter;
  io: CommandIo;
}

async function readShard(store: RemoteStore, { digest, size }: ShardName): Promise<Shard | string> {
  for (let tries = 3; ; tries -= 1) {
    const got = await store.get('cas', digest, size);
    if (got.kind === 'found' && digestOf(got.bytes) === digest)
      return JSON.parse(got.bytes.toString('utf8')) as Shard;
    const why =
      got.kind === 'fault' ? got.detail : got.kind === 'absent' ? 'it is not there' : 'it is damaged';
    if (tries === 0) return `the items of this job cannot be read in ${store.name}: ${why}`;
    await sleep(1000);
  }
}

async function runShard(shard: Shard, store: RemoteStore, duty: Duty): Promise<Why> {
  const own = fullVersion();
  if (own !== shard.version)
    return {
      fault: infra('node-differs', `this machine has swemake ${own}, not ${shard.version}`),
      lacks: [],
    };
  const ending = untilStopped();
  const abort = AbortSignal.any([duty.lease.over, ending.signal]);
  const project = projectOf(shard, duty.io);
  const session = await openSession(project, duty.io, abort, { pins: shard.pins });
  const fenced = fencedStore(store, duty.lease);
  const worker = { store: fenced, bytesAtOnce: shard.bytesAtOnce };
  const run = await openRemote(project, session.cache, session.services.secrets, worker);
  try {
    const remote = run?.cache ?? null;
    if (remote === null) throw new TypeError('a worker has a store to give answers to');
    const lacks = await bringRecords(shard, session, remote);
    if (lacks.length > 0) return { fault: null, lacks };
    const above = await readAbove(shard, store);
    if (above === null)
      return { fault: infra('network', 'the answers that the items need cannot be read'), lacks: [] };
    await runItems(shard, above, session, remote, { ...duty, abort });
    return WELL;
  } finally {
    ending.release();
    await run?.end(abort);
    await session.close();
  }
}

/** SIGTERM is how a cluster ends a job. */
function untilStopped(): { signal: AbortSignal; release(): void } {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  return {
    signal: stop.signal,
    release: () => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
    },
  };
}

/** The project as it was sent, with this machine's own cache. */
function projectOf({ project, folder }: Shard, { env }: CommandIo): ResolvedProject {
  const home = env.HOME === undefined || env.HOME === '' ? homedir() : env.HOME;
  const root = folder.startsWith('~') ? join(home, folder.slice(1)) : folder;
  mkdirSync(root, { recursive: true });
  const { config, file, secrets } = project;
  return {
    config: { ...config, cache: { ...config.cache, folder: root } },
    file,
    folder: project.folder,
    secrets: new Map(secrets),
    origins: new Map(),
    inputs: { files: [], env: [] },
    overlays: { profiles: [], set: [] },
    warnings: [],
  };
}

/** A store that writes nothing once the lease is lost. */
function fencedStore(store: RemoteStore, lease: Lease): RemoteStore {
  return {
    name: store.name,
    get: store.get,
    has: store.has,
    put: async (space, name, bytes) =>
      lease.holds()
        ? store.put(space, name, bytes)
        : { kind: 'fault', why: 'refused', detail: 'the lease of this job is over' },
    // Its owner closes it.
    close: async () => undefined,
  };
}

/** Brings the answers above. Keys of those that are not to be had. */
async function bringRecords({ above, project }: Shard, { cache }: Session, remote: RemoteCache) {
  const wanted = above.flatMap(({ node, records }) => records.map((record) => ({ ...record, node })));
  const lacks = await mapLimit(wanted, 8, async ({ key, name, node }) => {
    if (lookUp(cache, key) !== null) return [];
    const address = `${project.config.name}/${addressOf(node.address, name)}`;
    return (await remote.fetchItem(key, address)) ? [] : [key];
  });
  return lacks.flat();
}

async function readAbove({ above }: Shard, store: RemoteStore): Promise<Map<string, Entry[]> | null> {
  const given = new Map<string, Entry[]>();
  for (const { node, entries } of above) {
    if (Array.isArray(entries)) {
      given.set(node.address, entries);
      continue;
    }
    const got = await store.get('cas', entries.digest, entries.size);
    if (got.kind !== 'found' || digestOf(got.bytes) !== entries.digest) return null;
    given.set(node.address, parseEntries(got.bytes.toString('utf8')));
  }
  return given;
}

async function runItems(
  shard: Shard,
  above: ReadonlyMap<string, Entry[]>,
  session: Session,
  remote: RemoteCache,
  { lease, reporter, abort }: Duty & { abort: AbortSignal },
): Promise<void> {
  const { node, items } = shard;
  const names = new Set(items.map(({ name }) => name));
  const forced = new Set(items.filter(({ force }) => force).map(({ name }) => name));
  const graph = { nodes: [...above.keys()].map((address) => nodeOf(shard, address)).concat(node) };
  const sending: Promise<void>[] = [];
  /** An answer is reported once others can read it. */
  const send = async (name: string, { key, digest }: Pick<Entry, 'key' | 'digest'>, executed: boolean) => {
    const began = performance.now();
    for (;;) {
      const sending = await remote.send(key!, executed);
      if (sending === 'there') break;
      if (!lease.holds()) return;
      if (sending === 'never' || performance.now() - began > shard.wait * 1000) {
        const why =
          'its answer cannot be written to the remote cache: the cache refuses it, or it holds a secret';
        reporter.item(name, { kind: 'fault', outcome: infra('network', why), log: '' });
        return;
      }
      await sleep(AGAIN);
    }
    reporter.item(name, { kind: 'answered', digest, executed });
  };
  const emit = (event: RunEvent): void => {
    if (event.type === 'item-waits' || event.type === 'item-progress')
      reporter.note(event.item, event.type === 'item-waits' ? 'waits' : 'progress', event.detail);
    if (event.type !== 'item-finished') return;
    const { key, record, outcome, log = '' } = event;
    if (key !== undefined && record !== undefined)
      sending.push(send(event.item, { key, digest: record.digest }, true));
    else if (isFault(outcome)) reporter.item(event.item, { kind: 'fault', outcome, log });
  };
  const stages = new Map(STAGES.map((stage) => [stage.name, stage]));
  const end = await runGraph(graph, stages, session.services, {
    run: shard.run,
    project: shard.project.config.name,
    jobs: shard.atOnce,
    capacity: hostCapacity(shard.project.config),
    selection: new Selection(
      graph,
      [],
      [],
      new Map([[node.address, forced]]),
      new Map([[node.address, names]]),
    ),
    dryRun: false,
    emit,
    drain: AbortSignal.any([abort, lease.drained]),
    given: { nodes: above, keys: new Map(items.map(({ name, key, parts }) => [name, { key, parts }])) },
  });
  await Promise.all(sending);
  const { state, blocked } = end.nodes.get(node.address)!;
  for (const { name } of items.filter((item) => !reporter.has(item.name))) {
    const entry = state.entry(name);
    if (entry !== null && entry.key !== null) await send(name, entry, false);
    else {
      const unknown = infra('node-differs', 'this machine knows no such item');
      const outcome = blocked !== null && isFault(blocked) ? blocked : unknown;
      reporter.item(name, { kind: 'fault', outcome, log: '' });
    }
  }
}

function nodeOf({ above }: Shard, address: string) {
  return above.find(({ node }) => node.address === address)!.node;
}
