/**
 * Who killed a process for lack of memory, by the kernel's counters before and after: the workspace's own limit,
 * which is the task's answer, or the host, which is a fault. A group above the workspace's counts as the host.
 */

/** How often the workspace met its limit, and how many of its processes the kernel's memory killer ended. */
export type MemoryCount = readonly [
  /** null: no group counts for this workspace, and the kills are those of the whole host. */
  met: number | null,
  /** null: it is not known. */
  killed: number | null,
];

/** A count as the supervisor writes it; null: it wrote none. */
export function memoryCount(written: unknown): MemoryCount | null {
  if (!Array.isArray(written)) return null;
  const [met, killed] = written.map((count) => (typeof count === 'number' ? count : null));
  return [met ?? null, killed ?? null];
}

/** Where nothing was counted. */
export const NOT_COUNTED: MemoryCount = [null, null];

/** `unknown`: the killer struck a process of this host, and it is not known which. */
export type MemoryKiller = 'own' | 'host' | 'unknown';

/** null: no process was killed in between. */
export function memoryKiller(before: MemoryCount, after: MemoryCount): MemoryKiller | null {
  if (before[1] === null || after[1] === null || after[1] <= before[1]) return null;
  if (before[0] === null || after[0] === null) return 'unknown';
  return after[0] > before[0] ? 'own' : 'host';
}

/** Follows the counts of one workspace from its first command to its end. */
export class MemoryWatch {
  #hostKilled = false;

  constructor(private last: MemoryCount) {}

  /** Takes note of a count; those of commands that ran at the same time come in any order. */
  note(count: MemoryCount): void {
    if (memoryKiller(this.last, count) === 'host') this.#hostKilled = true;
    if ((count[1] ?? 0) >= (this.last[1] ?? 0) && (count[0] ?? 0) >= (this.last[0] ?? 0)) this.last = count;
  }

  /** The host ended something inside, if only in the background: nothing that is seen from then on is the task's. */
  get hostKilled(): boolean {
    return this.#hostKilled;
  }

  /** The killer that struck since the last count. */
  since(count: MemoryCount): MemoryKiller | null {
    return memoryKiller(this.last, count);
  }
}
