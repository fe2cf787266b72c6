/** Makes a shard and writes it, and every answer that it needs, to the remote store. */
import { digestOf } from '../../basics/digest.ts';
import { mapLimit } from '../../basics/map-limit.ts';
import type { Blob } from '../../cache/blobs.ts';
import { lookUp } from '../../cache/cache.ts';
import type { RemoteStore } from '../../cache/remote/store.ts';
import type { StageNode } from '../../contract/stage.ts';
import type { NodeState } from '../../engine/node-state.ts';
import { partDigests } from '../../engine/run.ts';
import type { Amounts } from '../../executors/job-service.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { UNIT } from '../remote.ts';
import { fullVersion } from '../version.ts';
import { sizeJob, unitsOf } from './amounts.ts';
import type { Batch, BatchItem } from './batch.ts';
import { entryLines, type GivenNode, type Shard, type ShardName } from './shard.ts';

export interface Prepared {
  shard: ShardName;
  amounts: Amounts;
}

type Tried<T> = { value: T } | { fault: Infra } | { again: Infra };

/** A node with at most so many entries has them in the shard. Those of a larger one are stored apart, once for all shards. */
const FEW = 64;

/** Contents with the entries of a finished node, written once for each store. */
const LISTS = new WeakMap<RemoteStore, Map<string, Blob>>();

export async function prepare(
  batch: Batch,
  items: readonly BatchItem[],
  again: boolean,
): Promise<Tried<Prepared>> {
  const { sender, cluster, remote, store, machines } = batch;
  const above: GivenNode[] = [];
  for (const [address, { state, roles }] of upstreamOf(items[0]!)) {
    const given = givenOf(state, roles, items);
    const sent = await mapLimit(given.records, 8, ({ key }) => remote.send(key, again));
    const refused = infra('network', `answers of ${address} cannot be written to the remote cache`);
    if (sent.includes('never')) return { fault: refused };
    if (sent.includes('later')) return { again: refused };
    const entries = await shared(given, store);
    if (entries === null)
      return { again: infra('network', `the result of ${address} cannot be written to the remote cache`) };
    above.push({ ...given, entries });
  }
  const units = await unitsNeeded(batch, above);
  const { stage, item } = items[0]!.action;
  const most = Math.min(batch.atOnce, items.length);
  const size = sizeJob(stage.resources(item), units, most, machines);
  const { config, file, folder, secrets } = sender.project;
  const shard: Shard = {
    version: fullVersion(),
    project: { config, file, folder, secrets: [...secrets] },
    pins: sender.services.pins ?? null,
    run: sender.run,
    node: items[0]!.action.node,
    above,
    items: items.map(({ action, request: { force } }) => ({
      name: action.item.name,
      key: action.key,
      parts: partDigests(action.preimage.parts),
      force,
    })),
    folder: cluster.config.folder,
    atOnce: size.atOnce,
    bytesAtOnce: unitsOf(size) * UNIT,
    lease: cluster.config.lease,
    wait: cluster.config.wait,
  };
  const bytes = Buffer.from(JSON.stringify(shard));
  if (sender.services.secrets.holds(bytes))
    return {
      fault: infra('secret-held', 'the project or an answer holds a secret, and such jobs are not sent'),
    };
  const name = { digest: digestOf(bytes), size: bytes.byteLength };
  const kept = await store.put('cas', name.digest, bytes);
  return kept.kind === 'fault'
    ? { again: infra('network', `the remote cache: ${kept.detail}`) }
    : { value: { shard: name, amounts: size.amounts } };
}

/** The line that a shell on the machine reads. Placeholders of secrets stand in it, and no values. */
export function commandOf({ sender, cluster }: Batch, id: string, { digest, size }: ShardName): string {
  const { config, secrets, folder } = sender.project;
  const { remote } = config.cache;
  const text = JSON.stringify(remote);
  const needed = [...secrets].filter(([placeholder]) => text.includes(placeholder));
  const place = JSON.stringify({ remote, folder, secrets: needed });
  return `exec ${cluster.config.program} worker ${id} ${digest}:${size} --remote ${quoted(place)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The nodes above, each with the roles in which it is read. */
function upstreamOf({ action, request }: BatchItem): Map<string, { state: NodeState; roles: string[] }> {
  const above = new Map<string, { state: NodeState; roles: string[] }>();
  for (const [role, address] of Object.entries(action.node.inputs)) {
    const known = above.get(address);
    if (known === undefined) above.set(address, { state: request.inputs[role]!, roles: [role] });
    else known.roles.push(role);
  }
  return above;
}

/** The items of a shard read their own entries of a pipelined input. Of any other input the plan may read all entries. */
function givenOf(
  state: NodeState,
  roles: readonly string[],
  items: readonly BatchItem[],
): GivenNode & { entries: ReturnType<NodeState['entries']> } {
  const { stage } = items[0]!.action;
  const needed = new Set(
    items.flatMap(({ action }) => roles.flatMap((role) => action.item.needs[role] ?? [])),
  );
  const isWhole = roles.some((role) => !stage.pipelined.includes(role));
  const own = [...needed].flatMap((name) => state.entry(name) ?? []);
  const entries = isWhole ? state.entries() : own;
  const read = isWhole && entries.length === 1 ? entries : own;
  const records = read.flatMap(({ name, key }) => (key === null ? [] : [{ name, key }]));
  const node: StageNode = { ...state.node, inputs: {} };
  return { node, entries, records };
}

async function shared(
  given: { entries: GivenNode['entries'] },
  store: RemoteStore,
): Promise<GivenNode['entries'] | null> {
  if (!Array.isArray(given.entries) || given.entries.length <= FEW) return given.entries;
  const bytes = Buffer.from(entryLines(given.entries));
  const blob = { digest: digestOf(bytes), size: bytes.byteLength };
  const lists = LISTS.get(store) ?? new Map<string, Blob>();
  LISTS.set(store, lists);
  if (lists.has(blob.digest)) return blob;
  if ((await store.put('cas', blob.digest, bytes)).kind === 'fault') return null;
  lists.set(blob.digest, blob);
  return blob;
}

/** The size of the largest layer that the items need, in units of transfer. */
async function unitsNeeded({ sender: { cache } }: Batch, above: readonly GivenNode[]): Promise<number> {
  let most = 0;
  for (const { key } of above.flatMap(({ records }) => records)) {
    const record = lookUp(cache, key);
    for (const output of Object.values(record?.outputs ?? {})) {
      if (output.kind !== 'layer') continue;
      const entries = (await cache.layers.entries(output.digest)) ?? [];
      most = Math.max(
        most,
        entries.reduce((sum, entry) => sum + ('size' in entry ? entry.size : 0), 0),
      );
    }
  }
  return Math.max(1, Math.ceil(most / UNIT));
}
