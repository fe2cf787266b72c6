/** A session of the model door that sends more than is kept of a rollout. */
import { expect, test } from 'vitest';
import { chat, openDoor, played, replyOf, send } from './rig.ts';

test('a session whose requests are larger than what is kept of a rollout ends at that limit', async () => {
  const { policy, asked } = played(() => replyOf('Hello.'));
  const { door, session } = await openDoor(policy);
  const before = process.memoryUsage.rss();
  const large = (number: number) => chat(`${number}`.padEnd(60 << 20, 'x'));
  for (let number = 0; number < 5; number++)
    expect(await send(door.socket, { key: session.key, body: large(number) })).toMatchObject({
      status: 200,
    });
  for (let number = 5; number < 15; number++)
    expect(await send(door.socket, { key: session.key, body: large(number) })).toMatchObject({
      status: 400,
    });
  expect(asked).toHaveLength(5);
  expect(await session.ended).toMatchObject({ ending: { status: 'limits_exceeded' } });
  expect(process.memoryUsage.rss() - before).toBeLessThan(1500 << 20);
  await door.close();
}, 120_000);
