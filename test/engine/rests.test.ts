/** An item that waits for time to pass gives its processors away, and comes first when it wants them again. */
import { expect, test } from 'vitest';
import type { Resources } from '../../contract/stage.ts';
import { deferred } from '../../engine/deferred.ts';
import { ResourcePool } from '../../engine/resources.ts';
import { Rests } from '../../engine/rests.ts';

/** A run with so many processors; `go` does what the engine does: those who come back go first, then new items begin. */
function runOf(cpu: number, most = cpu) {
  const pool = new ResourcePool({ cpu, sandbox: 9 });
  const waiting: { name: string; wants: Resources }[] = [];
  const running = new Map<string, () => void>();
  const go = () => {
    const before = rests.resume();
    for (const item of [...waiting]) {
      if (before.some((name) => name in item.wants)) continue;
      const free = pool.tryTake(item.wants);
      if (free === null) continue;
      waiting.splice(waiting.indexOf(item), 1);
      running.set(item.name, free);
    }
  };
  const rests = new Rests(pool, most, go);
  const add = (name: string, wants: Resources = { cpu: 1, sandbox: 1 }) => {
    waiting.push({ name, wants });
    go();
  };
  const end = (name: string) => {
    running.get(name)!();
    running.delete(name);
    go();
  };
  return { pool, rests, add, end, names: () => [...running.keys()] };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

test('another item begins meanwhile, and the one that comes back waits for it and goes before new ones', async () => {
  const { rests, add, end, names } = runOf(1);
  add('a');
  add('b');
  add('c');
  expect(names()).toEqual(['a']);
  const time = deferred<string>();
  let answer: string | null = null;
  const resting = rests
    .of({ cpu: 1, sandbox: 1 })(() => time.promise)
    .then((given) => {
      answer = given;
    });
  expect(names()).toEqual(['a', 'b']);
  time.resolve('later');
  await soon();
  expect(answer).toBe(null);
  end('b');
  await resting;
  expect([answer, names()]).toEqual(['later', ['a']]);
  end('a');
  expect(names()).toEqual(['c']);
});

test('processors are there again at the end, and never more than there were', async () => {
  const { pool, rests, add, end } = runOf(2);
  add('a', { cpu: 5 });
  await rests.of({ cpu: 5 })(async () => undefined);
  expect(pool.lacking({ cpu: 1 })).toEqual(['cpu']);
  end('a');
  expect(pool.lacking({ cpu: 2 })).toEqual([]);
  expect(pool.tryTake({ cpu: 2 })).not.toBe(null);
  expect(pool.lacking({ cpu: 1 })).toEqual(['cpu']);
});

test('what was thrown meanwhile is thrown, with processors', async () => {
  const { pool, rests, add } = runOf(1);
  add('a');
  const rest = rests.of({ cpu: 1 })(() => Promise.reject(new Error('no time')));
  await expect(rest).rejects.toThrow('no time');
  expect(pool.lacking({ cpu: 1 })).toEqual(['cpu']);
});

test('no more rest than are allowed to, nor an item without processors', async () => {
  const { rests, add, names } = runOf(1, 1);
  for (const name of ['a', 'b', 'c']) add(name);
  const [first, second] = [deferred<void>(), deferred<void>()];
  const resting = rests.of({ cpu: 1 })(() => first.promise);
  expect(names()).toEqual(['a', 'b']);
  const keeping = rests.of({ cpu: 1 })(() => second.promise);
  const without = rests.of({ rollout: 1 })(async () => 'rolled');
  expect([names(), await without]).toEqual([['a', 'b'], 'rolled']);
  second.resolve();
  await keeping;
  first.resolve();
  await soon();
  expect(names()).toEqual(['a', 'b']);
  void resting;
});

test('an item that waits for an equal one gives its processors away, so that the other one can go on', async () => {
  // One rests at most, and it does.
  const { rests, add, end, names } = runOf(1);
  add('a');
  add('b');
  const time = deferred<void>();
  const aEnds = deferred<void>();
  const a = rests.of({ cpu: 1 })(() => time.promise);
  expect(names()).toEqual(['a', 'b']);
  const b = rests.ofWaiting({ cpu: 1 })(() => aEnds.promise);
  time.resolve();
  await a;
  end('a');
  aEnds.resolve();
  await b;
  expect(names()).toEqual(['b']);
});
