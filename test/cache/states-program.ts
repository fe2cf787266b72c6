/**
 * A process that obtains a first state, as `states.mjs CACHE NAME BOUND`: says whether it made it, and holds it until
 * its input ends.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../../basics/digest.ts';
import { success } from '../../basics/result.ts';
import { openCache } from '../../cache/cache.ts';

const [root, name, bound, pause = '0'] = process.argv.slice(2) as [string, string, string, string?];
const cache = await openCache(root);
let made = false;
const state = await cache.states.obtain<never>(digestOf(name), Number(bound), async (into) => {
  made = true;
  process.stdout.write('making\n');
  mkdirSync(join(into, 'tree/testbed'), { recursive: true });
  mkdirSync(join(into, 'withheld'));
  writeFileSync(join(into, 'tree/testbed/a.txt'), name.repeat(20_000));
  await sleep(Number(pause));
  writeFileSync(join(into, 'tree/testbed/b.txt'), name);
  return success(name);
});
if (!state.ok) throw new Error('no state');
process.stdout.write(`${made ? 'made' : 'found'} ${state.value.description} ${state.value.folder}\n`);
process.stdin.resume();
process.stdin.on('end', async () => {
  state.value.release();
  await cache.close();
});
