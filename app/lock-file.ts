/** The lock file beside a project, and what stages obey of it. */
import { readFileSync } from 'node:fs';
import { machineFault } from '../basics/machine-fault.ts';
import type { Lock, LockedAgent } from '../compiler/lock.ts';
import { lockPath, parseLock } from '../compiler/lock.ts';
import type { AgentPins, Pins } from '../contract/pins.ts';
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
    packages: frozen ? made(lock.environments, ({ packages }) => packages) : null,
    ...(frozen && lock.agents !== undefined && { agents: made(lock.agents, agentPins) }),
    images: lock.images ?? {},
    models: lock.models ?? {},
  };
}

/** `pinsOf` each of those that were made, by their address. */
function made<Locked extends { outcome: string }, P>(
  locked: Readonly<Record<string, Locked>>,
  pinsOf: (one: Locked) => P,
): Record<string, P> {
  const whole = Object.entries(locked).filter(([, { outcome }]) => outcome === 'ok');
  return Object.fromEntries(whole.map(([address, one]) => [address, pinsOf(one)]));
}

function agentPins({ packages, npm_lock }: LockedAgent): AgentPins {
  return { packages, ...(npm_lock !== undefined && { npm_lock }) };
}
