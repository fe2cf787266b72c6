/** What a process costs: wall time, processor time and memory, as the kernel counts them for that process alone. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cost {
  wallMs: number;
  /** User and system. On a machine that others use too, this is the steadier figure. */
  cpuMs: number;
  peakMb: number;
  stdout: string;
}

/** posix_spawn and wait4, which Node does not offer: counters of one child, in microseconds. */
const METER = `
import os, sys, time, json
start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ,
    file_actions=[(os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)])
_, status, used = os.wait4(pid, 0)
print(json.dumps({'wallMs': (time.perf_counter() - start) * 1e3, 'cpuMs': (used.ru_utime + used.ru_stime) * 1e3,
    'peakMb': used.ru_maxrss / 1024, 'status': os.waitstatus_to_exitcode(status)}))
`;

/** Runs a command to its end; it must exit with 0. */
export function costOf(command: string, args: readonly string[], cwd: string): Cost {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-cost-'));
  const output = join(folder, 'stdout');
  try {
    closeSync(openSync(output, 'w'));
    const ran = spawnSync('python3', ['-c', METER, output, command, ...args], {
      cwd,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const measured = JSON.parse(ran.stdout || '{}') as Omit<Cost, 'stdout'> & { status?: number };
    if (measured.status !== 0)
      throw new Error(`${command} ended with ${measured.status}: ${ran.stderr.slice(-500)}`);
    const { wallMs, cpuMs, peakMb } = measured;
    return { wallMs, cpuMs, peakMb, stdout: readFileSync(output, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
