/** The Ray cluster that a project's nodes make: who is its head, what each machine has, and how its part is started. */
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { ResolvedConfig } from '../../contract/config.ts';

export type NodeConfig = ResolvedConfig['nodes'][number];
export type Role = 'head' | 'worker';

/** Port at which Ray's machines find each other, unless the project names one. */
export const MASTER_PORT = 6379;
/** Port of the dashboard, which takes jobs. */
export const DASHBOARD_PORT = 8265;

export interface Cluster {
  head: NodeConfig;
  workers: NodeConfig[];
}

/** The machines with a part in the cluster; or why they make none. */
export function clusterOf({ nodes }: Pick<ResolvedConfig, 'nodes'>): Result<Cluster, string> {
  const [head, second] = nodes.filter(({ roles }) => roles.includes('ray-head'));
  if (head === undefined) return fault('no node of the project has the role ray-head');
  if (second !== undefined) return fault(`a cluster has one head, not ${head.name} and ${second.name}`);
  const workers = nodes.filter((node) => node !== head && node.roles.includes('ray-worker'));
  return success({ head, workers });
}

/** The name or number of a node in the network. */
export function hostOf({ address }: Pick<NodeConfig, 'address'>): string {
  const { hostname } = new URL(address.includes('://') ? address : `http://${address}`);
  return hostname.replace(/^\[|\]$/g, '');
}

/** Where the head of a cluster takes jobs. */
export function dashboardOf({ head }: Cluster): string {
  return `http://${withPort(hostOf(head), DASHBOARD_PORT)}`;
}

export interface Offer {
  cpu?: number;
  gpu?: number;
  /** What Ray only counts. */
  custom: Record<string, number>;
}

/** What a machine has for jobs: nothing, where it is a head and no more. */
export function offerOf({ roles, resources }: NodeConfig): Offer {
  if (!roles.includes('ray-worker')) return { cpu: 0, gpu: 0, custom: {} };
  const { cpu, gpu, ...others } = resources;
  const custom = Object.fromEntries(
    Object.entries(others).filter((entry): entry is [string, number] => (entry[1] ?? 0) > 0),
  );
  return { ...(cpu === undefined ? {} : { cpu }), ...(gpu === undefined ? {} : { gpu }), custom };
}

export interface Part {
  role: Role;
  /** The head’s name or number in the network. */
  masterIp: string;
  masterPort: number;
  /** This machine’s own number, where it is known. */
  ownIp: string | null;
}

/** `ray start` with its arguments, as a shell reads them. It stays in the foreground. */
export function rayStart(node: NodeConfig, { role, masterIp, masterPort, ownIp }: Part): string {
  const { cpu, gpu, custom } = offerOf(node);
  const words = [
    ...(role === 'head'
      ? ['--head', `--port=${masterPort}`, '--dashboard-host=0.0.0.0', `--dashboard-port=${DASHBOARD_PORT}`]
      : [`--address=${withPort(masterIp, masterPort)}`]),
    ...(ownIp === null ? [] : [`--node-ip-address=${ownIp}`]),
    `--node-name=${node.name}`,
    ...(cpu === undefined ? [] : [`--num-cpus=${cpu}`]),
    ...(gpu === undefined ? [] : [`--num-gpus=${gpu}`]),
    ...(Object.keys(custom).length === 0 ? [] : [`--resources=${JSON.stringify(custom)}`]),
    '--disable-usage-stats',
    '--block',
  ];
  return ['ray', 'start', ...words].map(shellWord).join(' ');
}

/** The part of a machine that is reached by its address. */
export function partOf(node: NodeConfig, { head }: Cluster, masterPort: number): Part {
  const own = hostOf(node);
  return {
    role: node === head ? 'head' : 'worker',
    masterIp: hostOf(head),
    masterPort,
    ownIp: isNumber(own) ? own : null,
  };
}

/** A number in the network, and no name: a machine may know another one for itself under its name. */
export function isNumber(host: string): boolean {
  return /^\d+(\.\d+){3}$/.test(host) || host.includes(':');
}

function withPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
