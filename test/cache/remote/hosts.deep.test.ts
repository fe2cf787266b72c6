/**
 * Hosts that share a remote cache: what one made, the other takes; and whatever is wrong with the remote cache, the
 * answers are those of a host without one.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../../../basics/digest.ts';
import { lookUp, openCache, recordDigest } from '../../../cache/cache.ts';
import { actionKey, type Preimage } from '../../../cache/key.ts';
import { sealItem } from '../../../cache/remote/entry.ts';
import { folderStore } from '../../../cache/remote/folder-store.ts';
import type { ActionRecord } from '../../../schemas/record.ts';
import { runToy, type Toy, type ToyRun } from '../../rig/arithmetic.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { remoteServer } from '../../rig/remote-server.ts';

import { at, through } from './open.ts';

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
