/** The kinds of remote store, each against the same contract, and what is special about each. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestOf } from '../../../basics/digest.ts';
import { folderStore } from '../../../cache/remote/folder-store.ts';
import { type HttpStoreOptions, httpStore } from '../../../cache/remote/http-store.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { remoteServer } from '../../rig/remote-server.ts';
import { storeContract } from './contract.ts';

const NAME = digestOf('a name');
const options = (url: string): HttpStoreOptions => ({
  url,
  token: null,
  ca: null,
  certificate: null,
  key: null,
  timeout: 300,
  connections: 8,
});

describe('a folder', () => {
  storeContract(() => folderStore(temporaryFolder()));

  test('that is not there is a fault and no empty store', async () => {
    const root = join(temporaryFolder(), 'not-mounted');
    const store = folderStore(root);
    expect(await store.get('ac', NAME, 10)).toMatchObject({ kind: 'fault', why: 'broken' });
    expect(await store.has('cas', NAME)).toMatchObject({ kind: 'fault' });
    expect(await store.put('ac', NAME, Buffer.from('x'))).toMatchObject({ kind: 'fault' });
    expect(existsSync(root)).toBe(false);
  });

  test('holds nothing of a writer that was killed, and loses what it left after a day', async () => {
    const root = temporaryFolder();
    const left = (name: string) => join(root, 'tmp', name);
    mkdirSync(join(root, 'tmp'));
    for (const name of ['old', 'new']) writeFileSync(left(name), 'half');
    utimesSync(left('old'), 0, 0);
    const store = folderStore(root);
    expect(await store.get('cas', NAME, 10)).toEqual({ kind: 'absent' });
    await store.put('ac', NAME, Buffer.from('x'));
    expect(readdirSync(join(root, 'tmp'))).toEqual(['new']);
  });

  test.skipIf(process.getuid?.() === 0)('that may not be written refuses', async () => {
    const root = temporaryFolder();
    chmodSync(root, 0o555);
    expect(await folderStore(root).put('ac', NAME, Buffer.from('x'))).toMatchObject({ why: 'refused' });
    chmodSync(root, 0o755);
    rmSync(root, { recursive: true });
  });
});

describe('a server', async () => {
  const server = await remoteServer();
  let number = 0;
  storeContract(() => {
    number += 1;
    return httpStore(options(`${server.url}/instance${number}/`));
  });

  test.each([
    [401, 'refused'],
    [403, 'refused'],
    [413, 'full'],
    [507, 'full'],
    [500, 'broken'],
    [302, 'broken'],
    [400, 'broken'],
  ])('that answers %i is a fault: %s', async (status, why) => {
    server.misbehave = (_, response) => {
      response.writeHead(status, { location: `${server.url}/elsewhere` }).end('words');
      return true;
    };
    const store = httpStore(options(server.url));
    expect(await store.get('cas', NAME, 10)).toMatchObject({ kind: 'fault', why });
    expect(await store.has('cas', NAME)).toMatchObject({ kind: 'fault', why });
    expect(await store.put('cas', NAME, Buffer.from('x'))).toMatchObject({ kind: 'fault', why });
    await store.close();
    server.misbehave = null;
  });

  test('that says nothing, stops in the middle or says too much is a fault', async () => {
    const store = httpStore(options(server.url));
    server.misbehave = () => true;
    expect(await store.get('cas', NAME, 10)).toMatchObject({ kind: 'fault', why: 'broken' });
    server.misbehave = (_, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('half');
      setTimeout(() => response.destroy(), 20);
      return true;
    };
    expect(await store.get('cas', NAME, 10)).toMatchObject({ kind: 'fault', why: 'broken' });
    server.misbehave = (_, response) => {
      response.writeHead(200);
      response.write('0123456789');
      response.end('more');
      return true;
    };
    expect(await store.get('cas', NAME, 10)).toMatchObject({ kind: 'fault', why: 'broken' });
    server.misbehave = null;
    await store.close();
    expect(await httpStore(options('http://127.0.0.1:1')).has('ac', NAME)).toMatchObject({ kind: 'fault' });
  });

  test('is told the token: a user and password, or a bearer', async () => {
    const said: (string | undefined)[] = [];
    server.misbehave = (request) => {
      said.push(request.headers.authorization);
      return false;
    };
    for (const token of [null, 'user:password', 'abcdef']) {
      const store = httpStore({ ...options(server.url), token });
      await store.has('ac', NAME);
      await store.close();
    }
    server.misbehave = null;
    expect(said).toEqual([undefined, `Basic ${btoa('user:password')}`, 'Bearer abcdef']);
  });
});
