/** What a tag meant before it moved, whoever says that it did: the registry or a new lock. */
import { expect, test } from 'vitest';
import { movedFrom, resolveTag } from '../../../tasks/base/base.ts';
import { parseImage } from '../../../tasks/images/image-name.ts';

type Services = Parameters<typeof resolveTag>[1] & Parameters<typeof movedFrom>[1];

const NAME = '127.0.0.1:5/a/b:1';
const [OLD, NEW] = ['a', 'b'].map((digit) => `sha256:${digit.repeat(64)}`) as [string, string];

test('a tag that a new lock moves is told as one that moved by itself', async () => {
  const memos = new Map<string, unknown>([[`base ${NAME}`, { digest: OLD, at: Date.now() }]]);
  const database = {
    memos: {
      get: (key: string) => memos.get(key),
      put: async (key: string, value: unknown) => memos.set(key, value),
    },
  };
  const told = async (digest: string) => {
    const services = { cache: { database }, pins: { images: { [NAME]: digest } } } as unknown as Services;
    const base = await resolveTag(parseImage(NAME)!, services);
    if (!base.ok) throw new Error(JSON.stringify(base.fault));
    return [base.value.digest, movedFrom(base.value, services)];
  };
  expect(await told(OLD)).toEqual([OLD, null]);
  expect(await told(NEW)).toEqual([NEW, OLD]);
  expect(await told(NEW)).toEqual([NEW, OLD]);
});
