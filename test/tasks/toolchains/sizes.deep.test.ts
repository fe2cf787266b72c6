/** Toolchains as layers of a cache: what they take of the disk, and whether they are still there. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolchainDisk } from '../../../app/environment-disk.ts';
import type { Session } from '../../../app/session.ts';
import { openCache } from '../../../cache/cache.ts';
import { toolchainsText } from '../../../cli/plan-table.ts';
import type { RunEnd } from '../../../engine/run.ts';
import { TOOLCHAINS, whereToolchain } from '../../../tasks/toolchains/toolchain.ts';
import { temporaryFolder } from '../../rig/folder.ts';

test.each(['1.17.13', '1.9', '1'])(
  'go %s is too old, which is told before anything is fetched',
  async (go) => {
    const answer = await TOOLCHAINS.answer({ ecosystem: 'go', toolchain: { go } }, {} as never);
    expect(answer).toMatchObject({
      fault: { reason: 'tool-missing', detail: `go ${go} is too old; write 1.18 or later into toolchain` },
    });
  },
);

test('toolchains of built environments are counted once each, and one that gc removed is not in the cache', async () => {
  const folder = temporaryFolder();
  const cache = await openCache(join(folder, 'cache'));
  mkdirSync(join(folder, 'go/bin'), { recursive: true });
  writeFileSync(join(folder, 'go/bin/go'), 'x'.repeat(5000));
  const { digest } = await cache.layers.add(join(folder, 'go'));
  const record = {
    outputs: { layer: { kind: 'layer', digest }, 'toolchain go 1.23.8': { kind: 'layer', digest } },
  };
  const state = {
    node: { stage: 'environments' },
    eachEntry: () => [{ name: 'a' }, { name: 'b' }],
    record: () => record,
  };
  const end = { nodes: new Map([['environments.train', { state }]]) } as unknown as RunEnd;
  const found = await toolchainDisk({ cache } as unknown as Session, end);
  // Two folders and two blocks of a file.
  expect(found).toEqual([{ name: 'go 1.23.8', bytes: 3 * 4096 }]);
  expect(toolchainsText(found)).toBe('toolchains: go 1.23.8 12.0 KiB\n');
  expect(toolchainsText([])).toBe('');

  const memo = `toolchain go 1.23.8 ${process.platform} ${process.arch}`;
  await cache.database.memos.put(memo, digest);
  const env = { GOPROXY: 'http://127.0.0.1:9' };
  const where = () =>
    whereToolchain(
      'go',
      '1.23.8',
      { from: 'go-proxy' },
      { cache, env, signal: new AbortController().signal },
    );
  expect(await where()).toEqual({ ok: true, value: 'in the cache' });
  rmSync(cache.folder.trees, { recursive: true });
  rmSync(join(cache.folder.root, 'layers/manifests'), { recursive: true, force: true });
  expect(await where()).toMatchObject({ ok: false });
  await cache.close();
});
