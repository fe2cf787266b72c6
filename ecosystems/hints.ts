/** What logs of a language's tools say of a recipe. Pure. */

/** Which keys of a recipe would likely help, and why, as `toolchain (go 1.22)`. `$1` stands for the pattern's first group that matched. */
export type Hint = readonly [pattern: RegExp, hint: string | ((groups: readonly string[]) => string)];

/** The first of the hints whose pattern matches; null: none does. */
export function firstHint(hints: readonly Hint[], log: string): string | null {
  for (const [pattern, hint] of hints) {
    const found = pattern.exec(log);
    if (found === null) continue;
    const groups = found.slice(1).filter((group) => group !== undefined);
    return typeof hint === 'string' ? hint.replaceAll('$1', () => groups[0] ?? '') : hint(groups);
  }
  return null;
}

/** A program, a header or a library of Debian. */
export const SYSTEM = 'system (the Debian package with $1)';
