/**
 * Items that run on other machines. The engine finds their keys, waits for what they need and stores their answers,
 * as for all items; only running them is done elsewhere. An answer counts once it is in the cache of this machine.
 */
import type { Action, ActionEnd } from './action.ts';
import type { NodeState } from './node-state.ts';

export interface Dispatch {
  /** Whether items that use this deployment run elsewhere. */
  takes(deployment: string): boolean;
  /** Items under way at once. */
  readonly capacity: number;
  /** Runs the item and brings its answer. Never throws. */
  run(action: Action, request: DispatchRequest): Promise<ActionEnd>;
}

export interface DispatchRequest {
  force: boolean;
  /** The deployment that the item uses. */
  deployment: string;
  /** The nodes that its own reads from, by role. */
  inputs: Readonly<Record<string, NodeState>>;
  /** Shown to people who watch. */
  progress(text: string): void;
  waits(text: string): void;
}

/** Name of the resource that items elsewhere take, in place of those of this machine. */
export const DISPATCHED = 'away';
