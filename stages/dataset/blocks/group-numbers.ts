/**
 * Groups of rows by number. Five hundred blocks name a hundred groups each, so the names of a block are looked up once,
 * while the file is still being read, and a dataset is put together from numbers.
 */
import { type GroupCounts, groupNames } from './row-block.ts';

export class GroupNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<GroupCounts, readonly number[]>();

  /** The numbers of a block's groups, in its order. */
  of(groups: GroupCounts): readonly number[] {
    const known = this.#known.get(groups) ?? groupNames(groups).map((name) => this.ofName(name));
    this.#known.set(groups, known);
    return known;
  }

  ofName(name: string): number {
    const known = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }
}
