/** Time limits count time in which a command could run; what code inside does to itself excuses it from nothing. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment, ExecResult, OpenOptions, Workspace } from '../../executors/deployment.ts';
import { hinderedBy } from '../../executors/hindrance.ts';
import { findControlGroups } from '../../executors/sandbox/limits.ts';
import { burners, pause, processOne, processWith, stateOf, treeOf } from '../rig/pausing.ts';
import { until } from '../rig/until.ts';
import { type Kind, kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

/** Milliseconds of a pause. */
const PAUSE = 3000;
/** Seconds of a limit within which the processes of a command are found on a loaded machine, too. */
const LIMIT = 15;
let [count, made] = [0, 0];

/** The sandboxes of a kind, made for the tests of one group. */
function sandboxOf(kind: Kind): () => Deployment {
  let made: MadeSandbox;
  beforeAll(async () => {
    made = await makeSandbox(kind);
  });
  afterAll(() => made.cleanup());
  return () => made.deployment;
}

/** How a command ends. `NAP` in it is a sleep that only `disturb` ends; it gets that process, and all, process 1 first. */
function ends(
  deployment: Deployment,
  command: string,
  timeout: number,
  disturb?: (pids: number[], nap: number) => Promise<unknown>,
  options: Partial<OpenOptions> = {},
): Promise<ExecResult> {
  count += 1;
  const mark = `600.${process.pid}${String(count).padStart(3, '0')}`;
  const body = async (workspace: Workspace) => {
    const ran = workspace.exec(command.replace('NAP', `sleep ${mark}`), { cwd: '/', timeout });
    if (disturb !== undefined) {
      const nap = await processWith(mark);
      const first = processOne(nap);
      // The limit begins when process 1 has begun the command and sleeps. A pause before that moment takes none of its time.
      await until(() => stateOf(first) === 'S', 120_000);
      await disturb(treeOf(first), nap);
    }
    const ended = await ran;
    if (!ended.ok) throw new Error(ended.fault.detail);
    return ended.value;
  };
  return withWorkspace(deployment, body, options);
}

// Commands that wait for a limit or a pause need no processor, so all wait at once.
for (const kind of kinds) {
  describe.concurrent(`a command in a sandbox ${kind.name}`, () => {
    const box = sandboxOf(kind);

    test('keeps its time while everything in the workspace stands still', async ({ expect }) => {
      const ran = await ends(box(), 'NAP || echo done', LIMIT, async (pids, nap) => {
        await pause(pids, LIMIT * 1000);
        process.kill(nap);
      });
      expect(ran).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(ran.hindrance!.pausedMs).toBeGreaterThan(LIMIT * 1000 - 1000);
      expect(ran.durationMs).toBeLessThan(LIMIT * 1000);
      expect(hinderedBy(ran)).toBeNull();
    });

    test('keeps its time while a control group freezes it', async ({ expect, skip }) => {
      const freezer = freezerOf();
      if (freezer === null) skip('no control group can be frozen here');
      const ran = await ends(box(), 'NAP || echo done', LIMIT, async (pids, nap) => {
        freezer!.take(pids);
        freezer!.freeze(true);
        await sleep(LIMIT * 1000);
        freezer!.freeze(false);
        process.kill(nap);
      });
      expect(ran).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(ran.hindrance!.pausedMs).toBeGreaterThan(LIMIT * 1000 - 1000);
      freezer!.remove();
    });

    test('that meets its limit after a pause was disturbed', async ({ expect }) => {
      const ran = await ends(box(), 'NAP', LIMIT, (pids) => pause(pids, PAUSE));
      expect(ran).toMatchObject({ exitCode: null, timedOut: true });
      expect(hinderedBy(ran)).toMatchObject({ by: 'pause', timedOut: true });
    });

    test('that fails beside a pause was disturbed, too: it may have limits of its own', async ({
      expect,
    }) => {
      const ran = await ends(box(), 'NAP || exit 1', 10 * LIMIT, async (pids, nap) => {
        await pause(pids, PAUSE);
        process.kill(nap);
      });
      expect(ran).toMatchObject({ exitCode: 1, timedOut: false });
      expect(hinderedBy(ran)).toMatchObject({ by: 'pause', timedOut: false });
    });

    test('keeps its limit exactly when it is disturbed by nothing', async ({ expect }) => {
      const ran = await ends(box(), 'sleep 600', 1);
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.durationMs).toBeGreaterThanOrEqual(1000);
      expect(hinderedBy(ran)).toBeNull();
    });

    test.for([
      ['stops itself', 'kill -STOP $$'],
      ['stops all that it can, process 1 included', 'kill -STOP 1; sleep 60 & kill -STOP -1; kill -STOP $$'],
    ])('that %s meets its limit as ever, and no pause is seen', async ([_, command], { expect }) => {
      const ran = await ends(box(), command!, LIMIT);
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.hindrance!.pausedMs).toBeLessThan(1000);
      expect(hinderedBy(ran)).toMatchObject({ by: 'stop' });
    });

    test('whose processes alone are stopped from outside is told from one that works', async ({ expect }) => {
      const ran = await ends(box(), 'NAP', LIMIT, ([, ...pids]) => pause(pids, PAUSE));
      expect(hinderedBy(ran)).toMatchObject({ by: 'stop' });
    });
  });
}

