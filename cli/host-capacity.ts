/** How much of each resource this host has, unless the project says otherwise. */
import { availableParallelism } from 'node:os';
import type { Resources } from '../stages/stage.ts';

/** Workspaces open at once; far more than processors, since most wait. */
const SANDBOXES = 128;

export function hostCapacity(configured: Readonly<object>): Resources {
  const given = Object.entries(configured).filter(
    (entry): entry is [string, number] => entry[1] !== undefined,
  );
  return { cpu: availableParallelism(), sandbox: SANDBOXES, ...Object.fromEntries(given) };
}
