/**
 * The pools and nodes that a project uses, or that a command line or the variables of the original servers name, and what
 * each says of itself. All are asked at once, so that one that does not answer delays no other.
 */
import type { ResolvedProject } from '../compiler/load.ts';
import { createSecrets } from '../contract/secrets.ts';
import { KINDS } from '../executors/registry.ts';
import { NodeClient, type NodeReply } from '../servers/pool/node-client.ts';
import { agentNodes, agentsAddress, serverNodes } from './nodes/machines.ts';

export interface Member {
  /** A pool leases containers of other machines, a node opens them, an agent server makes rollouts. */
  kind: 'pool' | 'node' | 'agents';
  name: string;
  address: string;
  token: string | null;
  /** What a deployment expects containers to be opened with; absent where none says. */
  backend?: string;
}

export interface NodeState {
  name: string;
  url: string;
  /** Why it gets nothing to do; null: it is well. */
  problem: string | null;
  drained: boolean;
  containers: number | null;
  most: number | null;
  /** How many it has. */
  images: number | null;
  /** Of the last 1, 5 and 15 minutes. */
  load: number[];
  backend: string;
  /** What a deployment expects in its place; null: what there is. */
  expected: string | null;
  warnings: string[];
}

export interface PoolState {
  name: string;
  url: string;
  problem: string | null;
  /** Requests that wait for a place. */
  waiting: number;
  leases: Readonly<Record<string, unknown>>[];
  nodes: NodeState[];
}

export interface FleetState {
  pools: PoolState[];
  /** Those that are asked themselves. */
  nodes: NodeState[];
  /** Agent servers. */
  agents: AgentState[];
}

export interface AgentState {
  name: string;
  url: string;
  problem: string | null;
  /** Rollouts that it may make at once, makes, and has waiting. */
  places: { size: number | null; taken: number | null; waiting: number | null };
  /** Environments that a trainer has open there. */
  sessions: number | null;
}

/** Milliseconds. */
const TIMEOUT = 10_000;

/** Of a project: pools that its deployments name, and its nodes. */
export function membersOf({ config, secrets }: ResolvedProject, env: NodeJS.ProcessEnv): Member[] {
  const store = createSecrets(secrets, env);
  const reveal = (token: string | undefined): string | null => {
    const revealed = token === undefined ? null : store.reveal({ token });
    return revealed?.ok === true ? revealed.value.token! : (env.SWEMAKE_SERVER_TOKEN ?? null);
  };
  const deployments = Object.entries(config.deployments);
  const expected = (backend: string | undefined) => (backend === undefined ? {} : { backend });
  const pools = deployments.flatMap(([name, { url, token, backend }]) =>
    url === undefined
      ? []
      : [{ kind: 'pool' as const, name, address: url, token: reveal(token), ...expected(backend) }],
  );
  const own = ownPool(config);
  const rest = { token: reveal(own?.token), ...expected(own?.backend) };
  const nodes = serverNodes(config).map(({ name, address }) => ({
    ...{ kind: 'node' as const, name, address },
    ...rest,
  }));
  const agents = agentNodes(config).map((node) => ({
    ...{ kind: 'agents' as const, name: node.name, address: agentsAddress(node), token: reveal(undefined) },
  }));
  return [...pools, ...nodes, ...agents];
}

/** The kind of executor that leases containers from a pool server. */
export const LEASING = KINDS.find((kind) => kind.opens === 'workspaces' && kind.keys.url !== undefined)!;

/** Names of the deployments whose pool a command starts itself, over all nodes. */
export function ownPools({ deployments }: ResolvedProject['config']): string[] {
  return Object.keys(deployments).filter((name) => {
    const { type, url } = deployments[name]!;
    return type === LEASING.name && url === undefined;
  });
}

function ownPool(config: ResolvedProject['config']) {
  const [name] = ownPools(config);
  return name === undefined ? undefined : config.deployments[name];
}

/** What its containers are opened with; null: no deployment says. */
export function ownBackend(config: ResolvedProject['config']): string | null {
  return ownPool(config)?.backend ?? null;
}

/** Without a project: what is named, else what the original's client and pool would use. */
export function namedMembers(
  given: { pool: readonly string[]; node: readonly string[] },
  token: string | null,
  env: NodeJS.ProcessEnv,
): Member[] {
  const { SWE_ENV_SERVER_URL: pool = '', SWE_EXEC_SERVER_URLS: nodes = '' } = env;
  const isGiven = given.pool.length + given.node.length > 0;
  const words = (text: string) => text.split(',').map((one) => one.trim());
  const all = isGiven ? given : { pool: words(pool), node: words(nodes) };
  const members = (kind: Member['kind'], addresses: readonly string[]) =>
    addresses.filter((address) => address !== '').map((address) => ({ kind, name: address, address, token }));
  return [...members('pool', all.pool), ...members('node', all.node)];
}

