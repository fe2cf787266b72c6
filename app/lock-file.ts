/** The lock file beside a project, and what stages obey of it. */
import { readFileSync } from 'node:fs';
import { machineFault } from '../basics/machine-fault.ts';
import type { Lock } from '../compiler/lock.ts';
import { lockPath, parseLock } from '../compiler/lock.ts';
import type { Pins } from '../contract/pins.ts';
import { packageLines } from '../tasks/pins.ts';

/** The project's lock; null when there is none, a text when it cannot be used. */
export function readLock(projectFile: string): Lock | string | null {
  try {
    const lock = parseLock(readFileSync(lockPath(projectFile), 'utf8'));
    return typeof lock === 'string' ? lock : withPlainLists(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    return machineFault(error) ?? (error as Error).message;
  }
}

/** Locks of before have uv's note among the packages. */
function withPlainLists(lock: Lock): Lock {
  const environments = Object.entries(lock.environments).map(([name, { packages, ...rest }]) => {
    return [name, { ...rest, packages: packageLines(packages.join('\n')) }];
  });
  return { ...lock, environments: Object.fromEntries(environments) };
}

/** What stages obey of a lock; packages only under --frozen. */
export function pinsOf(lock: Lock, frozen: boolean): Pins {
  return {
    datasets: lock.datasets,
    packages: frozen ? packagesOf(lock.environments) : null,
    ...(frozen && lock.agents !== undefined && { agents: packagesOf(lock.agents) }),
    images: lock.images ?? {},
    models: lock.models ?? {},
  };
}

/** What those hold that were made, by their address. */
function packagesOf(
  locked: Readonly<Record<string, { outcome: string; packages: string[] }>>,
): Record<string, string[]> {
  const made = Object.entries(locked).filter(([, { outcome }]) => outcome === 'ok');
  return Object.fromEntries(made.map(([address, { packages }]) => [address, packages]));
}
