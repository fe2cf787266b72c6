/**
 * How many processes the control groups that this process is in still allow. They are above those of all workspaces, so
 * what they refuse is a lack of the machine and not of the workspace's own limit.
 */
import { dirname, join } from 'node:path';
import { readableText } from '../../basics/readable.ts';
import { findControlGroups } from './limits.ts';

/** Highest group first looked at last; more levels are not to be expected. */
const LEVELS = 16;

/** Follows the groups; `pids`: the folder in which groups of workspaces are made. */
export class SpareProcesses {
  readonly #folders: string[] = [];
  #refused: number;

  constructor(pids: string | undefined = findControlGroups().pids?.path) {
    for (let at = pids; at !== undefined && this.#folders.length < LEVELS; at = dirname(at)) {
      if (Number.isNaN(numberIn(at, 'pids.current'))) break;
      this.#folders.push(at);
    }
    this.#refused = this.#refusals();
  }

  /** The least that a group allows; 0 when one refused a process since the last call; null: none of them counts. */
  left(): number | null {
    const [before, now] = [this.#refused, this.#refusals()];
    this.#refused = now;
    if (now > before) return 0;
    const spare = this.#folders.map((at) => numberIn(at, 'pids.max') - numberIn(at, 'pids.current'));
    const known = spare.filter((count) => !Number.isNaN(count));
    return known.length === 0 ? null : Math.max(0, Math.min(...known));
  }

  /** How often the groups themselves refused, and not the groups below them. */
  #refusals(): number {
    const counts = this.#folders.map((at) => {
      const text = readableText(join(at, 'pids.events.local'));
      return Number(/^max (\d+)$/m.exec(text)?.[1] ?? 0);
    });
    return counts.reduce((sum, count) => sum + count, 0);
  }
}

/** NaN without such a number, as for a group without a limit. */
function numberIn(folder: string, name: string): number {
  const text = readableText(join(folder, name)).trim();
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
