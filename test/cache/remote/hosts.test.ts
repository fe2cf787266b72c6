/**
 * Hosts that share a remote cache: what one made, the other takes; and whatever is wrong with the remote cache, the
 * answers are those of a host without one.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ActionKey, digestOf } from '../../../basics/digest.ts';
import { type Cache, lookUp, openCache, publish, recordDigest, storeText } from '../../../cache/cache.ts';
import { actionKey, type Preimage } from '../../../cache/key.ts';
import { type LayerEntry, layerDigest, manifestText } from '../../../cache/layer-manifest.ts';
import { storePieces } from '../../../cache/pieces.ts';
import { sealItem } from '../../../cache/remote/entry.ts';
import { folderStore } from '../../../cache/remote/folder-store.ts';
import { httpStore } from '../../../cache/remote/http-store.ts';
import type { RemoteCache } from '../../../cache/remote/remote.ts';
import { createRemoteCache, type RemoteOptions } from '../../../cache/remote/remote-cache.ts';
import type { RemoteStore } from '../../../cache/remote/store.ts';
import type { ActionRecord, Output } from '../../../schemas/record.ts';
import { runToy, type Toy, type ToyRun } from '../../rig/arithmetic.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { type RemoteServer, remoteServer } from '../../rig/remote-server.ts';

const OPTIONS: RemoteOptions = { read: true, write: true, concurrency: 8, holdsSecret: () => false };

const through =
  (store: () => RemoteStore, options: Partial<RemoteOptions> = {}) =>
  (cache: Cache): RemoteCache =>
    createRemoteCache(cache, store(), { ...OPTIONS, ...options });

const at = (server: RemoteServer) => () =>
  httpStore({
    url: server.url,
    token: null,
    ca: null,
    certificate: null,
    key: null,
    timeout: 500,
    connections: 8,
  });

/** Names and answers of every node. */
function answers({ end }: ToyRun): unknown {
  return [...end.nodes].map(([address, { state }]) => [
    address,
    state.entries().map(({ name, key, outcome, digest }) => [name, key, outcome, digest]),
  ]);
}

/** Sound, and under another key. */
function foreignAnswer(): Buffer {
  const preimage: Preimage = { domain: 'item', stage: 'square', version: 1, parts: {} };
  const outcome = { status: 'ok' } as const;
  const times = { startedAt: 1, durationMs: 1, run: 'run' };
  const record = { outcome, outputs: {}, notes: {}, digest: recordDigest(outcome, {}), ...times };
  return sealItem({ key: actionKey(preimage), preimage, record, layers: {} });
}

const TOY: Toy = { numbers: [1, 2, 3, -4] };

