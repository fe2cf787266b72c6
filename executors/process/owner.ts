/**
 * Ends a process group when this process ends, also by SIGKILL: a shell waits at a pipe that only this process holds. Processes
 * that left the group, and are in no control group, are ended by the next sweep.
 */
import { spawn } from 'node:child_process';

/** Seconds between SIGTERM and SIGKILL. */
const GRACE = 10;
const SCRIPT = [
  'read _',
  'kill -s TERM -- "-$1" 2>/dev/null',
  `for _ in $(seq ${GRACE * 10}); do kill -s 0 -- "-$1" 2>/dev/null || break; sleep 0.1; done`,
  'kill -s KILL -- "-$1" 2>/dev/null',
  '[ -z "$2" ] || echo 1 > "$2/cgroup.kill"',
].join('\n');

/** @param folder Its control group; null: it has none. Returns a function that forgets the group, once it has ended. */
export function endWithThisProcess(group: number, folder: string | null): () => void {
  const watcher = spawn('sh', ['-c', SCRIPT, 'sh', `${group}`, folder ?? ''], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal for the group of this process is none for it.
    detached: true,
  });
  // Without it the next sweep ends what is left.
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  return () => watcher.kill('SIGKILL');
}
