/** Ctrl-C while rollouts wait for an endpoint that is down: there is no work to finish, so the build ends. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { rolloutProject } from '../rig/rollout-project.ts';

/** The address of a port at which nothing listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/v1`;
}

test('Ctrl-C ends rollouts that wait for an endpoint that is down, and nothing of them is kept', async () => {
  const project = rolloutProject({
    ...{ url: await deadAddress(), instances: 2, isValidated: true, type: 'auto' },
    model: 'retry: 1h',
  });
  const child = project.start(['build', 'p.yaml', 'rollouts', '-j', '2']);
  let text = '';
  const isWaiting = new Promise<void>((resolve) => {
    child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (/rollouts\.train +waits: .*again in/.test(text)) resolve();
    });
  });
  let printed = '';
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    printed += piece;
  });
  await isWaiting;
  process.kill(child.pid!, 'SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, printed]).toEqual([130, expect.stringContaining('2 stopped')]);
  expect(text + printed).not.toMatch(/given up after|2 infra/);
  const ends = project
    .events()
    .filter(({ type, stage }) => type === 'item-finished' && stage === 'rollouts.train');
  expect(ends.map(({ outcome }) => (outcome as { status: string }).status)).toEqual(['stopped', 'stopped']);
  expect(ends.some(({ record }) => record !== undefined)).toBe(false);
}, 60_000);
