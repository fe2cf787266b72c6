/** "Did you mean": finds the known name that a mistyped one is closest to, or nothing when none is close. */

/**
 * The candidate nearest to `name`, or null. Near means: equal but for case and punctuation, or at most a third
 * of the letters wrong (two neighbours swapped count as one mistake).
 */
export function closest(name: string, candidates: Iterable<string>): string | null {
  const wanted = plain(name);
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, plain(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function plain(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[-_ .]/g, '');
}

/** Optimal string alignment distance; `limit` or more is reported as `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return Math.min(previous[b.length]!, limit);
}
