/**
 * One project on a Debian release, in the sandbox and in containers of an engine: the same verdicts, nothing of the one serves
 * the other, and both may have a part in one build. An engine that is killed in the middle gives faults and no verdicts. Without an
 * engine it is skipped, with the reason.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noEngine } from '../executors/docker-fixture.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const WAIT = 900_000;
const on = test.skipIf(noEngine !== null);
const DEBIAN = ['--set', 'deployments.box.base=debian:bookworm'];
const DOCKER = [...DEBIAN, '--set', 'deployments.box.type=docker'];
/** The project's own deployment on the machine's system, and another one in containers. */
const FAR = ['type=docker', 'base=debian:bookworm'].flatMap((one) => ['--set', `deployments.far.${one}`]);
const GOOD = expect.objectContaining({ ok: 1, failed: 0, infra: 0 });
let project: Project;

beforeAll(() => {
  project = tinyProject({ instances: 1, seconds: 1 });
  const text = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(project.path('p.yaml'), `${text}agent: { type: oracle }\n`);
});

async function build(...flags: string[]) {
  const end = await project.build('p.yaml', ...flags);
  const stage = (name: string) => end.stages.find((one) => one.stage === `${name}.train`)!;
  return { end, stage, verdicts: [stage('validate').outcomes, stage('grade').outcomes] };
}

const why = async (...args: string[]) => (await project.run('why', ...args, '--project', 'p.yaml')).stdout;

on(
  'verdicts in containers are those of the sandbox',
  async () => {
    const sandbox = await build(...DEBIAN);
    expect(sandbox.verdicts).toEqual([GOOD, GOOD]);
    expect(await why('validate.train', ...DOCKER)).toMatch(/isolation\s+- sandbox\s+\+ docker/);
    const docker = await build(...DOCKER);
    expect(docker.verdicts).toEqual([GOOD, GOOD]);
    for (const name of ['environments', 'validate', 'rollouts', 'grade'])
      expect([name, docker.stage(name).executed]).toEqual([name, 1]);
    expect((await build(...DOCKER)).end.executed).toBe(0);
    expect((await build(...DEBIAN)).end.executed).toBe(0);
  },
  WAIT,
);

on(
  'agents in containers and verdicts in the sandbox: an environment for each root',
  async () => {
    const both = await build(...FAR, '--set', 'agent.deployment=far');
    expect(both.verdicts).toEqual([GOOD, GOOD]);
    // The one in containers was there, and so is what was done in it: what a deployment is called is in no key.
    expect(both.stage('environments')).toMatchObject({ items: 2, executed: 1 });
    expect([both.stage('validate').executed, both.stage('rollouts').executed]).toEqual([1, 0]);
    const named = await why('environments', ...FAR, '--set', 'agent.deployment=far');
    expect(named).toMatch(/^environments\.train@\S+\+far$/m);
    const there = await build(...FAR, '--set', 'dataset.train.deployment=far');
    expect(there.end.executed).toBe(0);
    expect(there.stage('environments').items).toBe(1);
  },
  WAIT,
);

/** Answers of commands on the project's first instance. */
const shell = async (item: string, ...args: string[]) =>
  (await project.run('shell', item, '--project', 'p.yaml', ...args)).stdout;
const ROOT = /^PRETTY_NAME="Debian GNU\/Linux 12 \(bookworm\)"\n\/usr\/bin\/python3/;
const LOOK = ['-c', 'head -1 /etc/os-release; readlink -f /opt/env/bin/python'];

on(
  'shell looks into workspaces in containers',
  async () => {
    await build(...DOCKER);
    const [item] = (await why('environments.train@*', ...DOCKER)).split('\n');
    expect(await shell(item!, ...DOCKER, ...LOOK)).toMatch(ROOT);
    const solved = ['--solved', '-c', 'cat m0.py; bash /tmp/run-tests 2>&1 | tail -1'];
    expect(await shell('validate.train@tiny.0', ...DOCKER, ...LOOK)).toMatch(ROOT);
    expect(await shell('validate.train@tiny.0', ...DOCKER, ...solved)).toMatch(
      /^VALUE = 0\n[\s\S]*Exit Code: 0\n$/,
    );
  },
  WAIT,
);

