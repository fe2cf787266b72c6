/** A build that is stopped for two minutes, with the times that users have. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { buildWorker } from '../faults/program.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { until } from '../rig/until.ts';

let program: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  program = buildWorker('test/engine/toy-program.ts');
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(program, { force: true });
});

test('its answer is that of the build that followed it', async () => {
  const root = temporaryFolder();
  const go = join(root, 'go');
  const build = (noise: number) => {
    const child = spawn(process.execPath, [program, root, String(noise), '60000', go, '5000']);
    children.push(child);
    let said = '';
    child.stdout.on('data', (bytes) => {
      said += bytes;
    });
    return { child, said: () => said };
  };
  const first = build(1000);
  await until(() => first.said().includes('holds'));
  process.kill(first.child.pid!, 'SIGSTOP');
  const stopped = sleep(120_000);
  const second = build(0);
  await until(() => second.said().includes(`waits ${first.child.pid} n1`));
  const began = performance.now();
  await until(() => second.said().includes('holds'), 100_000);
  expect(performance.now() - began).toBeGreaterThan(40_000);
  writeFileSync(go, '');
  await once(second.child, 'exit');
  await stopped;
  process.kill(first.child.pid!, 'SIGCONT');
  await once(first.child, 'exit');
  expect(first.child.exitCode).toBe(0);
  const cache = await openCache(root);
  const { latest, records } = cache.database;
  expect(records.get(binaryKey(latest.get('toy/square.x@n1')!.key))!.outputs.value).toMatchObject({
    text: '1',
  });
  await cache.close();
}, 300_000);
