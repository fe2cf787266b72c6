/** What of a place of work decides results. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { success } from '../../basics/result.ts';
import { openCache } from '../../cache/cache.ts';
import type { Services } from '../../contract/machine.ts';
import { WORK, type WorkKind } from '../../contract/work.ts';
import { temporaryFolder } from '../rig/folder.ts';

test('hosts of the proxy count where it is used; mounted files count with their modes', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tools'));
  writeFileSync(join(folder, 'tools/run'), '#!/bin/sh\n');
  const cache = await openCache(join(folder, '.swemake'));
  const box = {
    limits: {},
    network: { build: 'proxy', grade: 'off', rollout: 'off' },
    mounts: [{ from: 'tools', to: '/opt/tools' }],
    allow_hosts: ['b.org', 'a.org'],
  };
  const services = {
    cache,
    projectFolder: folder,
    config: { deployments: { box } },
    deploymentIdentity: async () => success({ kind: 'sandbox', isolation: 'sandbox', base: {} }),
  } as unknown as Services;
  const work = async (kind: WorkKind) => {
    const answer = await WORK.answer({ deployment: 'box', kind }, services);
    if (!answer.ok) throw new Error('no answer');
    return answer.value;
  };
  expect(await work('build')).toMatchObject({ network: 'proxy', allow_hosts: ['a.org', 'b.org'] });
  const before = await work('grade');
  expect(before).toMatchObject({ network: 'off', allow_hosts: [] });
  box.allow_hosts = ['c.org'];
  expect(await work('grade')).toEqual(before);
  expect(await work('build')).toMatchObject({ allow_hosts: ['c.org'] });
  chmodSync(join(folder, 'tools/run'), 0o755);
  expect((await work('grade')).mounts).not.toEqual(before.mounts);
  // A folder in which nothing is, and links: what they say, however they lead in circles.
  const seen = [(await work('grade')).mounts];
  mkdirSync(join(folder, 'tools/empty'));
  seen.push((await work('grade')).mounts);
  for (const target of ['.', 'run', '/etc/hostname']) {
    rmSync(join(folder, 'tools/link'), { force: true });
    symlinkSync(target, join(folder, 'tools/link'));
    seen.push((await work('grade')).mounts);
  }
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(5);
  await cache.close();
});
