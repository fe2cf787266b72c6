/**
 * What runs on the nodes of a project for those who give out machines: a batch script of Slurm, or manifests for Kubernetes.
 * Both start a build of the project on it.
 */
import { stringify } from 'yaml';
import { shellWord } from '../../basics/shell.ts';
import { type Cluster, DASHBOARD_PORT, MASTER_PORT, type NodeConfig, offerOf } from './cluster.ts';
import { AGENTS_PORT, type Machines } from './machines.ts';
import { POOL_PORT, portsOf, ROUTER_PORT, type Served, serversOf } from './services.ts';

export interface RenderOptions extends Served {
  /** Of the project. */
  name: string;
  /** Deployments that get the address of the cluster. */
  deployments: readonly string[];
  /** Deployments that get the address of the pool. */
  pools: readonly string[];
}

export interface Pods {
  /** With swemake, and with Ray where there is a cluster. */
  image: string;
  /** Volume claims, each with where it is mounted. */
  claims: readonly { name: string; path: string }[];
}

/** The variable with the token of servers. */
const TOKEN = 'SWEMAKE_SERVER_TOKEN';

/** The build, with the hosts of the cluster and of the pool as a shell reads them. */
function buildLine(options: RenderOptions, hosts: { head: string; pool: string }): string {
  const { file, profiles, sets, deployments, pools } = options;
  const poolUrl = `http://${hosts.pool}:${POOL_PORT}`;
  return [
    `swemake build ${shellWord(file)}`,
    ...choices({ profiles, sets }),
    ...deployments.map((name) => `--set deployments.${name}.address=http://${hosts.head}:${DASHBOARD_PORT}`),
    ...pools.flatMap((name) => [
      `--set deployments.${name}.url=${poolUrl}`,
      `--set 'deployments.${name}.token=\${secret:${TOKEN}}'`,
    ]),
  ].join(' ');
}

function choices({ profiles, sets }: Pick<RenderOptions, 'profiles' | 'sets'>): string[] {
  return [
    ...profiles.map((name) => `--profile ${shellWord(name)}`),
    ...sets.map((text) => `--set ${shellWord(text)}`),
  ];
}

