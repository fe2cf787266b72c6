/** What rows of a dataset were not found by, each question once, with how many rows rest on it. */
import { canonicalJson } from '../../basics/canonical.ts';
import type { Absence } from '../../schemas/absence.ts';
import type { SourceFault } from './fault.ts';

export class AbsenceTally {
  readonly #found = new Map<string, Absence>();

  /** Takes what made a row a bad row. */
  add(fault: SourceFault): void {
    if (fault.status !== 'failed') return;
    for (const absence of fault.absent ?? []) {
      const name = canonicalJson(absence.sought);
      const known = this.#found.get(name);
      this.#found.set(name, { ...(known ?? absence), rows: (known?.rows ?? 0) + 1 });
    }
  }

  list(): Absence[] {
    return [...this.#found.values()];
  }
}
