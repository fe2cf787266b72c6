/** The machines of a project on which something is started, in the order in which launchers number them. */
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { type Cluster, clusterOf, hostOf, type NodeConfig } from './cluster.ts';

/** Port of an agent server, unless the project names one. */
export const AGENTS_PORT = 11_000;

export interface Machines {
  /** Null where none of them is part of a Ray cluster. */
  cluster: Cluster | null;
  /** The head of the cluster, its workers, then the others. */
  all: NodeConfig[];
}

/** Or why nothing can be started on them. */
export function machinesOf(config: Pick<ResolvedConfig, 'nodes'>): Result<Machines, string> {
  const { nodes } = config;
  if (nodes.length === 0) return fault('the project has no nodes');
  if (!nodes.some(({ roles }) => roles.includes('ray-head') || roles.includes('ray-worker')))
    return success({ cluster: null, all: nodes });
  const cluster = clusterOf(config);
  if (!cluster.ok) return cluster;
  const { head, workers } = cluster.value;
  const members = [head, ...workers];
  return success({
    cluster: cluster.value,
    all: [...members, ...nodes.filter((node) => !members.includes(node))],
  });
}

/** Where the agent server of a machine is. */
export function agentsAddress(node: NodeConfig): string {
  if (node.agents !== undefined) return node.agents.replace(/\/+$/, '');
  const host = hostOf(node);
  return `http://${host.includes(':') ? `[${host}]` : host}:${AGENTS_PORT}`;
}

/** Those with an agent server. */
export function agentNodes({ nodes }: Pick<ResolvedConfig, 'nodes'>): NodeConfig[] {
  return nodes.filter(({ roles }) => roles.includes('agent-server'));
}

/** Those with a node server. */
export function serverNodes({ nodes }: Pick<ResolvedConfig, 'nodes'>): NodeConfig[] {
  return nodes.filter(({ roles }) => roles.includes('node-server'));
}
