/** `serve`: the node server and the pool server, until a signal ends them. */
import type { CommandIo } from '../app/io.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import type { ServeSettings, WrongSetting } from '../app/servers/settings.ts';
import { content } from '../app/shown.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { closest } from '../basics/suggest.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import type { Listening } from '../servers/http/listen.ts';
import { answerUsage, type CommandSpec, type OptionValues, option, parseCommand } from './arguments.ts';
import { ACCESS_OPTIONS, serveUntilStopped } from './serving.ts';

const SERVE = {
  name: 'serve',
  summary:
    'Serve workspaces over HTTP: "node" opens containers on this machine, "pool" leases those of many nodes. Both speak the HTTP API of OpenClaw-RL’s swe-rl servers and read their variables. "agents" is one address for many agent servers; a pool and agents take their servers from the nodes of a project, too; "agent" and "model" have a help of their own: swemake serve agent --help, swemake serve model --help. They ask for a token: from --token-file or SWEMAKE_SERVER_TOKEN, or on loopback one that they make, which clients of the same user find by themselves.',
  positionals: [
    { name: 'WHAT', description: 'node, pool, agent, agents or model', required: true },
    { name: 'PROJECT', description: 'pool, agents: the project whose nodes are used, in place of --node' },
  ],
  options: {
    listen: option(
      'ADDRESS',
      'address and port, or unix:PATH for a socket of this user alone (default: 127.0.0.1, port 5000 for a node, 18090 or SWE_ENV_SERVER_PORT for a pool, 11080 for agents)',
    ),
    ...ACCESS_OPTIONS,
    folder: option(
      'FOLDER',
      'where it keeps images, layers and leases (default: ~/.local/share/swemake/WHAT-PORT)',
    ),
    backend: option('KIND', 'node: the kind of executor that opens containers (default: the first that can)'),
    image: {
      ...option('NAME=PATH', 'node: an image on the disk, an OCI layout or what docker save writes'),
      multiple: true,
    },
    pull: option(
      'missing|never',
      'node: whether images that are not there are fetched from their registries (default: missing)',
    ),
    'max-containers': option('N', 'node: containers at once (default: SWE_MAX_CONTAINERS_PER_NODE, else 64)'),
    memory: option('SIZE', 'node: memory of one container (default: SWE_CONTAINER_MEMORY, else 4GiB)'),
    pids: option('N', 'node: processes of one container (default: SWE_CONTAINER_PIDS_LIMIT, else 256)'),
    cpus: option('N', 'node: processors of one container, such as 0.5 (default: all)'),
    disk: option('SIZE', 'node: data that one container may write (default: no limit but the disk)'),
    network: option('off|host', 'node: network that containers can reach (default: off)'),
    'print-unit': {
      type: 'boolean',
      description: 'print a systemd unit that runs this command line, and serve nothing',
    },
    install: {
      type: 'boolean',
      description:
        'write that unit and start it; make a token where the file of --token-file is not there; node: then fetch the images of --rows',
    },
    rows: option('FILE', 'node, with --install: instances whose images are fetched (default: TRAIN)'),
    node: {
      ...option(
        'URL[=N]',
        'pool: a node server, and how many leases it may have (default: SWE_EXEC_SERVER_URLS, else http://localhost:5000); agents: an agent server',
      ),
      multiple: true,
    },
    ...PROJECT_OPTIONS,
    'max-containers-per-node': option(
      'N',
      'pool: leases on one node at once (default: SWE_MAX_CONTAINERS_PER_NODE, else 16)',
    ),
    'max-leases': option(
      'N',
      'pool: leases on all nodes together (default: SWE_POOL_MAX_TOTAL_LEASES, else no bound)',
    ),
    'lease-ttl': option(
      'TIME',
      'pool: an idle lease ends after this (default: SWE_POOL_LEASE_TTL_SECONDS, else 1h)',
    ),
    'allocate-timeout': option(
      'TIME',
      'pool: how long a request waits while all nodes are full (default: 4m)',
    ),
    'until-input-ends': { type: 'boolean', description: 'end when standard input ends' },
    'end-leases': {
      type: 'boolean',
      description: 'pool: end all leases when it is stopped, instead of keeping them for the next start',
    },
    'node-token-file': option(
      'FILE',
      'pool, agents: file with the token of the nodes (default: that of --token-file, SWEMAKE_NODE_TOKEN, SWEMAKE_SERVER_TOKEN; else what is found for servers on loopback)',
    ),
  },
  examples: [
    ['swemake serve node', 'containers on this machine, for clients of the same user'],
    ['swemake serve node --listen unix:./node.sock', 'the same, on a socket'],
    ['swemake serve node --listen 0.0.0.0:5000 --token-file token', 'for others, who have to know the token'],
    [
      'swemake serve node --listen 0.0.0.0:5000 --token-file /etc/swemake/token --install --rows train.jsonl',
      'a new machine becomes a node: a service of systemd that has the images of these rows',
    ],
    [
      'swemake serve node --listen 0.0.0.0:5000 --token-file /etc/swemake/token --print-unit > /etc/systemd/system/swemake-node.service',
      'a service of systemd',
    ],
    [
      'swemake serve pool --node http://10.0.0.1:5000 --node http://10.0.0.2:5000 --node-token-file token',
      'one pool over two nodes',
    ],
    [
      'swemake serve agents --node http://10.0.0.1:11000 --node http://10.0.0.2:11000',
      'one address for two agent servers',
    ],
    ['swemake serve agents project.yaml', 'the same, for those that swemake nodes up started'],
  ],
} as const satisfies CommandSpec;

