/** `nodes up` and `nodes down`: start and end what runs on the nodes of a project, over ssh or from each of them. */
import { resolve } from 'node:path';
import { ownBackend } from '../app/fleet.ts';
import type { CommandIo } from '../app/io.ts';
import { dashboardOf, isNumber, MASTER_PORT, type NodeConfig, partOf } from '../app/nodes/cluster.ts';
import { type Machines, machinesOf } from '../app/nodes/machines.ts';
import { blockScript, downScript, upScript } from '../app/nodes/scripts.ts';
import { rayService, type Served, type Service, serversOf } from '../app/nodes/services.ts';
import { type NodeEnd, runHere, runOverSsh, stayHere } from '../app/nodes/start.ts';
import { type NodeProblem, thisNode } from '../app/nodes/this-node.ts';
import { openProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { shown } from '../app/shown.ts';
import { answerUsage, type CommandSpec, type OptionValues, option, parseCommand } from './arguments.ts';

const HERE = {
  here: {
    type: 'boolean',
    description: 'only what this machine does, without ssh; as launchers run it on every host',
  },
  node: option('NAME', 'the node of the project that this machine is'),
  role: option(
    'head|worker',
    'what this machine is (default: by MLP_ROLE_INDEX, SLURM_PROCID, NODE_RANK or RANK, of which 0 is the head)',
  ),
} as const;

const UP = {
  name: 'nodes up',
  summary:
    'Start what the nodes of a project do by their roles, over ssh, each after its line activate: the Ray cluster, its head before its workers, node servers and agent servers. With --here, --role or --master-ip only what this machine does is started, without ssh. What runs already is left alone.',
  positionals: [{ name: 'PROJECT', description: 'the project whose nodes are meant', required: true }],
  options: {
    ...PROJECT_OPTIONS,
    ...HERE,
    'master-ip': option(
      'HOST',
      'the head, as this machine reaches it (default: MASTER_ADDR, else the address in the project)',
    ),
    'master-port': option('PORT', `port at which the head is found (default: ${MASTER_PORT})`),
    block: {
      type: 'boolean',
      description: 'stay in the foreground until one of them ends; only for this machine',
    },
  },
  examples: [
    ['swemake nodes up project.yaml', 'from any machine that reaches the others over ssh'],
    ['swemake nodes up project.yaml --master-ip 10.0.0.1', 'on every host, by a launcher that sets a rank'],
    ['swemake nodes up project.yaml --role worker --master-ip 10.0.0.1 --block', 'until it is ended'],
  ],
} as const satisfies CommandSpec;

const DOWN = {
  name: 'nodes down',
  summary:
    'End what nodes up started on the nodes of a project, over ssh, the head of a Ray cluster last; with --here or --role only what this machine does. What others started is left alone.',
  positionals: UP.positionals,
  options: { ...PROJECT_OPTIONS, ...HERE },
  examples: [['swemake nodes down project.yaml', 'ends what nodes up started']],
} as const satisfies CommandSpec;

export async function nodesUpCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(UP, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const port = portOf(values['master-port']);
  if (port === null)
    return refuse({ message: `"${values['master-port']}" is not a port`, remedy: 'for example: 6379' }, io);
  const fleet = await openFleet(parsed.positionals[0]!, values, io);
  if (typeof fleet === 'number') return fleet;
  const isHere = isOnlyHere(values) || values['master-ip'] !== undefined || values.block;
  return isHere ? upHere(fleet, port, values, io) : upAll(fleet, port, io);
}

/** The machines, and what their servers have to know. */
interface Fleet extends Machines {
  served: Served;
}

/** The head of the cluster first: workers look for it. */
async function upAll({ cluster, all, served }: Fleet, port: number, io: CommandIo): Promise<number> {
  const start = (node: NodeConfig, services: readonly Service[]) =>
    inTurn(services, (service) => runOverSsh(node, service.name, upScript(node, service), io.env));
  const ray = (node: NodeConfig) => [rayService(node, partOf(node, cluster!, port))];
  if (cluster !== null) {
    const code = tell(await start(cluster.head, ray(cluster.head)), io);
    if (code !== 0) return code;
  }
  const ends = await Promise.all(
    all.map((node) => {
      const isWorker = cluster?.workers.includes(node) === true;
      return start(node, [...(isWorker ? ray(node) : []), ...serversOf(node, served)]);
    }),
  );
  const code = tell(ends.flat(), io);
  if (cluster !== null) io.stdout.write(shown(`the cluster takes jobs at ${dashboardOf(cluster)}\n`));
  return code;
}

/** One after the other, until one is not well. */
async function inTurn(
  services: readonly Service[],
  run: (service: Service) => Promise<NodeEnd>,
): Promise<NodeEnd[]> {
  const ends: NodeEnd[] = [];
  for (const service of services) {
    const end = await run(service);
    ends.push(end);
    if (!end.isWell) break;
  }
  return ends;
}

async function upHere(
  fleet: Fleet,
  masterPort: number,
  values: OptionValues<typeof UP>,
  io: CommandIo,
): Promise<number> {
  const mine = thisNode(fleet, values, io.env);
  if (!mine.ok) return refuse(mine.fault, io);
  const node = mine.value;
  const named = values['master-ip'] ?? io.env.MASTER_ADDR ?? '';
  const services = servicesHere(fleet, node, masterPort, named);
  if (!values.block) {
    const start = (service: Service) => runHere(node, service.name, upScript(node, service), io.env);
    return tell(await inTurn(services, start), io);
  }
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  try {
    const print = (text: string) => io.stdout.write(shown(text));
    return await stayHere(blockScript(node, services), io.env, stop.signal, print);
  } finally {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.off(signal, onSignal);
  }
}

/** `named`: what a launcher says of the head. Its hosts need not have the addresses of the project, so that counts. */
function servicesHere(
  { cluster, served }: Fleet,
  node: NodeConfig,
  masterPort: number,
  named: string,
): Service[] {
  const servers = serversOf(node, served);
  if (cluster === null || !(node === cluster.head || cluster.workers.includes(node))) return servers;
  const own = partOf(node, cluster, masterPort);
  const ownIp = own.role === 'head' && isNumber(named) ? named : null;
  const part = named === '' ? own : { ...own, masterIp: named, ownIp };
  return [rayService(node, part), ...servers];
}

export async function nodesDownCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(DOWN, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const fleet = await openFleet(parsed.positionals[0]!, values, io);
  if (typeof fleet === 'number') return fleet;
  const { cluster, all } = fleet;
  // Servers first: their work is given up in order.
  const services = (node: NodeConfig) => serversOf(node, fleet.served).reverse();
  const isMember = (node: NodeConfig) => node === cluster?.head || cluster?.workers.includes(node) === true;
  const both = (node: NodeConfig) => [...services(node), ...(isMember(node) ? [RAY] : [])];
  const end =
    (run: typeof runHere) =>
    async (node: NodeConfig, ended: readonly Pick<Service, 'name'>[] = both(node)) => {
      const ends: NodeEnd[] = [];
      for (const service of ended)
        ends.push(await run(node, service.name, downScript(node, service), io.env));
      return ends;
    };
  if (isOnlyHere(values)) {
    const mine = thisNode(fleet, values, io.env);
    return mine.ok ? tell(await end(runHere)(mine.value), io) : refuse(mine.fault, io);
  }
  const away = end(runOverSsh);
  const ends = await Promise.all(
    all.map((node) => (node === cluster?.head ? away(node, services(node)) : away(node))),
  );
  const head = cluster === null ? [] : await away(cluster.head, [RAY]);
  return tell([...ends.flat(), ...head], io);
}

const RAY = { name: 'ray' } as const;

function isOnlyHere({ here, role, node }: OptionValues<typeof DOWN>): boolean {
  return here || role !== undefined || node !== undefined;
}

/** An exit code where there is none. */
async function openFleet(
  file: string,
  values: OptionValues<typeof DOWN>,
  io: CommandIo,
): Promise<Fleet | number> {
  if (values.role !== undefined && values.role !== 'head' && values.role !== 'worker')
    return refuse({ message: `there is no role "${values.role}"`, remedy: 'write head or worker' }, io);
  const project = await openProject(file, values, io);
  if (project === null) return 2;
  const machines = machinesOf(project.config);
  if (!machines.ok) return refuse({ message: machines.fault, remedy: NO_NODES }, io);
  const served: Served = {
    ...{ file: resolve(io.cwd, file), profiles: values.profile, sets: values.set },
    backend: ownBackend(project.config),
  };
  return { ...machines.value, served };
}

export const NO_NODES =
  'add nodes: [{ name: head, address: 10.0.0.1, roles: [ray-head] }]; see docs/clusters.md';

function portOf(text: string | undefined): number | null {
  const port = Number(text ?? MASTER_PORT);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
}

function refuse(why: NodeProblem, io: CommandIo): number {
  return answerUsage({ kind: 'usage', ...why }, io);
}

/** Says how it went with each; the exit code. */
function tell(ends: readonly NodeEnd[], io: CommandIo): number {
  for (const { name, service, isWell, output } of ends) {
    if (isWell) io.stdout.write(shown(`${name}  ${service}  ${output}\n`));
    else {
      const [first = '', ...more] = output.split('\n');
      io.stderr.write(
        shown(`E003  ${name}: ${service}: ${first}\n${more.map((line) => `      ${line}\n`).join('')}`),
      );
      io.stderr.write(shown(`      ${remedyOf(output)}\n`));
    }
  }
  return ends.every(({ isWell }) => isWell) ? 0 : 3;
}

/** The remedy for a machine's error. */
function remedyOf(output: string): string {
  if (
    /permission denied \(|host key verification|could not resolve|connect to host|connection (?:closed|timed|refused)/i.test(
      output,
    )
  )
    return 'ssh must get there without a question: try it with nodes[].ssh; or run this on each host with --here';
  if (/ray: (?:command )?not found/.test(output))
    return 'install "ray[default]" there, or write the line that finds it into nodes[].activate';
  if (/(?:not found|No such file or directory)$/m.test(output))
    return 'say in nodes[].program how swemake is called there';
  if (/needs a token/.test(output)) return 'set SWEMAKE_SERVER_TOKEN there, in nodes[].activate';
  if (/" failed$/m.test(output)) return 'correct nodes[].activate';
  return 'see ~/.local/state/swemake there, the file that ends in .log; then run this again';
}
