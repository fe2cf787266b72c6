/**
 * The order that `datasets.Dataset.shuffle(seed)` gives: numpy's PCG64 and its permutation, so that a range of rows is
 * the range that the seed's scripts select after their shuffle with 42.
 */

const M32 = 0xffff_ffffn;
const M64 = (1n << 64n) - 1n;
const M128 = (1n << 128n) - 1n;
const MULTIPLIER = (2549297995355413924n << 64n) | 4865540595714422341n;

/** Numbers 0 … size - 1, shuffled as `numpy.random.default_rng(seed).permutation(size)`. */
export function permutation(size: number, seed: number): number[] {
  const next = uint32s(pcg64(seed));
  const order = Array.from({ length: size }, (_, index) => index);
  for (let last = size - 1; last > 0; last -= 1) {
    const chosen = atMost(last, next);
    [order[last], order[chosen]] = [order[chosen]!, order[last]!];
  }
  return order;
}

/** Numbers with as few bits as `max` are drawn until one is no larger. */
function atMost(max: number, next: () => bigint): number {
  let mask = max;
  for (const shift of [1, 2, 4, 8, 16]) mask |= mask >>> shift;
  for (;;) {
    const value = Number(next() & BigInt(mask >>> 0));
    if (value <= max) return value;
  }
}

/** Halves of 64 bits, the lower one first. */
function uint32s(next64: () => bigint): () => bigint {
  let held: bigint | null = null;
  return () => {
    if (held !== null) {
      const value = held;
      held = null;
      return value;
    }
    const value = next64();
    held = value >> 32n;
    return value & M32;
  };
}

function pcg64(seed: number): () => bigint {
  const [a, b, c, d] = seedWords(seed) as [bigint, bigint, bigint, bigint];
  const increment = ((((c << 64n) | d) << 1n) | 1n) & M128;
  let state = 0n;
  const step = () => {
    state = (state * MULTIPLIER + increment) & M128;
  };
  step();
  state = (state + ((a << 64n) | b)) & M128;
  step();
  return () => {
    step();
    const folded = ((state >> 64n) ^ state) & M64;
    const turn = state >> 122n;
    return ((folded >> turn) | (folded << ((64n - turn) & 63n))) & M64;
  };
}

/** numpy's SeedSequence: four words of 64 bits. */
function seedWords(seed: number): bigint[] {
  const entropy: number[] = [];
  for (let rest = BigInt(seed); entropy.length === 0 || rest > 0n; rest >>= 32n)
    entropy.push(Number(rest & M32));
  const hashed = hasher(0x43b0d7e5, 0x931e8875);
  const pool = Array.from({ length: 4 }, (_, index) => hashed(entropy[index] ?? 0));
  for (let from = 0; from < 4; from += 1)
    for (let to = 0; to < 4; to += 1) if (from !== to) pool[to] = mixed(pool[to]!, hashed(pool[from]!));
  const drawn = hasher(0x8b51f9dd, 0x58f38ded);
  const halves = Array.from({ length: 8 }, (_, index) => drawn(pool[index % 4]!));
  return [0, 2, 4, 6].map((at) => BigInt(halves[at]!) | (BigInt(halves[at + 1]!) << 32n));
}

function hasher(start: number, factor: number): (value: number) => number {
  let constant = start;
  return (value) => {
    const xored = (value ^ constant) >>> 0;
    constant = Math.imul(constant, factor) >>> 0;
    return folded(Math.imul(xored, constant) >>> 0);
  };
}

function mixed(x: number, y: number): number {
  return folded((Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0);
}

function folded(value: number): number {
  return (value ^ (value >>> 16)) >>> 0;
}
