/**
 * `nodes`: the machines of pools and clusters: their health, what they hold and how much they can hold. It also
 * writes a cluster as a batch script or manifests.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AgentState, drainNode, type FleetState, lookAtFleet, type NodeState } from '../app/fleet.ts';
import type { CommandIo } from '../app/io.ts';
import type { ClusterState } from '../app/nodes/cluster-state.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { jsonLine, redrawn, shown } from '../app/shown.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { answerUsage, type CommandSpec, type OptionValues, option, parseCommand } from './arguments.ts';
import { formatDuration } from './duration.ts';
import { FLEET_OPTIONS, fleetOf } from './fleet-options.ts';
import { isTerminal } from './style.ts';

const NODES = {
  name: 'nodes',
  summary:
    'Show the machines that do the work: health, places, images, load and leases of pools and node servers, rollouts of agent servers, and what the machines of a Ray cluster hold. Of a project: its nodes, and the pools and clusters that its deployments name. Without one: SWE_ENV_SERVER_URL and SWE_EXEC_SERVER_URLS, or what is named. Ends with code 3 when one of them is not well. "up" and "down" start and end what the nodes of a project do: swemake nodes up --help.',
  positionals: [{ name: 'PROJECT', description: 'the project whose fleet is shown' }],
  options: {
    ...PROJECT_OPTIONS,
    ...FLEET_OPTIONS,
    leases: { type: 'boolean', description: 'list the leases, too' },
    drain: { ...option('NODE', 'give this node no new leases; its present ones continue'), multiple: true },
    undrain: { ...option('NODE', 'tell the pool to use this node again'), multiple: true },
    watch: { type: 'boolean', description: 'look again every two seconds' },
    render: option(
      'slurm|kubernetes',
      'print what starts the cluster and the servers of the project and a build on it: a batch script, or manifests for KubeRay',
    ),
    image: option('IMAGE', 'kubernetes: image with swemake, and with Ray for a cluster'),
    claim: { ...option('NAME=PATH', 'kubernetes: a volume claim, and where it is mounted'), multiple: true },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake nodes project.yaml', 'the fleet of a project'],
    ['swemake nodes up project.yaml', 'start its Ray cluster and its servers'],
    ['swemake nodes project.yaml --render slurm > cluster.sbatch', 'the same for Slurm'],
    ['swemake nodes --pool http://head:18090 --watch', 'a pool, as it works'],
    ['swemake nodes --pool http://head:18090 --drain http://10.0.0.2:5000', 'before a machine is taken away'],
  ],
} as const satisfies CommandSpec;

type Values = OptionValues<typeof NODES>;

/** Pause between two looks. */
const WATCH_MS = 2000;

