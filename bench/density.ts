/**
 * 128 workspaces open at once: proportional memory of this process and of all that the sandbox started, each running
 * a command. No peer: the promise is a number of megabytes.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../executors/sandbox/sandbox.ts';
import type { BenchResult } from './measure.ts';
import { openWorkspace } from './sandbox-bench.ts';

const WORKSPACES = 128;
const PROMISE_MB = 400;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  const made = await createSandbox({ name: 'bench', stateFolder: join(folder, 'state'), runId: 'bench' });
  if (!made.ok) throw new Error(`${made.fault.reason}; ${made.fault.remedy}`);
  try {
    const start = performance.now();
    const workspaces = await Promise.all(Array.from({ length: WORKSPACES }, () => openWorkspace(made.value)));
    const opened = performance.now() - start;
    const ran = await Promise.all(workspaces.map((workspace) => workspace.exec('true', { timeout: 60 })));
    if (!ran.every((result) => result.ok && result.value.exitCode === 0)) throw new Error('a command failed');
    const ours = proportionalMb();
    const own = pssMb(process.pid);
    print(
      `${WORKSPACES} opened in ${opened.toFixed(0)} ms; ${ours.toFixed(0)} MB, ${own.toFixed(0)} of it Node's`,
    );
    await Promise.all(workspaces.map((workspace) => workspace.close()));
    const ratio = ours / PROMISE_MB;
    return { name: 'density', ours, peer: PROMISE_MB, ratio, promise: 1, holds: ratio < 1 };
  } finally {
    await made.value.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of this process and everything below it. */
function proportionalMb(): number {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readText(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const sum = (pid: number): number =>
    pssMb(pid) + (children.get(pid) ?? []).reduce((total, child) => total + sum(child), 0);
  return sum(process.pid);
}

function pssMb(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

/** Empty for a process that has ended. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
