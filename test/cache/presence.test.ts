/** Ages of beats, whatever the clocks say, and what is left of a presence that was ended. */
import { readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { processTag, thisProcess } from '../../basics/process-identity.ts';
import { takeLease } from '../../cache/lease.ts';
import { Presence } from '../../cache/presence.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { until } from '../rig/until.ts';

const TIMES = { beat: 20, silence: 400 };
/** A process of another PID namespace. */
const OTHER = processTag({ ...thisProcess(), space: '1' });
const open: Presence[] = [];
afterEach(() => {
  for (const presence of open.splice(0)) presence.leave();
});

function enter(times = TIMES): Presence {
  const presence = Presence.enter(temporaryFolder(), times);
  open.push(presence);
  return presence;
}

function setAge(path: string, seconds: number): void {
  const time = new Date(Date.now() - seconds * 1000);
  utimesSync(path, time, time);
}

test('a process that cannot be seen is silent once it was watched and did not beat', async () => {
  const presence = enter();
  writeFileSync(join(presence.folder, OTHER), 'start 0\n');
  expect(presence.standing(OTHER)).toBe('here');
  await until(() => presence.standing(OTHER) === 'silent');
  presence.end(OTHER);
  expect(presence.standing(OTHER)).toBe('gone');
});

test('a file that looks old since a clock was set forward is watched for two beats first', async () => {
  const presence = enter({ beat: 50, silence: 60_000 });
  const path = join(presence.folder, OTHER);
  writeFileSync(path, 'start 0\n');
  setAge(path, 7200);
  expect(presence.standing(OTHER)).toBe('here');
  // Its next beat is in time.
  setAge(path, 0);
  expect(presence.standing(OTHER)).toBe('here');
  setAge(path, 7200);
  await until(() => presence.standing(OTHER) === 'silent');
});

test('a file from the future, since a clock was set back, is silent when it stays as it is', async () => {
  const presence = enter();
  const path = join(presence.folder, OTHER);
  writeFileSync(path, 'start 0\n');
  setAge(path, -7200);
  expect(presence.standing(OTHER, true)).toBe('here');
  await until(() => presence.standing(OTHER, true) === 'silent');
});

test('ages are differences of times of this file system: the clock of this machine does not count', () => {
  const presence = enter({ beat: 60_000, silence: 60_000 });
  const path = join(presence.folder, OTHER);
  writeFileSync(path, 'start 0\n');
  const now = Date.now;
  Date.now = () => now() + 1e9;
  try {
    expect(presence.ageOf(OTHER)).toBeLessThan(60_000);
    expect(presence.standing(OTHER, true)).toBe('here');
  } finally {
    Date.now = now;
  }
});

test('a process that goes on after its presence was ended has another name, and notes what it had noted', () => {
  const presence = enter({ beat: 60_000, silence: 60_000 });
  const lease = takeLease(presence);
  const digest = 'a'.repeat(64);
  lease.useNow(digest);
  const { name } = presence;
  presence.end(name);
  lease.useNow('b'.repeat(64));
  expect(presence.name).not.toBe(name);
  expect(presence.holds(name)).toBe(false);
  expect(readFileSync(presence.path, 'utf8')).toContain(digest);
  expect(readFileSync(presence.path, 'utf8')).toContain('b'.repeat(64));
  // A second process in between sees that the first name stands for nothing any more.
  expect(presence.standing(name)).toBe('gone');
  renameSync(presence.path, `${presence.path}.ended`);
  presence.beat();
  expect(presence.name.endsWith('-g3')).toBe(true);
});
