/** A cluster as a batch script and as manifests, and as `nodes` shows it. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { command, commandJson } from '../rig/command.ts';
import { rayServer } from '../rig/ray-server.ts';
import { clusterProject, serverProject } from './projects.ts';

test('a batch script starts a part on each machine, and the build on the first', async () => {
  const project = clusterProject();
  const { stdout } = await command(
    project,
    'nodes',
    'p.yaml',
    '--render',
    'slurm',
    '--set',
    'validation.gold_runs=3',
  );
  execFileSync('bash', ['-n'], { input: stdout });
  const asked = stdout.split('\n').filter((line) => line.startsWith('#SBATCH'));
  expect(asked).toEqual([
    '#SBATCH --job-name=my-tasks',
    '#SBATCH --nodes=5',
    '#SBATCH --ntasks-per-node=1',
    '#SBATCH --cpus-per-task=64',
    '#SBATCH --gres=gpu:8',
  ]);
  const file = project.path('p.yaml');
  expect(stdout).toContain('source /opt/env/bin/activate || exit 1\n');
  expect(stdout).toContain(
    `swemake nodes up ${file} --set validation.gold_runs=3 --master-ip "$address" --master-port 6379 --block &\n`,
  );
  expect(stdout).toContain(
    `swemake build ${file} --set validation.gold_runs=3 --set deployments.box.address=http://"$address":8265\n`,
  );
});

test('manifests have one cluster with a group for machines that are alike, and a job that builds on it', async () => {
  const project = clusterProject();
  const args = ['--render', 'kubernetes', '--image', 'registry/swemake:1', '--claim', 'shared=/mnt/shared'];
  const { stdout } = await command(project, 'nodes', 'p.yaml', ...args);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
  const [cluster, job] = [manifests[0], manifests.at(-1)];
  expect(cluster).toMatchObject({
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'my-tasks' },
  });
  const { headGroupSpec, workerGroupSpecs } = cluster.spec;
  expect(headGroupSpec.rayStartParams).toEqual({
    'dashboard-host': '0.0.0.0',
    'num-cpus': '0',
    'num-gpus': '0',
  });
  expect(workerGroupSpecs).toMatchObject([
    { groupName: 'workers-1', replicas: 2, minReplicas: 2, maxReplicas: 2 },
    { groupName: 'workers-2', replicas: 1, rayStartParams: { 'num-cpus': '8' } },
  ]);
  // A shell reads it, and sees JSON.
  const { resources } = workerGroupSpecs[0].rayStartParams;
  const seen = execFileSync('bash', ['-c', `printf %s ${resources}`], { encoding: 'utf8' });
  expect(JSON.parse(seen)).toEqual({ sandbox: 128, sandbox_start_up: 128, tar_io: 40 });
  const pod = workerGroupSpecs[0].template.spec;
  expect(pod.volumes).toEqual([{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }]);
  expect(pod.containers).toMatchObject([
    {
      ...{ name: 'ray-worker', image: 'registry/swemake:1', securityContext: { privileged: true } },
      resources: { limits: { cpu: '64', 'nvidia.com/gpu': '8' } },
      volumeMounts: [{ name: 'shared', mountPath: '/mnt/shared' }],
    },
  ]);
  expect(job).toMatchObject({ kind: 'RayJob', spec: { clusterSelector: { 'ray.io/cluster': 'my-tasks' } } });
  expect(job.spec.entrypoint).toBe(
    `swemake build ${project.path('p.yaml')} --set deployments.box.address=http://127.0.0.1:8265`,
  );
});

test('a batch script starts servers on each machine, and a pool and a router in front of them', async () => {
  const project = serverProject();
  const { stdout, stderr } = await command(project, 'nodes', 'p.yaml', '--render', 'slurm');
  expect(stderr).toBe('');
  execFileSync('bash', ['-n'], { input: stdout });
  const file = project.path('p.yaml');
  expect(stdout).toContain('#SBATCH --nodes=3\n');
  for (const line of [
    'until_reached "${hosts[1]}" 11000\n',
    'until_reached "${hosts[2]}" 11001\n',
    'swemake serve pool --listen 0.0.0.0:18090 \\\n  --node "http://${hosts[0]}:5000=64" \\\n  --node "http://${hosts[1]}:5000=64" &\n',
    '  --node "http://${hosts[2]}:11001" &\n',
    `swemake build ${file} --set deployments.fleet.url=http://127.0.0.1:18090 --set 'deployments.fleet.token=\${secret:SWEMAKE_SERVER_TOKEN}'\n`,
  ])
    expect(stdout).toContain(line);
  // There is no cluster to wait for.
  expect(stdout).not.toContain('8265');
});

test('manifests have servers as pods with names, and in front of them a pool and a router', async () => {
  const args = ['--render', 'kubernetes', '--image', 'registry/swemake:1'];
  const { stdout } = await command(serverProject(), 'nodes', 'p.yaml', ...args);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Service my-tasks-node-server',
    'StatefulSet my-tasks-node-server-1',
    'Service my-tasks-pool',
    'Deployment my-tasks-pool',
    'Service my-tasks-agent-server',
    'StatefulSet my-tasks-agent-server-1',
    'StatefulSet my-tasks-agent-server-2',
    'Service my-tasks-agents',
    'Deployment my-tasks-agents',
    'Job my-tasks-build',
  ]);
  const commandOf = (index: number) => manifests[index].spec.template.spec.containers[0].command[2];
  expect(manifests[5].spec).toMatchObject({ serviceName: 'my-tasks-agent-server', replicas: 2 });
  expect(commandOf(5)).toMatch(
    /^exec swemake serve agent .*p\.yaml --listen 0\.0\.0\.0:11000 --max-concurrent 128 --set cache\.folder=\/var\/lib\/swemake\/cache /,
  );
  expect(commandOf(8)).toBe(
    `exec swemake serve agents --listen 0.0.0.0:11080${['1-0', '1-1', '2-0'].map((pod) => ` --node http://my-tasks-agent-server-${pod}.my-tasks-agent-server:11000`).join('')}`,
  );
  expect(commandOf(3)).toContain('http://my-tasks-node-server-1-1.my-tasks-node-server:5000=64');
  expect(manifests[1].spec.template.spec.containers[0]).toMatchObject({
    resources: { limits: { cpu: '32' } },
    env: [{ valueFrom: { secretKeyRef: { name: 'my-tasks-token', key: 'token' } } }],
  });
  expect(commandOf(9)).toContain('--set deployments.fleet.url=http://my-tasks-pool:18090');
});

test('what cannot be rendered is told', async () => {
  const project = clusterProject();
  const said = async (...args: string[]) => {
    const { code, stderr } = await command(project, 'nodes', ...args);
    return [code, stderr.split('\n')[0]];
  };
  expect(await said('p.yaml', '--render', 'pbs')).toEqual([2, 'E001  "pbs" cannot be rendered']);
  expect(await said('p.yaml', '--render', 'kubernetes')).toEqual([2, 'E001  pods need an image']);
  expect(await said('--render', 'slurm')).toEqual([2, 'E001  which project has the nodes?']);
  const claim = ['p.yaml', '--render', 'kubernetes', '--image', 'i', '--claim', 'shared'];
  expect(await said(...claim)).toEqual([2, 'E001  "shared" is not a claim']);
});

test('nodes shows the machines of a cluster, and which are not there', async () => {
  const ray = await rayServer();
  ray.machines = [
    { ip: '10.0.0.2', name: 'a', resources: { CPU: 64, sandbox: 128 } },
    { ip: '10.0.0.3', name: 'b', isDead: true, resources: { CPU: 64 } },
    { ip: '10.0.0.4', name: 'c', isDead: true, resources: { CPU: 8 } },
    { ip: '10.0.0.4', name: 'c', resources: { CPU: 8 } },
  ];
  const project = clusterProject(ray.url);
  const shown = await commandJson<{ nodes: object[]; clusters: object[] }>(project, 'nodes', 'p.yaml');
  expect(shown.clusters).toMatchObject([
    {
      ...{ url: ray.url, problem: null },
      machines: [
        { name: 'a', state: 'up', amounts: { cpu: 64, sandbox: 128 } },
        { name: 'c', state: 'up' },
        { name: 'b', state: 'gone' },
        { name: 'head', state: 'missing' },
      ],
    },
  ]);
  const text = await command(project, 'nodes', 'p.yaml');
  expect(text.code).toBe(3);
  expect(text.stdout).toContain(`cluster at ${ray.url}: 2 of 4 machines are up`);
  expect(text.stdout).toMatch(/ a +up +worker +cpu 64, sandbox 128 +10\.0\.0\.2\n/);
  // Machines of the cluster are no node servers.
  expect(shown.nodes).toMatchObject([{ name: 'server' }]);
  ray.isDown = true;
  expect((await command(project, 'nodes', 'p.yaml')).stdout).toContain('it does not answer');
});
