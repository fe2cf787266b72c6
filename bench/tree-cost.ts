/** What a command costs with everything that it starts, however deep, and also what outlives its parents. */
import { spawn } from 'node:child_process';

export interface TreeCost {
  wallMs: number;
  /** User and system, of all processes. */
  cpuMs: number;
  stdout: string;
}

/** Becomes the parent of what loses its own, waits for all of it, and reads the kernel's sum. */
const METER = `
import ctypes, json, os, resource, signal, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
signal.alarm(int(sys.argv[1]))
start = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
status = None
while True:
    try:
        done, ended = os.wait()
    except ChildProcessError:
        break
    if done == pid:
        status = os.waitstatus_to_exitcode(ended)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({'wallMs': (time.perf_counter() - start) * 1e3, 'status': status,
    'cpuMs': (used.ru_utime + used.ru_stime) * 1e3}), file=sys.stderr)
`;
const MAX_SECONDS = 900;

/** Runs a command to its end; it must exit with 0. */
export async function treeCostOf(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<TreeCost> {
  const child = spawn('python3', ['-c', METER, `${MAX_SECONDS}`, command, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const measured = last.startsWith('{') ? JSON.parse(last) : {};
  if (measured.status !== 0)
    throw new Error(
      `${command} ended with ${measured.status}:\n${stdout.slice(-800)}\n${stderr.slice(-800)}`,
    );
  return { wallMs: measured.wallMs, cpuMs: measured.cpuMs, stdout };
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}