/** One task on each machine, which does by its rank what it does; the build runs on the first machine. */
export function slurmScript({ cluster, all }: Machines, options: RenderOptions): string {
  const [first] = all;
  const most = (name: 'cpu' | 'gpu') => Math.max(0, ...all.map((node) => amountsOf(node)[name] ?? 0));
  const asked = [
    `--job-name=${dnsName(options.name)}`,
    `--nodes=${all.length}`,
    '--ntasks-per-node=1',
    ...(most('cpu') > 0 ? [`--cpus-per-task=${most('cpu')}`] : []),
    ...(most('gpu') > 0 ? [`--gres=gpu:${most('gpu')}`] : []),
  ];
  const up = ['swemake nodes up', shellWord(options.file), ...choices(options)].join(' ');
  const ports = all.map(portsOf);
  const waits = ports.flatMap(({ containers, agents }, rank) =>
    [containers, agents].flatMap((port) =>
      port === null ? [] : [`until_reached "\${hosts[${rank}]}" ${port}`],
    ),
  );
  const pool = ports.flatMap(({ containers }, rank) =>
    containers === null ? [] : [`--node "http://\${hosts[${rank}]}:${containers}=${all[rank]!.containers}"`],
  );
  const agents = ports.flatMap(({ agents }, rank) =>
    agents === null ? [] : [`--node "http://\${hosts[${rank}]}:${agents}"`],
  );
  const hasServers = waits.length > 0;
  return `#!/bin/bash
${asked.map((word) => `#SBATCH ${word}\n`).join('')}
${first?.activate === undefined ? '' : `${first.activate} || exit 1\n`}${hasServers ? SERVERS : ''}# This machine is the first of the job${cluster === null ? '' : ', and so the head'}.
address=$(hostname -I | awk '{ print $1 }')
srun --nodes=${all.length} --ntasks=${all.length} --ntasks-per-node=1 --kill-on-bad-exit=1 \\
  ${up} --master-ip "$address" --master-port ${MASTER_PORT} --block &
cluster=$!
fronts=()
# Told by srun itself, the machines' parts would be killed at once, and what they started would stay.
trap 'kill "\${fronts[@]}" 2> /dev/null; scancel --signal=TERM "$SLURM_JOB_ID"; wait "$cluster"' EXIT
trap 'exit 143' TERM
until_reached() {
  until (exec 3<> "/dev/tcp/$1/$2") 2> /dev/null; do
    kill -0 "$cluster" 2> /dev/null || exit 1
    sleep 2
  done
}
${cluster === null ? '' : `until_reached "$address" ${DASHBOARD_PORT}\n`}${waits.map((line) => `${line}\n`).join('')}${front('pool', POOL_PORT, pool)}${front('agents', ROUTER_PORT, agents)}${buildLine(options, { head: '"$address"', pool: '127.0.0.1' })}
`;
}

/** A token for this job alone, unless there is one; and the machines by their ranks. */
const SERVERS = `export ${TOKEN}="\${${TOKEN}:-$(head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \\n')}"
mapfile -t hosts < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
`;

/** The one address in front of servers; empty where there are none. */
function front(what: 'pool' | 'agents', port: number, nodes: readonly string[]): string {
  if (nodes.length === 0) return '';
  return `swemake serve ${what} --listen 0.0.0.0:${port} \\
  ${nodes.join(' \\\n  ')} &
fronts+=($!)
until_reached 127.0.0.1 ${port}
`;
}

/** A RayCluster, servers with what is in front of them, and a job that builds the project. */
export function kubernetesManifests(machines: Machines, options: RenderOptions, pods: Pods): string {
  const { cluster } = machines;
  const name = dnsName(options.name);
  const build = buildLine(options, { head: '127.0.0.1', pool: `${name}-pool` });
  const token = tokenEnv(options.pools.length > 0 ? name : null);
  const ray = { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name } };
  const onRay = {
    ...{ apiVersion: 'ray.io/v1', kind: 'RayJob', metadata: { name: `${name}-build` } },
    spec: { entrypoint: build, clusterSelector: { 'ray.io/cluster': name } },
  };
  const alone = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `${name}-build` } },
    spec: {
      backoffLimit: 0,
      template: {
        spec: { restartPolicy: 'Never', ...podSpec('build', pods, { command: build, env: token }) },
      },
    },
  };
  const manifests = [
    ...(cluster === null ? [] : [{ ...ray, spec: clusterSpec(cluster, pods, token) }]),
    ...serverManifests(name, machines, options, pods),
    cluster === null ? alone : onRay,
  ];
  return manifests.map((manifest) => `---\n${stringify(manifest, { lineWidth: 0 })}`).join('');
}

function clusterSpec({ head, workers }: Cluster, pods: Pods, env: object[]): object {
  const template = (name: string, node: NodeConfig) => ({ spec: podSpec(name, pods, { node, env }) });
  return {
    headGroupSpec: {
      rayStartParams: { 'dashboard-host': '0.0.0.0', ...startParams(head) },
      template: template('ray-head', head),
    },
    workerGroupSpecs: groupsOf(workers).map(({ node, count }, index) => ({
      groupName: `workers-${index + 1}`,
      replicas: count,
      minReplicas: count,
      maxReplicas: count,
      rayStartParams: startParams(node),
      template: template('ray-worker', node),
    })),
  };
}

/** Machines that offer the same are one group. */
function groupsOf(nodes: readonly NodeConfig[]): { node: NodeConfig; count: number }[] {
  const groups = new Map<string, { node: NodeConfig; count: number }>();
  for (const node of nodes) {
    const offer = JSON.stringify(
      node.roles.includes('node-server') ? [offerOf(node), node.containers] : offerOf(node),
    );
    const known = groups.get(offer);
    if (known === undefined) groups.set(offer, { node, count: 1 });
    else known.count += 1;
  }
  return [...groups.values()];
}

/** KubeRay writes these into a command line, and its autoscaler takes quotes and backslashes off again. */
function startParams(node: NodeConfig): Record<string, string> {
  const { cpu, gpu, custom } = offerOf(node);
  return {
    ...(cpu === undefined ? {} : { 'num-cpus': String(cpu) }),
    ...(gpu === undefined ? {} : { 'num-gpus': String(gpu) }),
    ...(Object.keys(custom).length === 0
      ? {}
      : { resources: `"${JSON.stringify(custom).replaceAll('"', '\\"')}"` }),
  };
}

/** Servers of one kind, as pods with names of their own, and the one address in front of them. */
function serverManifests(name: string, { all }: Machines, options: RenderOptions, pods: Pods): object[] {
  const kinds = [
    { role: 'node-server', front: 'pool', port: 5000, frontPort: POOL_PORT },
    { role: 'agent-server', front: 'agents', port: AGENTS_PORT, frontPort: ROUTER_PORT },
  ] as const;
  return kinds.flatMap(({ role, front, port, frontPort }) => {
    const groups = groupsOf(all.filter(({ roles }) => roles.includes(role)));
    if (groups.length === 0) return [];
    const service = `${name}-${role}`;
    const env = tokenEnv(name);
    const sets = groups.map(({ node, count }, index) => {
      // A pod has a name of its own in place of the machine's address.
      const url = `http://pod:${port}`;
      const own = { ...node, name, program: 'swemake', folder: POD_FOLDER, address: url, agents: url };
      const { command } = serversOf({ ...own, roles: [role] }, options)[0]!;
      const labels = { app: service, group: `${index + 1}` };
      const template = {
        metadata: { labels },
        spec: podSpec(role, pods, { node, command, env, port, folder: POD_FOLDER }),
      };
      return {
        ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: `${service}-${index + 1}` } },
        spec: {
          serviceName: service,
          replicas: count,
          podManagementPolicy: 'Parallel',
          selector: { matchLabels: labels },
          template,
        },
      };
    });
    const addresses = groups.flatMap(({ node, count }, index) =>
      Array.from({ length: count }, (_, pod) => {
        const places = role === 'node-server' ? `=${node.containers}` : '';
        return `--node http://${service}-${index + 1}-${pod}.${service}:${port}${places}`;
      }),
    );
    const command = ['swemake serve', front, `--listen 0.0.0.0:${frontPort}`, ...addresses].join(' ');
    return [
      serviceOf(service, service, port, true),
      ...sets,
      serviceOf(`${name}-${front}`, `${name}-${front}`, frontPort, false),
      deploymentOf(`${name}-${front}`, podSpec(front, pods, { command, env, port: frontPort })),
    ];
  });
}

