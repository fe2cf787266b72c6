/**
 * 128 workspaces open at once: proportional memory of this process and of all that the sandbox started, each running
 * a command. No peer: the promise is a number of megabytes.
 */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '../executors/sandbox/sandbox.ts';
import type { BenchResult } from './measure.ts';
import { proportionalMb, pssMb } from './memory.ts';
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
    const ours = proportionalMb(process.pid);
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
