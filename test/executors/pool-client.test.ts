/** Requests to a pool whose machine goes down without a word. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { PoolClient } from '../../executors/pool/client.ts';
import { SentLayers } from '../../executors/pool/sent.ts';
import { temporaryFolder } from '../rig/folder.ts';

const ANSWER = '{"ok":true}';
const HTTP = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;

/** Takes connections; what comes on them is answered by `answer`, or never. */
async function machine(answer: (text: string) => string | null) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const said = answer(bytes.toString('latin1'));
      if (said !== null) socket.write(said);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

const WATCH = { every: 50, timeout: 50, misses: 2 };

test('one that says nothing any more is a fault of the machine, after some tries', async () => {
  let asked = 0;
  const { url, close } = await machine((text) => {
    if (text.includes('/exec')) asked += 1;
    return null;
  });
  const client = new PoolClient(url, null, WATCH);
  const said = await client.post('/exec', {}, { twice: false });
  expect(said).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'pool' } });
  expect(asked).toBe(1);
  await client.close();
  close();
});

test('one that says nothing of what was written is a fault, too', async () => {
  const { url, close } = await machine(() => null);
  const client = new PoolClient(url, null, WATCH);
  const said = await client.stream('/changes', {});
  expect(said).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'pool' } });
  await client.close();
  close();
});

test('a mount that is not there any more is a fault of the machine', async () => {
  const { url, close } = await machine(() => null);
  const client = new PoolClient(url, null, WATCH);
  const mounts = [{ from: '/swemake-nonexistent', to: '/opt/there' }];
  const sent = new SentLayers(client, temporaryFolder());
  expect(await sent.view({ layers: [], mounts, links: {}, variables: {} }, null)).toMatchObject({
    ok: false,
    fault: { status: 'infra', reason: 'machine' },
  });
  await client.close();
  close();
});

test('one that is there is waited for, however long its answer takes', async () => {
  let looks = 0;
  let isDone = false;
  const { url, close } = await machine((text) => {
    if (text.includes('/exec')) return null;
    looks += 1;
    return HTTP;
  });
  const client = new PoolClient(url, null, WATCH);
  const gone = new AbortController();
  const asking = client.post('/exec', {}, { signal: gone.signal }).then((said) => {
    isDone = true;
    return said;
  });
  while (looks < 8) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isDone).toBe(false);
  gone.abort();
  expect(await asking).toMatchObject({ ok: false, fault: { reason: 'cancelled' } });
  await client.close();
  close();
});
