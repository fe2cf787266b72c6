/** The clusters that a project uses, and what each says of its machines: those of the project that are not there, too. */
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Amounts, Machine } from '../../executors/job-service.ts';
import { type ClusterKind, deploymentKinds } from '../../executors/kind.ts';
import { KINDS } from '../../executors/registry.ts';
import { clusterOf, dashboardOf, hostOf } from './cluster.ts';

export interface MachineState {
  name: string;
  address: string;
  /** `gone`: it was there. `missing`: the project has it, and the cluster never did. */
  state: 'up' | 'gone' | 'missing';
  isHead: boolean;
  amounts: Amounts;
}

export interface ClusterState {
  url: string;
  /** Why nothing is known of it; null: it answers. */
  problem: string | null;
  machines: MachineState[];
}

export function hasCluster(project: ResolvedProject): boolean {
  return addressesOf(project).size > 0;
}

export async function clusterStates(project: ResolvedProject): Promise<ClusterState[]> {
  return Promise.all([...addressesOf(project)].map(([url, known]) => lookAt(url, known)));
}

/** Names of the deployments that are clusters. */
export function jobDeployments({ config }: ResolvedProject): string[] {
  const kinds = deploymentKinds(KINDS);
  return Object.keys(config.deployments).filter(
    (name) => kinds.get(config.deployments[name]!.type)!.opens === 'jobs',
  );
}

/** Address of a cluster -> names of the nodes that it should have. A head is known by its host: its port may be another. */
function addressesOf(project: ResolvedProject): Map<string, string[]> {
  const { config } = project;
  const named = jobDeployments(project).map((name) => config.deployments[name]!.address!.replace(/\/+$/, ''));
  const found = new Map(named.map((url): [string, string[]] => [url, []]));
  const own = clusterOf(config);
  if (!own.ok) return found;
  const { head, workers } = own.value;
  const nodes = [head, ...workers].map(({ name }) => name);
  const same = named.filter((address) => hostOf({ address }) === hostOf(head));
  for (const url of same.length > 0 ? same : [dashboardOf(own.value)]) found.set(url, nodes);
  return found;
}

async function lookAt(url: string, known: readonly string[]): Promise<ClusterState> {
  const kind = KINDS.find((one): one is ClusterKind => one.opens === 'jobs')!;
  const service = await kind.connect({ address: url });
  if (!service.ok) return { url, problem: service.fault.detail, machines: [] };
  try {
    const machines = await service.value.machines();
    if (machines === null) return { url, problem: 'it does not answer', machines: [] };
    return { url, problem: null, machines: statesOf(machines, known) };
  } finally {
    await service.value.close();
  }
}

/** A machine that came back under its name is listed once. */
function statesOf(machines: readonly Machine[], known: readonly string[]): MachineState[] {
  const alive = machines.filter(({ isAlive }) => isAlive);
  const names = new Set(alive.map(({ name }) => name));
  const gone = machines.filter(({ isAlive, name }) => {
    if (isAlive || names.has(name)) return false;
    names.add(name);
    return true;
  });
  const stateOf =
    (state: 'up' | 'gone') =>
    ({ name, address, isHead, amounts }: Machine) => ({
      ...{ name, address, state, isHead },
      amounts: state === 'up' ? amounts : {},
    });
  const missing = known
    .filter((name) => !names.has(name))
    .map((name) => ({ name, address: '', state: 'missing' as const, isHead: false, amounts: {} }));
  return [...alive.map(stateOf('up')), ...gone.map(stateOf('gone')), ...missing];
}
