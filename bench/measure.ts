/** What benchmarks share: rounds of ours and the peer's in turn, so that both see the same machine, and medians. */

export interface BenchResult {
  name: string;
  /** Median milliseconds. */
  ours: number;
  peer: number;
  ratio: number;
  promise: number;
  holds: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Runs both `rounds` times, one after the other in each round. */
export function interleaved<T>(rounds: number, ours: () => T, peer: () => T): [T[], T[]] {
  const mine: T[] = [];
  const theirs: T[] = [];
  for (let round = 0; round < rounds; round += 1) {
    mine.push(ours());
    theirs.push(peer());
  }
  return [mine, theirs];
}
