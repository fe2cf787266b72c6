/** Intervals of rates by instance: a worked example, the edges, and how often they hold in a simulation. */
import { describe, expect, test } from 'vitest';
import { type Cluster, clusteredRate } from '../../stages/report/clustered.ts';

describe('the interval', () => {
  test('of a worked example', () => {
    // Four instances of four samples: 4, 3, 1 and 0 resolved. The rate is 8/16; the squares of what each instance is
    // away from it, 2 of 4, are 4 + 1 + 1 + 4 = 10; the variance is 4/3 · 10 / 16² = 0.0520833, as much as 4.8
    // independent samples have; with Student's t of 3 degrees of freedom Wilson's interval is 0.5 ± 0.4119.
    const clusters = [4, 3, 1, 0].map((sum) => ({ sum, count: 4 }));
    const { rate, low, high, effective, count } = clusteredRate(clusters);
    expect([rate, count]).toEqual([0.5, 16]);
    expect(effective).toBeCloseTo(4.8, 10);
    const t = 3.182;
    const reach = (t / (1 + t ** 2 / 4.8)) * Math.sqrt(0.25 / 4.8 + t ** 2 / (4 * 4.8 ** 2));
    expect([low, high].map((bound) => bound!.toFixed(4))).toEqual([
      (0.5 - reach).toFixed(4),
      (0.5 + reach).toFixed(4),
    ]);
  });

  test('of samples that agree within instances is as wide as that of one sample each', () => {
    const many = clusteredRate([...Array(10)].map((_, index) => ({ sum: index < 5 ? 8 : 0, count: 8 })));
    expect(many.effective).toBeCloseTo(9, 0);
    const single = clusteredRate([...Array(10)].map((_, index) => ({ sum: index < 5 ? 1 : 0, count: 1 })));
    expect(many.low).toBeCloseTo(single.low!, 10);
  });

  test('at the edges stays within 0 and 1 and is no point', () => {
    const none = clusteredRate([...Array(12)].map(() => ({ sum: 0, count: 4 })));
    expect([none.rate, none.low]).toEqual([0, 0]);
    expect(none.high).toBeGreaterThan(0.2);
    expect(clusteredRate([])).toMatchObject({ rate: null, low: null, high: null });
    expect(clusteredRate([{ sum: 1, count: 1 }])).toMatchObject({ rate: 1, high: 1, effective: 1 });
  });

  test('holds the truth as often as it says, where one that takes samples for independent does not', () => {
    let seed = 7;
    const random = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return seed / 2 ** 32;
    };
    // Half of the instances are easy, half are hard: 0.85 and 0.15, so 0.5 over all.
    const draw = (): Cluster[] =>
      [...Array(30)].map(() => {
        const chance = random() < 0.5 ? 0.85 : 0.15;
        return { sum: [...Array(8)].filter(() => random() < chance).length, count: 8 };
      });
    let held = 0;
    let naive = 0;
    const runs = 2000;
    for (let run = 0; run < runs; run += 1) {
      const clusters = draw();
      const { low, high, rate, count } = clusteredRate(clusters);
      if (low! <= 0.5 && high! >= 0.5) held += 1;
      if (Math.abs(rate! - 0.5) <= 1.96 * Math.sqrt((rate! * (1 - rate!)) / count)) naive += 1;
    }
    expect(held / runs).toBeGreaterThan(0.93);
    expect(held / runs).toBeLessThan(0.98);
    expect(naive / runs).toBeLessThan(0.75);
  });
});
