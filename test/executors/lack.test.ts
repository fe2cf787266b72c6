/** Counters decide whose lack it was, and words only say where to look. */
import { describe, expect, test } from 'vitest';
import {
  type Counters,
  hinderedByLack,
  isMachineFull,
  killOf,
  lackFault,
  lackOf,
  type Ran,
} from '../../executors/lack.ts';

const GIB = 2 ** 30;
const ENOUGH: Counters = {
  disk: { free: 50 * GIB, files: 10 ** 6, isRefused: false, isOwn: false },
  memory: { available: 8 * GIB, isOwnMet: false },
  processes: { spare: 10_000 },
};
const NONE: Counters = { disk: null, memory: null, processes: null };

function ran(output: string, counters: Counters | undefined, more: Partial<Ran> = {}): Ran {
  const end = { exitCode: 1, exitSignal: null, timedOut: false, output, ...more };
  return counters === undefined ? end : { ...end, counters };
}
const with_ = (more: Partial<Counters>): Counters => ({ ...ENOUGH, ...more });
const kindOf = (output: string, counters?: Counters, more: Partial<Ran> = {}, limit?: number) =>
  lackOf(ran(output, counters, more), limit)?.kind ?? null;

const FULL = 'OSError: [Errno 28] No space left on device';
const FORK = 'bash: fork: retry: Resource temporarily unavailable';
const MEMORY = [
  'gcc: fatal error: Killed signal terminated program cc1plus',
  'c++: internal compiler error: Killed (program cc1plus)',
  'collect2: fatal error: ld terminated with signal 9 [Killed]',
  'make[2]: *** [Makefile:12: big.o] Killed',
  '/tmp/build.sh: line 3: 4242 Killed                  cc1plus',
  "subprocess.CalledProcessError: Command '['cc']' died with <Signals.SIGKILL: 9>.",
  'error: could not compile `x` (signal: 9, SIGKILL: kill)',
  'OSError: [Errno 12] Cannot allocate memory',
  'bash: fork: Cannot allocate memory',
  "terminate called after throwing an instance of 'std::bad_alloc'",
  '    MemoryError',
  'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 2.0 GiB',
];

describe('a disk', () => {
  const disk = { ...ENOUGH.disk! };

  test.each<[string, Counters | undefined, string]>([
    ['with room', ENOUGH, 'none'],
    ['with little room', with_({ disk: { ...disk, free: GIB / 2 } }), 'host'],
    ['that refuses a file', with_({ disk: { ...disk, isRefused: true } }), 'host'],
    ['without files', with_({ disk: { ...disk, files: 3 } }), 'host'],
    ['that does not count files', with_({ disk: { ...disk, files: null } }), 'none'],
    ['of the workspace’s own', with_({ disk: { free: 0, files: 0, isRefused: true, isOwn: true } }), 'none'],
    ['that cannot be read', with_({ disk: null }), 'uncounted'],
    ['of which nothing is said', undefined, 'uncounted'],
  ])('%s', (_, counters, kind) => {
    for (const words of [FULL, 'cp: error writing x: Disk quota exceeded', 'npm ERR! code ENOSPC'])
      expect(kindOf(`before\n${words}\nafter`, counters)).toBe(kind);
  });

  test('that is full is a lack whatever is said, unless it is the workspace’s own', () => {
    expect(isMachineFull(disk)).toBe(false);
    expect(isMachineFull({ ...disk, isRefused: true })).toBe(true);
    expect(isMachineFull({ ...disk, files: 0 })).toBe(true);
    expect(isMachineFull({ ...disk, free: 4096 })).toBe(true);
    expect(isMachineFull({ free: 0, files: 0, isRefused: true, isOwn: true })).toBe(false);
    expect(isMachineFull(null)).toBe(false);
  });
});

