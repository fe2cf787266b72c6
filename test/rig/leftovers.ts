/** What killed builds leave on the machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Mounts below the folder, and processes whose words or environment name it. */
export function leftovers(folder: string): string[] {
  const mounts = existsSync('/proc/self/mountinfo')
    ? readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .filter((line) => line.includes(folder))
    : [];
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .flatMap((pid) => {
      try {
        const text =
          readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
        return text.includes(folder) ? [`process ${pid} ${text.slice(0, 100)}`] : [];
      } catch {
        return [];
      }
    });
  return [...mounts, ...processes];
}
