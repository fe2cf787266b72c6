/** What `doctor` tells of the pools and nodes that a project names: whether they answer, are well, and have places. */
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Probe } from '../../executors/kind.ts';
import { KINDS } from '../../executors/registry.ts';
import { lookAtFleet, membersOf, type NodeState, type PoolState } from '../fleet.ts';

const START = 'start it: swemake serve node --help';

export async function fleetProbes(project: ResolvedProject, env: NodeJS.ProcessEnv): Promise<Probe[]> {
  const { pools, nodes } = await lookAtFleet(membersOf(project, env));
  const found = [...pools.flatMap(poolProbes), ...nodes.map((node) => nodeProbe(node, 'miss'))];
  // Only deployments of the kind that leases need them.
  const leasing = KINDS.find((kind) => kind.opens === 'workspaces' && kind.keys.url !== undefined)!;
  return found.map((probe) => ({ ...probe, kind: leasing.name }));
}

function poolProbes({ name, url, problem, leases, nodes }: PoolState): Probe[] {
  const title = `pool ${name}`;
  if (problem !== null)
    return [
      { name: title, status: 'miss', detail: `${url}: ${problem}`, remedy: 'swemake serve pool --help' },
    ];
  const well = nodes.filter((node) => node.problem === null);
  const places = well.reduce((sum, { most }) => sum + (most ?? 0), 0);
  const detail = `${url}: ${well.length} of ${nodes.length} nodes are well, ${leases.length} leases, ${places} places`;
  const status = well.length === 0 ? 'miss' : 'ok';
  const all: Probe = { name: title, status, detail, ...(status === 'ok' ? {} : { remedy: START }) };
  // The others do what one cannot.
  return [all, ...nodes.filter((node) => node.problem !== null).map((node) => nodeProbe(node, 'soft'))];
}

function nodeProbe({ name, url, problem, most, images, backend }: NodeState, lack: 'miss' | 'soft'): Probe {
  const title = `node ${name}`;
  if (problem !== null) return { name: title, status: lack, detail: problem, remedy: START };
  const told = `${most ?? '?'} places, ${images ?? '?'} images`;
  return { name: title, status: 'ok', detail: `${url}: ${backend}, ${told}` };
}
