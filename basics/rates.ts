/**
 * Rates, their intervals, and differences of two rates. The terminal, the reports, the page and `metrics.json` all take
 * them from here, so the same thing has the same numbers everywhere.
 *
 * Samples of one instance resemble each other: sixteen samples of ten instances say less than a hundred and sixty
 * samples of as many instances. So every interval is by instance. It is Wilson's score interval, which stays within 0
 * and 1, at an effective number of samples (Korn and Graubard's for surveys):
 *
 *   deff       variance of the rate between instances (of a ratio, linearised) / p(1-p)/(n-1), and at least 1
 *   effective  n/deff · (t(n-1) / t(m-1))², of n samples and m instances, with quantiles of Student's t: a variance that
 *              few instances show is uncertain
 *
 * It is at most n, and at least n²/Σnᵢ²: that many samples remain where all samples of each instance agree. With one
 * sample of each instance both are n, and the interval is Wilson's own.
 */

/** What one instance contributes: the sum of its values, each within 0 and 1, and how many they are. */
export interface Cluster {
  sum: number;
  count: number;
  /** The part of `sum` that has doubts; absent: none. */
  doubted?: number;
}

/** Samples that count as resolved although a check found something doubtful in their patches. */
export interface Doubts {
  resolved: number;
  /** The rate if they count as not resolved. */
  rate: number;
}

export interface Rate {
  /** Sum of the values: how many samples are resolved, where each is 0 or 1. */
  resolved: number;
  /** Samples with a value. */
  total: number;
  /** Instances with a sample that has a value. */
  instances: number;
  /** null of nothing. */
  rate: number | null;
  /** Bounds of the 95 % interval by instance; null of nothing. */
  low: number | null;
  high: number | null;
  /** The number of independent samples with the same uncertainty; null of nothing. */
  effective: number | null;
  /** Absent: none of the resolved samples has doubts. */
  doubts?: Doubts;
}

/** The standard normal's 0.975 quantile. */
const Z = 1.959963984540054;

/** The rate of the samples that `clusters` sum up, one cluster an instance. */
export function rateOf(clusters: readonly Cluster[]): Rate {
  const known = clusters.filter(({ count }) => count > 0);
  const total = sumOf(known.map(({ count }) => count));
  const resolved = sumOf(known.map(({ sum }) => sum));
  const instances = known.length;
  if (instances === 0)
    return { resolved, total, instances, rate: null, low: null, high: null, effective: null };
  const rate = resolved / total;
  const effective = effectiveNumber(known, rate, total);
  const scale = 1 + Z ** 2 / effective;
  const centre = (rate + Z ** 2 / (2 * effective)) / scale;
  const reach = (Z / scale) * Math.sqrt((rate * (1 - rate)) / effective + Z ** 2 / (4 * effective ** 2));
  const low = resolved === 0 ? 0 : Math.max(0, centre - reach);
  const high = resolved === total ? 1 : Math.min(1, centre + reach);
  return { resolved, total, instances, rate, low, high, effective, ...doubtsAmong(known, resolved, total) };
}

function doubtsAmong(clusters: readonly Cluster[], resolved: number, total: number): { doubts?: Doubts } {
  const doubted = sumOf(clusters.map(({ doubted: own = 0 }) => own));
  return doubted === 0 ? {} : { doubts: { resolved: doubted, rate: (resolved - doubted) / total } };
}

function effectiveNumber(clusters: readonly Cluster[], rate: number, n: number): number {
  const m = clusters.length;
  const least = n ** 2 / sumOf(clusters.map(({ count }) => count ** 2));
  const independent = (rate * (1 - rate)) / (n - 1);
  if (m === 1 || m === n || !(independent > 0)) return least;
  const squares = sumOf(clusters.map(({ sum, count }) => (sum - rate * count) ** 2));
  const between = ((m / (m - 1)) * squares) / n ** 2;
  const deff = Math.max(1, between / independent);
  const certainty = (studentQuantile(Math.round(n) - 1) / studentQuantile(m - 1)) ** 2;
  return Math.min(n, Math.max(least, (n / deff) * certainty));
}

/** Sums of values by instance, in the order in which the instances are first met. */
export function clustersOf<T>(
  values: Iterable<T>,
  instanceOf: (one: T) => string,
  valueIn: (one: T) => number,
  isDoubted: (one: T) => boolean,
): Map<string, Cluster> {
  const found = new Map<string, Cluster>();
  for (const one of values) {
    const name = instanceOf(one);
    const cluster = found.get(name) ?? { sum: 0, count: 0 };
    found.set(name, cluster);
    addTo(cluster, valueIn(one), isDoubted(one));
  }
  return found;
}

/** One more sample of an instance. Doubts about a sample that is not resolved change nothing. */
export function addTo(cluster: Cluster, value: number, isDoubted: boolean): void {
  cluster.sum += value;
  cluster.count += 1;
  if (isDoubted && value > 0) cluster.doubted = (cluster.doubted ?? 0) + value;
}

