/**
 * Leases a second, beside the servers that ours take the place of: their pool and exec server. A cycle is a lease, a command
 * in it, and its end. Both are asked by the same cheap client (pool-client.ts), since what asks has the same processors as
 * what answers; the original's own client asks both once, so that it is seen that they serve it. The peer has Docker alone;
 * what its servers take by themselves is seen with a `docker` that does nothing. Where they lie: SWEMAKE_BENCH_SWE_RL and
 * SWEMAKE_BENCH_PYTHON.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { packageRoot } from '../basics/package-root.ts';
import { IMAGE, makeImage } from '../test/servers/rig.ts';
import { startDocker } from './docker.ts';
import type { BenchResult } from './measure.ts';
import {
  findOriginal,
  type Original,
  ourNode,
  type Servers,
  startOriginal,
  startOurs,
} from './pool-servers.ts';

const CLIENTS = [1, 16, 128] as const;
/** Cycles for each number of clients. */
const CYCLES = { fast: [200, 1600, 2048], sandbox: [200, 1600, 1024], docker: [8, 48, 128] } as const;
/** Cycles a second of the sandbox beside those of the original with Docker, 16 clients. */
const PROMISE = 20;
/** Milliseconds of both servers' processor time for a cycle. */
const MAX_MS = 2;

interface Measured {
  perSecond: number;
  /** Milliseconds of a request, in the middle. */
  allocate: number;
  exec: number;
  close: number;
  /** Milliseconds of the client's processor time for a cycle. */
  own: number;
  /** Milliseconds of the servers' processor time for a cycle. */
  cpu: number;
}

/** By number of clients. */
type Row = Readonly<Record<(typeof CLIENTS)[number], Measured>>;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const original = findOriginal(process.env);
  const client = await bundled('pool-client');
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  const docker = await startDocker(folder);
  try {
    const layout = makeImage(folder);
    await docker.command('import', packed(folder), IMAGE);
    process.env.DOCKER_HOST = docker.host;
    const measure = (name: string, start: () => Promise<Servers>, cycles: readonly number[]) =>
      rowOf(original, client, { name, start, cycles }, print);
    const our = (backend: string) => () => {
      const place = join(folder, backend);
      return startOurs(place, ourNode(join(place, 'node'), backend, IMAGE, layout));
    };
    const PATH = `${doNothing(folder)}:${process.env.PATH}`;
    const rows = {
      nothing: await measure('no-op', () => startNothing(folder), CYCLES.fast),
      itsNothing: await measure('no-op, original', () => startOriginal(original, { PATH }), CYCLES.docker),
      sandbox: await measure('sandbox', our('sandbox'), CYCLES.sandbox),
      docker: await measure('docker', our('docker'), CYCLES.docker),
      itsDocker: await measure('docker, original', () => startOriginal(original, {}), CYCLES.docker),
    };
    return report(rows, print);
  } finally {
    await docker.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Rows = Readonly<Record<'nothing' | 'itsNothing' | 'sandbox' | 'docker' | 'itsDocker', Row>>;

function report(
  { nothing, itsNothing, sandbox, docker, itsDocker }: Rows,
  print: (line: string) => void,
): BenchResult {
  const ratios = (ours: Row, theirs: Row) =>
    CLIENTS.map((clients) => `${(ours[clients].perSecond / theirs[clients].perSecond).toFixed(1)} ×`).join(
      ', ',
    );
  print(`beside the original with ${CLIENTS.join(', ')} clients:`);
  print(`  no-op beside no-op      ${ratios(nothing, itsNothing)}`);
  print(`  docker beside docker    ${ratios(docker, itsDocker)}; promised 1 with 16`);
  print(`  sandbox beside docker   ${ratios(sandbox, itsDocker)}; promised ${PROMISE} with 16`);
  const server = nothing[16].cpu;
  print(`processor time of our servers for a cycle: ${server.toFixed(2)} ms; promised less than ${MAX_MS}`);
  const [ours, peer] = [1000 / sandbox[16].perSecond, 1000 / itsDocker[16].perSecond];
  const ratio = peer / ours;
  const isDockerFast = docker[16].perSecond >= itsDocker[16].perSecond;
  const holds = ratio >= PROMISE && isDockerFast && server < MAX_MS;
  return { name: 'pool', ours, peer, ratio, promise: PROMISE, holds };
}

interface Contestant {
  name: string;
  start(): Promise<Servers>;
  cycles: readonly number[];
}

async function rowOf(
  original: Original,
  client: string,
  { name, start, cycles }: Contestant,
  print: (line: string) => void,
): Promise<Row> {
  const servers = await start();
  try {
    await runOriginalClient(original, servers.url);
    await runClient(client, servers.url, 1, 4);
    const row: Partial<Record<number, Measured>> = {};
    for (const [index, clients] of CLIENTS.entries()) {
      const measured = await measureOnce(client, servers, clients, cycles[index]!);
      const { perSecond, allocate, exec, close, own, cpu } = measured;
      const parts = `allocate ${allocate.toFixed(0)}, exec ${exec.toFixed(0)}, close ${close.toFixed(0)} ms`;
      const rate = `${perSecond.toFixed(1)} cycles a second`;
      print(
        `${name}, ${clients} clients: ${rate}; ${parts}; processor a cycle: servers ${cpu.toFixed(2)} ms, client ${own.toFixed(2)} ms`,
      );
      row[clients] = measured;
    }
    return row as Row;
  } finally {
    await servers.close();
  }
}

async function measureOnce(
  client: string,
  { url, cpuMs }: Servers,
  clients: number,
  cycles: number,
): Promise<Measured> {
  const before = cpuMs();
  const ran = await runClient(client, url, clients, cycles);
  return { ...ran, cpu: (cpuMs() - before) / cycles };
}

/** In a process of its own. */
async function runClient(
  client: string,
  url: string,
  clients: number,
  cycles: number,
): Promise<Omit<Measured, 'cpu'>> {
  const args = [client, url, IMAGE, `${clients}`, `${cycles}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout.trim().split('\n').at(-1)!);
}

/** The original's own client: that the servers are what it expects. */
async function runOriginalClient({ folder, python }: Original, url: string): Promise<void> {
  const env = { ...process.env, PYTHONPATH: `${join(folder, 'slime')}:${join(folder, 'swe-rl')}` };
  const program = join(packageRoot(), 'bench/pool-client.py');
  await promisify(execFile)(python, [program, url, IMAGE, '2', '4'], { env });
}

async function bundled(name: string): Promise<string> {
  const outfile = join(packageRoot(), `dist/bench/${name}.mjs`);
  await build({
    entryPoints: [join(packageRoot(), `bench/${name}.ts`)],
    ...{ outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external' },
  });
  return outfile;
}

async function startNothing(folder: string): Promise<Servers> {
  const program = await bundled('pool-node');
  const place = join(folder, 'nothing');
  mkdirSync(place);
  return startOurs(place, [process.execPath, program, place]);
}

/** A folder with a `docker` that answers at once as the real one does. */
function doNothing(folder: string): string {
  const place = join(folder, 'no-op');
  mkdirSync(place);
  const program = join(place, 'docker');
  writeFileSync(program, '#!/bin/sh\n[ "$1" = exec ] && echo there || echo 0123456789ab\n');
  chmodSync(program, 0o755);
  return place;
}

function packed(folder: string): string {
  const archive = join(folder, 'root.tar');
  execFileSync('tar', ['-C', join(folder, 'root'), '--owner=0', '--group=0', '-cf', archive, '.']);
  return archive;
}
