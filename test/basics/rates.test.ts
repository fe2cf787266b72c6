/** Rates and differences: values worked out by hand, the edges, and how often intervals hold in a simulation. */
import { describe, expect, test } from 'vitest';
import {
  type Cluster,
  clustersOf,
  differenceOf,
  differenceText,
  doubtsText,
  intervalText,
  percent,
  rateOf,
  rateText,
  studentQuantile,
} from '../../basics/rates.ts';
import { randomNumbers } from '../rig/random.ts';

const clusters = (sums: readonly number[], count: number): Cluster[] => sums.map((sum) => ({ sum, count }));
const single = (resolved: number, total: number) =>
  clusters(
    [...Array(total)].map((_, index) => (index < resolved ? 1 : 0)),
    1,
  );

describe("Student's quantiles", () => {
  // Published tables of the 0.975 quantile.
  test.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [9, 2.262],
    [30, 2.042],
    [60, 2.0],
    [120, 1.98],
    [1000, 1.962],
  ])('with %d degrees of freedom', (degrees, quantile) => {
    expect(studentQuantile(degrees)).toBeCloseTo(quantile, 3);
  });

  test('go over from one way of computing to the other without a step', () => {
    expect(studentQuantile(200) - studentQuantile(201)).toBeCloseTo(
      studentQuantile(201) - studentQuantile(202),
      5,
    );
  });
});

describe('with one sample of each instance', () => {
  test.each([
    [5, 10, 0.23659, 0.76341],
    [0, 10, 0, 0.27753],
    [10, 10, 0.72247, 1],
    [1, 1, 0.20654, 1],
    [81, 263, 0.25529, 0.36623],
    [250, 500, 0.45633, 0.54367],
  ])("%d of %d have Wilson's interval", (resolved, total, low, high) => {
    const rate = rateOf(single(resolved, total));
    expect(rate).toMatchObject({
      resolved,
      total,
      instances: total,
      rate: resolved / total,
      effective: total,
    });
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });
});

describe('with several samples of each instance', () => {
  test('the interval is that of a worked example', () => {
    // Ten instances of four samples, with 4, 4, 3, 3, 2, 2, 1, 1, 0 and 0 resolved: 20 of 40. The squares of what each is away
    // from 2 of 4 are 4 + 4 + 1 + 1 + 0 + 0 + 1 + 1 + 4 + 4 = 20, so the variance between instances is
    // 10/9 · 20 / 40² = 0.0138889, where independent samples have 0.25 / 39 = 0.0064103: deff = 2.16667.
    // 40 / 2.16667 = 18.4615; Student's t has 2.02269 with 39 and 2.26216 with 9 degrees of freedom: 18.4615 · (2.02269 /
    // 2.26216)² = 14.7597 effective samples. At a rate of one half Wilson's interval reaches z / (2 · sqrt(n + z²)) =
    // 1.95996 / (2 · sqrt(14.7597 + 3.84146)) = 0.22722 to both sides.
    const rate = rateOf(clusters([4, 4, 3, 3, 2, 2, 1, 1, 0, 0], 4));
    expect(rate).toMatchObject({ resolved: 20, total: 40, instances: 10, rate: 0.5 });
    expect(rate.effective).toBeCloseTo(14.7597, 3);
    expect(rate.low).toBeCloseTo(0.27278, 4);
    expect(rate.high).toBeCloseTo(0.72722, 4);
  });

  test('that agree it is as wide as with one sample each, and never wider', () => {
    const many = rateOf(clusters([8, 8, 8, 8, 8, 0, 0, 0, 0, 0], 8));
    const one = rateOf(single(5, 10));
    expect([many.low, many.high]).toEqual([one.low, one.high]);
    expect(rateOf(clusters([0, 0, 0], 16)).high).toBeCloseTo(rateOf(single(0, 3)).high!, 12);
  });

  test('of different numbers the effective number is at least that of the largest ones', () => {
    // 9² / (8² + 1²): one sample more than that of the instance with eight says little.
    expect(
      rateOf([
        { sum: 8, count: 8 },
        { sum: 0, count: 1 },
      ]).effective,
    ).toBeCloseTo(81 / 65, 10);
  });

  test('of a single instance it says as much as one sample', () => {
    expect(rateOf(clusters([8], 8))).toMatchObject({ rate: 1, high: 1, effective: 1 });
    expect(rateOf(clusters([4], 8)).effective).toBe(1);
  });
});

test('nothing has no rate', () => {
  expect(rateOf([{ sum: 0, count: 0 }])).toEqual({
    ...{ resolved: 0, total: 0, instances: 0, rate: null, low: null, high: null, effective: null },
  });
  expect(rateText(rateOf([]))).toBe('none to count');
  expect(intervalText(rateOf([]))).toBe('–');
  expect(percent(null)).toBe('–');
});

test('a rate as text has its denominator and its interval', () => {
  expect(rateText(rateOf(single(5, 10)))).toBe('50.0 % (5 of 10; 95 % interval by instance 23.7–76.3 %)');
});

test('a rate says how many of the resolved samples have doubts, and what it is without them', () => {
  const samples = [
    ['a', 1, true],
    ['a', 1, false],
    ['b', 0, true],
    ['c', 1, true],
  ] as const;
  const among = (isDoubted: (doubted: boolean) => boolean) =>
    rateOf([
      ...clustersOf(
        samples,
        ([instance]) => instance,
        ([, reward]) => reward,
        ([, , doubted]) => isDoubted(doubted),
      ).values(),
    ]);
  const doubted = among((own) => own);
  expect(doubted.doubts).toEqual({ resolved: 2, rate: 0.25 });
  expect(rateText(doubted)).toMatch(/^75\.0 % \(3 of 4; .*\), 2 of them doubtful, 25\.0 % without$/);
  const sure = among(() => false);
  expect(sure).not.toHaveProperty('doubts');
  expect(doubtsText(sure)).toBe('');
  expect(rateText(sure)).toMatch(/%\)$/);
});

