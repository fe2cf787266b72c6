/** The servers of the benchmark `pool`, ours and the original's: started as processes, and what they use of the processor. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { packageRoot } from '../basics/package-root.ts';
import { cpuMs } from './memory.ts';

export interface Servers {
  /** With the token, as the original's clients send it. */
  url: string;
  /** Milliseconds that both used so far, without what they started. */
  cpuMs(): number;
  close(): Promise<void>;
}

/** Where the original lies, which is no part of this repository. */
export interface Original {
  /** A checkout of Gen-Verse/OpenClaw-RL. */
  folder: string;
  /** A Python with flask, requests and httpx. */
  python: string;
}

/** Containers and leases at once. */
const MAX_LEASES = '256';
const START_MS = 30_000;
const TOKEN = 'bench'.repeat(8);

export function findOriginal(env: NodeJS.ProcessEnv): Original {
  const { SWEMAKE_BENCH_SWE_RL: folder = '', SWEMAKE_BENCH_PYTHON: python = '' } = env;
  if (!existsSync(join(folder, 'swe-rl/swe_env_client.py')) || !existsSync(python))
    throw new Error(
      'install the peer first: SWEMAKE_BENCH_SWE_RL names a checkout of Gen-Verse/OpenClaw-RL, ' +
        'SWEMAKE_BENCH_PYTHON a Python with flask, requests and httpx',
    );
  return { folder, python };
}

/** `command`: of our node server. */
export async function startOurs(folder: string, command: readonly string[]): Promise<Servers> {
  const node = await startSaying(command);
  const words = ['serve', 'pool', '--listen', '127.0.0.1:0', '--folder', join(folder, 'pool')];
  const pool = await startSaying(
    ours([...words, '--max-containers-per-node', MAX_LEASES, '--node', node.url]),
  ).catch(async (error: Error) => {
    await end(node.child);
    throw error;
  });
  return together(pool.url, [pool.child, node.child]);
}

export function ourNode(folder: string, backend: string, image: string, layout: string): string[] {
  const words = ['serve', 'node', '--listen', '127.0.0.1:0', '--folder', folder, '--backend', backend];
  return ours([...words, '--max-containers', MAX_LEASES, '--image', `${image}=${layout}`]);
}

function ours(words: readonly string[]): string[] {
  return [process.execPath, join(packageRoot(), 'bin/swemake.js'), ...words];
}

export async function startOriginal(
  { folder, python }: Original,
  more: Readonly<Record<string, string>>,
): Promise<Servers> {
  const server = join(folder, 'swe-rl/server');
  const env = { ...process.env, PYTHONPATH: server, ...more };
  const [nodePort, poolPort] = [await freePort(), await freePort()];
  const at = (port: number) => ['--host', '127.0.0.1', '--port', `${port}`];
  const options = { env, stdio: 'ignore' } as const;
  const node = spawn(python, [join(server, 'swe_exec_server.py'), ...at(nodePort)], options);
  const nodeUrl = `http://127.0.0.1:${nodePort}`;
  const fleet = ['--exec-server-urls', nodeUrl, '--max-containers-per-node', MAX_LEASES];
  const children = [node];
  try {
    await untilWell(nodeUrl, node);
    const pool = spawn(python, ['-m', 'swe_env_pool_server', ...at(poolPort), ...fleet], options);
    children.unshift(pool);
    const url = `http://127.0.0.1:${poolPort}`;
    await untilWell(url, pool);
    return together(url, children);
  } catch (error) {
    await Promise.all(children.map(end));
    throw error;
  }
}

/** Starts what prints "… server at URL". */
function startSaying([program = '', ...args]: readonly string[]): Promise<{
  url: string;
  child: ChildProcess;
}> {
  const env = { ...process.env, SWEMAKE_SERVER_TOKEN: TOKEN };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
      const url = /server at (\S+)\n/.exec(said)?.[1];
      if (url !== undefined) resolve({ url: url.replace('//', `//x:${TOKEN}@`), child });
    });
    child.once('close', () => reject(new Error(`${args.slice(1, 3).join(' ')} ended before it was there`)));
  });
}

async function untilWell(url: string, child: ChildProcess): Promise<void> {
  const since = performance.now();
  while (performance.now() - since < START_MS && child.exitCode === null) {
    const answer = await request(`${url}/healthz`).catch(() => null);
    await answer?.body.dump();
    if (answer?.statusCode === 200) return;
    await sleep(100);
  }
  throw new Error(`the original's server at ${url} did not start`);
}

function together(url: string, children: readonly ChildProcess[]): Servers {
  return {
    url,
    cpuMs: () => children.reduce((sum, { pid = 0 }) => sum + cpuMs(pid), 0),
    close: async () => void (await Promise.all(children.map(end))),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
