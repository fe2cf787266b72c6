/**
 * The toy project built by a process of its own: `toy-program.mjs CACHE [NOISE SILENCE GO [BEAT]]`. Its squares are greater by
 * NOISE. With GO there is one square: the program says `holds` when it begins with it, and ends it when the file GO is
 * there. Prints what ran and which events it saw of waits, as JSON.
 */
import { existsSync } from 'node:fs';
import { stopOnSignals } from '../../app/signals.ts';
import type { RunEvent } from '../../engine/events.ts';
import { runToy } from '../rig/arithmetic.ts';
import { until } from '../rig/until.ts';

const [root, noise, silence, go, beat = '50'] = process.argv.slice(2);
let settled = async (): Promise<unknown> => null;
const stop = stopOnSignals({ stderr: process.stderr } as never);
const hold = async (item: string) => {
  if (item !== 'n1') return;
  // LMDB's own lock, which a stopped process would keep, is free then: nothing else is left to write.
  await settled();
  process.stdout.write('holds\n');
  await until(() => existsSync(go!), 600_000);
};
const emit = (event: RunEvent) => {
  if (event.type === 'lock-waits') process.stdout.write(`waits ${event.pid} ${event.item}\n`);
};
const { ran, end } = await runToy(
  root!,
  go === undefined ? { numbers: [1, 2] } : { numbers: [1], noise: Number(noise), hold },
  {
    emit,
    arrange: ({ database }) => {
      settled = () => database.records.flushed;
    },
    drain: stop.drain,
    signal: stop.abort,
    ...(silence === undefined ? {} : { times: { beat: Number(beat), silence: Number(silence) } }),
  },
);
process.stdout.write(JSON.stringify(go === undefined ? ran : { ran, counts: end.counts }));
stop.release();