for (const kind of kinds) {
  describe(`a command that works, in a sandbox ${kind.name},`, () => {
    const box = sandboxOf(kind);

    test('that gets hardly any processor is told from a slow one', async (context) => {
      const neighbours = burners(4 * cpus().length);
      try {
        const ran = await ends(box(), 'while :; do :; done', 4);
        if (ran.hindrance!.load === null) context.skip('the kernel does not say who waits for a processor');
        expect(hinderedBy(ran)).toMatchObject({ by: 'load' });
      } finally {
        neighbours.end();
      }
    });

    test('that uses up its limit of processors with many processes feigns no pause', async () => {
      const command = 'for i in $(seq 20); do (while :; do :; done) & done; wait';
      const ran = await ends(box(), command, 4, undefined, { limits: { cpus: 0.1 } });
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.hindrance!.pausedMs).toBeLessThan(1000);
      const { used, wanted } = ran.hindrance!.load ?? { used: 0, wanted: 0 };
      expect(wanted).toBeLessThan(((0.1 * ran.durationMs) / 1000) * 1.5);
      expect(used).toBeLessThanOrEqual(wanted);
    });
  });
}

/** Stops a process and the first child that it has from then on, at once, for so many seconds. */
const STOPPER = `
import os, signal, sys, time
first, seconds = int(sys.argv[1]), float(sys.argv[2])
found = []
print('ready', flush=True)
while not found:
    with open('/proc/%d/task/%d/children' % (first, first)) as file:
        found = file.read().split()
for number in (signal.SIGSTOP, signal.SIGCONT):
    for pid in [first, *map(int, found)][::1 if number == signal.SIGSTOP else -1]:
        os.kill(pid, number)
    if number == signal.SIGSTOP:
        time.sleep(seconds)
`;

test('a command that stands still from its first moment on keeps its time', async () => {
  const box = await makeSandbox(kinds[0]!);
  const ended = await withWorkspace(box.deployment, async (workspace) => {
    const mark = `600.${process.pid}999`;
    const napping = workspace.exec(`sleep ${mark}`, { cwd: '/', timeout: 600 });
    const nap = await processWith(mark);
    const first = processOne(nap);
    process.kill(nap);
    await napping;
    const ends = [];
    for (let round = 0; round < 4; round += 1) {
      const stopper = spawn('python3', ['-c', STOPPER, `${first}`, `${PAUSE / 1000}`], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const gone = once(stopper, 'exit');
      await once(stopper.stdout, 'data');
      ends.push(await workspace.exec('sleep 1', { cwd: '/', timeout: PAUSE / 1000 }));
      expect(await gone).toEqual([0, null]);
    }
    return ends;
  });
  await box.cleanup();
  for (const end of ended) expect(end).toMatchObject({ ok: true, value: { exitCode: 0, timedOut: false } });
});

// A command is found by its test while process 1 still begins it.
test('a pause while process 1 is awake counts, as one does while it sleeps', async () => {
  const folder = fileURLToPath(new URL('../../executors/sandbox', import.meta.url));
  const script = `
import os, signal, sys
sys.path.insert(0, ${JSON.stringify(folder)})
import pauses, tree
seen = pauses.Pauses(tree.Processes())
seen.processes.read = lambda pid, name, read=seen.processes.read: read(os.getpid(), name)
for stop in (True, False):
    seen.note()
    if stop:
        os.kill(os.getpid(), signal.SIGSTOP)
    print(seen.missed(), flush=True)
`;
  const process1 = spawn('python3', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(process1, 'close');
  const printed = text(process1.stdout);
  await until(() => stateOf(process1.pid!) === 'T', 120_000);
  await sleep(PAUSE);
  process1.kill('SIGCONT');
  const [stopped, awake] = (await printed).trim().split('\n').map(Number);
  await ended;
  expect(stopped).toBeGreaterThan(PAUSE / 1000 - 0.1);
  expect(awake).toBe(0);
});

test('a pause between any two readings of the clock counts once', () => {
  const script = `
import sys
sys.path.insert(0, ${JSON.stringify(fileURLToPath(new URL('../../executors/sandbox', import.meta.url)))})
import pauses, time, tree
class Clock:
    readings, stop = 0, None
    def monotonic(self):
        self.readings += 1
        return 1000 + self.readings * 0.0001 + (3 if self.stop is not None and self.readings > self.stop else 0)
def total(stop):
    clock = Clock()
    time.monotonic = clock.monotonic
    seen = pauses.Pauses(tree.Processes())
    seen.awake()
    clock.stop = None if stop is None else clock.readings + stop
    moved = seen.woke(0) + seen.missed() + seen.woke(0) + seen.missed()
    return round(moved, 2)
print([total(stop) for stop in (None, 0, 1, 2, 3)])
`;
  const said = execFileSync('python3', ['-c', script], { encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual([0, 3, 3, 3, 3]);
});

/** A group of its own in the freezer's hierarchy, or in that of version 2. */
function freezerOf() {
  made += 1;
  const v1 = '/sys/fs/cgroup/freezer';
  const own = `swemake-freezer-${process.pid}-${made}`;
  const [parent, file, words] = existsSync(v1)
    ? [v1, 'freezer.state', ['THAWED', 'FROZEN']]
    : [findControlGroups().memory?.path ?? '', 'cgroup.freeze', ['0', '1']];
  const group = `${parent}/${own}`;
  try {
    mkdirSync(group);
    writeFileSync(`${group}/${file}`, words[0]!);
  } catch {
    return null;
  }
  return {
    take: (pids: number[]) => pids.forEach((pid) => void writeFileSync(`${group}/cgroup.procs`, `${pid}`)),
    freeze: (on: boolean) => writeFileSync(`${group}/${file}`, words[on ? 1 : 0]!),
    remove: () => {
      try {
        rmdirSync(group);
      } catch {
        // A process has not left it yet; it is empty and does nothing.
      }
    },
  };
}
