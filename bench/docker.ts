/** The peer of the sandbox benchmarks: a Docker daemon of our own, with a small image made from busybox. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupMeter } from './group-meter.ts';

export const IMAGE = 'swemake-bench';
const START_SECONDS = 60;

export interface Docker {
  /** Runs the docker command to its end; rejects unless it exits with 0. */
  command(...args: string[]): Promise<string>;
  /** Address of the daemon, for DOCKER_HOST. */
  host: string;
  close(): Promise<void>;
}

export interface DockerOptions {
  /** Files of the image, beside busybox: path -> text. */
  files?: Record<string, string>;
  /** Counts what the daemon, its helpers and all containers use of the processor. */
  meter?: GroupMeter;
}

/** Starts dockerd below `folder`, apart from any other on this machine. */
export async function startDocker(folder: string, options: DockerOptions = {}): Promise<Docker> {
  for (const program of ['/usr/sbin/dockerd', '/bin/busybox'])
    if (!existsSync(program))
      throw new Error('install the peer first: apt-get install docker.io busybox-static');
  if (process.getuid?.() !== 0) throw new Error('install the peer first: dockerd needs root');
  const socket = join(folder, 'docker.sock');
  const { files = {}, meter } = options;
  // In a network of its own: an engine without a bridge removes the one that this host's engine has.
  const daemon = spawn(
    '/bin/sh',
    [
      '-c',
      `${meter?.enter ?? ':'}; exec unshare --net /usr/sbin/dockerd "$@"`,
      'sh',
      ...(meter === undefined ? [] : [`--cgroup-parent=${meter.containers}`]),
      `--host=unix://${socket}`,
      `--data-root=${folder}/data`,
      `--exec-root=${folder}/exec`,
      `--pidfile=${folder}/pid`,
      '--iptables=false',
      '--ip6tables=false',
      '--bridge=none',
      '--log-level=error',
    ],
    { stdio: 'ignore' },
  );
  const command = (...args: string[]) => run('docker', ['-H', `unix://${socket}`, ...args], folder);
  try {
    await untilReady(command, daemon);
    await importImage(folder, files, command);
  } catch (error) {
    await stop(daemon);
    throw error;
  }
  return { command, host: `unix://${socket}`, close: () => stop(daemon) };
}

async function untilReady(command: Docker['command'], daemon: ChildProcess): Promise<void> {
  for (let tries = 0; tries < START_SECONDS * 5; tries++) {
    if (daemon.exitCode !== null) throw new Error(`dockerd ended with ${daemon.exitCode}`);
    if ((await command('version').catch(() => '')) !== '') return;
    await sleep(200);
  }
  throw new Error('dockerd did not start');
}

async function importImage(
  folder: string,
  files: Record<string, string>,
  command: Docker['command'],
): Promise<void> {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'bin'), { recursive: true });
  await copyFile('/bin/busybox', join(tree, 'bin/busybox'));
  for (const name of ['sh', 'true', 'sleep']) symlinkSync('busybox', join(tree, 'bin', name));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  execFileSync('tar', ['-C', tree, '-cf', join(folder, 'image.tar'), '.']);
  await command('import', join(folder, 'image.tar'), IMAGE);
  rmSync(tree, { recursive: true });
}

function run(program: string, args: string[], home: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: home },
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ${args[2]} ended with ${code}`)),
    );
  });
}

async function stop(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null) return;
  const ended = new Promise((resolve) => daemon.once('exit', resolve));
  daemon.kill('SIGTERM');
  await ended;
}
