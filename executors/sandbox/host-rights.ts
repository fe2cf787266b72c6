/** What can change whether namespaces may be made here, by files. Starts nothing. */
import { statSync } from 'node:fs';
import { release } from 'node:os';
import { readableText } from '../../basics/readable.ts';

export function hostRights(): Record<string, string | number> {
  const status = readableText('/proc/self/status');
  const field = (label: string) => new RegExp(`^${label}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    boot: readableText('/proc/sys/kernel/random/boot_id').trim(),
    kernel: release(),
    user: process.getuid?.() ?? -1,
    namespace: statSync('/proc/self/ns/user', { throwIfNoEntry: false })?.ino ?? 0,
    capabilities: field('CapEff'),
    seccomp: field('Seccomp'),
    limit: readableText('/proc/sys/user/max_user_namespaces').trim(),
    apparmor: readableText('/proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim(),
  };
}
