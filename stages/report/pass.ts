/** pass@k: the chance that one of k samples of an instance is right, estimated from n samples without bias. */

import { type Cluster, type Doubts, rateOf } from '../../basics/rates.ts';

/** 1 - C(n-c, k) / C(n, k), as a product, since the binomials overflow. `sum`: how many of the samples are resolved. */
export function passAt({ count, sum }: Cluster, k: number): number {
  if (count - sum < k) return 1;
  let none = 1;
  for (let i = count - sum + 1; i <= count; i++) none *= 1 - k / i;
  return 1 - none;
}

export interface PassRate {
  k: number;
  /** Mean over the instances that have k samples; null when none has. */
  rate: number | null;
  /** Bounds of the 95 % interval; null when no instance has k samples. */
  low: number | null;
  high: number | null;
  instances: number;
  /** Instances with fewer samples, left out. */
  left_out: number;
  /** The rate if resolved samples with doubts count as not resolved; absent: there are none. */
  doubts?: Pick<Doubts, 'rate'>;
}

/** pass@1, the powers of two, and pass@n, n being the most samples that an instance has. */
export function passRates(clusters: readonly Cluster[]): PassRate[] {
  const most = clusters.reduce((max, { count }) => Math.max(max, count), 0);
  const ks: number[] = [];
  for (let k = 1; k < most; k *= 2) ks.push(k);
  if (most > 0) ks.push(most);
  return ks.map((k) => {
    const counted = clusters.filter(({ count }) => count >= k);
    const samples = counted.reduce((sum, { count }) => sum + count, 0) / counted.length;
    // Instances count alike. With as many samples in each, pass@1 is the rate, and has its interval.
    const { rate, low, high, instances, doubts } = rateOf(counted.map((one) => weighted(one, k, samples)));
    return {
      ...{ k, rate, low, high, instances, left_out: clusters.length - instances },
      ...(doubts === undefined ? {} : { doubts: { rate: doubts.rate } }),
    };
  });
}

/** An instance's chance as a cluster of `samples` samples. Its doubts are the chance that only doubtful samples give. */
function weighted({ count, sum, doubted = 0 }: Cluster, k: number, samples: number): Cluster {
  const chance = passAt({ count, sum }, k);
  const lost = chance - passAt({ count, sum: sum - doubted }, k);
  return { sum: chance * samples, count: samples, ...(doubted === 0 ? {} : { doubted: lost * samples }) };
}
