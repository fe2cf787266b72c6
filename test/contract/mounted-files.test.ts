/** Names are bytes: a mounted file whose name is no UTF-8 counts by its name and its content. */
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digestOfTree } from '../../contract/mounted-files.ts';
import { temporaryFolder } from '../rig/folder.ts';

const bytes = (...parts: (string | number | Buffer)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part as string))),
  );

test('contents, names, folders and links with names in bytes', async () => {
  const root = join(temporaryFolder(), 'mount');
  const memos = new Map<string, unknown>();
  const database = { memos: { get: (key: string) => memos.get(key), put: async () => undefined } };
  const digest = () => digestOfTree(root, database as never);
  mkdirSync(root);
  writeFileSync(join(root, 'plain'), 'a');
  const file = bytes(root, '/na', 0xff, 'me');
  const folder = bytes(root, '/fol', 0xfe);
  const seen = [await digest()];
  const edits = [
    () => writeFileSync(file, 'one'),
    () => writeFileSync(file, 'two'),
    () => chmodSync(file, 0o755),
    () => renameSync(file, bytes(root, '/na', 0xfd, 'me')),
    () => mkdirSync(folder),
    () => writeFileSync(bytes(folder, '/inner'), 'one'),
    () => writeFileSync(bytes(folder, '/inner'), 'two'),
    () => symlinkSync(bytes('to', 0xff), join(root, 'link')),
  ];
  for (const edit of edits) {
    edit();
    seen.push(await digest());
  }
  expect(new Set(seen).size).toBe(edits.length + 1);
  expect(await digest()).toBe(seen.at(-1));
});

test('what has names in UTF-8 has the digest that it had', async () => {
  const root = join(temporaryFolder(), 'mount');
  mkdirSync(join(root, 'ü/empty'), { recursive: true });
  writeFileSync(join(root, 'ü/b'), 'b');
  writeFileSync(join(root, 'a'), 'a', { mode: 0o755 });
  symlinkSync('a', join(root, 'link'));
  const { digestOf } = await import('../../basics/digest.ts');
  const { digestOfList } = await import('../../cache/key.ts');
  const parts = [
    'a',
    'x',
    digestOf('a'),
    'link',
    'link',
    'a',
    'ü/b',
    '-',
    digestOf('b'),
    'ü/empty',
    'folder',
    '',
  ];
  const memos = { get: () => undefined, put: async () => undefined };
  expect(await digestOfTree(root, { memos } as never)).toBe(digestOfList('mounted folder', parts));
});
