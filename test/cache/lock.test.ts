import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAlive, processTag, thisProcess } from '../../basics/process-identity.ts';
import { type Lock, Locks, type Waiting } from '../../cache/key-lock.ts';
import { Presence } from '../../cache/presence.ts';
import { temporaryFolder } from '../rig/folder.ts';

let folder: string;
let locks: Locks;
let presence: Presence;
beforeEach(() => {
  const root = temporaryFolder();
  folder = join(root, 'locks');
  mkdirSync(folder);
  presence = Presence.enter(join(root, 'users'));
  locks = new Locks(folder, presence);
});
afterEach(() => presence.leave());

const DEAD = processTag({ ...thisProcess(), start: '1' });

describe('a lock', () => {
  test('has one owner at a time', () => {
    const lock = locks.take('lock')!;
    expect(locks.take('lock')).toBeNull();
    lock.unlock();
    expect(readdirSync(folder)).toEqual([]);
    locks.take('lock')!.unlock();
  });

  test('T46 is taken over from a dead owner, though its pid is in use again', () => {
    expect(isAlive({ ...thisProcess(), start: '1' })).toBe(false);
    expect(isAlive(thisProcess())).toBe(true);
    symlinkSync(DEAD, join(folder, 'lock'));
    symlinkSync(DEAD, join(folder, 'other'));
    locks.take('lock')!.unlock();
    expect(locks.sweep()).toEqual(['other']);
  });

  test('is taken where a file lies that is none', () => {
    writeFileSync(join(folder, 'lock'), processTag(thisProcess()));
    locks.take('lock')!.unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('waiting ends when somebody else has the answer', async () => {
    const { unlock } = locks.take('lock')!;
    let answer: string | null = null;
    const waiting = locks.unless('lock', () => answer);
    answer = 'theirs';
    expect(await waiting).toEqual({ answer: 'theirs' });
    unlock();
  });

  test('waiting is told with its holder, and ends at a signal', async () => {
    const parent = processTag({ ...thisProcess(), space: '1' });
    writeFileSync(join(presence.folder, parent), `start 5\nhost elsewhere\n`);
    symlinkSync(parent, join(folder, 'lock'));
    const stop = new AbortController();
    const told: (Waiting | null)[] = [];
    const waiting = locks.unless('lock', () => null, {
      signal: stop.signal,
      onWait: (holder) => {
        told.push(holder);
        stop.abort();
      },
    });
    await expect(waiting).rejects.toThrow();
    expect(told).toEqual([{ pid: process.pid, host: 'elsewhere', since: expect.any(Date) }, null]);
  });

  test('of another is not removed by one whose presence was ended', () => {
    const mine: Lock = locks.take('lock')!;
    expect(mine.isHeld()).toBe(true);
    presence.end(presence.name);
    presence.beat();
    expect(mine.isHeld()).toBe(false);
    const theirs = locks.take('lock')!;
    mine.unlock();
    expect(locks.take('lock')).toBeNull();
    theirs.unlock();
  });
});