export interface Difference {
  /** Mean over the instances of both sets; null of nothing. */
  value: number | null;
  /** Bounds of the 95 % interval by instance; null where the instances do not differ from each other. */
  low: number | null;
  high: number | null;
  /** Instances of both sets, and those in which the sets differ. */
  instances: number;
  differing: number;
  /** `too-few`: no result of these instances could show a difference that is more than chance. */
  verdict: 'more' | 'maybe-chance' | 'too-few';
}

/**
 * Instances that must differ at least: with chance alone, five of them all fall to one side in 2 · 2⁻⁵ = 6.25 % of cases, and six in
 * 3.1 %. So below six no test of paired values at 5 % can tell a difference.
 */
const LEAST_DIFFERING = 6;

/**
 * The mean of the differences of each instance, with the interval of Student's t. The values are paired, so that the difficulty
 * of the instances cancels out.
 */
export function differenceOf(differences: readonly number[]): Difference {
  const instances = differences.length;
  const differing = differences.filter((one) => one !== 0).length;
  const value = instances === 0 ? null : sumOf(differences) / instances;
  const none: Difference = { value, low: null, high: null, instances, differing, verdict: 'too-few' };
  if (value === null || instances < 2) return none;
  const variance = sumOf(differences.map((one) => (one - value) ** 2)) / (instances - 1);
  const isSettled = differing >= LEAST_DIFFERING;
  // All instances differ by the same, so their variance says nothing of other instances.
  if (variance === 0) return { ...none, verdict: isSettled ? 'more' : 'too-few' };
  const half = studentQuantile(instances - 1) * Math.sqrt(variance / instances);
  const [low, high] = [Math.max(-1, value - half), Math.min(1, value + half)];
  const verdict = low > 0 || high < 0 ? 'more' : 'maybe-chance';
  return { ...none, low, high, verdict: isSettled ? verdict : 'too-few' };
}

/** `41.2 %`: a share for people. Every place rounds alike. */
export function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(1)} %`;
}

/** `21.6–64.0 %`; `–` of nothing. */
export function intervalText({ low, high }: Pick<Rate, 'low' | 'high'>): string {
  return low === null || high === null ? '–' : `${(100 * low).toFixed(1)}–${percent(high)}`;
}

/** `41.2 % (7 of 17; 95 % interval by instance 21.6–64.0 %)`. */
export function rateText(rate: Rate): string {
  if (rate.rate === null) return 'none to count';
  const doubts = doubtsText(rate);
  return `${percent(rate.rate)} (${rate.resolved} of ${rate.total}; 95 % interval by instance ${intervalText(rate)})${doubts === '' ? '' : `, ${doubts}`}`;
}

/** `1 of them doubtful, 33.3 % without`; empty where no resolved sample has doubts. Stands behind the rate or the count of resolved ones. */
export function doubtsText({ doubts }: Pick<Rate, 'doubts'>): string {
  return doubts === undefined ? '' : `${doubts.resolved} of them doubtful, ${percent(doubts.rate)} without`;
}

/** `, 33.3 % without doubts`, behind a mean of rates; empty where no resolved sample has doubts. */
export function withoutDoubtsText({ doubts }: { doubts?: Pick<Doubts, 'rate'> }): string {
  return doubts === undefined ? '' : `, ${percent(doubts.rate)} without doubts`;
}

/** `−4.0 points, 95 % interval −9.1 to 1.1, by instance: may be chance`. */
export function differenceText({ value, low, high, instances, differing, verdict }: Difference): string {
  if (value === null) return 'no instance is in both';
  const interval =
    low === null || high === null ? '' : `, 95 % interval ${points(low)} to ${points(high)}, by instance`;
  return `${points(value)} points${interval}: ${VERDICTS[verdict](instances, differing)}`;
}

const VERDICTS: Readonly<Record<Difference['verdict'], (instances: number, differing: number) => string>> = {
  more: () => 'more than chance',
  'maybe-chance': () => 'may be chance',
  'too-few': (instances, differing) =>
    `too few instances to tell: ${differing} of ${instances} ${differing === 1 ? 'differs' : 'differ'}, and ${LEAST_DIFFERING} must at least`,
};

function points(difference: number): string {
  return (100 * difference).toFixed(1).replace('-', '−');
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

const QUANTILES = new Map<number, number>();

/** The 0.975 quantile of Student's t. */
export function studentQuantile(degrees: number): number {
  const known = QUANTILES.get(degrees);
  if (known !== undefined) return known;
  const found = degrees > 200 ? seriesQuantile(degrees) : soughtQuantile(degrees);
  QUANTILES.set(degrees, found);
  return found;
}

/** By the expansion about the normal quantile (Abramowitz and Stegun 26.7.5); its error is below 1e-9 from 200 degrees on. */
function seriesQuantile(degrees: number): number {
  const z = Z;
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}

/** The value between whose negative and itself 95 % lie, by halving. */
function soughtQuantile(degrees: number): number {
  let [below, above] = [1, 13];
  for (let step = 0; step < 60; step += 1) {
    const middle = (below + above) / 2;
    if (withinStudent(middle, degrees) < 0.95) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

/** The share of Student's t between -t and t, for whole degrees (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function withinStudent(t: number, degrees: number): number {
  const angle = Math.atan(t / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let power = isOdd ? 3 : 2; power <= degrees - 2; power += 2) {
    term *= ((power - 1) / power) * cosine ** 2;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
