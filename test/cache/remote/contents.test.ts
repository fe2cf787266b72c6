/** What an answer names, and what of it comes and goes with the answer. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ActionKey, digestOf } from '../../../basics/digest.ts';
import { type Cache, lookUp, openCache, publish, recordDigest, storeText } from '../../../cache/cache.ts';
import { actionKey, type Preimage } from '../../../cache/key.ts';
import { type LayerEntry, layerDigest, manifestText } from '../../../cache/layer-manifest.ts';
import { storePieces } from '../../../cache/pieces.ts';
import { folderStore } from '../../../cache/remote/folder-store.ts';
import type { RemoteOptions } from '../../../cache/remote/remote-cache.ts';
import type { RemoteStore } from '../../../cache/remote/store.ts';
import type { ActionRecord, Output } from '../../../schemas/record.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { remoteServer } from '../../rig/remote-server.ts';

import { at, through } from './open.ts';

describe('what an answer names', () => {
  const PREIMAGE: Preimage = { domain: 'item', stage: 'made', version: 1, parts: { a: { value: 1 } } };
  const KEY = actionKey(PREIMAGE);
  const large = randomBytes(400_000);

  function fill(folder: string, more: Record<string, string> = {}): void {
    mkdirSync(join(folder, 'package/deep'), { recursive: true });
    const files = {
      'package/a.py': 'a',
      'package/same.py': 'a',
      'package/deep/run': '#!/bin/sh',
      empty: '',
      ...more,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (let n = 0; n < 120; n += 1) writeFileSync(join(folder, 'package/deep', `m${n}.py`), `content ${n}`);
    writeFileSync(join(folder, 'large.so'), large);
    chmodSync(join(folder, 'package/deep/run'), 0o755);
    symlinkSync('package/a.py', join(folder, 'link'));
  }

  async function made(cache: Cache, more: Record<string, string> = {}): Promise<ActionRecord> {
    const folder = temporaryFolder();
    fill(folder, more);
    const { digest } = await cache.layers.add(folder);
    const pieces = ['one\n', 'two\n'].map((text) => cache.blobs.write(text));
    const outputs: Record<string, Output> = {
      layer: { kind: 'layer', digest },
      text: storeText(cache, 'x'.repeat(50_000)),
      pieces: storePieces(cache.blobs, pieces),
      small: storeText(cache, 'small'),
    };
    const outcome = { status: 'ok' } as const;
    return {
      outcome,
      outputs,
      notes: { log: storeText(cache, 'log '.repeat(20_000)) },
      digest: recordDigest(outcome, outputs),
      startedAt: 1,
      durationMs: 2,
      run: 'run',
      adopted: true,
    };
  }

  async function give(
    store: RemoteStore,
    options: Partial<RemoteOptions> = {},
    change: (record: ActionRecord) => ActionRecord = (record) => record,
  ) {
    const cache = await openCache(temporaryFolder());
    const record = change(await made(cache));
    cache.remote = through(() => store, options)(cache);
    await publish(cache, 'project/made@a', KEY, PREIMAGE, record);
    const report = await cache.remote.settle(30_000, new AbortController().signal);
    await cache.remote.close();
    await cache.close();
    return { record, report };
  }

  async function take(store: RemoteStore, prepare: (cache: Cache) => Promise<unknown> = async () => null) {
    const cache = await openCache(temporaryFolder());
    await prepare(cache);
    const remote = through(() => store)(cache);
    const isBrought = await remote.fetchItem(KEY, 'project/made@a');
    const report = await remote.settle(30_000, new AbortController().signal);
    await remote.close();
    return { cache, isBrought, report };
  }

  test('comes with it: files, links, executables, pieces and logs', async () => {
    const folder = temporaryFolder();
    const { record, report } = await give(folderStore(folder));
    expect(report).toMatchObject({ given: 1, left: 0 });
    const { cache, isBrought, report: taken } = await take(folderStore(folder));
    expect(isBrought).toBe(true);
    expect(lookUp(cache, KEY)).toEqual({ ...record, remote: true });
    expect(taken.adopted).toEqual([['project/made@a', KEY]]);
    const layer = record.outputs.layer!.digest;
    expect(layerDigest((await cache.layers.entries(layer))!)).toBe(layer);
    const tree = (await cache.layers.open(layer))!;
    expect(readFileSync(join(tree, 'link'), 'utf8')).toBe('a');
    expect(readFileSync(join(tree, 'large.so')).equals(large)).toBe(true);
    // The same layer comes out when the tree is read again.
    const copy = temporaryFolder();
    fill(copy);
    expect((await cache.layers.add(copy)).digest).toBe(layer);
    await cache.close();
  });

  test('is not fetched where the host has it', async () => {
    const folder = temporaryFolder();
    await give(folderStore(folder));
    const cold = await take(folderStore(folder));
    await cold.cache.close();
    const warm = await take(folderStore(folder), (cache) =>
      made(cache, { 'package/own.py': 'of this host' }),
    );
    expect(warm.isBrought).toBe(true);
    expect(warm.report.traffic.requests).toBeLessThan(cold.report.traffic.requests);
    // Lists and the answer itself, and no file of the layer.
    expect(warm.report.traffic.down).toBeLessThan(120_000);
    expect(cold.report.traffic.down).toBeGreaterThan(500_000);
    await warm.cache.close();
  });

  test('a content that is another one, or gone, is a miss and nothing of it is used', async () => {
    const server = await remoteServer();
    const { record } = await give(at(server)());
    const contents = [...server.held.keys()].filter((path) => path.startsWith('/cas/'));
    expect(contents.length).toBeGreaterThan(6);
    const needed = new Set(contents.filter((path) => !path.endsWith(record.notes.log!.digest)));
    let isGone = false;
    for (const path of needed) {
      const bytes = server.held.get(path)!;
      isGone = !isGone;
      if (isGone) server.held.delete(path);
      else server.held.set(path, randomBytes(bytes.length + 1));
      const { cache, isBrought } = await take(at(server)());
      expect(isBrought, path).toBe(false);
      expect(lookUp(cache, KEY)).toBeNull();
      await cache.close();
      server.held.set(path, bytes);
    }
    server.held.delete(`/cas/${record.notes.log!.digest}`);
    const { cache, isBrought } = await take(at(server)());
    expect(isBrought).toBe(true);
    expect(lookUp(cache, KEY)!.notes).toEqual({});
    await cache.close();
  });

  const HOSTILE: [string, LayerEntry[]][] = [
    ['a path that leads out', [{ type: 'link', path: '../escaped', target: 'x' }]],
    ['an absolute path', [{ type: 'folder', path: '/tmp/escaped' }]],
    [
      'a file below a link',
      [
        { type: 'link', path: 'a', target: '/tmp' },
        { type: 'folder', path: 'a/escaped' },
      ],
    ],
    [
      'a path twice',
      [
        { type: 'link', path: 'a', target: '/tmp' },
        { type: 'folder', path: 'a' },
      ],
    ],
    ['a folder that is not listed', [{ type: 'folder', path: 'no/parent' }]],
  ];
  test.each(HOSTILE)('a layer with %s is refused', async (_, entries) => {
    const server = await remoteServer();
    const { record } = await give(at(server)());
    const store = at(server)();
    const keep = async (text: string) => {
      const bytes = Buffer.from(text);
      await store.put('cas', digestOf(bytes), bytes);
      return { digest: digestOf(bytes), size: bytes.length };
    };
    const layer = layerDigest(entries);
    const shipment = await keep(JSON.stringify({ manifest: await keep(manifestText(entries)), packs: [] }));
    const outputs: Record<string, Output> = { layer: { kind: 'layer', digest: layer } };
    const hostile = { ...record, outputs, notes: {}, digest: recordDigest(record.outcome, outputs) };
    const text = JSON.stringify({
      format: 1,
      kind: 'item',
      key: KEY,
      preimage: PREIMAGE,
      record: hostile,
      layers: { [layer]: shipment },
    });
    await store.put('ac', KEY, Buffer.from(`${digestOf(text)}\n${text}`));
    const { cache, isBrought, report } = await take(store);
    expect(isBrought).toBe(false);
    expect(report.warnings.join()).toMatch(/layer .* is another one/);
    expect(await cache.layers.entries(layer)).toBeNull();
    await cache.close();
  });

  test('that holds a secret stays here', async () => {
    for (const secret of ['content 12', 'log log log', 'one\n']) {
      const folder = temporaryFolder();
      const { report } = await give(folderStore(folder), {
        holdsSecret: (bytes) => Buffer.from(bytes).includes(secret),
      });
      expect(report).toMatchObject({ given: 0, left: 1 });
      expect(report.warnings.join()).toContain('hold a secret');
      expect(await folderStore(folder).has('ac', KEY)).toEqual({ kind: 'absent' });
    }
  });

  test('a caller that waits for an upload learns whether more waiting helps', async () => {
    const server = await remoteServer();
    const cache = await openCache(temporaryFolder());
    await publish(cache, 'project/made@a', KEY, PREIMAGE, await made(cache));
    const send = async (options: Partial<RemoteOptions>) => {
      const remote = through(at(server), options)(cache);
      const sending = await remote.send(KEY, true);
      await remote.close();
      return sending;
    };
    expect(await send({ holdsSecret: (bytes) => Buffer.from(bytes).includes('log log log') })).toBe('never');
    expect(await send({ write: false })).toBe('never');
    for (const [status, sending] of [
      [500, 'later'],
      [507, 'later'],
      [403, 'never'],
    ] as const) {
      server.misbehave = ({ method }, response) => {
        if (method === 'PUT') response.writeHead(status).end();
        return method === 'PUT';
      };
      expect(await send({})).toBe(sending);
    }
    server.misbehave = null;
    expect(await send({})).toBe('there');
    await cache.close();
  });

  test('a database that fails is reported, and is no answer that need not be given', async () => {
    const cache = await openCache(temporaryFolder());
    await publish(cache, 'project/made@a', KEY, PREIMAGE, await made(cache));
    const { records } = cache.database;
    const get = records.get.bind(records);
    const remote = through(() => folderStore(temporaryFolder()))(cache);
    records.get = () => {
      throw new Error('MDB_PROBLEM');
    };
    remote.push(KEY, true);
    const report = await remote.settle(60_000, new AbortController().signal);
    records.get = get;
    expect(report).toMatchObject({ given: 0, left: 1 });
    expect(report.warnings).toContain('an answer could not be given to the remote cache: MDB_PROBLEM');
    await remote.close();
    await cache.close();
  });

  test('a fault is never uploaded', async () => {
    const folder = temporaryFolder();
    const outcome = { status: 'infra', reason: 'network', detail: '' } as const;
    const { report } = await give(folderStore(folder), {}, (record) => ({ ...record, outcome }));
    expect(report.given).toBe(0);
    expect(await folderStore(folder).has('ac', KEY as ActionKey)).toEqual({ kind: 'absent' });
  });
});