/** Draws an instance's chance, and knows the mean of all chances. */
interface Population {
  mean: number;
  draw: (random: () => number) => number;
}

describe('in a simulation of 2,000 experiments an interval holds the truth in 92 to 99.5 %', () => {
  const populations: Record<string, Population> = {
    'equal instances': { mean: 0.5, draw: () => 0.5 },
    'equal hard instances': { mean: 0.1, draw: () => 0.1 },
    'easy and hard instances': { mean: 0.5, draw: (random) => (random() < 0.5 ? 0.85 : 0.15) },
    'instances that are always or never solved': { mean: 0.3, draw: (random) => (random() < 0.3 ? 1 : 0) },
  };
  const held = ({ mean, draw }: Population, instances: number, samples: number, seed: number) => {
    const random = randomNumbers(seed);
    let [ours, naive] = [0, 0];
    const runs = 2000;
    for (let run = 0; run < runs; run += 1) {
      const drawn = [...Array(instances)].map(() => {
        const chance = draw(random);
        return { sum: [...Array(samples)].filter(() => random() < chance).length, count: samples };
      });
      const { low, high, resolved, total } = rateOf(drawn);
      if (low! <= mean && high! >= mean) ours += 1;
      const independent = rateOf(single(resolved, total));
      if (independent.low! <= mean && independent.high! >= mean) naive += 1;
    }
    return { ours: ours / runs, naive: naive / runs };
  };

  for (const [name, population] of Object.entries(populations))
    test.each([
      [20, 1],
      [20, 4],
      [60, 8],
    ])(`${name}: %d of them, %d samples each`, (instances, samples) => {
      const { ours } = held(population, instances, samples, 11);
      expect(ours).toBeGreaterThan(0.92);
      expect(ours).toBeLessThan(0.995);
    });

  test('where one that takes samples for independent holds in less than 75 %', () => {
    const { ours, naive } = held(populations['easy and hard instances']!, 30, 8, 7);
    expect(ours).toBeGreaterThan(0.93);
    expect(naive).toBeLessThan(0.75);
  });
});

describe('a difference', () => {
  test("of pairs has Student's interval, as in a worked example", () => {
    // Ten instances: six won, one lost, three alike. Mean 0.5; squares 6 · 0.25 + 2.25 + 3 · 0.25 = 4.5, variance 4.5 / 9 = 0.5;
    // standard error sqrt(0.5 / 10) = 0.223607; with t = 2.26216 of 9 degrees the half width is 0.505834.
    const found = differenceOf([1, 1, 1, 1, 1, 1, -1, 0, 0, 0]);
    expect(found).toMatchObject({ value: 0.5, instances: 10, differing: 7, verdict: 'maybe-chance' });
    expect([found.low, found.high].map((bound) => bound!.toFixed(6))).toEqual(['-0.005834', '1.000000']);
    expect(differenceText(found)).toBe(
      '50.0 points, 95 % interval −0.6 to 100.0, by instance: may be chance',
    );
  });

  test('of four instances is too little to tell, however large', () => {
    const found = differenceOf([0.5, 0.25, 0.5, 0.25]);
    expect(found).toMatchObject({ value: 0.375, verdict: 'too-few' });
    expect(differenceText(found)).toContain('too few instances to tell: 4 of 4 differ, and 6 must at least');
    expect(differenceOf([1, 1, 1, 1, 1])).toMatchObject({ verdict: 'too-few', low: null });
    expect(differenceOf([...Array(100)].map((_, index) => (index < 5 ? 1 : 0)))).toMatchObject({
      verdict: 'too-few',
      differing: 5,
    });
  });

  test('of six that all fall to one side is more than chance', () => {
    expect(differenceOf([1, 1, 1, 1, 1, 1])).toMatchObject({ value: 1, low: null, verdict: 'more' });
    expect(differenceOf([0.5, 0.5, 0.25, 0.5, 0.75, 0.25])).toMatchObject({ verdict: 'more' });
  });

  test('of nothing is none', () => {
    expect(differenceOf([])).toMatchObject({ value: null, verdict: 'too-few' });
    expect(differenceText(differenceOf([]))).toBe('no instance is in both');
    expect(differenceOf([0, 0, 0])).toMatchObject({ value: 0, low: null, high: null, verdict: 'too-few' });
  });

  test('of sets that do not differ is called more than chance in at most 7.5 % of 4,000 experiments', () => {
    const random = randomNumbers(3);
    for (const [instances, share] of [
      [4, 1],
      [6, 1],
      [8, 1],
      [30, 0.2],
      [100, 0.2],
      [200, 0.5],
    ] as const) {
      let more = 0;
      for (let run = 0; run < 4000; run += 1) {
        const drawn = [...Array(instances)].map(() => (random() < share ? (random() < 0.5 ? 1 : -1) : 0));
        if (differenceOf(drawn).verdict === 'more') more += 1;
      }
      expect(more / 4000, `${instances} instances`).toBeLessThan(0.075);
      if (instances < 6) expect(more).toBe(0);
    }
  });
});
