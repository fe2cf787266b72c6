/**
 * The machine that a run is on: its cache, its folders, its variables. Stages hand it on to the rooms that work on it
 * (sources, pythons, models) and cannot look inside, so that nothing of it decides a result unseen.
 */
import type { Services } from './stage.ts';

declare const OPAQUE: unique symbol;

export interface Machine {
  readonly [OPAQUE]?: true;
}

const INSIDE = new WeakMap<Machine, Services>();

/** What stages get to hold. */
export function machineOf(services: Services): Machine {
  const machine: Machine = Object.freeze({});
  INSIDE.set(machine, services);
  return machine;
}

/** For rooms: what is inside. */
export function inside(machine: Machine): Services {
  return INSIDE.get(machine) ?? (machine as Services);
}
