/** The stream of samples on a real disk: it keeps to its room, and numbers go on. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type OutSample, SampleStream } from '../../../servers/model/samples.ts';
import { temporaryFolder } from '../../rig/folder.ts';

const ROOM = 64_000;
const NEVER = new AbortController().signal;

function sample(session: string, call: number): Omit<OutSample, 'number'> {
  return {
    ...{ session, instance_id: session, sample: '0' },
    ...{ token_ids: Array(100).fill(call), loss_mask: Array(100).fill(1), logprobs: null },
    ...{ calls: [call, call], agent: 'main', trained_calls: [call], weights: [], source: 'endpoint' },
    ...{ step_reward: null, reward: 1 },
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function numbersAfter(stream: SampleStream, after: number): Promise<number[]> {
  return (await stream.after(after, 1000, 0, NEVER)).map(({ number }) => number);
}

test('the oldest samples go when the room is used up, and readers are told where it begins', async () => {
  const folder = temporaryFolder();
  const stream = new SampleStream(folder, ROOM);
  for (let number = 1; number <= 300; number++) {
    await stream.add([sample(`s${number}`, 0)]);
    stream.forget(`s${number}`);
    expect(bytesIn(folder)).toBeLessThanOrEqual(ROOM * 1.1);
  }
  const { oldest } = stream;
  expect(oldest).toBeGreaterThan(100);
  expect(stream.size).toBe(300);
  const kept = Array.from({ length: 301 - oldest }, (_, index) => oldest + index);
  expect(await numbersAfter(stream, 0)).toEqual(kept);
  expect(await numbersAfter(stream, 298)).toEqual([299, 300]);
  expect((await stream.after(0, 3, 0, NEVER)).map(({ session }) => session)).toEqual(
    [0, 1, 2].map((index) => `s${oldest + index}`),
  );
  await stream.close();
  const again = new SampleStream(folder, ROOM);
  expect({ size: again.size, oldest: again.oldest }).toEqual({ size: 300, oldest });
  expect(await numbersAfter(again, 0)).toEqual(kept);
  await again.add([sample('next', 0)]);
  expect(again.size).toBe(301);
  await again.close();
});

test('what an open session gave stays, so that none of its replies goes out twice', async () => {
  const folder = temporaryFolder();
  const first = new SampleStream(folder, ROOM);
  await first.add([sample('open', 7)]);
  const more = Array.from({ length: 200 }, (_, call) => sample('other', call));
  for (const one of more) await first.add([one]);
  await first.close();
  const stream = new SampleStream(folder, ROOM);
  stream.forgetOthers(new Set(['open']));
  expect(stream.oldest).toBe(1);
  await stream.add([sample('open', 7)]);
  expect(stream.size).toBe(201);
  stream.forget('open');
  await stream.add([sample('last', 0)]);
  expect(stream.oldest).toBeGreaterThan(1);
  await stream.close();
});

test('who waits for a sample is not told of a session that gave none', async () => {
  const stream = new SampleStream(temporaryFolder(), ROOM);
  await stream.add([sample('one', 0)]);
  let isTold = false;
  const waiting = stream.after(1, 10, 60_000, NEVER).finally(() => {
    isTold = true;
  });
  await stream.add([]);
  await stream.add([sample('one', 0)]);
  await new Promise(setImmediate);
  expect(isTold).toBe(false);
  await stream.add([sample('two', 0)]);
  expect((await waiting).map(({ number }) => number)).toEqual([2]);
  await stream.close();
});
