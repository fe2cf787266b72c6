/** pass@k without bias, against the binomials. */
import { describe, expect, test } from 'vitest';
import { rateOf } from '../../basics/rates.ts';
import { passAt, passRates } from '../../stages/report/pass.ts';

function choose(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return k > n ? 0 : ways;
}

test('equals 1 - C(n-c, k) / C(n, k) everywhere', () => {
  for (let n = 1; n <= 12; n++)
    for (let c = 0; c <= n; c++)
      for (let k = 1; k <= n; k++)
        expect(passAt({ count: n, sum: c }, k)).toBeCloseTo(1 - choose(n - c, k) / choose(n, k), 12);
});

test.each([
  [4, 1, 1, 0.25],
  [4, 1, 2, 0.5],
  [4, 2, 2, 5 / 6],
  [10, 3, 5, 11 / 12],
  [4, 0, 4, 0],
  [2000, 1, 1000, 0.5],
])('%d samples, %d resolved, k %d', (samples, resolved, k, value) => {
  expect(passAt({ count: samples, sum: resolved }, k)).toBeCloseTo(value, 9);
});

describe('over instances', () => {
  test('1, powers of two, and all; instances with too few samples are left out and counted', () => {
    const rates = passRates([
      { count: 6, sum: 3 },
      { count: 6, sum: 0 },
      { count: 1, sum: 1 },
    ]);
    expect(rates.map(({ k }) => k)).toEqual([1, 2, 4, 6]);
    expect(rates[0]).toMatchObject({ k: 1, rate: expect.closeTo(0.5, 12), instances: 3, left_out: 0 });
    expect(rates[1]).toMatchObject({ k: 2, rate: expect.closeTo(0.4, 12), instances: 2, left_out: 1 });
    expect(rates[3]).toMatchObject({ k: 6, rate: 0.5, instances: 2, left_out: 1 });
  });

  test('without doubts: samples that are doubtful count as not resolved', () => {
    const rates = passRates([
      { count: 2, sum: 2, doubted: 1 },
      { count: 2, sum: 1, doubted: 1 },
    ]);
    expect(rates.map(({ k, rate, doubts }) => [k, rate, doubts])).toEqual([
      [1, 0.75, { rate: 0.25 }],
      [2, 1, { rate: 0.5 }],
    ]);
    expect(passRates([{ count: 2, sum: 1 }])[0]).not.toHaveProperty('doubts');
  });

  test('of one sample each there is pass@1, of none nothing', () => {
    expect(passRates([{ count: 1, sum: 0 }])).toMatchObject([
      { k: 1, rate: 0, low: 0, instances: 1, left_out: 0 },
    ]);
    expect(passRates([])).toEqual([]);
  });

  test('of as many samples each, pass@1 has the interval of the rate', () => {
    const clusters = [4, 4, 3, 3, 2, 2, 1, 1, 0, 0].map((sum) => ({ sum, count: 4 }));
    const { rate, low, high } = rateOf(clusters);
    const [first, , all] = passRates(clusters);
    for (const [one, other] of [
      [first!.rate, rate],
      [first!.low, low],
      [first!.high, high],
    ])
      expect(one).toBeCloseTo(other!, 12);
    // pass@4 of four samples is whether one of them is right: eight of ten instances, with Wilson's interval.
    const wilson = rateOf([...Array(10)].map((_, index) => ({ sum: index < 8 ? 1 : 0, count: 1 })));
    expect(all!.rate).toBeCloseTo(0.8, 12);
    expect([all!.low, all!.high].map((one) => one!.toFixed(9))).toEqual(
      [wilson.low, wilson.high].map((one) => one!.toFixed(9)),
    );
  });
});
