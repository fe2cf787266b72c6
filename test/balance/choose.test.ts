/** Caps on generated names: what is chosen depends on the seed and the names, and grows with the caps. */
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import type { BalanceConfig } from '../../schemas/generated/project.ts';
import { choose } from '../../stages/balance/choose.ts';
import type { GoldenLine } from '../../stages/golden/line.ts';

const line = (instance_id: string, sample: number): GoldenLine => ({
  instance_id,
  sample: String(sample),
  trajectory: digestOf(`${instance_id} ${sample}`),
  patch: digestOf(''),
  reward: 1,
  steps: 1,
});

/** 10,000 trajectories; an instance has 1 to 6 of them. */
function generated(): GoldenLine[] {
  const lines: GoldenLine[] = [];
  for (let instance = 0; lines.length < 10_000; instance += 1)
    for (let sample = 0; sample < 1 + (instance % 6); sample += 1)
      lines.push(line(`repo__tool.${instance}`, sample));
  return lines.slice(0, 10_000);
}

const ALL = generated();
const caps = (more: Partial<BalanceConfig> = {}): BalanceConfig => ({ policy: 'caps', seed: 7, ...more });
const names = (lines: readonly { instance_id: string; sample: string }[]) =>
  lines.map(({ instance_id, sample }) => `${instance_id}#${sample}`);

const perInstance = (lines: readonly GoldenLine[]) => {
  const counts = new Map<string, number>();
  for (const { instance_id } of lines) counts.set(instance_id, (counts.get(instance_id) ?? 0) + 1);
  return counts;
};

describe('caps', () => {
  test('hold, and every trajectory is chosen or listed with why', () => {
    const { chosen, dropped } = choose(ALL, caps({ per_instance: 2, total: 5100 }));
    expect(chosen).toHaveLength(5100);
    expect(Math.max(...perInstance(chosen).values())).toBe(2);
    expect([...names(chosen), ...names(dropped)].sort()).toEqual(names(ALL).sort());
    expect(new Set(dropped.map(({ why }) => why))).toEqual(new Set(['per-instance', 'total']));
  });

  test('take one of every instance before a second of any', () => {
    const instances = perInstance(ALL).size;
    const { chosen } = choose(ALL, caps({ per_instance: 2, total: instances }));
    expect(perInstance(chosen).size).toBe(instances);
  });

  test('choose the same whatever the order of the input', () => {
    const config = caps({ per_instance: 2, total: 5100 });
    const shuffled = [...ALL].sort((a, b) => (a.trajectory < b.trajectory ? -1 : 1));
    expect(choose(shuffled, config)).toEqual(choose(ALL, config));
  });

  test('choose otherwise with another seed', () => {
    const config = { per_instance: 2, total: 3000 };
    expect(names(choose(ALL, caps({ ...config, seed: 8 })).chosen).sort()).not.toEqual(
      names(choose(ALL, caps(config)).chosen).sort(),
    );
  });

  test.each([
    [
      { per_instance: 2, total: 1000 },
      { per_instance: 2, total: 2000 },
    ],
    [{ per_instance: 2 }, { per_instance: 3 }],
    [
      { per_instance: 1, total: 2500 },
      { per_instance: 4, total: 2500 },
    ],
    [{ per_instance: 3, total: 5100 }, {}],
  ])('of %o are the beginning of those of %o', (low, high) => {
    const [few, many] = [choose(ALL, caps(low)).chosen, choose(ALL, caps(high)).chosen];
    expect(names(many).slice(0, few.length)).toEqual(names(few));
  });

  test('absent take everything', () => {
    const { chosen, dropped } = choose(ALL, caps());
    expect(chosen).toHaveLength(10_000);
    expect(dropped).toEqual([]);
  });
});

describe('minisandbox-compat', () => {
  const compat = (more: Partial<BalanceConfig> = {}) =>
    choose(ALL, { policy: 'minisandbox-compat', seed: 7, ...more });

  test('keeps the first two of three or four, all of fewer, none of more, and cuts at 5,100', () => {
    const uncut = compat({ total: 100_000 });
    const counts = perInstance(ALL);
    const expected = ALL.filter(
      ({ instance_id, sample }) => counts.get(instance_id)! <= 4 && Number(sample) < 2,
    );
    expect(names(uncut.chosen).sort()).toEqual(names(expected).sort());
    expect(uncut.dropped.filter(({ why }) => why === 'more-than-four').length).toBe(
      ALL.filter(({ instance_id }) => counts.get(instance_id)! > 4).length,
    );
    const many = Array.from({ length: 3000 }, (_, instance) =>
      [0, 1, 2, 3].map((sample) => line(`many.${instance}`, sample)),
    ).flat();
    const cut = choose(many, { policy: 'minisandbox-compat', seed: 7 });
    expect(cut.chosen).toHaveLength(5100);
    expect(Math.max(...perInstance(cut.chosen).values())).toBe(2);
    expect(cut.dropped).toHaveLength(12_000 - 5100);
  });

  test('shuffles by the seed, not by the order of the input', () => {
    const chosen = names(compat().chosen);
    expect(chosen).not.toEqual([...chosen].sort());
    expect(names(choose([...ALL].reverse(), { policy: 'minisandbox-compat', seed: 7 }).chosen)).toEqual(
      chosen,
    );
    expect(names(compat({ seed: 8 }).chosen)).not.toEqual(chosen);
  });
});