export async function lookAtFleet(members: readonly Member[]): Promise<FleetState> {
  const those = (kind: Member['kind']) => members.filter((member) => member.kind === kind);
  const [pools, nodes, agents] = await Promise.all([
    Promise.all(those('pool').map(lookAtPool)),
    Promise.all(those('node').map(lookAtNode)),
    Promise.all(those('agents').map(lookAtAgents)),
  ]);
  return { pools, nodes, agents };
}

/** Null: a pool knows the node and drained it. Else the problems of all pools. */
export async function drainNode(
  members: readonly Member[],
  node: string,
  drained: boolean,
): Promise<string | null> {
  const pools = members.filter(({ kind }) => kind === 'pool');
  if (pools.length === 0) return 'there is no pool to tell';
  const problems = await Promise.all(
    pools.map(async (member) => {
      const state = await lookAtPool(member);
      const known = state.nodes.find(({ name, url }) => name === node || url === node.replace(/\/+$/, ''));
      if (known === undefined) return state.problem ?? `${state.url} has no node ${node}`;
      return asking(member, async (client) => {
        const body = { url: known.url, drained };
        return problemOf(await client.post('/nodes/drain', body, { timeout: TIMEOUT }));
      });
    }),
  );
  return problems.includes(null) ? null : problems.join('; ');
}

function lookAtPool(member: Member): Promise<PoolState> {
  return asking(member, async (client) => {
    const reply = await client.get('/status', TIMEOUT);
    const nothing = { name: member.name, url: client.url, waiting: 0, leases: [], nodes: [] };
    const pool =
      reply.kind === 'answer' ? (reply.json.pool as Record<string, unknown> | undefined) : undefined;
    if (pool === undefined) return { ...nothing, problem: problemOf(reply) ?? 'it is not a pool server' };
    const { waiting = 0, leases = [], nodes = [] } = pool;
    return {
      ...{ name: member.name, url: client.url, problem: null, waiting: Number(waiting) },
      leases: leases as PoolState['leases'],
      nodes: (nodes as Record<string, unknown>[]).map((node) => nodeInPool(node, member)),
    };
  });
}

function nodeInPool(node: Record<string, unknown>, pool: Member): NodeState {
  const url = String(node.url);
  return {
    ...{ name: String(node.name ?? url), url },
    problem: node.healthy === true ? null : String(node.problem || 'it is not well'),
    drained: node.drained === true,
    containers: numberOf(node.active_containers),
    most: numberOf(node.max_containers),
    images: numberOf(node.images),
    load: listOf<number>(node.load),
    backend: String(node.backend ?? ''),
    expected: unlike(node.backend, pool),
    warnings: listOf<string>(node.warnings),
  };
}

function lookAtNode(member: Member): Promise<NodeState> {
  return asking(member, async (client) => {
    const [health, status, images] = await Promise.all(
      ['/healthz', '/status', '/images'].map((path) => client.get(path, TIMEOUT)),
    );
    const state = status?.kind === 'answer' ? status.json : {};
    return {
      ...{ name: member.name, url: client.url, problem: problemOf(health!) ?? problemOf(status!) },
      drained: false,
      containers: numberOf(state.active_containers),
      most: numberOf(state.max_containers),
      images: images?.kind === 'answer' ? numberOf(images.json.count) : null,
      load: listOf<number>(state.load),
      backend: String(state.backend ?? ''),
      expected: unlike(state.backend, member),
      warnings: listOf<string>(state.warnings),
    };
  });
}

function lookAtAgents(member: Member): Promise<AgentState> {
  return asking(member, async (client) => {
    const status = await client.get('/status', TIMEOUT);
    const state = status.kind === 'answer' ? status.json : {};
    const places = (state.places ?? {}) as Record<string, unknown>;
    return {
      ...{ name: member.name, url: client.url, problem: problemOf(status) },
      places: {
        size: numberOf(places.size),
        taken: numberOf(places.taken),
        waiting: numberOf(places.waiting),
      },
      sessions: numberOf(state.sessions),
    };
  });
}

/** The expected backend, where the node reports another one. */
function unlike(reported: unknown, { backend }: Member): string | null {
  return typeof reported !== 'string' || reported === '' || backend === undefined || reported === backend
    ? null
    : backend;
}

async function asking<T>({ address, token }: Member, use: (client: NodeClient) => Promise<T>): Promise<T> {
  const client = new NodeClient(address, token);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function problemOf(reply: NodeReply): string | null {
  if (reply.kind === 'unreachable') return reply.detail;
  if (reply.kind !== 'answer') return 'it was not asked to the end';
  if (reply.json.ok === true) return null;
  return String(reply.json.error ?? `it answers with status ${reply.status}`);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}
