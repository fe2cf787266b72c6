/**
 * Builds on a real Ray cluster of three machines (a head and two workers) beside builds on this one: tasks of the quickstart
 * through a real bazel-remote, undisturbed and while machines and the remote cache are killed, and rollouts with a model that asks for a
 * key. As root; Ray comes from the package index, or RAY_PYTHON has it.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { buildWorker } from '../faults/program.ts';
import { atEnd } from '../rig/at-end.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { pythonWith } from '../rig/installed.ts';
import type { Project } from '../rig/project.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { until } from '../rig/until.ts';
import { CONTROL, canMakeMachines, Machines } from './machines.ts';
import {
  type Answer,
  answersOf,
  BazelRemote,
  BIN,
  bazelRemote,
  MATCH,
  nodes,
  projectOn,
  QUICKSTART,
} from './rig.ts';

const LONG = 3_600_000;
const WORKERS = ['worker-1', 'worker-2'];
const RESOURCES = {
  cpu: 1,
  sandbox: 128,
  sandbox_start_up: 128,
  container: 128,
  container_start_up: 128,
  tar_io: 40,
};

const isPossible = canMakeMachines() && hasPackageIndex();
const ray = isPossible ? (process.env.RAY_PYTHON ?? pythonWith('ray', ['ray[default]'])) : null;
const server = ray === null ? null : bazelRemote();
const onRay = test.skipIf(ray === null);
const withServer = test.skipIf(server === null);

const start = () => Machines.start(temporaryFolder(), 'head', ...WORKERS);
const activate = `export PATH=${dirname(ray ?? '/')}:$PATH RAY_DISABLE_DOCKER_CPU_WARNING=1`;

/** The nodes of the cluster, and what its profile changes. */
function cluster(machines: Machines, line: string, remote: object, items: number): Record<string, object> {
  const node = (name: string, role: string, more: object = {}) => ({
    ...{ name, address: machines.get(name).address, roles: [role], activate: line, ...more },
  });
  const address = `http://${machines.get('head').address}:8265`;
  const box = { type: 'ray', address, program: BIN, items, lease: '20s' };
  return {
    nodes: [
      node('head', 'ray-head'),
      ...WORKERS.map((name) => node(name, 'ray-worker', { resources: RESOURCES })),
    ] as object,
    profiles: { cluster: { deployments: { box }, cache: { remote } } },
  };
}

const build = (project: Project, cache: string, ...words: string[]) =>
  project.build(
    'project.yaml',
    '--set',
    `cache.folder=${project.path(cache)}`,
    '--set',
    `out=${project.path(`${cache}-out`)}`,
    ...words,
  );

/**
 * Items whose answers differ. A task of the quickstart is flaky on purpose: how its runs ended is chance, and so are the keys of
 * what is made of all verdicts, whose own answers must be the same.
 */
function differing(wanted: Map<string, Answer>, found: Map<string, Answer>): string[] {
  const isSame = (item: string, one: Answer, other: Answer | undefined) => {
    if (one.status === 'flaky') return other?.status === 'flaky' && one.key === other.key;
    const isOfAll = item.endsWith('@');
    return one.status === other?.status && one.digest === other.digest && (isOfAll || one.key === other.key);
  };
  return [...wanted].filter(([item, one]) => !isSame(item, one, found.get(item))).map(([item]) => item);
}

/** All answers without their items: which of two equal samples is graded is chance. */
const alike = (answers: Map<string, Answer>): Set<string> =>
  new Set([...answers].map(([item, one]) => `${item.split('@')[0]} ${JSON.stringify(one)}`));

/** Key and address of each answer that a machine of the cluster wrote. Who writes an answer has made it. */
function written(log: string): { key: string; address: string }[] {
  return [...readFileSync(log, 'utf8').matchAll(/PUT\s+200\s+(10\.77\.0\.\d+)\S*\s+\/ac\/([0-9a-f]{64})/g)]
    .map(([, address, key]) => ({ address: address!, key: key! }))
    .filter(({ address }) => address !== CONTROL);
}

withServer.for(['undisturbed', 'disturbed'] as const)(
  'the quickstart on a cluster, %s, has the answers of this machine, each made once',
  { timeout: LONG },
  async (kind) => {
    const machines = await start();
    const project = projectOn(machines);
    const parts = cluster(machines, activate, { url: `http://${CONTROL}:8080` }, 4);
    const select = { train: { select: { match: MATCH } } };
    writeFileSync(
      project.path('project.yaml'),
      JSON.stringify({ extends: QUICKSTART, dataset: select, ...parts }),
    );
    expect((await build(project, 'local')).code).toBe(0);
    const wanted = answersOf(project, 'local');

    const flags = { dir: project.path('remote'), http_address: `${CONTROL}:8080` };
    const remote = new BazelRemote(machines, server!, flags, project.path('remote.log'));
    await remote.start();
    await nodes(project, 'up');
    const building = build(project, 'there', '--profile', 'cluster');
    if (kind === 'disturbed') await disturb(machines, project, remote, building, wanted.size);
    expect((await building).code).toBe(0);
    const found = answersOf(project, 'there');
    expect(differing(wanted, found)).toEqual([]);
    expect(found.size).toBe(wanted.size);

    const keys = new Set([...found.values()].map(({ key }) => key));
    const made = written(remote.log).filter(({ key }) => keys.has(key));
    expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
    expect(new Set(made.map(({ address }) => address)).size).toBe(WORKERS.length);
    expect((await build(project, 'there', '--profile', 'cluster')).executed).toBe(0);
    await nodes(project, 'down');
    await remote.end('SIGTERM');
  },
);

