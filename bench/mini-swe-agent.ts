/**
 * The peer of the benchmark of rollouts: mini-swe-agent's batch runner, with its own prompts, against the same endpoint.
 * All of its agents work in one folder of the host, or each in a container of a Docker daemon that is started for it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tinyProject } from '../test/rig/tiny-project.ts';
import { IMAGE, startDocker } from './docker.ts';
import { startGroupMeter } from './group-meter.ts';
import { type TreeCost, treeCostOf } from './tree-cost.ts';

const PACKAGES = ['mini-swe-agent==2.4.6', 'datasets'];

/** The peer's interpreter, in an environment made for this run, or the one that BENCH_MINI names. */
export function installPeer(folder: string, print: (line: string) => void): string {
  const venv = process.env.BENCH_MINI ?? join(folder, 'venv');
  const python = join(venv, 'bin/python');
  if (existsSync(python)) return python;
  print(`installing ${PACKAGES.join(' and ')} (BENCH_MINI=FOLDER names a venv that has them)`);
  try {
    execFileSync('python3', ['-m', 'venv', venv], { stdio: 'pipe' });
    execFileSync(python, ['-m', 'pip', 'install', '-q', ...PACKAGES], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(
      `install the peer first: pip install ${PACKAGES.join(' ')} (${(error as Error).message})`,
    );
  }
  return python;
}

/** The peer's own prompts, which ours takes as they are. */
export function templatesOf(python: string): string {
  const script = 'from minisweagent.config import builtin_config_dir as d; print(d)';
  const env = { ...process.env, MSWEA_SILENT_STARTUP: '1' };
  const folder = execFileSync(python, ['-c', script], { encoding: 'utf8', env }).trim().split('\n').at(-1)!;
  return join(folder, 'benchmarks/swebench_backticks.yaml');
}

export interface PeerOptions {
  folder: string;
  url: string;
  python: string;
  rollouts: number;
  workers: number;
}

/** Batches without isolation: all agents in one folder. */
export function localPeer(options: PeerOptions): (round: number) => Promise<TreeCost> {
  const { folder: repository } = tinyProject({ folder: join(options.folder, 'peer-project'), instances: 1 });
  return batchOf(options, 'local', { cwd: join(repository, 'repo') }, {});
}

/** One batch with a container for each agent; what the daemon and the containers use is counted, too. */
export async function dockerPeer(options: PeerOptions, measured: Measured): Promise<TreeCost> {
  const home = join(options.folder, 'docker');
  mkdirSync(home);
  const meter = startGroupMeter();
  if (meter === null) throw new Error('install the peer first: a control group that counts processor time');
  try {
    const docker = await startDocker(home, { files: { 'testbed/m0.py': 'VALUE = 0\n' }, meter });
    try {
      const environment = {
        cwd: '/testbed',
        interpreter: ['sh', '-c'],
        run_args: ['--rm', '--network', 'none'],
      };
      const run = batchOf(options, 'docker', environment, { DOCKER_HOST: docker.host });
      const before = meter.cpuMs();
      const cost = await measured(() => run(0));
      return { ...cost, cpuMs: cost.cpuMs + meter.cpuMs() - before };
    } finally {
      await docker.close();
    }
  } finally {
    meter.remove();
  }
}

/** Checks what a run asked of the endpoint. */
export type Measured = (run: () => Promise<TreeCost>) => Promise<TreeCost>;

function batchOf(
  { folder, url, python, rollouts, workers }: PeerOptions,
  kind: 'local' | 'docker',
  environment: Record<string, unknown>,
  variables: Record<string, string>,
): (round: number) => Promise<TreeCost> {
  const home = join(folder, `peer-${kind}`);
  mkdirSync(join(home, 'data'), { recursive: true });
  const rows = Array.from({ length: rollouts }, (_, index) => ({
    instance_id: `tiny.${index}`,
    problem_statement: 'm0 is wrong',
    image_name: IMAGE,
  }));
  writeFileSync(join(home, 'data/test.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const own = {
    environment,
    model: {
      model_kwargs: { api_base: url, api_key: 'none', temperature: 1 },
      cost_tracking: 'ignore_errors',
    },
  };
  writeFileSync(join(home, 'own.yaml'), JSON.stringify(own));
  const env = {
    HF_HOME: join(home, 'hf'),
    HF_HUB_OFFLINE: '1',
    // It would fetch its prices from the network first.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    MSWEA_GLOBAL_CONFIG_DIR: join(home, 'config'),
    MSWEA_CONFIGURED: 'true',
    MSWEA_SILENT_STARTUP: '1',
    ...variables,
  };
  const args = ['--subset', join(home, 'data'), '--split', 'test', '-w', `${workers}`];
  const model = ['-m', 'openai/scripted', '--model-class', 'litellm_textbased'];
  const configs = [
    '-c',
    'swebench_backticks.yaml',
    '-c',
    join(home, 'own.yaml'),
    '--environment-class',
    kind,
  ];
  return async (round) => {
    const output = join(home, `output-${round}`);
    const batch = ['-m', 'minisweagent.run.benchmarks.swebench', ...args, ...model, ...configs, '-o', output];
    const cost = await treeCostOf(python, batch, { cwd: home, env });
    const made = Object.keys(JSON.parse(readFileSync(join(output, 'preds.json'), 'utf8'))).length;
    if (made !== rollouts) throw new Error(`mini-swe-agent made ${made} of ${rollouts}`);
    return cost;
  };
}
