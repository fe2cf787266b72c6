/** Blobs reach the disk beside the event loop, and no record names one before it is there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cache, lookUp, openCache, publish, recordDigest, storeText } from '../../cache/cache.ts';
import { actionKey, type Preimage } from '../../cache/key.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { temporaryFolder } from '../rig/folder.ts';

let cache: Cache;
beforeEach(async () => {
  cache = await openCache(temporaryFolder());
});
afterEach(() => cache.close());

const final = (digest: string) => join(cache.folder.blobs, digest.slice(0, 2), digest);
const LONG = 'x'.repeat(40_000);

describe('a blob', () => {
  test('can be read at once, and has its name when it is on the disk', async () => {
    const blob = cache.blobs.write(LONG);
    expect(existsSync(final(blob.digest))).toBe(false);
    expect(cache.blobs.has(blob)).toBe(true);
    expect(cache.blobs.has({ ...blob })).toBe(true);
    expect(cache.blobs.read(blob.digest)?.toString()).toBe(LONG);
    expect(readFileSync(cache.blobs.path(blob.digest), 'utf8')).toBe(LONG);
    expect(cache.blobs.write(LONG)).toEqual(blob);
    await cache.blobs.settled();
    expect(cache.blobs.path(blob.digest)).toBe(final(blob.digest));
    expect(readFileSync(final(blob.digest), 'utf8')).toBe(LONG);
    expect(readdirSync(cache.folder.temporary)).toEqual([]);
  });

  test('that is written piece by piece, twice, is one', async () => {
    const [one, other] = [cache.blobs.writer(), cache.blobs.writer()];
    for (const writer of [one, other]) for (const piece of ['a', 'b']) writer.write(piece);
    const blobs = [one.finish(), other.finish()];
    expect(blobs[0]).toEqual(blobs[1]);
    one.drop();
    await cache.blobs.settled();
    expect(readFileSync(final(blobs[0]!.digest), 'utf8')).toBe('ab');
    expect(readdirSync(cache.folder.temporary)).toEqual([]);
  });

  test('is there with all others, however many', async () => {
    const blobs = Array.from({ length: 1000 }, (_, n) => cache.blobs.write(`${n}`));
    await cache.blobs.settled();
    expect(blobs.filter(({ digest }) => !existsSync(final(digest)))).toEqual([]);
  });

  test('that could not be kept keeps everything else from being published, until it is written again', async () => {
    const shard = dirname(final(cache.blobs.write('').digest));
    await cache.blobs.settled();
    const blob = cache.blobs.write(LONG);
    rmSync(dirname(final(blob.digest)), { recursive: true, force: true });
    await expect(cache.blobs.settled()).rejects.toThrow(/ENOENT/);
    expect(cache.blobs.has(blob)).toBe(false);
    expect(readdirSync(cache.folder.temporary)).toEqual([]);
    await expect(publishText('other')).rejects.toThrow(/ENOENT/);
    expect(lookUp(cache, keyOf('other'))).toBeNull();
    mkdirSync(dirname(final(blob.digest)));
    cache.blobs.write(LONG);
    await publishText('other');
    expect(lookUp(cache, keyOf('other'))).not.toBeNull();
    expect(existsSync(shard)).toBe(true);
  });
});

test('an answer is written down when all that it names is on the disk', async () => {
  const record = await publishText(LONG);
  expect(record.outputs.text!.kind).toBe('blob');
  expect(existsSync(final(record.outputs.text!.digest))).toBe(true);
});

test('closing waits for what is on its way', async () => {
  const other = await openCache(temporaryFolder());
  const { digest } = other.blobs.write(LONG);
  await other.close();
  expect(existsSync(join(other.folder.blobs, digest.slice(0, 2), digest))).toBe(true);
});

const preimage = (text: string): Preimage => ({
  domain: 'item',
  stage: 's',
  version: 1,
  parts: { text: { value: text } },
});
const keyOf = (text: string) => actionKey(preimage(text));

async function publishText(text: string): Promise<ActionRecord> {
  const outputs = { text: storeText(cache, text) };
  const outcome = { status: 'ok' } as const;
  const digest = recordDigest(outcome, outputs);
  const record = { outcome, outputs, notes: {}, digest, startedAt: 0, durationMs: 0, run: 'r' };
  await publish(cache, 'p/s', keyOf(text), preimage(text), record);
  return record;
}