/** Each in the middle of the build: when such a part of the answers has come. */
async function disturb(
  machines: Machines,
  project: Project,
  remote: BazelRemote,
  building: Promise<unknown>,
  size: number,
): Promise<void> {
  let isOver = false;
  void building.finally(() => {
    isOver = true;
  });
  const answered = async (share: number) => {
    await until(() => isOver || answersOf(project, 'there').size >= size * share, LONG);
    expect(isOver, `the build was over before ${share} of its answers were there`).toBe(false);
  };
  await answered(0.33);
  machines.kill('worker-1');
  await sleep(5000);
  await machines.add('worker-1');
  await nodes(project, 'up');
  await answered(0.5);
  await remote.end('SIGKILL');
  await sleep(10_000);
  await remote.start();
  await answered(0.65);
  machines.kill('head');
  await sleep(3000);
  await machines.add('head');
  await nodes(project, 'down');
  await nodes(project, 'up');
}

const KEY = 'sk-scripted-0123456789abcdef';

onRay(
  'rollouts on a cluster are those of this machine, and the key of the model stands nowhere',
  { timeout: LONG },
  async () => {
    const machines = await start();
    const { folder } = machines;
    tinyProject({ folder, instances: 3, isCold: true });
    const project = projectOn(machines, { MODEL_KEY: KEY });
    writeFileSync(project.path('key-of-the-model'), KEY);
    const price = { input_cost_per_token: 1e-4, output_cost_per_token: 2e-4 };
    writeFileSync(project.path('prices.json'), JSON.stringify({ scripted: price }));
    const model = {
      ...{ base_url: `http://${CONTROL}:8090/v1`, name: 'scripted', identity: 'scripted@1' },
      ...{ api_key: '${secret:MODEL_KEY}', prices: 'prices.json' },
    };
    // The key is in the environment of the machines, and in no file that is sent.
    const line = `${activate} MODEL_KEY=$(cat ${project.path('key-of-the-model')})`;
    const parts = cluster(machines, line, { path: project.path('shared') }, 2);
    const agent = { type: 'bash', rollouts: 2, limits: { steps: 5 }, model };
    writeFileSync(project.path('project.yaml'), JSON.stringify({ extends: 'p.yaml', agent, ...parts }));

    const asked = startModel(machines);
    expect((await build(project, 'local')).code).toBe(0);
    const wanted = answersOf(project, 'local');
    await nodes(project, 'up');
    const before = asked().length;
    expect((await build(project, 'there', '--profile', 'cluster')).code).toBe(0);
    expect(alike(answersOf(project, 'there'))).toEqual(alike(wanted));
    expect(usage(project, 'there')).toEqual(usage(project, 'local'));
    const callers = new Set(
      asked()
        .slice(before)
        .filter((address) => address !== CONTROL),
    );
    expect(callers.size).toBe(WORKERS.length);

    for (const name of ['head', ...WORKERS])
      expect(machines.exec(name, `grep -rlF ${KEY} /tmp/ray 2> /dev/null || true`)).toBe('');
    const jobs = machines.exec(null, `curl -sf http://${machines.get('head').address}:8265/api/jobs/`);
    expect(jobs).toContain('swemake');
    expect(jobs).not.toContain(KEY);
    const words = '--exclude=key-of-the-model --exclude=environ';
    expect(machines.exec(null, `grep -rlF ${KEY} ${folder} ${words} 2> /dev/null || true`)).toBe('');
    await nodes(project, 'down');
  },
);

/** A scripted model on `control`; the addresses that called it, in order. */
function startModel(machines: Machines): () => string[] {
  const program = buildWorker('test/clusters/model-program.ts');
  const command = [...machines.on(null), process.execPath, program, CONTROL, '8090', KEY];
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  atEnd(() => {
    child.kill('SIGKILL');
    rmSync(program, { force: true });
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  return () => printed.split('\n').filter(Boolean);
}

/** What the report says of rewards, tokens and costs. */
function usage(project: Project, cache: string): string[] {
  const out = project.path(`${cache}-out`);
  const file = readdirSync(out, { recursive: true, encoding: 'utf8' }).find((one) =>
    one.endsWith('report.train/summary.md'),
  );
  const lines = readFileSync(join(out, file!), 'utf8').split('\n');
  const found = lines.filter((one) => /^- (resolved|pass@|tokens|cost)/.test(one));
  expect(found.length).toBeGreaterThan(1);
  return found;
}