describe('memory', () => {
  const memory = { ...ENOUGH.memory! };

  test.each(MEMORY)('in the words: %s', (line) => {
    const output = `before\n${line}\nafter`;
    expect(lackOf(ran(output, NONE))).toEqual({
      kind: 'uncounted',
      reason: 'out-of-memory',
      line: line.trim(),
    });
    expect(kindOf(output, ENOUGH)).toBe('none');
    expect(kindOf(output, with_({ memory: { ...memory, available: 2 ** 20 } }))).toBe('host');
    // The limit was met, so that is what it lacked.
    expect(kindOf(output, with_({ memory: { available: 2 ** 20, isOwnMet: true } }))).toBe('none');
    expect(kindOf(`${output}\nswemake: over the memory limit\n`, NONE)).toBe('none');
  });

  test.each([
    'ERROR: MemoryErrorHandler is not defined',
    'test_memory_error ... ok',
    'KilledWorker: the task was given up',
  ])('is not meant by: %s', (line) => expect(kindOf(line, NONE)).toBeNull());

  test('where each process is held to the limit, a machine with less may have refused it', () => {
    const left = (available: number) => with_({ memory: { available, isOwnMet: null } });
    expect(kindOf(MEMORY[7]!, left(2 * GIB), {}, GIB)).toBe('none');
    expect(kindOf(MEMORY[7]!, left(GIB), {}, 2 * GIB)).toBe('host');
  });
});

test('processes that the machine, or a group above, refuses', () => {
  expect(kindOf(FORK, ENOUGH)).toBe('none');
  expect(kindOf(FORK, with_({ processes: { spare: 3 } }))).toBe('host');
  expect(kindOf(FORK, with_({ processes: null }))).toBe('uncounted');
  expect(lackOf(ran(FORK, with_({ processes: { spare: 3 } })))?.reason).toBe('no-processes');
});

describe('an end by a signal', () => {
  const ends: Partial<Ran>[] = [
    { exitCode: 137 },
    { exitCode: 143 },
    { exitCode: null, exitSignal: 'SIGKILL' },
    { exitCode: null, exitSignal: 'SIGSEGV' },
  ];

  test.each(ends)('%o', (end) => {
    expect(kindOf('', ENOUGH, end)).toBe('none');
    expect(lackOf(ran('', NONE, end))).toMatchObject({ kind: 'uncounted', reason: 'killed' });
    // A memory killer of the host's own, which the kernel does not count.
    expect(kindOf('', with_({ memory: { available: 2 ** 20, isOwnMet: false } }), end)).toBe('host');
    expect(kindOf('', NONE, { ...end, timedOut: true })).toBeNull();
    expect(killOf(ran(FULL, ENOUGH, end))?.reason).toBe('killed');
  });

  test('is told from words of a task that ended by itself', () => {
    expect(killOf(ran('Killed\nKilled signal terminated program', NONE))).toBeNull();
    expect(killOf(ran('swemake: over the memory limit', NONE, { exitCode: 137 }))).toBeNull();
  });
});

test('what was lacked in several ways is a lack of the machine if one of them is', () => {
  const disk = { ...ENOUGH.disk!, isRefused: true };
  expect(lackOf(ran(`${MEMORY[0]}\n${FULL}`, with_({ disk })))).toMatchObject({
    kind: 'host',
    reason: 'disk-full',
  });
  expect(kindOf(`${MEMORY[0]}\n${FULL}`, with_({ disk: null }))).toBe('uncounted');
});

test('what follows', () => {
  const [host, none, uncounted] = (['host', 'none', 'uncounted'] as const).map(
    (kind) => ({ kind, reason: 'disk-full', line: FULL }) as const,
  );
  expect(lackFault('install', host!)).toMatchObject({ status: 'infra', reason: 'disk-full' });
  expect(lackFault('install', none!)).toBeNull();
  expect(lackFault('install', uncounted!)).toMatchObject({ status: 'infra', reason: 'uncounted' });
  expect(hinderedByLack(host!)).toBeNull();
  expect(hinderedByLack(none!)).toMatchObject({ by: 'loss' });
  expect(hinderedByLack(uncounted!)).toMatchObject({ by: 'uncounted' });
  expect(lackOf(ran('error: no such package', NONE))).toBeNull();
});