describe('two hosts with one folder', () => {
  const shared = () => folderStore(folder);
  let folder = '';
  let first: ToyRun;
  beforeAll(async () => {
    folder = temporaryFolder();
    first = await runToy(temporaryFolder(), TOY, { remote: through(shared) });
  });

  test('the second runs nothing, has the same answers and says where they are from', async () => {
    expect(first.ran).toHaveLength(6);
    expect(first.remote).toMatchObject({ given: 6, left: 0, taken: 0, warnings: [] });
    const root = temporaryFolder();
    const second = await runToy(root, TOY, { remote: through(shared) });
    expect(second.ran).toEqual([]);
    expect(answers(second)).toEqual(answers(first));
    expect(second.remote).toMatchObject({ taken: 6, given: 0, warnings: [] });
    const { key } = second.end.nodes.get('square.x')!.state.entries()[0]!;
    const cache = await openCache(root);
    expect(lookUp(cache, key!)!.remote).toBe(true);
    await cache.close();
    // What was taken is here: without the remote cache nothing is run either.
    const alone = await runToy(root, TOY);
    expect(alone.ran).toEqual([]);
    expect(answers(alone)).toEqual(answers(first));
  });

  test('a host with other items takes those that are the same, and the first then takes the others', async () => {
    const more = { numbers: [1, 2, 3, 5] };
    const third = await runToy(temporaryFolder(), more, { remote: through(shared) });
    expect(third.ran.sort()).toEqual(['n5', 'numbers', 'sum']);
    const fourth = await runToy(temporaryFolder(), more, { remote: through(shared) });
    expect(fourth.ran).toEqual([]);
    expect(answers(fourth)).toEqual(answers(third));
  });

  test('blocks of answers are taken together, and asked for in few requests', async () => {
    const large = { numbers: Array.from({ length: 300 }, (_, n) => n), chunk: 50 };
    const one = await runToy(temporaryFolder(), large, { remote: through(shared) });
    const other = await runToy(temporaryFolder(), large, { remote: through(shared) });
    expect(other.ran).toEqual([]);
    expect(answers(other)).toEqual(answers(one));
    expect(other.remote!.traffic.requests).toBeLessThan(30);
  });

  test('rights: who may not write writes nothing, who may not read runs everything', async () => {
    const own = temporaryFolder();
    const reader = await runToy(temporaryFolder(), TOY, {
      remote: through(() => folderStore(own), { write: false }),
    });
    expect(reader.ran).toHaveLength(6);
    expect(readdirSync(own)).toEqual([]);
    const writer = await runToy(temporaryFolder(), TOY, { remote: through(shared, { read: false }) });
    expect(writer.ran).toHaveLength(6);
    expect(writer.remote).toMatchObject({ taken: 0, given: 6 });
  });

  test('what an earlier run made or could not write, a later one writes', async () => {
    const root = temporaryFolder();
    await runToy(root, TOY);
    const own = temporaryFolder();
    const later = await runToy(root, TOY, { remote: through(() => folderStore(own)) });
    expect(later.ran).toEqual([]);
    expect(later.remote).toMatchObject({ given: 6, left: 0 });
    const again = await runToy(root, TOY, { remote: through(() => folderStore(own)) });
    // Whether what came last is still there.
    expect(again.remote!.traffic.requests).toBeLessThanOrEqual(4);
    expect((await runToy(temporaryFolder(), TOY, { remote: through(() => folderStore(own)) })).ran).toEqual(
      [],
    );
  });

  test('what is run again because somebody says so takes its earlier place', async () => {
    const own = temporaryFolder();
    const store = () => folderStore(own);
    const root = temporaryFolder();
    await runToy(root, TOY, { remote: through(store) });
    const forced = await runToy(
      root,
      { ...TOY, noise: 5 },
      { force: ['square.x@n1'], remote: through(store) },
    );
    expect(forced.ran).toContain('n1');
    const other = await runToy(temporaryFolder(), TOY, { remote: through(store) });
    expect(other.ran).toEqual([]);
    expect(answers(other)).toEqual(answers(forced));
  });

  test.each(['wrote', 'took'])('one that was emptied is filled again by a host that %s it', async (what) => {
    const own = temporaryFolder();
    const store = () => folderStore(own);
    const root = temporaryFolder();
    if (what === 'took') await runToy(temporaryFolder(), TOY, { remote: through(store) });
    await runToy(root, TOY, { remote: through(store) });
    for (const name of readdirSync(own)) rmSync(join(own, name), { recursive: true });
    // With something new, which is written before anybody looks.
    const more = { numbers: [...TOY.numbers, 6, 7, 8, 9] };
    const later = await runToy(root, more, { remote: through(store) });
    expect(later.remote).toMatchObject({ left: 0, warnings: [] });
    const other = await runToy(temporaryFolder(), more, { remote: through(store) });
    expect(other.ran).toEqual([]);
    expect(answers(other)).toEqual(answers(later));
    // It is known what was written again.
    const again = await runToy(root, more, { remote: through(store) });
    expect(again.remote!.traffic.requests).toBeLessThanOrEqual(4);
    expect(again.remote).toMatchObject({ given: 0 });
  });

  test('a plan takes nothing', async () => {
    const plan = await runToy(temporaryFolder(), TOY, { dryRun: true });
    expect(plan.end.nodes.get('numbers')!.state.planned).toBe(1);
  });
});

