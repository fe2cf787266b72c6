/** Who runs next: what is further down first, and nobody waits for a resource that he does not want. */
import { expect, test } from 'vitest';
import type { Resources } from '../../contract/stage.ts';
import { ReadyItems } from '../../engine/ready.ts';
import { ResourcePool } from '../../engine/resources.ts';

interface Piece {
  name: string;
  wants: Resources;
}

/** Starts what can be started; returns names in order, and what ends each. */
function starter(pool: ResourcePool, ready: ReadyItems<Piece>) {
  const running = new Map<string, () => void>();
  const start = (limit = Number.POSITIVE_INFINITY) => {
    const before = new Set(running.keys());
    ready.startAll(
      pool,
      () => running.size < limit,
      ({ name }, free) => running.set(name, free),
    );
    return [...running.keys()].filter((name) => !before.has(name));
  };
  const end = (name: string) => {
    running.get(name)!();
    running.delete(name);
  };
  return { start, end };
}

const readyItems = () => new ReadyItems<Piece>(['rollouts', 'grade'], ({ wants }) => wants);

test('grading goes on while every place for a rollout is taken', () => {
  const ready = readyItems();
  for (const name of ['r1', 'r2', 'r3']) ready.add('rollouts', { name, wants: { rollout: 1, sandbox: 1 } });
  const { start, end } = starter(new ResourcePool({ rollout: 1, sandbox: 9, cpu: 2 }), ready);
  expect(start()).toEqual(['r1']);
  for (const name of ['g1', 'g2', 'g3']) ready.add('grade', { name, wants: { cpu: 1, sandbox: 1 } });
  expect(start()).toEqual(['g1', 'g2']);
  end('r1');
  expect(start()).toEqual(['r2']);
  end('g1');
  expect(start()).toEqual(['g3']);
});

test('a large request is not starved by small ones that want the same', () => {
  const ready = new ReadyItems<Piece>(['small', 'large'], ({ wants }) => wants);
  const { start, end } = starter(new ResourcePool({ cpu: 2 }), ready);
  ready.add('small', { name: 's1', wants: { cpu: 1 } });
  expect(start()).toEqual(['s1']);
  ready.add('large', { name: 'all', wants: { cpu: 2 } });
  ready.add('small', { name: 's2', wants: { cpu: 1 } });
  expect(start()).toEqual([]);
  end('s1');
  expect(start()).toEqual(['all']);
});

test('what is further down is started first, in the order in which it came', () => {
  const ready = readyItems();
  ready.add('rollouts', { name: 'r1', wants: { cpu: 1 } });
  ready.add('grade', { name: 'g1', wants: { cpu: 1 } });
  ready.add('grade', { name: 'g2', wants: { cpu: 1 } });
  const { start } = starter(new ResourcePool({ cpu: 9 }), ready);
  expect(start(2)).toEqual(['g1', 'g2']);
  expect(start()).toEqual(['r1']);
});
