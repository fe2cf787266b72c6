import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, processTag, thisProcess } from '../../basics/process-identity.ts';
import { lockUnless, staleLocks, tryLock } from '../../cache/key-lock.ts';
import { temporaryFolder } from '../rig/folder.ts';

describe('a lock', () => {
  test('has one owner at a time', () => {
    const path = join(temporaryFolder(), 'lock');
    const unlock = tryLock(path)!;
    expect(tryLock(path)).toBeNull();
    unlock();
    expect(readdirSync(dirname(path))).toEqual([]);
    tryLock(path)!();
  });

  test('T46 is taken over from a dead owner, though its pid is in use again', () => {
    const path = join(temporaryFolder(), 'lock');
    const earlier = { ...thisProcess(), start: '1' };
    expect(isAlive(earlier)).toBe(false);
    expect(isAlive(thisProcess())).toBe(true);
    symlinkSync(processTag(earlier), path);
    expect(staleLocks(dirname(path))).toEqual(['lock']);
    tryLock(path)!();
  });

  test('of an earlier version is a file, and as good while its owner lives', () => {
    const path = join(temporaryFolder(), 'lock');
    writeFileSync(path, processTag(thisProcess()));
    expect(tryLock(path)).toBeNull();
    writeFileSync(path, processTag({ ...thisProcess(), start: '1' }));
    expect(staleLocks(dirname(path))).toEqual(['lock']);
    tryLock(path)!();
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  test('waiting ends when somebody else has the answer', async () => {
    const path = join(temporaryFolder(), 'lock');
    const unlock = tryLock(path)!;
    let answer: string | null = null;
    const waiting = lockUnless(path, () => answer);
    answer = 'theirs';
    expect(await waiting).toEqual({ answer: 'theirs' });
    unlock();
  });
});
