/** What `doctor` says about the pools and nodes of a project: whether they answer, are healthy, and have places. */
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Probe } from '../../executors/kind.ts';
import {
  type AgentState,
  LEASING,
  lookAtFleet,
  membersOf,
  type NodeState,
  type PoolState,
} from '../fleet.ts';

/** For machines that open containers with something else than is expected. */
const BACKEND = 'set the deployment’s backend to that of its machines';
const START = 'start it: swemake serve node --help';

export async function fleetProbes(project: ResolvedProject, env: NodeJS.ProcessEnv): Promise<Probe[]> {
  const { pools, nodes, agents } = await lookAtFleet(membersOf(project, env));
  const found = [...pools.flatMap(poolProbes), ...nodes.map((node) => nodeProbe(node, 'miss'))];
  // Only deployments of the kind that leases need them.
  return [...found.map((probe) => ({ ...probe, kind: LEASING.name })), ...agents.map(agentProbe)];
}

/** Builds need no agent server, so one that is missing keeps nothing from being built. */
function agentProbe({ name, url, problem, places }: AgentState): Probe {
  const title = `agent server ${name}`;
  const remedy = 'start it: swemake nodes up --help';
  if (problem !== null) return { name: title, status: 'soft', detail: problem, remedy };
  return { name: title, status: 'ok', detail: `${url}: ${places.size ?? '?'} rollouts at once` };
}

function poolProbes({ name, url, problem, leases, nodes }: PoolState): Probe[] {
  const title = `pool ${name}`;
  if (problem !== null)
    return [
      { name: title, status: 'miss', detail: `${url}: ${problem}`, remedy: 'swemake serve pool --help' },
    ];
  const well = nodes.filter((node) => node.problem === null);
  const fitting = well.filter(({ expected }) => expected === null);
  const places = fitting.reduce((sum, { most }) => sum + (most ?? 0), 0);
  const detail = `${url}: ${well.length} of ${nodes.length} nodes are well, ${leases.length} leases, ${places} places`;
  const status = fitting.length === 0 ? 'miss' : 'ok';
  const remedy = well.length === 0 ? START : BACKEND;
  const all: Probe = { name: title, status, detail, ...(status === 'ok' ? {} : { remedy }) };
  // The others do what one cannot.
  const rest = nodes.filter(({ problem, expected }) => problem !== null || expected !== null);
  return [all, ...rest.map((node) => nodeProbe(node, 'soft'))];
}

function nodeProbe(node: NodeState, lack: 'miss' | 'soft'): Probe {
  const { name, url, problem, most, images, backend, expected } = node;
  const title = `node ${name}`;
  if (problem !== null) return { name: title, status: lack, detail: problem, remedy: START };
  if (expected !== null) {
    const detail = `${url}: ${backend}, and the deployment expects ${expected}`;
    return { name: title, status: lack, detail, remedy: BACKEND };
  }
  const size = `${most ?? '?'} places, ${images ?? '?'} images`;
  return { name: title, status: 'ok', detail: `${url}: ${backend}, ${size}` };
}
