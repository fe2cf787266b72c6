/**
 * Two builds of one cache, of which one stands still for longer than others wait for a beat: the other takes over, and
 * the first, when it goes on, commits nothing and removes no lock of the other.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCache } from '../../cache/cache.ts';
import { binaryKey } from '../../cache/database.ts';
import { buildWorker } from '../faults/program.ts';
import { runToy } from '../rig/arithmetic.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { stateOf } from '../rig/pausing.ts';
import { until } from '../rig/until.ts';

const UNSHARE = ['--pid', '--fork', '--mount-proc', '--kill-child'];
const mayUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
if (!mayUnshare)
  process.stdout.write('skipped: a build in another PID namespace needs the right to make one\n');

let program: string;
const children: ChildProcessWithoutNullStreams[] = [];
beforeAll(() => {
  program = buildWorker('test/engine/toy-program.ts');
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(program, { force: true });
});

interface Build {
  child: ChildProcessWithoutNullStreams;
  said(): string;
  /** What it printed at its end. */
  end(): Promise<{ ran: string[]; counts: Record<string, number>; code: number | null }>;
}

function build(root: string, noise: number, silence: number, go: string, before: string[] = []): Build {
  const [command, ...args] = [...before, process.execPath, program, root, `${noise}`, `${silence}`, go];
  const child = spawn(command!, args);
  children.push(child);
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
  });
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const exit = once(child, 'exit');
  return {
    child,
    said: () => said,
    async end() {
      const [code] = (await exit) as [number | null];
      const last = said.trim().split('\n').at(-1)!;
      return { code, ...(JSON.parse(last) as { ran: string[]; counts: Record<string, number> }) };
    },
  };
}

/** The square of 1 that is in the cache now. */
async function squareIn(root: string): Promise<string> {
  const cache = await openCache(root);
  const { latest, records } = cache.database;
  const value = records.get(binaryKey(latest.get('toy/square.x@n1')!.key))!.outputs.value;
  await cache.close();
  return value?.kind === 'inline' ? value.text : '';
}

async function locksIn(root: string): Promise<string[]> {
  const cache = await openCache(root);
  const names = cache.locks.names();
  await cache.close();
  return names;
}

describe('a build that is stopped', () => {
  test('is followed, and when it goes on it takes the answer of the other', async () => {
    const root = temporaryFolder();
    const [goFirst, goSecond] = [join(root, 'go1'), join(root, 'go2')];
    const first = build(root, 1000, 60_000, goFirst);
    await until(() => first.said().includes('holds'));
    process.kill(first.child.pid!, 'SIGSTOP');
    await until(() => stateOf(first.child.pid!) === 'T');

    const second = build(root, 0, 700, goSecond);
    await until(() => second.said().includes('holds'));

    // The first one ends its work now. The second still works, under its own lock.
    writeFileSync(goFirst, '');
    process.kill(first.child.pid!, 'SIGCONT');
    await until(() => first.said().includes(`waits ${second.child.pid} n1`));
    expect((await locksIn(root)).length).toBe(1);
    writeFileSync(goSecond, '');
    const [one, other] = [await first.end(), await second.end()];
    expect(one).toMatchObject({ code: 0, counts: { ok: 3, infra: 0, stopped: 0 } });
    expect(other).toMatchObject({ code: 0, counts: { ok: 3, infra: 0, stopped: 0 } });
    expect(other.ran).toContain('n1');
    expect(await squareIn(root)).toBe('1');
    expect(await locksIn(root)).toEqual([]);
  });

  test('keeps what it makes if nobody took over meanwhile', async () => {
    const root = temporaryFolder();
    const go = join(root, 'go');
    const first = build(root, 1000, 100, go);
    await until(() => first.said().includes('holds'));
    process.kill(first.child.pid!, 'SIGSTOP');
    await until(() => stateOf(first.child.pid!) === 'T');
    writeFileSync(go, '');
    process.kill(first.child.pid!, 'SIGCONT');
    expect(await first.end()).toMatchObject({ code: 0, counts: { ok: 3 } });
    expect(await squareIn(root)).toBe('1001');
  });
});

test.skipIf(!mayUnshare)('a build that was killed in a container is followed', async () => {
  const root = temporaryFolder();
  const first = build(root, 1000, 60_000, join(root, 'never'), ['unshare', ...UNSHARE]);
  await until(() => first.said().includes('holds'));
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const go = join(root, 'go');
  writeFileSync(go, '');
  const second = build(root, 0, 700, go);
  const end = await second.end();
  expect(end).toMatchObject({ code: 0, counts: { ok: 3 } });
  expect(await squareIn(root)).toBe('1');
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('ends the wait for another build, whose lock stays', async () => {
    const root = temporaryFolder();
    const go = join(root, 'go');
    const first = build(root, 0, 60_000, go);
    await until(() => first.said().includes('holds'));
    const second = build(root, 0, 60_000, go);
    await until(() => second.said().includes(`waits ${first.child.pid} n1`));
    second.child.kill(signal);
    const end = await second.end();
    expect(end.counts.stopped).toBeGreaterThan(0);
    expect(end.ran).not.toContain('n1');
    expect(await locksIn(root)).toHaveLength(1);
    writeFileSync(go, '');
    expect(await first.end()).toMatchObject({ code: 0, counts: { ok: 3 } });
  });
});

test('a presence that is ended between the work and its commit keeps nothing', async () => {
  const root = temporaryFolder();
  let ended = 0;
  const { end, ran } = await runToy(
    root,
    { numbers: [1, 2] },
    {
      arrange: ({ database }) => {
        const { commit, presence } = database;
        database.commit = (holder, writes) => {
          // Another process ends it in the very turn in which the answer is written.
          if (ended++ === 0) presence!.end(presence!.name);
          return commit(holder, writes);
        };
      },
    },
  );
  // The first answer was made twice, and the second one counts.
  expect(ran.filter((name) => name === 'numbers')).toHaveLength(2);
  expect(end.counts.ok).toBe(4);
  expect(readdirSync(join(root, 'locks'))).toEqual([]);
});