for (const [where, flags] of [
  ['containers', DOCKER],
  ['the sandbox', DEBIAN],
] as const)
  on(
    `accept in ${where}: last answers, and environments from elsewhere, which stand on the root of the deployment`,
    async () => {
      await build(...flags);
      const accept = (...args: string[]) => project.run('accept', ...args, '--project', 'p.yaml');
      const slower = [...flags, '--set', 'validation.timeout=61s'];
      expect((await accept('validate.train@tiny.0', ...slower)).stdout).toBe(
        'accepted validate.train@tiny.0 (ok)\n',
      );
      expect((await build(...slower)).stage('validate').executed).toBe(0);

      // One that was made on that root, as a folder that is not the cache's.
      const trees = project.path('.swemake/layers/trees');
      const made = readdirSync(trees)
        .map((name) => join(trees, name))
        .find((tree) => {
          const settings = join(tree, 'opt/env/pyvenv.cfg');
          const isWhole = existsSync(settings) && existsSync(join(tree, 'opt/env/bin/pip'));
          return isWhole && readFileSync(settings, 'utf8').includes('/usr/bin/python3');
        });
      const other = [...flags, '--set', 'environments.recipes.0.env.PLACE="elsewhere"'];
      const taken = await accept('environments.train', '--from', made!, ...other);
      expect([taken.code, taken.stderr]).toEqual([0, '']);
      const built = await build(...other);
      expect(built.verdicts).toEqual([GOOD, GOOD]);
      expect([built.stage('environments').executed, built.stage('validate').executed]).toEqual([0, 1]);
      expect(await shell('validate.train@tiny.0', ...other, ...LOOK, '-c', 'echo $PLACE')).toMatch(
        new RegExp(`${ROOT.source}[\\s\\S]*\\nelsewhere\\n$`),
      );
    },
    WAIT,
  );

// The paths of its sockets must be short.
const folder = mkdtempSync(join(tmpdir(), 'sm-engine-'));
const host = `unix://${folder}/sock`;
const OWN = [...FAR, '--set', `deployments.far.host=${host}`, '--set', 'dataset.train.deployment=far'];
let engine: ChildProcess | null = null;
const docker = (...args: string[]) => spawnSync('docker', ['-H', host, ...args], { encoding: 'utf8' });

async function startEngine(): Promise<void> {
  const own = [
    '--data-root',
    `${folder}/data`,
    '--exec-root',
    `${folder}/exec`,
    '--pidfile',
    `${folder}/pid`,
  ];
  const apart = ['--bridge', 'none', '--iptables=false', '--ip6tables=false'];
  // In a network of its own: without a bridge it would remove the one that the machine's engine has.
  engine = spawn('unshare', ['--net', 'dockerd', '-H', host, ...own, ...apart], { stdio: 'ignore' });
  await until(() => docker('info').status === 0);
}

async function endEngine(signal: NodeJS.Signals): Promise<void> {
  const ended = new Promise((done) => engine!.once('exit', done));
  engine!.kill(signal);
  await ended;
  engine = null;
}

async function until(is: () => boolean): Promise<void> {
  for (let tries = 0; !is(); tries += 1) {
    if (tries === 1200) throw new Error('it did not come to that');
    await new Promise((done) => setTimeout(done, 100));
  }
}

afterAll(async () => {
  if (engine !== null) await endEngine('SIGTERM');
  // An engine that is killed takes no mount away.
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const place of mounts.filter((one) => one.startsWith(`${folder}/`)).reverse())
    spawnSync('umount', ['-l', place]);
  rmSync(folder, { recursive: true, force: true });
});

const hasOwn = noEngine === null && spawnSync('dockerd', ['--version']).status === 0;
if (!hasOwn) console.log('skipped: an engine that is killed: there is no dockerd');

test.skipIf(!hasOwn)(
  'an engine that is killed: faults and no verdict; then all of it, and nothing is left',
  async () => {
    await startEngine();
    // Which engine it is decides nothing.
    expect((await build(...OWN)).end.executed).toBe(0);
    const other = [...OWN, '--set', 'validation.timeout=61s'];
    const building = build(...other);
    await until(() => docker('ps', '-q').stdout.trim() !== '');
    await endEngine('SIGKILL');
    const broken = await building;
    expect(broken.end.code).toBe(3);
    expect(broken.stage('validate').outcomes).toMatchObject({ ok: 0, failed: 0, timeout: 0, infra: 1 });
    for (const { outcomes } of broken.end.stages) expect(outcomes).toMatchObject({ failed: 0, flaky: 0 });

    // Its own helper outlives it.
    spawnSync('sh', ['-c', `kill -9 $(cat ${folder}/exec/containerd/containerd.pid)`]);
    rmSync(`${folder}/pid`, { force: true });
    await startEngine();
    const whole = await build(...other);
    expect(whole.end.code).toBe(0);
    expect(whole.verdicts).toEqual([GOOD, GOOD]);
    expect(docker('ps', '-aq')).toMatchObject({ status: 0, stdout: '' });
    expect((await build(...other)).end.executed).toBe(0);
  },
  WAIT,
);
