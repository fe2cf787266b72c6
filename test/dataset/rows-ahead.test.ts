/** A large file that changed is read before the build asks for it, and names the same blocks as without that. */
import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { rowsAhead } from '../../app/rows-ahead.ts';
import { fileState } from '../../basics/file-state.ts';
import { WORTH_A_THREAD } from '../../contract/rows-ahead.ts';
import { fileBlocks } from '../../stages/dataset/blocks/file-blocks.ts';
import { temporaryFolder } from '../rig/folder.ts';

const folder = temporaryFolder();
const path = join(folder, 'rows.jsonl');
const env = { XDG_CACHE_HOME: join(folder, 'home-cache') };
const begin = (...args: string[]) => rowsAhead(args, env);
const forProject = () => begin('build', join(folder, 'project.yaml'))!;

beforeAll(() => {
  const lines = Array.from({ length: 1024 }, (_, at) => `{"row":${at},"${'x'.repeat(at % 97)}":1}\n`).join(
    '',
  );
  writeFileSync(path, lines.repeat(Math.ceil(WORTH_A_THREAD / lines.length)));
});

/** Another state, at rest. */
async function change(): Promise<string> {
  appendFileSync(path, '{"row":"new"}\n');
  while (Date.now() - statSync(path).ctimeMs < 100) await sleep(10);
  return fileState(path)!;
}

test('it is taken once, by whoever asks for the file in the state that it has', async () => {
  const before = await change();
  const first = forProject();
  // Nothing is known of the project.
  expect(first.take(path, before)).toBeNull();
  first.note(path, before);
  expect(forProject().take(path, before)).toBeNull();

  const state = await change();
  expect(forProject().take(join(folder, 'other.jsonl'), state)).toBeNull();
  expect(forProject().take(path, before)).toBeNull();
  const ahead = forProject();
  const tail = ahead.take(path, state)!;
  expect(ahead.take(path, state)).toBeNull();
  expect(await tail.ended).toBe(true);
  expect(begin('plan', join(folder, 'project.yaml'))).toBeNull();
  expect(begin('build', '--json')).toBeNull();
});

test('the blocks are those that one thread names', async () => {
  const one = await fileBlocks(path, undefined, { from: Number.POSITIVE_INFINITY });
  const noted = forProject();
  noted.note(path, 'an earlier state');
  const ahead = forProject();
  const digests: string[] = [];
  let isTaken = false;
  const found = await fileBlocks(path, undefined, {
    early: (digest) => digests.push(digest),
    begun: (state) => {
      const tail = ahead.take(path, state);
      isTaken = tail !== null;
      return tail;
    },
  });
  expect(isTaken).toBe(true);
  expect(found).toEqual(one);
  expect(digests.length).toBeGreaterThan(0);
});
