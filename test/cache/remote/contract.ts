/** What every kind of remote store must do. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { digestOf } from '../../../basics/digest.ts';
import type { RemoteStore } from '../../../cache/remote/store.ts';

const KEY = digestOf('a key');

export function storeContract(open: () => Promise<RemoteStore> | RemoteStore): void {
  test('keeps answers and contents apart, and the last answer of a key', async () => {
    const store = await open();
    expect(await store.get('ac', KEY, 100)).toEqual({ kind: 'absent' });
    expect(await store.has('ac', KEY)).toEqual({ kind: 'absent' });
    for (const text of ['first', 'second'])
      expect(await store.put('ac', KEY, Buffer.from(text))).toEqual({ kind: 'kept' });
    expect(await store.get('ac', KEY, 100)).toEqual({ kind: 'found', bytes: Buffer.from('second') });
    expect(await store.has('ac', KEY)).toEqual({ kind: 'found' });
    expect(await store.has('cas', KEY)).toEqual({ kind: 'absent' });
    await store.close();
  });

  test('gives contents back as they are, empty and large ones too', async () => {
    const store = await open();
    for (const bytes of [Buffer.alloc(0), randomBytes(1), randomBytes(5_000_000)]) {
      const name = digestOf(bytes);
      expect(await store.put('cas', name, bytes)).toEqual({ kind: 'kept' });
      expect(await store.has('cas', name)).toEqual({ kind: 'found' });
      const got = await store.get('cas', name, bytes.byteLength);
      expect(got.kind === 'found' && got.bytes.equals(bytes)).toBe(true);
    }
    await store.close();
  });

  test('gives no more than was asked for', async () => {
    const store = await open();
    const bytes = randomBytes(4000);
    await store.put('cas', digestOf(bytes), bytes);
    expect(await store.get('cas', digestOf(bytes), 3999)).toMatchObject({ kind: 'fault', why: 'broken' });
    await store.close();
  });

  test('takes the same content from many at once', async () => {
    const store = await open();
    const bytes = randomBytes(300_000);
    const kept = await Promise.all(
      Array.from({ length: 16 }, () => store.put('cas', digestOf(bytes), bytes)),
    );
    expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(['kept']));
    const got = await store.get('cas', digestOf(bytes), bytes.byteLength);
    expect(got.kind === 'found' && got.bytes.equals(bytes)).toBe(true);
    await store.close();
  });
}
