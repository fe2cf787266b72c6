/**
 * One cache, opened from a host and from a container: two PID namespaces, in which the same number means two
 * processes, and in which neither sees those of the other.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { isAlive, parseTag, thisProcess } from '../../basics/process-identity.ts';
import { cacheFolder, makeCacheFolder, sweepTemporary, temporaryPath } from '../../cache/folder.ts';
import { Locks } from '../../cache/key-lock.ts';
import { deadLeases, readLeases } from '../../cache/lease.ts';
import { Presence } from '../../cache/presence.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { until } from '../rig/until.ts';

const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const mayUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
if (!mayUnshare) process.stdout.write('skipped: tests in two PID namespaces need the right to make one\n');

/** Locks, leases and temporary files as a process of another namespace takes them; then it says what it sees. */
const PROGRAM = `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, sweepTemporary, temporaryPath } from './cache/folder.ts';
import { Locks } from './cache/key-lock.ts';
import { readLeases } from './cache/lease.ts';
import { Presence } from './cache/presence.ts';
import { processTag, thisProcess } from './basics/process-identity.ts';
const [root, silence] = process.argv.slice(2);
const folder = cacheFolder(root);
const presence = Presence.enter(join(root, 'users'), { beat: 50, silence: Number(silence) });
const locks = new Locks(folder.locks, presence);
const taken = locks.take('inside') !== null;
const stolen = locks.take('outside') !== null;
const temporary = temporaryPath(folder);
writeFileSync(temporary, 'half');
const swept = [sweepTemporary(folder), locks.sweep().length];
const leases = readLeases(presence).length;
console.log(JSON.stringify({ tag: processTag(thisProcess()), taken, stolen, temporary, swept, leases }));
process.stdin.on('end', () => process.exit(0)).resume();
`;

interface Told {
  tag: string;
  taken: boolean;
  stolen: boolean;
  temporary: string;
  swept: number[];
  leases: number;
}

let program: string;
beforeAll(() => {
  program = join(temporaryFolder(), 'program.mjs');
  buildSync({
    stdin: { contents: PROGRAM, resolveDir: packageRoot(), loader: 'ts' },
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
});
const children: ChildProcessWithoutNullStreams[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** `silence`: milliseconds without a beat after which it takes over. */
async function inContainer(
  root: string,
  silence = 60_000,
): Promise<{ told: Told; child: ChildProcessWithoutNullStreams }> {
  const child = spawn('unshare', [...UNSHARE, process.execPath, program, root, String(silence)]);
  children.push(child);
  let errors = '';
  child.stderr.on('data', (bytes) => {
    errors += bytes;
  });
  const [first] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error(errors))),
  ])) as [Buffer];
  return { told: JSON.parse(first.toString()) as Told, child };
}

describe.skipIf(!mayUnshare)('a cache that a container and its host have open', () => {
  test('neither takes the other for dead', async () => {
    const root = temporaryFolder();
    const folder = cacheFolder(root);
    makeCacheFolder(folder);
    const users = join(root, 'users');
    const presence = Presence.enter(users);
    const locks = new Locks(folder.locks, presence);
    const { unlock } = locks.take('outside')!;
    const temporary = temporaryPath(folder);
    writeFileSync(temporary, 'half');

    const { told } = await inContainer(root);
    expect(parseTag(told.tag)).toMatchObject({ pid: 1, boot: thisProcess().boot });
    expect(told).toMatchObject({ taken: true, stolen: false, swept: [0, 0], leases: 1 });
    expect(existsSync(temporary)).toBe(true);

    expect(isAlive(parseTag(told.tag)!)).toBe(true);
    expect(locks.take('inside')).toBeNull();
    expect(locks.sweep()).toEqual([]);
    expect(sweepTemporary(folder)).toBe(0);
    expect(existsSync(told.temporary)).toBe(true);
    expect(deadLeases(users)).toEqual([]);
    expect(readLeases(presence)).toHaveLength(1);
    unlock();
    presence.leave();
  });

  test('the lock of a container that was killed is taken over, and waited for only until then', async () => {
    const root = temporaryFolder();
    const folder = cacheFolder(root);
    makeCacheFolder(folder);
    const { told, child } = await inContainer(root);
    const presence = Presence.enter(join(root, 'users'), { beat: 50, silence: 1500 });
    const locks = new Locks(folder.locks, presence);
    const waits: (number | null)[] = [];
    const waiting = locks.unless('inside', () => null, {
      onWait: (holder) => waits.push(holder?.pid ?? null),
    });
    await until(() => waits.length === 1);
    // It lives, and beats.
    expect(presence.standing(told.tag)).toBe('here');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const lock = await waiting;
    expect('unlock' in lock && lock.isHeld()).toBe(true);
    expect(waits).toEqual([1, null]);
    presence.leave();
  });

  test('two containers, in which all is process 1, do not share a lock', async () => {
    const root = temporaryFolder();
    makeCacheFolder(cacheFolder(root));
    const first = await inContainer(root);
    const second = await inContainer(root);
    expect(first.told.taken).toBe(true);
    expect(second.told.taken).toBe(false);
    expect(second.told.tag).not.toBe(first.told.tag);
    expect(readdirSync(join(root, 'users'))).toHaveLength(2);
  });
});
