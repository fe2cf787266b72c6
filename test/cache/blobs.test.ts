/** Blobs reach the disk beside the event loop, and no record names one before it is there. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestOf } from '../../basics/digest.ts';
import { type Cache, lookUp, openCache, publish, recordDigest, storeText } from '../../cache/cache.ts';
import { actionKey, type Preimage } from '../../cache/key.ts';
import { storePieces } from '../../cache/pieces.ts';
import type { ActionRecord, Output } from '../../schemas/record.ts';
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

  test('that could not be kept keeps what names it from being published, until it is written again', async () => {
    const folder = dirname(final(digestOf(LONG)));
    rmSync(folder, { recursive: true });
    await expect(publishText(LONG)).rejects.toThrow(/ENOENT/);
    expect(lookUp(cache, keyOf(LONG))).toBeNull();
    expect(readdirSync(cache.folder.temporary)).toEqual([]);
    // It was made in vain, and may never be written again.
    await publishText('other');
    expect(lookUp(cache, keyOf('other'))).not.toBeNull();
    mkdirSync(folder);
    await publishText(LONG);
    expect(lookUp(cache, keyOf(LONG))).not.toBeNull();
  });

  test('that is a piece and could not be kept keeps the whole from being published', async () => {
    const pieces = ['a', 'b'].map((piece) => cache.blobs.write(piece));
    rmSync(dirname(final(pieces[0]!.digest)), { recursive: true });
    const whole = storePieces(cache.blobs, pieces);
    await expect(publishOutput('whole', whole)).rejects.toThrow(/ENOENT/);
    expect(lookUp(cache, keyOf('whole'))).toBeNull();
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

const publishText = (text: string) => publishOutput(text, storeText(cache, text));

async function publishOutput(name: string, output: Output): Promise<ActionRecord> {
  const outputs = { text: output };
  const outcome = { status: 'ok' } as const;
  const digest = recordDigest(outcome, outputs);
  const record = { outcome, outputs, notes: {}, digest, startedAt: 0, durationMs: 0, run: 'r' };
  await publish(cache, 'p/s', keyOf(name), preimage(name), record);
  return record;
}
