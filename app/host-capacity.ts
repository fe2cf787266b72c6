/** How much of each resource this host has, unless the project says otherwise. */
import { availableParallelism } from 'node:os';
import type { Resources } from '../contract/stage.ts';

/** Workspaces open at once; far more than processors, since most wait. */
const SANDBOXES = 128;

/** Rollouts under way at once; most of their time they wait for the model. */
const ROLLOUTS = 64;

export function hostCapacity(configured: Readonly<object>): Resources {
  const given = Object.entries(configured).filter(
    (entry): entry is [string, number] => entry[1] !== undefined,
  );
  return { cpu: availableParallelism(), sandbox: SANDBOXES, rollout: ROLLOUTS, ...Object.fromEntries(given) };
}
