/** A flipped byte in the kept rows never reaches a verdict: it is found, set aside, and the rows are read again. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyProject } from '../rig/tiny-project.ts';

test('T50 a flipped byte in kept rows is found before a row is used', async () => {
  const project = tinyProject({ instances: 2 });
  await project.build('p.yaml');
  const blobs = project.path('.swemake/blobs');
  const paths = readdirSync(blobs).flatMap((shard) =>
    readdirSync(join(blobs, shard)).map((name) => join(blobs, shard, name)),
  );
  // filter's pieces hold the rows too, without a head.
  const isBlock = (text: string) => text.startsWith('{"groups":') && text.includes('VALUE = -1');
  const block = paths.find((path) => isBlock(readFileSync(path, 'utf8')))!;
  const text = readFileSync(block, 'utf8');
  chmodSync(block, 0o644);
  writeFileSync(block, text.replaceAll('VALUE = -1', 'VALUE = -9'));
  const end = await project.build('p.yaml', '--force', 'validate');
  expect(end).toMatchObject({ code: 0, outcomes: { ok: 5, infra: 0 } });
  expect(readdirSync(project.path('.swemake/quarantine'))).toHaveLength(1);
}, 240_000);
