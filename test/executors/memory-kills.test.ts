/** What the kernel counted tells a workspace that went over its own limit from one that a full host ended. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { type MemoryCount, MemoryWatch, memoryKiller } from '../../executors/sandbox/memory.ts';
import { temporaryFolder } from '../rig/folder.ts';

const folder = temporaryFolder();

function counted(version: 1 | 2, files: Record<string, string>): MemoryCount {
  const group = join(folder, `${Math.random()}`);
  mkdirSync(group);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(group, name), text);
  const script =
    'import json, sys; from memory_events import MemoryEvents as E; print(json.dumps(E.of_group(int(sys.argv[1]), sys.argv[2]).read()))';
  const env = { PYTHONPATH: join(packageRoot(), 'executors/sandbox'), PYTHONDONTWRITEBYTECODE: '1' };
  return JSON.parse(execFileSync('python3', ['-c', script, `${version}`, group], { env, encoding: 'utf8' }));
}

const V2 = (oom: number, killed: number) => ({
  'memory.events': `low 0\nhigh 0\nmax 12\noom ${oom}\noom_kill ${killed}\noom_group_kill 0\n`,
});
const V1 = (mostMiB: number, killed: number) => ({
  'memory.oom_control': `oom_kill_disable 0\nunder_oom 0\noom_kill ${killed}\n`,
  'memory.max_usage_in_bytes': `${mostMiB << 20}\n`,
  'memory.limit_in_bytes': `${256 << 20}\n`,
});

describe('counts', () => {
  test('are read from both versions of control groups', () => {
    expect(counted(2, V2(3, 2))).toEqual([3, 2]);
    expect(counted(2, V2(0, 2))).toEqual([0, 2]);
    expect(counted(1, V1(256, 1))).toEqual([1, 1]);
    expect(counted(1, V1(255, 1))).toEqual([1, 1]);
    expect(counted(1, V1(200, 1))).toEqual([0, 1]);
    const swapped = { ...V1(200, 1), 'memory.memsw.max_usage_in_bytes': `${256 << 20}\n` };
    expect(counted(1, swapped)).toEqual([1, 1]);
    expect(counted(2, {})).toEqual([null, null]);
    // A kernel that counts no kills.
    expect(counted(1, { ...V1(200, 1), 'memory.oom_control': 'under_oom 0\n' })).toEqual([0, null]);
  });
});

describe('who ended a process', () => {
  test.each<[what: string, before: MemoryCount, after: MemoryCount, who: string | null]>([
    ['its own limit was met', [0, 0], [1, 1], 'own'],
    ['its own limit was met again', [4, 1], [6, 2], 'own'],
    ['its own limit was not met', [0, 0], [0, 1], 'host'],
    ['its own limit was met before, and not now', [4, 1], [4, 2], 'host'],
    ['its own limit was met, and nobody was killed', [0, 0], [3, 0], null],
    ['nothing was counted', [2, 2], [2, 2], null],
    ['no group counts, and nobody was killed', [null, 5], [null, 5], null],
    ['no group counts', [null, 5], [null, 6], 'unknown'],
    ['the kernel counts no kills', [0, null], [0, null], null],
  ])('when %s', (_what, before, after, who) => expect(memoryKiller(before, after)).toBe(who));

  test('is remembered when it was the host, also between two commands', () => {
    const watch = new MemoryWatch([0, 0]);
    for (const count of [
      [0, 0],
      [2, 1],
      [2, 1],
    ] as const)
      watch.note(count);
    expect(watch.hostKilled).toBe(false);
    watch.note([2, 2]);
    expect(watch.hostKilled).toBe(true);
    watch.note([3, 3]);
    expect(watch.hostKilled).toBe(true);
    expect(watch.since([4, 4])).toBe('own');
  });

  test('is told right when commands that ran at the same time answer in any order', () => {
    const watch = new MemoryWatch([0, 0]);
    for (const count of [
      [0, 0],
      [1, 1],
      [0, 0],
      [1, 1],
    ] as const)
      watch.note(count);
    expect(watch.hostKilled).toBe(false);
  });
});
