/** Signed entries of a remote cache: whose answers a reader takes. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { remoteKeys } from '../../../app/remote.ts';
import { openCache } from '../../../cache/cache.ts';
import { folderStore } from '../../../cache/remote/folder-store.ts';
import { httpStore } from '../../../cache/remote/http-store.ts';
import { createRemoteCache } from '../../../cache/remote/remote-cache.ts';
import { createSigner, judge, newKeyPair, type Signer } from '../../../cache/remote/signature.ts';
import type { RemoteStore } from '../../../cache/remote/store.ts';
import { verifyRemote } from '../../../cache/remote/verify.ts';
import { keygenCommand } from '../../../cli/keygen.ts';
import { createSecrets } from '../../../contract/secrets.ts';
import { runToy } from '../../rig/arithmetic.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { remoteServer } from '../../rig/remote-server.ts';

const OPTIONS = { read: true, write: true, concurrency: 8, holdsSecret: () => false };
const TOY = { numbers: [1, 2] };

function signer(): Signer {
  const made = createSigner(newKeyPair().privateKey);
  if (!made.ok) throw new Error(made.fault);
  return made.value;
}

const host = (store: RemoteStore, by: Signer | null, trust: ReadonlySet<string> | null) =>
  runToy(temporaryFolder(), TOY, {
    remote: (cache) => createRemoteCache(cache, store, { ...OPTIONS, signer: by, trust }),
  });

test('a text with a changed byte, of another writer or without a signature is not trusted', () => {
  const [one, other] = [signer(), signer()];
  const text = one.sign('{"key":"k","record":{"digest":"d"}}');
  expect(JSON.parse(text)).toMatchObject({ key: 'k', signature: { by: one.by } });
  expect(judge(text, new Set([one.by]))).toBe('trusted');
  expect(judge(text, new Set([other.by]))).toBe('unknown');
  expect(judge(text.replace('"d"', '"e"'), new Set([one.by]))).toBe('wrong');
  expect(judge(text.replace(one.by, other.by), new Set([other.by]))).toBe('wrong');
  expect(judge('{"key":"k"}', new Set([one.by]))).toBe('unsigned');
});

test('a reader takes the answers of writers that it trusts, and makes all others itself', async () => {
  const root = temporaryFolder();
  const [known, unknown] = [signer(), signer()];
  const trust = new Set([known.by]);
  const store = () => folderStore(root);
  // Nobody signs, and later somebody does whom the reader does not know.
  for (const writer of [null, unknown]) {
    await host(store(), writer, null);
    const reader = await host(store(), null, trust);
    expect(reader.ran).toContain('n1');
    expect(reader.remote!.taken).toBe(0);
    expect(reader.remote!.warnings.filter((warning) => warning.includes('not trusted'))).toHaveLength(1);
    for (const space of ['ac', 'cas'])
      for (const shard of readdirSync(join(root, space)))
        for (const name of readdirSync(join(root, space, shard)))
          expect(statSync(join(root, space, shard, name)).isFile()).toBe(true);
  }
  await host(store(), known, trust);
  const reader = await host(store(), null, trust);
  expect(reader.ran).toEqual([]);
  expect(reader.remote!.warnings).toEqual([]);
});

test('an HTTP server keeps signatures', async () => {
  const server = await remoteServer();
  const store = () =>
    httpStore({
      ...{ url: server.url, token: null, ca: null, certificate: null, key: null },
      ...{ timeout: 5000, connections: 8 },
    });
  const known = signer();
  await host(store(), known, null);
  expect((await host(store(), null, new Set([known.by]))).ran).toEqual([]);
  await server.stop();
});

test('verify names answers that are unsigned or of an unknown writer', async () => {
  const root = temporaryFolder();
  const store = folderStore(root);
  const [known, unknown] = [signer(), signer()];
  const folder = temporaryFolder();
  const write = (by: Signer | null, force: string[]) =>
    runToy(folder, TOY, {
      force,
      remote: (cache) => createRemoteCache(cache, store, { ...OPTIONS, signer: by }),
    });
  await write(null, []);
  const cache = await openCache(folder);
  const kinds = async (trust: ReadonlySet<string> | null, by: Signer | null) =>
    (await verifyRemote(cache, store, { trust, signer: by })).problems.map(({ kind }) => kind);
  expect(await kinds(null, null)).toEqual([]);
  expect(await kinds(new Set([known.by]), null)).toEqual(Array(4).fill('unsigned'));
  await cache.close();
  await write(unknown, []);
  const again = await openCache(folder);
  const { problems } = await verifyRemote(again, store, { trust: new Set([known.by]), signer: unknown });
  expect(problems.map(({ kind }) => kind)).toEqual(Array(4).fill('unknown'));
  await again.close();
});

test('keygen writes a key that only its user can read, which signs and is trusted by its printed line', async () => {
  const cwd = temporaryFolder();
  let said = '';
  const io = { cwd, stdout: { write: (text: string) => (said += text) }, stderr: process.stderr, env: {} };
  expect(await keygenCommand(['key.pem'], io as never)).toBe(0);
  expect(statSync(join(cwd, 'key.pem')).mode & 0o777).toBe(0o600);
  const settings = join(cwd, 'settings');
  const remote = { sign: 'key.pem', trusted: [said.trim()] };
  const project = (own: object) => ({ folder: cwd, config: { cache: { remote: own } } }) as never;
  const env = { XDG_CONFIG_HOME: settings };
  const keys = remoteKeys(project(remote), createSecrets(new Map(), {}), env);
  expect(keys).toMatchObject({ signer: { by: said.trim() }, trust: new Set([said.trim()]) });
  // The same key out of a secret.
  const secrets = createSecrets(new Map([['${secret:KEY}', 'KEY']]), {
    KEY: readFileSync(join(cwd, 'key.pem'), 'utf8'),
  });
  expect(remoteKeys(project({ sign: '${secret:KEY}' }), secrets, env)).toMatchObject({
    signer: { by: said.trim() },
    trust: null,
  });
  writeFileSync(join(cwd, 'none.pem'), 'none');
  expect(remoteKeys(project({ sign: 'none.pem' }), secrets, env)).toMatchObject({
    problem: expect.stringContaining('no private key'),
  });
});
