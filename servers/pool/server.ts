/** A pool server: its leases and the routes to them. */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Gauge, metricsText, Requests } from '../http/counters.ts';
import { type Listening, type ListenOptions, listen } from '../http/listen.ts';
import { FleetNode } from './fleet.ts';
import { LeaseTable } from './lease-table.ts';
import { LeasePool } from './pool.ts';
import { poolRoutes } from './routes.ts';

export interface PoolServerOptions extends Omit<ListenOptions, 'title' | 'served'> {
  folder: string;
  nodes: readonly { address: string; name: string | null; max: number | null }[];
  nodeToken: string | null;
  maxPerNode: number;
  maxLeases: number;
  /** Milliseconds. */
  ttl: number;
  longestWait: number;
  lookEvery: number;
  /** Seconds. */
  createTimeout: number;
  /** Leases end with the server. */
  endsLeases: boolean;
}

/** Milliseconds after which a layer that no client asked for is removed, when the server starts. */
const LAYERS_KEPT = 14 * 86_400_000;

export async function startPool(options: PoolServerOptions): Promise<Result<Listening, string>> {
  const {
    folder,
    nodeToken,
    maxPerNode,
    maxLeases,
    ttl,
    longestWait,
    createTimeout,
    lookEvery,
    endsLeases,
    ...rest
  } = options;
  const table = LeaseTable.open(folder);
  if (!table.ok) return table;
  const layers = join(folder, 'layers');
  mkdirSync(layers, { recursive: true });
  for (const name of readdirSync(layers))
    if (Date.now() - statSync(join(layers, name)).mtimeMs > LAYERS_KEPT || name.startsWith('making-'))
      rmSync(join(layers, name));
  const nodes = options.nodes.map(
    ({ address, name, max }) => new FleetNode(address, nodeToken, max ?? maxPerNode, name),
  );
  const { log } = rest;
  const pool = new LeasePool({
    table: table.value,
    nodes,
    maxLeases,
    ttl,
    longestWait,
    createTimeout,
    lookEvery,
    layers,
    log,
  });
  await pool.start();
  // Leases of a pool that was killed: its clients are gone, too.
  if (endsLeases) await Promise.all(pool.leases().map(({ record }) => pool.close(record.id)));
  const requests = new Requests();
  const metrics = () => metricsText([...gaugesOf(pool), ...requests.gauges('swemake_pool')]);
  const routes = poolRoutes({ pool, layers, metrics });
  const listening = await listen(routes, { ...rest, title: 'swemake pool server', served: requests.served });
  if (!listening.ok) {
    await pool.stop(false);
    return fault(listening.fault);
  }
  const close = async () => {
    await listening.value.close();
    await pool.stop(endsLeases);
  };
  return success({ ...listening.value, close });
}

function gaugesOf(pool: LeasePool): Gauge[] {
  const byNode = (name: string, help: string, value: (node: FleetNode) => number): Gauge => ({
    name,
    help,
    values: pool.nodes.map((node) => ({ labels: { node: node.url }, value: value(node) })),
  });
  return [
    { name: 'swemake_pool_leases', help: 'Leases that are open.', values: [{ value: pool.leases().length }] },
    {
      name: 'swemake_pool_waiting',
      help: 'Requests that wait for a place.',
      values: [{ value: pool.waiting }],
    },
    byNode('swemake_pool_node_healthy', 'Whether a node is well.', ({ healthy }) => Number(healthy)),
    byNode('swemake_pool_node_containers', 'Places that are taken on a node.', (node) => pool.taken(node)),
    byNode('swemake_pool_node_containers_max', 'Places of a node.', ({ max }) => max),
    {
      name: 'swemake_pool_events_total',
      help: 'What became of leases.',
      type: 'counter',
      values: Object.entries(pool.counts).map(([event, value]) => ({ labels: { event }, value })),
    },
  ];
}
