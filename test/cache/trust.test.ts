/** `verify` says first whether a cache can be trusted, then why not, and what would be made again. */
import { chmodSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheTrust } from '../../app/trust.ts';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { openCache, publish, recordDigest } from '../../cache/cache.ts';
import { leasesOf } from '../../cache/database.ts';
import { actionKey } from '../../cache/key.ts';
import { verifyCache } from '../../cache/verify.ts';
import { STAGES } from '../../stages/registry.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('a new cache belongs to its user alone, and is trusted', async () => {
  const root = join(temporaryFolder(), 'cache');
  const cache = await openCache(root);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(cacheTrust(cache, await verifyCache(cache, false))).toEqual({
    rights: [],
    rebuilt: [],
    outdated: [],
    notes: [],
  });
  await cache.close();
});

test('rights, answers of earlier versions, silent locks and what is lost are told', async () => {
  const root = join(temporaryFolder(), 'cache');
  const cache = await openCache(root);
  const { name: stage, version } = STAGES[0]!;
  const outcome = { status: 'ok' } as const;
  const blob = cache.blobs.write('content');
  for (const [item, at] of [
    ['old', version - 1],
    ['new', version],
  ] as const) {
    const preimage = { domain: 'item', stage, version: at, parts: { item: { value: item } } } as const;
    const outputs = { file: { kind: 'blob', ...blob } } as const;
    const record = { outcome, outputs, notes: {}, digest: recordDigest(outcome, outputs) };
    const times = { startedAt: 1, durationMs: 1, run: 'run' };
    await publish(cache, `p/${stage}@${item}`, actionKey(preimage), preimage, { ...record, ...times });
  }
  const other = processTag({ ...thisProcess(), space: '1' });
  const lease = join(leasesOf(cache.folder.database), other);
  writeFileSync(lease, 'start 0\nhost elsewhere\n');
  utimesSync(lease, 1000, 1000);
  symlinkSync(other, join(cache.folder.locks, 'key'));
  chmodSync(root, 0o777);
  const before = cacheTrust(cache, await verifyCache(cache, false));
  expect(before.rights).toMatchObject([{ kind: 'rights', where: root }]);
  expect(before.outdated).toEqual([{ stage, answers: 1 }]);
  expect(before.rebuilt).toEqual([]);
  expect(before.notes.join('\n')).toMatch(/of host elsewhere holds 1 locks/);

  rmSync(cache.blobs.path(blob.digest));
  const after = cacheTrust(cache, await verifyCache(cache, false));
  expect(after.rebuilt).toEqual([{ stage, answers: 2 }]);
  await cache.close();
});
