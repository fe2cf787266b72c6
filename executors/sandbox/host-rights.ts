/** What can change whether namespaces may be made here, by files. Starts nothing. */
import { readFileSync, statSync } from 'node:fs';
import { release } from 'node:os';

export function hostRights(): Record<string, string | number> {
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
