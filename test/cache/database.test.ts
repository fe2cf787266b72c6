import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../cache/database.ts';
import { temporaryFolder } from '../rig/folder.ts';

async function filled(path: string): Promise<void> {
  const database = await openDatabase(path);
  for (let index = 0; index < 2000; index += 1) void database.memos.put(`memo ${index}`, 'x'.repeat(200));
  await database.close();
}

async function reopened(path: string): Promise<{ setAside: string | null; memo: unknown }> {
  const database = await openDatabase(path);
  const result = { setAside: database.setAside, memo: database.memos.get('memo 7') };
  await database.close();
  return result;
}

/** Ends the process that looks the file through, as the machine does that has no memory. */
async function killChild(path: string): Promise<void> {
  for (;;) {
    await sleep(2);
    try {
      execFileSync('pkill', ['-KILL', '-P', String(process.pid), '-f', path]);
      return;
    } catch {
      // It has not begun.
    }
  }
}

describe('the database', () => {
  test('keeps what was written', async () => {
    const path = join(temporaryFolder(), 'records.mdb');
    await filled(path);
    expect(await reopened(path)).toEqual({ setAside: null, memo: 'x'.repeat(200) });
    expect(readdirSync(`${path}.users`)).toEqual([]);
  });

  const damages: [string, (path: string) => void][] = [
    ['cut short', (path) => truncateSync(path, 40_960)],
    ['cut to less than a page', (path) => truncateSync(path, 100)],
    ['garbage', (path) => writeFileSync(path, Buffer.alloc(100_000, 7))],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(100_000))],
  ];
  test.each(damages)('T53 sets a file aside that is %s, instead of dying', async (_name, damage) => {
    const path = join(temporaryFolder(), 'records.mdb');
    await filled(path);
    damage(path);
    const { setAside, memo } = await reopened(path);
    expect(setAside).toMatch(/records\.mdb was damaged \(.+\) and is kept as records\.mdb\.damaged-/);
    expect(memo).toBeUndefined();
  });

  test('T53 after an unclean stop reads everything in another process first', async () => {
    const path = join(temporaryFolder(), 'records.mdb');
    await filled(path);
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8192, bytes.length - 4096);
    writeFileSync(path, bytes);
    mkdirSync(`${path}.users`, { recursive: true });
    writeFileSync(join(`${path}.users`, '1-1-n1-00000000-0000-0000-0000-000000000000'), '');
    expect((await reopened(path)).setAside).toMatch(/was damaged/);
  });

  test('a look that is ended from outside takes no sound file for damaged, and is made again', async () => {
    const path = join(temporaryFolder(), 'records.mdb');
    await filled(path);
    const dead = join(`${path}.users`, '1-1-n1-00000000-0000-0000-0000-000000000000');
    writeFileSync(dead, '');
    const opening = openDatabase(path);
    const failed = expect(opening).rejects.toThrow(/could not be looked through/);
    await killChild(path);
    await failed;
    expect(readdirSync(`${path}.users`)).toHaveLength(1);
    expect(await reopened(path)).toEqual({ setAside: null, memo: 'x'.repeat(200) });
    expect(readdirSync(`${path}.users`)).toEqual([]);
  });

  test('an unclean stop without damage loses nothing', async () => {
    const path = join(temporaryFolder(), 'records.mdb');
    await filled(path);
    writeFileSync(join(`${path}.users`, '1-1-n1-00000000-0000-0000-0000-000000000000'), '');
    expect(await reopened(path)).toEqual({ setAside: null, memo: 'x'.repeat(200) });
  });
});
