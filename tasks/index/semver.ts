/** Versions as semver.org orders them, with or without a `v`; of what is behind a `+` the order knows nothing. */

export interface Version {
  /** Major, minor and patch. */
  numbers: readonly [number, number, number];
  /** Identifiers behind the dash; none for a release. */
  pre: readonly string[];
}

/** null: the text is no version. */
export function versionOf(text: string): Version | null {
  const match = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(
    text,
  );
  if (match === null) return null;
  const [, major, minor, patch, pre] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    pre: pre === undefined ? [] : pre.split('.'),
  };
}

/** Below 0: `a` comes before `b`. */
export function compareVersions(a: Version, b: Version): number {
  for (const [at, number] of a.numbers.entries()) {
    if (number !== b.numbers[at]) return number - b.numbers[at]!;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (const [at, one] of a.pre.entries()) {
    const other = b.pre[at];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(one, other);
    if (difference !== 0) return difference;
  }
  return a.pre.length - b.pre.length;
}

/** The highest of those that are versions and fit; null: none does. */
export function highest(texts: readonly string[], fits: (version: Version) => boolean): string | null {
  let best: { text: string; version: Version } | null = null;
  for (const text of texts) {
    const version = versionOf(text);
    if (version === null || !fits(version)) continue;
    if (best === null || compareVersions(best.version, version) < 0) best = { text, version };
  }
  return best?.text ?? null;
}

export function isRelease({ pre }: Version): boolean {
  return pre.length === 0;
}

function compareIdentifiers(a: string, b: string): number {
  const [numeric, other] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numeric !== other) return numeric ? -1 : 1;
  if (numeric) return Number(a) - Number(b);
  return a === b ? 0 : a < b ? -1 : 1;
}
