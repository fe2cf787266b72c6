/** The folders of a cache: what is missing, and what was left. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { sweepTemporary, temporaryPath } from '../../cache/folder.ts';
import { listLeftovers } from '../../cache/leftovers.ts';
import { temporaryFolder } from '../rig/folder.ts';

test.each(['tmp', 'locks', 'runs', 'tools', 'sources', 'states', 'executors', 'layers', 'blobs'])(
  'is opened, and has it again: %s',
  async (name) => {
    const root = temporaryFolder();
    await (await openCache(root)).close();
    rmSync(join(root, name), { recursive: true });
    await (await openCache(root)).close();
    expect(existsSync(join(root, name))).toBe(true);
  },
);

test('what a running process keeps beside a temporary file stays', async () => {
  const cache = await openCache(temporaryFolder());
  const download = `${temporaryPath(cache.folder)}.archive`;
  writeFileSync(download, '');
  expect([listLeftovers(cache.folder), sweepTemporary(cache.folder)]).toEqual([[], 0]);
  expect(existsSync(download)).toBe(true);
  await cache.close();
});