type Values = OptionValues<typeof SERVE>;
type Open = (
  values: Values,
  args: string[],
  io: CommandIo,
  project: ResolvedProject | null,
) => Promise<Result<Opened, WrongSetting>>;
type Opened =
  | { kind: 'unit'; text: string; settings: ServeSettings }
  | { kind: 'served'; settings: ServeSettings; listening: Result<Listening, string> };

export async function serveCommand(args: string[], io: CommandIo): Promise<number> {
  if (args[0] === 'agent') return (await import('./serve-agent.ts')).serveAgentCommand(args.slice(1), io);
  if (args[0] === 'model') return (await import('./serve-model.ts')).serveModelCommand(args.slice(1), io);
  const parsed = parseCommand(SERVE, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [what = ''] = parsed.positionals;
  const open = Object.hasOwn(SERVERS, what) ? SERVERS[what] : undefined;
  if (open === undefined) {
    const near = closest(what, [...Object.keys(SERVERS), 'agent', 'model']);
    const remedy = near === null ? 'one of node, pool, agent, agents, model' : `did you mean "${near}"?`;
    return answerUsage({ kind: 'usage', message: `there is no server "${what}"`, remedy }, io);
  }
  const [, file] = parsed.positionals;
  if (file !== undefined && (what === 'node' || parsed.values.node.length > 0)) {
    const remedy = what === 'node' ? 'leave the project out' : 'leave out --node or the project';
    const message = what === 'node' ? 'a node server has no project' : 'the nodes are named twice';
    return answerUsage({ kind: 'usage', message, remedy }, io);
  }
  const { install, rows, 'token-file': tokenFile } = parsed.values;
  if (rows !== undefined && (!install || what !== 'node'))
    return answerUsage(
      {
        kind: 'usage',
        message: '--rows names images that --install of a node fetches',
        remedy: 'leave it out, or see swemake images --help',
      },
      io,
    );
  if (install && tokenFile !== undefined)
    (await import('../app/servers/install.ts')).makeTokenFile(tokenFile, io);
  const project = file === undefined ? null : await openGiven(file, parsed.values, io);
  if (file !== undefined && project === null) return 2;
  const opened = await open(parsed.values, args, io, project);
  if (!opened.ok) return answerUsage({ kind: 'usage', ...opened.fault }, io);
  if (opened.value.kind === 'unit' && install) {
    const { installServer } = await import('./serve-install.ts');
    return installServer(what, opened.value, parsed.values, io);
  }
  if (opened.value.kind === 'unit') {
    io.stdout.write(content(opened.value.text, io));
    return 0;
  }
  const { settings, listening } = opened.value;
  return serveUntilStopped(what, listening, settings, io, parsed.values['until-input-ends']);
}

async function openGiven(file: string, values: Values, io: CommandIo): Promise<ResolvedProject | null> {
  const { openProject } = await import('../app/open-project.ts');
  return openProject(file, values, io);
}

const SERVERS: Readonly<Record<string, Open>> = {
  node: serveNode,
  pool: servePool,
  agents: serveAgents,
};

/** A unit holds no secret, so the server in it reads its token from a file. */
async function printUnit(
  what: string,
  settings: ServeSettings,
  values: Values,
  args: readonly string[],
  io: CommandIo,
): ReturnType<Open> {
  const { token, entry } = settings;
  if (token !== null && entry === 'given' && values['token-file'] === undefined)
    return fault({ message: 'a unit holds no token', remedy: 'write it into a file: --token-file FILE' });
  const { unitText } = await import('../app/servers/unit.ts');
  const words = args.filter(
    (arg, at) => !/^--(print-unit|install|rows(=.*)?)$/s.test(arg) && args[at - 1] !== '--rows',
  );
  return success({ kind: 'unit', text: unitText(what, words, io), settings });
}

async function serveNode(values: Values, args: string[], io: CommandIo): ReturnType<Open> {
  const { countOf, serveSettings, sizeOf, wrong } = await import('../app/servers/settings.ts');
  const { backendKinds, openNode } = await import('../app/servers/node.ts');
  const common = serveSettings('node', 5000, values, io);
  if (!common.ok) return common;
  if (values['print-unit'] || values.install) return printUnit('node', common.value, values, args, io);
  const { env } = io;
  const maxContainers = countOf(
    '--max-containers',
    values['max-containers'] ?? env.SWE_MAX_CONTAINERS_PER_NODE,
    64,
  );
  if (!maxContainers.ok) return maxContainers;
  const memory = sizeOf('--memory', values.memory ?? env.SWE_CONTAINER_MEMORY, 4 * 2 ** 30);
  if (!memory.ok) return memory;
  const pids = countOf('--pids', values.pids ?? env.SWE_CONTAINER_PIDS_LIMIT, 256);
  if (!pids.ok) return pids;
  const { cpus: cpusText, disk: diskText } = values;
  const cpus = cpusText === undefined ? null : Number(cpusText);
  if (cpus !== null && !(Number.isFinite(cpus) && cpus > 0))
    return wrong(`--cpus must be a number above zero, not "${cpusText}"`, 'for example: 0.5');
  const disk = diskText === undefined ? null : sizeOf('--disk', diskText, 0);
  if (disk?.ok === false) return disk;
  const names = backendKinds().map(({ name }) => name);
  const backend = values.backend ?? names[0]!;
  if (!names.includes(backend))
    return wrong(`there is no backend "${backend}"`, `one of ${names.join(', ')}`);
  const network = values.network ?? 'off';
  if (network !== 'off' && network !== 'host')
    return wrong(`there is no network "${network}"`, 'one of off, host');
  const pull = values.pull ?? 'missing';
  if (pull !== 'missing' && pull !== 'never')
    return wrong(`there is no pull policy "${pull}"`, 'one of missing, never');
  const images = new Map<string, string>();
  for (const pair of values.image) {
    const [, name, path] = /^([^=]+)=(.+)$/.exec(pair) ?? [];
    if (name === undefined || path === undefined)
      return wrong(`--image is not NAME=PATH: "${pair}"`, 'for example: --image base:latest=./base.tar');
    images.set(name, path);
  }
  const kept = Number(env.SWE_EVAL_OUTPUT_MAX_CHARS || 20_000_000);
  const listening = await openNode(
    {
      ...common.value,
      backend,
      maxContainers: maxContainers.value,
      limits: {
        ...{ memory: memory.value, pids: pids.value },
        ...(cpus === null ? {} : { cpus }),
        ...(disk === null ? {} : { disk: disk.value }),
      },
      ...{ network, pull },
      keptLog: Number.isFinite(kept) ? Math.max(0, kept) : 20_000_000,
      images,
    },
    io,
  );
  return success({ kind: 'served', settings: common.value, listening });
}

async function servePool(
  values: Values,
  args: string[],
  io: CommandIo,
  project: ResolvedProject | null,
): ReturnType<Open> {
  const { countOf, nodeTokenOf, secondsOf, serveSettings } = await import('../app/servers/settings.ts');
  const { env } = io;
  const port = countOf('SWE_ENV_SERVER_PORT', env.SWE_ENV_SERVER_PORT, 18_090);
  if (!port.ok) return port;
  const common = serveSettings('pool', port.value, values, io);
  if (!common.ok) return common;
  if (values['print-unit'] || values.install) return printUnit('pool', common.value, values, args, io);
  const nodeToken = nodeTokenOf(values, io);
  if (!nodeToken.ok) return nodeToken;
  const maxPerNode = countOf(
    '--max-containers-per-node',
    values['max-containers-per-node'] ?? env.SWE_MAX_CONTAINERS_PER_NODE,
    16,
  );
  if (!maxPerNode.ok) return maxPerNode;
  const maxLeases = countOf('--max-leases', values['max-leases'] ?? env.SWE_POOL_MAX_TOTAL_LEASES, 1_000_000);
  if (!maxLeases.ok) return maxLeases;
  const ttl = secondsOf('--lease-ttl', values['lease-ttl'] ?? env.SWE_POOL_LEASE_TTL_SECONDS, 3600);
  if (!ttl.ok) return ttl;
  const longestWait = secondsOf('--allocate-timeout', values['allocate-timeout'], 240);
  if (!longestWait.ok) return longestWait;
  const createTimeout = secondsOf('SWE_POOL_CREATE_TIMEOUT_SEC', env.SWE_POOL_CREATE_TIMEOUT_SEC, 120);
  if (!createTimeout.ok) return createTimeout;
  const nodes = project === null ? namedNodes(values, env) : await nodesOf(project);
  if (!nodes.ok) return nodes;
  const { openPool } = await import('../app/servers/pool.ts');
  const listening = await openPool(
    {
      ...common.value,
      nodes: nodes.value,
      nodeToken: nodeToken.value,
      maxPerNode: maxPerNode.value,
      maxLeases: maxLeases.value,
      ttl: ttl.value * 1000,
      longestWait: longestWait.value * 1000,
      createTimeout: createTimeout.value,
      endsLeases: values['end-leases'],
    },
    io,
  );
  return success({ kind: 'served', settings: common.value, listening });
}

type PoolNodes = Result<{ address: string; name: string | null; max: number | null }[], WrongSetting>;

/** From the command line, else from the original's variable. */
function namedNodes({ node }: Values, env: NodeJS.ProcessEnv): PoolNodes {
  const given = node.length > 0 ? node : (env.SWE_EXEC_SERVER_URLS ?? 'http://localhost:5000').split(',');
  const nodes = new Map<string, { address: string; name: null; max: number | null }>();
  for (const text of given.map((one) => one.trim()).filter((one) => one !== '')) {
    const [, address = '', max] =
      /^(https?:\/\/[^/\s=]+|unix:\/[^=]+)\/*(?:=([1-9]\d{0,5}))?$/.exec(text) ?? [];
    if (!URL.canParse(address)) {
      const message = `this is not the address of a node: "${text}"`;
      return fault({ message, remedy: 'for example: http://10.0.0.1:5000' });
    }
    nodes.set(address, { address, name: null, max: max === undefined ? null : Number(max) });
  }
  return success([...nodes.values()]);
}

async function nodesOf({ config }: ResolvedProject): Promise<PoolNodes> {
  const { serverNodes } = await import('../app/nodes/machines.ts');
  const nodes = serverNodes(config).map(({ name, address, containers }) => ({
    ...{ address, name, max: containers },
  }));
  if (nodes.length > 0) return success(nodes);
  const remedy = 'add it to nodes[].roles, or name node servers with --node';
  return fault({ message: 'no node of the project has the role node-server', remedy });
}

async function serveAgents(
  values: Values,
  args: string[],
  io: CommandIo,
  project: ResolvedProject | null,
): ReturnType<Open> {
  const { nodeTokenOf, serveSettings, wrong } = await import('../app/servers/settings.ts');
  const common = serveSettings('agents', 11_080, values, io);
  if (!common.ok) return common;
  if (values['print-unit'] || values.install) return printUnit('agents', common.value, values, args, io);
  const token = nodeTokenOf(values, io);
  if (!token.ok) return token;
  const example = 'for example: --node http://10.0.0.1:11000';
  const { agentNodes, agentsAddress } = await import('../app/nodes/machines.ts');
  const servers = project === null ? values.node : agentNodes(project.config).map(agentsAddress);
  if (servers.length === 0 && project !== null)
    return wrong('no node of the project has the role agent-server', 'add it to nodes[].roles');
  if (servers.length === 0) return wrong('no agent server is named', example);
  const strange = servers.find((url) => !/^(?:https?:\/\/[^/\s]+\/?|unix:\/.+)$/.test(url));
  if (strange !== undefined) return wrong(`--node is no address: "${strange}"`, example);
  const { openRouter } = await import('../app/servers/agents.ts');
  const { folder: _, ...rest } = common.value;
  const listening = await openRouter({ ...rest, servers, serverToken: token.value }, io);
  return success({ kind: 'served', settings: common.value, listening });
}
