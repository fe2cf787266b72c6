/** `verify` says first whether a cache can be trusted, then why not, and what would be made again. */
import { chmodSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheTrust } from '../../app/trust.ts';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { keepAsked } from '../../cache/absences.ts';
import { openCache, publish, recordDigest } from '../../cache/cache.ts';
import { leasesOf } from '../../cache/database.ts';
import { actionKey } from '../../cache/key.ts';
import { verifyCache } from '../../cache/verify.ts';
import type { ActionRecord } from '../../schemas/record.ts';
import { STAGES } from '../../stages/registry.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

test('a new cache belongs to its user alone, and is trusted', async () => {
  const root = join(temporaryFolder(), 'cache');
  const cache = await openCache(root);
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(cacheTrust(cache, await verifyCache(cache, false))).toEqual({
    rights: [],
    rebuilt: [],
    outdated: [],
    notFound: [],
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

test('answers that rest on what was not found are told with their questions, and how to ask again', async () => {
  const project = new Project();
  writeFileSync(
    project.path('p.yaml'),
    'version: 1\nname: demo\ndataset: { train: { source: rows.jsonl, format: custom } }\n',
  );
  writeFileSync(project.path('rows.jsonl'), '');
  const cache = await openCache(project.path('.swemake'));
  const outcome = { status: 'ok' } as const;
  const tag = { kind: 'git', url: 'https://me:pass@x/repo', ref: 'v9\u001b[2J' } as const;
  const other = { kind: 'sdist', project: 'demo', version: '1' } as const;
  const asked = Date.UTC(2026, 10, 24, 10);
  const answer = async (stage: string, item: string, absent: ActionRecord['absent']) => {
    const preimage = { domain: 'item', stage, version: 1, parts: { item: { value: item } } } as const;
    const record = { outcome, outputs: {}, notes: {}, digest: recordDigest(outcome, {}), run: 'run' };
    const all = { ...record, startedAt: 1, durationMs: 1, ...(absent === undefined ? {} : { absent }) };
    await publish(cache, `demo/${stage}@${item}`, actionKey(preimage), preimage, all, null);
  };
  await answer('dataset.train', 'a', [
    { sought: tag, answer: 'absent', asked, rows: 2 },
    { sought: other, answer: 'absent', asked, rows: 1 },
  ]);
  await answer('environments', 'b', [{ sought: other, answer: 'absent', asked }]);
  await answer('environments', 'c', undefined);
  await keepAsked(cache.database, other, { answer: 'there', asked: asked + 1000 });
  await cache.close();
  const end = await command(project, 'verify', 'p.yaml');
  expect(end).toMatchObject({ code: 0, stderr: '' });
  const lines = end.stdout.split('\n');
  expect(lines[0]).toBe('yes, this cache can be trusted');
  const how = 'a build asks again once a day, and at once: swemake retry p.yaml';
  const there = 'it is there now, so the next build makes again what rests on it';
  expect(lines).toEqual(
    expect.arrayContaining([
      `rest on "not found": 3 rows of dataset.train; ${how}`,
      '  commit, tag or branch v9\u241b[2J of https://x/repo: asked 2026-11-24 10:00Z',
      `  source distribution demo==1 on the package index: ${there}`,
      `rest on "not found": 1 of environments; ${how}`,
    ]),
  );
  const json = JSON.parse((await command(project, 'verify', 'p.yaml', '--json')).stdout);
  expect(json.not_found).toMatchObject([
    { stage: 'dataset.train', answers: 1, rows: 3, questions: [{ there_now: false }, { there_now: true }] },
    { stage: 'environments', answers: 1, rows: 0 },
  ]);
});