function serviceOf(name: string, app: string, port: number, isEach: boolean): object {
  return {
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
    spec: {
      // Each pod has a name; one that is not ready is asked, too, and found to be so.
      ...(isEach ? { clusterIP: 'None', publishNotReadyAddresses: true } : {}),
      selector: { app },
      ports: [{ port, targetPort: port }],
    },
  };
}

function deploymentOf(app: string, spec: object): object {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: app } },
    spec: {
      replicas: 1,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec },
    },
  };
}

/** Where a server in a pod keeps what it has. */
const POD_FOLDER = '/var/lib/swemake';

/** The token, from a secret that is made by hand; none where no server is asked. */
function tokenEnv(name: string | null): object[] {
  if (name === null) return [];
  return [{ name: TOKEN, valueFrom: { secretKeyRef: { name: `${name}-token`, key: 'token' } } }];
}

interface PodParts {
  node?: NodeConfig;
  /** As a shell reads it; absent: what the image or KubeRay starts. */
  command?: string;
  env: object[];
  port?: number;
  folder?: string;
}

/** `activate` is not used: an image is made so that its programs are found. */
function podSpec(
  name: string,
  { image, claims }: Pods,
  { node, command, env, port, folder }: PodParts,
): object {
  const { cpu = 0, gpu = 0 } = node === undefined ? {} : amountsOf(node);
  const limits = {
    ...(cpu === 0 ? {} : { cpu: String(cpu) }),
    ...(gpu === 0 ? {} : { 'nvidia.com/gpu': String(gpu) }),
  };
  const claimed = claims.map((claim) => ({
    volume: { name: dnsName(claim.name), persistentVolumeClaim: { claimName: claim.name } },
    mountPath: claim.path,
  }));
  const own = folder === undefined ? [] : [{ volume: { name: 'own', emptyDir: {} }, mountPath: folder }];
  const volumes = [...claimed, ...own];
  const container = {
    name,
    image,
    ...(command === undefined ? {} : { command: ['bash', '-c', `exec ${command}`] }),
    ...(env.length === 0 ? {} : { env }),
    ...(port === undefined ? {} : { ports: [{ containerPort: port }] }),
    ...(Object.keys(limits).length === 0 ? {} : { resources: { limits, requests: limits } }),
    // Sandboxes are made of namespaces and mounts.
    securityContext: { privileged: true },
    ...(volumes.length === 0
      ? {}
      : { volumeMounts: volumes.map(({ volume, mountPath }) => ({ name: volume.name, mountPath })) }),
  };
  return {
    containers: [container],
    ...(volumes.length === 0 ? {} : { volumes: volumes.map(({ volume }) => volume) }),
  };
}

/** What is asked for a machine: nothing for one that is a head and no more. */
function amountsOf({ roles, resources }: NodeConfig): NodeConfig['resources'] {
  return roles.some((role) => role !== 'ray-head') ? resources : {};
}

/** A name that both of them take: small letters, digits and dashes, not too long. */
function dnsName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 36)
    .replace(/^-|-$/g, '');
  return /^[a-z]/.test(name) ? name : `swemake-${name}`.slice(0, 36).replace(/-$/, '');
}
