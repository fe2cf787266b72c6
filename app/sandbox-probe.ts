/**
 * Whether sandboxes really work here: one is opened and a command run in it. That they do is remembered for as long as
 * the machine is up and the process has the same rights, so a run with nothing to do starts nothing. That they do not
 * is never remembered for a build: memory that was short, or a setting, may be mended a second later.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoName } from '../cache/cache.ts';
import type { Database } from '../cache/database.ts';

/** For builds: tries it by `attempt`, which tells what did not go well, unless it is known to work. */
export async function sandboxWorks(database: Database, attempt = trySandbox): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const name = memoName('sandbox works', hostRights());
  if (database.memos.get(name) === true) return true;
  const works = (await attempt()) === null;
  // A no is for those who only read: they are told what the last build went by.
  await database.memos.put(name, works);
  return works;
}

/** For commands that only read: what the last build found, or else what files tell. Starts nothing. */
export async function sandboxExpected(database: Database): Promise<boolean> {
  const known = database.memos.get(memoName('sandbox works', hostRights()));
  if (typeof known === 'boolean') return known;
  const { createSandbox } = await import('../executors/sandbox/sandbox.ts');
  const made = await createSandbox({ name: 'expected', stateFolder: tmpdir(), runId: 'expected' });
  return made.ok;
}

/** What can change whether namespaces may be made, as far as files tell. */
function hostRights(): Record<string, string | number> {
  const status = read('/proc/self/status');
  const field = (label: string) => new RegExp(`^${label}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    boot: read('/proc/sys/kernel/random/boot_id').trim(),
    kernel: release(),
    user: process.getuid?.() ?? -1,
    namespace: statSync('/proc/self/ns/user', { throwIfNoEntry: false })?.ino ?? 0,
    capabilities: field('CapEff'),
    seccomp: field('Seccomp'),
    limit: read('/proc/sys/user/max_user_namespaces').trim(),
    apparmor: read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim(),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Opens a sandbox and runs a command in it; null when that went well, else what did not. */
export async function trySandbox(): Promise<string | null> {
  const { createSandbox } = await import('../executors/sandbox/sandbox.ts');
  const stateFolder = mkdtempSync(join(tmpdir(), 'swemake-probe-'));
  try {
    const made = await createSandbox({ name: 'probe', stateFolder, runId: 'probe' });
    if (!made.ok) return made.fault.reason;
    try {
      const view = { layers: [], mounts: [], links: {}, variables: {} };
      const opened = await made.value.open(view, null, { limits: {}, network: 'off', storage: 'memory' });
      if (!opened.ok) return opened.fault.detail;
      const ran = await opened.value.exec('true', { cwd: '/', timeout: 10 });
      await opened.value.close();
      if (!ran.ok) return ran.fault.detail;
      return ran.value.exitCode === 0 ? null : `a command in it ended with ${ran.value.exitCode}`;
    } finally {
      await made.value.close();
    }
  } finally {
    rmSync(stateFolder, { recursive: true, force: true });
  }
}
