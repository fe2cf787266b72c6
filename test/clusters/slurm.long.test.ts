/**
 * The batch script of `nodes --render slurm`, run by a real slurmctld with a slurmd on each of three machines: a build on a Ray
 * cluster that the script starts, and node servers and agent servers that a trainer asks for rollouts. As root; needs Debian's
 * slurm-wlm and munge, and Ray from the package index.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../rig/folder.ts';
import { hasPrograms, pythonWith } from '../rig/installed.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { until } from '../rig/until.ts';
import { canMakeMachines, Machines } from './machines.ts';
import { answersOf, BIN, MATCH, projectOn, QUICKSTART } from './rig.ts';

const LONG = 1_800_000;
const NAMES = ['one', 'two', 'three'];
const ROLLOUTS = 6;

const isPossible =
  canMakeMachines() && hasPrograms('Slurm', 'slurmctld', 'slurmd', 'munged') && hasPackageIndex();
const ray = isPossible ? (process.env.RAY_PYTHON ?? pythonWith('ray', ['ray[default]'])) : null;
const on = test.skipIf(!isPossible);
const onRay = test.skipIf(ray === null);

/** What a trainer does: it asks the router for rollouts. Then it writes down what the servers say. */
const TRAINER = `
import { writeFileSync } from 'node:fs';
const [file] = process.argv.slice(2);
const headers = { authorization: 'Bearer ' + process.env.TOKEN, 'content-type': 'application/json' };
const get = async (url) => (await fetch(url, { headers })).json();
const run = async (index) => {
  const body = JSON.stringify({ id: 'r' + index, instance_id: 'tiny.' + (index % 2) });
  const answer = await fetch('http://127.0.0.1:11080/run', { method: 'POST', headers, body });
  return (await answer.json()).reward;
};
const rewards = await Promise.all(Array.from({ length: ${ROLLOUTS} }, (_, index) => run(index)));
const { servers } = await get('http://127.0.0.1:11080/status');
const made = await Promise.all(servers.map(async ({ url }) => (await get(url + '/status')).counts.graded));
const { pool } = await get('http://127.0.0.1:18090/status');
const nodes = pool.nodes.filter(({ healthy }) => healthy).length;
writeFileSync(file, JSON.stringify({ rewards, made, nodes }));
writeFileSync(process.env.OUTPUT_DIR + '/model', 'weights');
`;

const folder = temporaryFolder();
let machines: Machines;
const activate = `export PATH=${folder}/bin:$PATH SLURM_CONF=${folder}/slurm.conf PYTHONDONTWRITEBYTECODE=1`;

beforeAll(async () => {
  if (!isPossible) return;
  machines = await Machines.start(folder, ...NAMES);
  writeFileSync(join(folder, 'bin/swemake'), `#!/bin/bash\nexec ${process.execPath} ${BIN} "$@"\n`);
  chmodSync(join(folder, 'bin/swemake'), 0o755);
  startSlurm();
}, LONG);

function startSlurm(): void {
  writeFileSync(join(folder, 'slurm.conf'), slurmConf());
  for (const name of ['state', ...NAMES.map((one) => `spool-${one}`)]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'munge.key'), execFileSync('head', ['-c', '1024', '/dev/urandom']));
  execFileSync('chown', ['munge:', join(folder, 'munge.key')]);
  chmodSync(join(folder, 'munge.key'), 0o400);
  // The user munge reads its key there.
  chmodSync(folder, 0o755);
  const hosts = NAMES.map((name) => `${machines.get(name).address} ${name}\n`).join('');
  writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost\n${hosts}`);
  for (const name of NAMES)
    machines.exec(
      name,
      `mount --bind ${folder}/hosts /etc/hosts
       mkdir -p /run/munge; mount -t tmpfs none /run/munge; chown munge: /run/munge
       setpriv --reuid munge --regid munge --clear-groups munged --key-file ${folder}/munge.key --force \\
         --pid-file /run/munge/pid --log-file /run/munge/log --seed-file /run/munge/seed
       export SLURM_CONF=${folder}/slurm.conf
       ${name === 'one' ? 'slurmctld' : ':'}
       slurmd -N ${name}`,
    );
}

function slurmConf(): string {
  const nodes = NAMES.map(
    (name) => `NodeName=${name} NodeAddr=${machines.get(name).address} CPUs=1 State=UNKNOWN`,
  );
  return `ClusterName=machines
