/**
 * GPUs and CUDA. Only training and served models need them, so a missing GPU is reported with what would need it, and
 * is a problem only if the project asks for GPUs.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../basics/folder.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { readableText } from '../../basics/readable.ts';
import type { Probe } from '../../executors/kind.ts';
import { VISIBLE, visibleDevices } from '../../executors/process/gpus.ts';
import { KINDS } from '../../executors/registry.ts';

const QUERY = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits'];
/** Where the driver's own library lies, by distribution and container runtime. */
const LIBRARY_FOLDERS = [
  'usr/lib/x86_64-linux-gnu',
  'usr/lib/aarch64-linux-gnu',
  'usr/lib64',
  'usr/lib',
  'usr/local/nvidia/lib64',
  'usr/lib/wsl/lib',
];

export interface GpuPlaces {
  env: NodeJS.ProcessEnv;
  /** Root of the file system; another one in tests. */
  root?: string;
}

/** `askers`: what in the project asks for GPUs; `most`: the largest number that one of them asks for. */
export async function gpuProbe(
  askers: readonly string[],
  { env, root = '/' }: GpuPlaces,
  most = 0,
): Promise<Probe> {
  const name = 'cuda';
  const devices = namesIn(join(root, 'dev')).filter((each) => /^nvidia\d+$/.test(each)).length;
  const driver = /Kernel Module\s+(?:for \S+\s+)?([\d.]+)/.exec(
    readableText(join(root, 'proc/driver/nvidia/version')),
  )?.[1];
  const library = libcuda(env, root);
  const gpus = await queryGpus(env);
  if (devices === 0 && driver === undefined && gpus.length === 0) {
    const needs = 'training, and models served by swemake, would need an NVIDIA GPU';
    if (askers.length === 0)
      return {
        name,
        status: 'none',
        detail: `no NVIDIA GPU or driver; nothing here asks for one (${needs})`,
      };
    return {
      name,
      status: 'miss',
      detail: `no NVIDIA GPU or driver, and ${askers.join(', ')} asks for one`,
      remedy: 'run those stages on a machine that has one; in a container: docker run --gpus all',
    };
  }
  const version = driver === undefined ? 'driver not loaded' : `driver ${driver}`;
  const cards = gpus.length > 0 ? counted(gpus) : `${devices} GPU${devices === 1 ? '' : 's'}`;
  const problem = problemOf({ devices, driver, library, asked: gpus.length > 0 });
  const detail = `${cards}, ${version}, ${library === null ? 'no libcuda.so.1' : library}`;
  const present = visibleDevices(env[VISIBLE])?.length ?? Math.max(gpus.length, devices);
  if (problem === null && most > present)
    return {
      name,
      status: 'miss',
      detail: `${detail}: ${most} are asked for, and programs get ${present} here`,
      remedy: `write resources: { gpu: ${present} }, or run on a machine that has ${most}`,
    };
  if (problem === null) return { name, status: 'ok', detail };
  return {
    name,
    status: askers.length === 0 ? 'soft' : 'miss',
    detail: `${detail}: ${problem}`,
    remedy:
      'nvidia-smi must work; in a container: docker run --gpus all, with nvidia-container-toolkit on the host',
  };
}

/** What of a configuration asks for GPUs, by its key. */
export function gpuAskers(config: object): string[] {
  const { deployments = {}, trainer = {} } = config as {
    deployments?: Record<string, { resources?: { gpu?: number } }>;
    trainer?: Record<string, { type?: string }>;
  };
  return [
    ...Object.keys(deployments)
      .filter((name) => (deployments[name]?.resources?.gpu ?? 0) > 0)
      .map((name) => `deployments.${name}`),
    ...Object.keys(trainer)
      .filter((name) => (trainer[name]?.type ?? 'none') !== 'none')
      .map((name) => `trainer.${name}`),
  ];
}

/** GPUs that the largest deployment of this machine's programs asks for. */
export function gpusAsked(config: object): number {
  const { deployments = {} } = config as {
    deployments?: Record<string, { type?: string; resources?: { gpu?: number } }>;
  };
  const commands = KINDS.filter(({ opens }) => opens === 'commands').map(({ name }) => name);
  const here = Object.values(deployments).filter(({ type }) => type !== undefined && commands.includes(type));
  return Math.max(0, ...here.map(({ resources }) => resources?.gpu ?? 0));
}

function problemOf(found: {
  devices: number;
  driver: string | undefined;
  library: string | null;
  asked: boolean;
}): string | null {
  if (found.driver === undefined && !found.asked) return 'devices are there, and their driver is not loaded';
  if (found.library === null) return 'programs cannot use CUDA without the driver’s library';
  if (found.devices === 0 && !found.asked) return 'the driver is loaded, and no device can be seen from here';
  return null;
}

/** `8 × NVIDIA H100 80GB HBM3 (79 GiB)`; nothing when nvidia-smi is not there or fails. */
async function queryGpus(env: NodeJS.ProcessEnv): Promise<string[]> {
  const end = await runProgram({ argv: ['nvidia-smi', ...QUERY], env, timeout: 20 });
  if (!hasSucceeded(end)) return [];
  return end.stdout
    .split('\n')
    .map((line) => /^(.+), (\d+)$/.exec(line.trim()))
    .flatMap((match) => (match === null ? [] : [`${match[1]} (${Math.floor(Number(match[2]) / 1024)} GiB)`]));
}

function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}

function libcuda(env: NodeJS.ProcessEnv, root: string): string | null {
  const own = (env.LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const folders = [...LIBRARY_FOLDERS.map((folder) => join(root, folder)), ...own];
  return folders.map((folder) => join(folder, 'libcuda.so.1')).find((path) => existsSync(path)) ?? null;
}
