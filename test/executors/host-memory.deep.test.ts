/**
 * A host without memory, as a control group around the whole deployment: what the kernel ends there is a fault, whatever
 * the command made of it. What the workspace's own limit ends, and what ends itself, stays the task's.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findControlGroups } from '../../executors/sandbox/limits.ts';
import { buildWorker } from '../faults/program.ts';

const POOR = 400 << 20;
const around = process.getuid?.() === 0 ? findControlGroups().memory : undefined;
if (around === undefined) process.stdout.write('skipped: needs a memory control group of its own\n');
const top = around === undefined ? '' : join(around.path, `swemake-poor-${process.pid}`);
/** Version 2 lets no group have both processes and groups. */
const place = around?.version === 2 ? join(top, 'main') : top;
const program = around === undefined ? '' : buildWorker('test/executors/host-memory-program.ts');

beforeAll(() => {
  if (around === undefined) return;
  mkdirSync(top);
  if (around.version === 2) {
    writeFileSync(join(top, 'cgroup.subtree_control'), '+memory +pids');
    mkdirSync(place);
    writeFileSync(join(top, 'memory.max'), `${POOR}`);
    if (existsSync(join(top, 'memory.swap.max'))) writeFileSync(join(top, 'memory.swap.max'), '0');
  } else {
    writeFileSync(join(top, 'memory.limit_in_bytes'), `${POOR}`);
    const swap = join(top, 'memory.memsw.limit_in_bytes');
    if (existsSync(swap)) writeFileSync(swap, `${POOR}`);
  }
});
afterAll(() => {
  rmSync(program, { force: true });
  for (const folder of around === undefined ? [] : new Set([place, top])) rmdirSync(folder);
});

function resultsOf(kind: string): Record<string, string> {
  const enter = `echo $$ > ${join(place, 'cgroup.procs')}; exec "$0" "$1" "$2"`;
  const args = ['-c', enter, process.execPath, program, kind];
  return JSON.parse(execFileSync('/bin/sh', args, { encoding: 'utf8', timeout: 100_000 }));
}

const FAULT = 'infra killed';
const canTell = /^oom_kill /m.test(readFileSync('/proc/vmstat', 'utf8'));

describe.skipIf(around === undefined)('a host without memory', () => {
  test('is the fault of a sandbox with control groups, also of a child or in the background', {
    timeout: 170_000,
  }, () => {
    const { command, child, hidden, background, ended, own, itself } = resultsOf('root');
    expect({ command, child, hidden, background }).toEqual({
      command: FAULT,
      child: FAULT,
      hidden: FAULT,
      background: FAULT,
    });
    expect(own).toContain('SIGKILL swemake: over the memory limit');
    expect({ ended, itself }).toEqual({ ended: 'SIGKILL ', itself: 'SIGKILL ' });
  });

  test.skipIf(!canTell)('is the fault of a sandbox without rights', () => {
    const { command, child, ended, own, itself } = resultsOf('user');
    expect({ command, child }).toEqual({ command: FAULT, child: FAULT });
    expect(own).toMatch(/^1 .*MemoryError|over the memory limit/s);
    expect({ ended, itself }).toEqual({ ended: 'SIGKILL ', itself: 'SIGKILL ' });
  });

  test.skipIf(!canTell)('is the fault of a local workspace', () => {
    const { command, child, ended, own, itself } = resultsOf('local');
    expect({ command, child }).toEqual({ command: FAULT, child: FAULT });
    expect(own).toMatch(/MemoryError/);
    expect({ ended, itself }).toEqual({ ended: 'SIGKILL ', itself: 'SIGKILL ' });
  });
});