export async function nodesCommand(args: string[], io: CommandIo): Promise<number> {
  if (args[0] === 'up') return (await import('./nodes-up.ts')).nodesUpCommand(args.slice(1), io);
  if (args[0] === 'down') return (await import('./nodes-up.ts')).nodesDownCommand(args.slice(1), io);
  const parsed = parseCommand(NODES, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const [file] = parsed.positionals;
  if (values.render !== undefined)
    return (await import('./nodes-render.ts')).renderCommand(file, { ...values, render: values.render }, io);
  const project = file === undefined ? null : await openGiven(file, values, io);
  if (file !== undefined && project === null) return 2;
  const isCluster = project !== null && (await import('../app/nodes/cluster-state.ts')).hasCluster(project);
  const found = await fleetOf(project, values, io, isCluster);
  if (!found.ok) return answerUsage({ kind: 'usage', ...found.fault }, io);
  const members = found.value;
  for (const [nodes, drained] of [
    [values.drain, true],
    [values.undrain, false],
  ] as const)
    for (const node of nodes) {
      const problem = await drainNode(members, node, drained);
      if (problem !== null) {
        io.stderr.write(
          shown(`E003  ${node} could not be ${drained ? 'drained' : 'taken back'}: ${problem}\n`),
        );
        io.stderr.write(shown('      swemake nodes shows what pools there are and what nodes they have\n'));
        return 3;
      }
    }
  for (let drawn = 0; ; ) {
    const [machines, clusters] = await Promise.all([lookAtFleet(members), clustersOf(project)]);
    const state = { ...machines, clusters };
    if (values.json) io.stdout.write(jsonLine(state));
    else {
      const lines = linesOf(state, values.leases, Date.now());
      if (drawn > 0 && isTerminal(io)) io.stdout.write(redrawn(drawn));
      io.stdout.write(shown(lines.map((line) => `${line}\n`).join('')));
      drawn = lines.length;
    }
    if (!values.watch) return isWell(state) ? 0 : 3;
    await sleep(WATCH_MS);
  }
}

type Shown = FleetState & { clusters: ClusterState[] };

async function clustersOf(project: ResolvedProject | null): Promise<ClusterState[]> {
  return project === null ? [] : (await import('../app/nodes/cluster-state.ts')).clusterStates(project);
}

async function openGiven(file: string, values: Values, io: CommandIo): Promise<ResolvedProject | null> {
  const { openProject } = await import('../app/open-project.ts');
  return openProject(file, values, io);
}

function isWell({ pools, nodes, agents, clusters }: Shown): boolean {
  const asked = [...pools, ...pools.flatMap((pool) => pool.nodes), ...nodes, ...agents, ...clusters];
  const machines = clusters.flatMap((cluster) => cluster.machines);
  return asked.every(({ problem }) => problem === null) && machines.every(({ state }) => state === 'up');
}

function linesOf({ pools, nodes, agents, clusters }: Shown, withLeases: boolean, now: number): string[] {
  const lines = pools.flatMap((pool) => {
    const { name, url, problem, leases, waiting } = pool;
    const title = name === url ? url : `${name} at ${url}`;
    if (problem !== null) return [`pool ${title}: ${problem}`];
    const wait = waiting === 0 ? '' : `, ${waiting} wait for a place`;
    return [
      `pool ${title}: ${leases.length} leases${wait}`,
      ...tableOf(pool.nodes),
      ...(withLeases ? leases.map((lease) => leaseLine(lease, now)) : []),
    ];
  });
  return [
    ...lines,
    ...(nodes.length === 0 ? [] : tableOf(nodes)),
    ...(agents.length === 0 ? [] : agentTable(agents)),
    ...clusters.flatMap(clusterLines),
  ];
}

function clusterLines({ url, problem, machines }: ClusterState): string[] {
  if (problem !== null) return [`cluster at ${url}: ${problem}`];
  const up = machines.filter(({ state }) => state === 'up').length;
  const rows = machines.map(({ name, state, isHead, address, amounts }) => [
    name,
    state,
    isHead ? 'head' : 'worker',
    Object.entries(amounts)
      .map(([resource, amount]) => `${resource} ${amount}`)
      .join(', '),
    address,
  ]);
  const title = `cluster at ${url}: ${up} of ${machines.length} machines are up`;
  return [title, ...aligned([['machine', 'state', 'does', 'holds', 'address'], ...rows])];
}

/** Rows of a table, in columns. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')}`.trimEnd(),
  );
}

function tableOf(nodes: readonly NodeState[]): string[] {
  const rows = [
    ['node', 'state', 'containers', 'images', 'load', 'opened by', 'address'],
    ...nodes.map((node) => [
      node.name,
      node.problem !== null ? 'not well' : node.drained ? 'drained' : 'well',
      `${node.containers ?? '?'} of ${node.most ?? '?'}`,
      `${node.images ?? '?'}`,
      node.load.map((load) => load.toFixed(1)).join(' ') || '?',
      node.backend || '?',
      node.name === node.url ? '' : node.url,
    ]),
  ];
  return withProblems(rows, nodes);
}

function agentTable(agents: readonly AgentState[]): string[] {
  const rows = [
    ['agent server', 'state', 'rollouts', 'waiting', 'sessions', 'address'],
    ...agents.map(({ name, url, problem, places: { size, taken, waiting }, sessions }) => [
      ...[name, problem === null ? 'well' : 'not well', `${taken ?? '?'} of ${size ?? '?'}`],
      ...[`${waiting ?? '?'}`, `${sessions ?? '?'}`, name === url ? '' : url],
    ]),
  ];
  return withProblems(rows, agents);
}

/** Rows below a title, each with what is wrong with it below. */
function withProblems(
  rows: readonly (readonly string[])[],
  states: readonly { problem: string | null }[],
): string[] {
  return aligned(rows).flatMap((text, index) => {
    const problem = states[index - 1]?.problem ?? null;
    return problem === null ? [text] : [text, `      ${problem}`];
  });
}

function leaseLine(lease: Readonly<Record<string, unknown>>, now: number): string {
  const age = formatDuration(now - Number(lease.created_at) * 1000);
  const state = lease.lost === true ? 'lost' : Number(lease.busy) > 0 ? 'at work' : 'idle';
  return `  ${lease.lease_id}  ${state.padEnd(7)}  ${age.padStart(6)}  ${lease.instance_id || lease.image}  ${lease.node_url}`;
}
