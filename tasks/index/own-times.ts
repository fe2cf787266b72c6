/**
 * Whether the times of a registry are those of publication. Some mirrors tell when they copied a version, so a date would hide all that was
 * copied later. Such a mirror is known by a version that everybody knows to be older.
 */
import type { Result } from '../../basics/result.ts';
import { success } from '../../basics/result.ts';
import type { Refusal } from './answer.ts';
import { dayOf } from './as-of.ts';

/** A version that came before a day. */
export interface OldVersion {
  name: string;
  version: string;
  before: string;
}

export class OwnTimes {
  readonly #known = new Map<string, string | null>();

  /**
   * What a build should be told of the times of `registry`; null: nothing speaks against them. `timeOf` gives the time that the registry tells
   * of a version; null where it has none.
   */
  async of(
    registry: string,
    olds: readonly OldVersion[],
    timeOf: (old: OldVersion) => Promise<Result<number | null, Refusal>>,
  ): Promise<Result<string | null, Refusal>> {
    const known = this.#known.get(registry);
    if (known !== undefined) return success(known);
    let found: string | null = null;
    for (const old of olds) {
      const time = await timeOf(old);
      if (!time.ok) {
        if (time.fault.isFault) return time;
        continue;
      }
      if (time.value === null || time.value < Date.parse(`${old.before}T00:00:00Z`)) continue;
      found = `the registry’s times are its own (it says that ${old.name} ${old.version} is of ${dayOf(time.value)}), so no date is applied`;
      break;
    }
    this.#known.set(registry, found);
    return success(found);
  }
}