SlurmctldHost=one(${machines.get('one').address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation=${folder}/state
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd-%n.pid
SlurmdSpoolDir=${folder}/spool-%n
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd-%n.log
${nodes.join('\n')}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`;
}

/** Renders a project's batch script, submits it, and waits for its end. */
async function runBatch(file: string, ...words: string[]): Promise<{ state: string; printed: string }> {
  const project = projectOn(machines, {}, 'one');
  const script = await project.run('nodes', file, ...words, '--render', 'slurm');
  expect(script).toMatchObject({ code: 0 });
  writeFileSync(join(folder, `${file}.sbatch`), script.stdout);
  const slurm = `export SLURM_CONF=${folder}/slurm.conf`;
  const job = machines.exec('one', `${slurm}; sbatch --parsable --exclusive ${file}.sbatch`).trim();
  let state = '';
  await until(() => {
    const [, found] = /JobState=(\w+)/.exec(machines.exec('one', `${slurm}; scontrol show job ${job}`))!;
    state = found!;
    return !['PENDING', 'CONFIGURING', 'RUNNING', 'COMPLETING'].includes(state);
  }, LONG);
  return { state, printed: readFileSync(join(folder, `slurm-${job}.out`), 'utf8') };
}

/** Processes that a job left on the machines; in namespaces zombies are not collected and do not count. */
const leftBy = (what: string) =>
  NAMES.map((name) =>
    machines.exec(name, `ps -eo stat=,args= | grep -v '^Z' | grep -E '${what}' || true`),
  ).join('');

onRay(
  'a build on the Ray cluster of a batch job has the answers of a build here',
  { timeout: LONG },
  async () => {
    // Addresses are not used: Slurm says which machines there are. Programs are found by the line that activates Ray.
    const line = `${activate} && PATH=${dirname(ray!)}:$PATH`;
    const resources = { cpu: 1, sandbox: 128, sandbox_start_up: 128, tar_io: 40 };
    const worker = (name: string) => ({
      name,
      address: name,
      roles: ['ray-worker'],
      activate: line,
      resources,
    });
    const box = {
      ...{ type: 'ray', address: 'http://127.0.0.1:8265', program: BIN },
      ...{ items: 4, folder: `${folder}/worker-cache` },
    };
    const parts = {
      nodes: [
        { name: 'head', address: 'head', roles: ['ray-head'], activate: line },
        worker('two'),
        worker('three'),
      ],
      profiles: { cluster: { deployments: { box }, cache: { remote: { path: join(folder, 'shared') } } } },
    };
    const dataset = { train: { select: { match: MATCH } } };
    const project = projectOn(machines);
    writeFileSync(project.path('project.yaml'), JSON.stringify({ extends: QUICKSTART, dataset, ...parts }));
    const own = ['--set', `cache.folder=${folder}/local`, '--set', `out=${folder}/local-out`];
    expect((await project.build('project.yaml', ...own)).code).toBe(0);

    const there = ['--profile', 'cluster', '--set', `cache.folder=${folder}/slurm`];
    const { state, printed } = await runBatch('project.yaml', ...there);
    expect(state, printed).toBe('COMPLETED');
    const wanted = answersOf(project, 'local');
    expect(wanted.size).toBeGreaterThan(20);
    expect(answersOf(project, 'slurm')).toEqual(wanted);
    expect(leftBy('[r]aylet|[g]cs_server|[r]ay start')).toBe('');
  },
);

on('a trainer of a batch job gets rollouts from its agent servers', { timeout: LONG }, async () => {
  const project = tinyProject({ folder, instances: 2, isCold: true });
  mkdirSync(join(folder, 'base'));
  writeFileSync(join(folder, 'base/config.json'), '{}');
  writeFileSync(join(folder, 'trainer.mjs'), TRAINER);
  const node = (name: string, roles: string[]) => ({
    ...{ name, address: `http://${name}:5000`, roles, activate },
    ...{ folder: join(folder, name, 'own'), resources: { cpu: 1, sandbox: 4 } },
  });
  const rl = {
    ...{ type: 'command', deployment: 'host', model: { path: join(folder, 'base') }, rows: 'slime' },
    command: `${process.execPath} ${folder}/trainer.mjs ${folder}/told.json`,
    env: { TOKEN: '${secret:SWEMAKE_SERVER_TOKEN}' },
  };
  const parts = {
    ...{ name: 'servers', deployments: { host: { type: 'process' } } },
    ...{ agent: { type: 'oracle', deployment: 'box' }, trainer: { rl } },
    cache: { remote: { path: join(folder, 'shared') } },
    nodes: [
      node('one', ['node-server']),
      ...NAMES.slice(1).map((name) => node(name, ['node-server', 'agent-server'])),
    ],
  };
  writeFileSync(join(folder, 'servers.yaml'), JSON.stringify({ extends: project.path('p.yaml'), ...parts }));
  const { state, printed } = await runBatch('servers.yaml', '--set', `cache.folder=${folder}/servers`);
  expect(state, printed).toBe('COMPLETED');
  const told = JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'));
  expect(told.rewards).toEqual(Array(ROLLOUTS).fill(1));
  expect(told.made.filter((count: number) => count > 0)).toHaveLength(2);
  expect(told.nodes).toBe(NAMES.length);
  expect(leftBy('[s]wemake.js')).toBe('');
});