describe('a remote cache that is not what it should be', async () => {
  const server = await remoteServer();
  let plain: ToyRun;
  let whole: Map<string, Buffer>;
  beforeAll(async () => {
    plain = await runToy(temporaryFolder(), TOY);
    await runToy(temporaryFolder(), TOY, { remote: through(at(server)) });
    whole = new Map(server.held);
  });

  const body = (bytes: Buffer) => {
    server.misbehave = (request, response, found) => {
      if (request.method !== 'GET' || found === null) return false;
      response.writeHead(200).end(bytes);
      return true;
    };
  };
  const eachBody = (change: (bytes: Buffer) => Buffer) => {
    server.misbehave = (request, response, found) => {
      if (request.method !== 'GET' || found === null) return false;
      response.writeHead(200).end(change(Buffer.from(found)));
      return true;
    };
  };
  /** Answers of single items, changed and with a checksum that fits; finished stages are not there. */
  const sealed = (change: (value: { record: ActionRecord; format: number; key: string }) => void) => {
    server.misbehave = ({ method, url }, response, found) => {
      if (method !== 'GET' || found === null || !url!.startsWith('/ac/')) return false;
      const text = found.toString();
      const value = JSON.parse(text.slice(text.indexOf('\n') + 1));
      if (value.kind === 'stage') {
        response.writeHead(404).end();
        return true;
      }
      change(value);
      const now = JSON.stringify(value);
      response.writeHead(200).end(`${digestOf(now)}\n${now}`);
      return true;
    };
  };

  const WRONG: [string, () => void][] = [
    [
      'answers with errors',
      () => {
        server.misbehave = (_, response) => {
          response.writeHead(500).end();
          return true;
        };
      },
    ],
    [
      'refuses everything',
      () => {
        server.misbehave = (_, response) => {
          response.writeHead(401).end();
          return true;
        };
      },
    ],
    [
      'never answers',
      () => {
        server.misbehave = () => true;
      },
    ],
    [
      'ends in the middle',
      () => {
        server.misbehave = (_, response, found) => {
          response
            .writeHead(200, { 'content-length': 1000 })
            .write((found ?? Buffer.from('x')).subarray(0, 9));
          setTimeout(() => response.destroy(), 5);
          return true;
        };
      },
    ],
    ['gives nothing', () => body(Buffer.alloc(0))],
    ['gives other bytes', () => body(randomBytes(500))],
    ['gives a page', () => body(Buffer.from('<html>Sign in</html>'))],
    [
      'gives a changed byte',
      () =>
        eachBody((bytes) => {
          bytes[bytes.length >> 1]! ^= 1;
          return bytes;
        }),
    ],
    ['gives a part', () => eachBody((bytes) => bytes.subarray(0, bytes.length - 7))],
    ['gives answers of another key', () => body(foreignAnswer())],
    [
      'gives another format',
      () =>
        sealed((value) => {
          value.format = 99;
        }),
    ],
    [
      'gives a fault for an answer',
      () =>
        sealed((value) => {
          value.record.outcome = { status: 'infra', reason: 'network', detail: '' };
        }),
    ],
    [
      'gives an outcome that is none',
      () =>
        sealed((value) => {
          value.record.outcome = { status: 'stopped' } as never;
        }),
    ],
    [
      'gives another outcome',
      () =>
        sealed((value) => {
          value.record.outcome = { status: 'failed', reason: 'gold-fails', detail: '' };
        }),
    ],
    [
      'gives other outputs',
      () =>
        sealed((value) => {
          value.record.outputs = { value: { kind: 'inline', digest: digestOf('7'), text: '7' } };
        }),
    ],
    [
      'gives a text that is not its digest',
      () =>
        sealed((value) => {
          for (const output of Object.values(value.record.outputs ?? {}))
            (output as { text: string }).text = '7';
        }),
    ],
    [
      'gives paths for digests',
      () =>
        sealed((value) => {
          value.record.outputs = { value: { kind: 'layer', digest: '../../etc' as never } };
        }),
    ],
    [
      'gives no record',
      () =>
        sealed((value) => {
          delete (value as Partial<typeof value>).record;
        }),
    ],
  ];

  test.each(WRONG)('%s: the answers are those of a host without it', async (name, arrange) => {
    server.held.clear();
    for (const [path, bytes] of whole) server.held.set(path, bytes);
    arrange();
    const run = await runToy(temporaryFolder(), TOY, { remote: through(at(server)) });
    server.misbehave = null;
    expect(answers(run)).toEqual(answers(plain));
    // An answer without a text is as it was.
    expect(run.ran.length).toBeGreaterThanOrEqual(name.includes('text') ? 5 : 6);
    expect(run.remote!.taken).toBe(6 - run.ran.length);
    expect(run.remote!.warnings.length).toBeGreaterThan(0);
  });

  test('one that loses contents gives the rest, and gets back what was made again', async () => {
    server.held.clear();
    for (const [path, bytes] of whole) if (path.startsWith('/ac/')) server.held.set(path, bytes);
    const run = await runToy(temporaryFolder(), TOY, { remote: through(at(server)) });
    expect(run.ran).toEqual([]);
    expect(answers(run)).toEqual(answers(plain));
  });

  test('one that stops in the middle of a build changes nothing, and costs few requests', async () => {
    const mortal = await remoteServer();
    let left = 3;
    mortal.misbehave = (_, response) => {
      left -= 1;
      if (left > 0) return false;
      response.destroy();
      return true;
    };
    const many = { numbers: Array.from({ length: 200 }, (_, n) => n) };
    const run = await runToy(temporaryFolder(), many, { remote: through(at(mortal)) });
    expect(run.ran).toHaveLength(202);
    expect(answers(run)).toEqual(answers(await runToy(temporaryFolder(), many)));
    expect(run.remote!.left).toBeGreaterThan(0);
    expect(run.remote!.traffic.requests).toBeLessThan(60);
  });
});

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

  test('whoever waits for it to be written is told whether waiting helps', async () => {
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

  test('a fault is written nowhere, whoever offers it', async () => {
    const folder = temporaryFolder();
    const outcome = { status: 'infra', reason: 'network', detail: '' } as const;
    const { report } = await give(folderStore(folder), {}, (record) => ({ ...record, outcome }));
    expect(report.given).toBe(0);
    expect(await folderStore(folder).has('ac', KEY as ActionKey)).toEqual({ kind: 'absent' });
  });
});
