/** Time limits count time in which a command could run; what code inside does to itself excuses it from nothing. */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExecResult, OpenOptions } from '../../executors/deployment.ts';
import { hinderedBy } from '../../executors/hindrance.ts';
import { findControlGroups } from '../../executors/sandbox/limits.ts';
import { burners, pause, processOne, processWith, treeOf } from '../rig/pausing.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

/** A loaded machine takes seconds until the processes of a command are found; so each runs for longer than that. */
const PAUSE = 3000;
let count = 0;

for (const kind of kinds) {
  describe(`a command in a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());

    /** How the command ends; meanwhile `disturb` gets its processes, process 1 first. */
    const ends = (
      command: string,
      timeout: number,
      disturb: (pids: number[]) => Promise<void> = async () => undefined,
      options: Partial<OpenOptions> = {},
    ): Promise<ExecResult> =>
      withWorkspace(
        made.deployment,
        async (workspace) => {
          count += 1;
          const mark = `${process.pid}-${count}`;
          const ran = workspace.exec(command, { cwd: '/', timeout, env: { MARK: mark } });
          await disturb(treeOf(processOne(await processWith(`MARK=${mark}`))));
          const ended = await ran;
          if (!ended.ok) throw new Error(ended.fault.detail);
          return ended.value;
        },
        options,
      );

    test('keeps its time while everything in the workspace stands still', async () => {
      const ran = await ends('sleep 7; sleep 0.5; echo done', 7, (pids) => pause(pids, PAUSE));
      expect(ran).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(ran.hindrance!.pausedMs).toBeGreaterThan(PAUSE - 1000);
      expect(ran.durationMs).toBeLessThan(7000);
      expect(hinderedBy(ran)).toBeNull();
    });

    test('that meets its limit after a pause was disturbed', async () => {
      const ran = await ends('sleep 60', 5, (pids) => pause(pids, PAUSE));
      expect(ran).toMatchObject({ exitCode: null, timedOut: true });
      expect(hinderedBy(ran)).toMatchObject({ by: 'pause', timedOut: true });
    });

    test('that fails beside a pause was disturbed, too: it may have limits of its own', async () => {
      const ran = await ends('sleep 8; exit 1', 20, (pids) => pause(pids, PAUSE));
      expect(hinderedBy(ran)).toMatchObject({ by: 'pause', timedOut: false });
    });

    test('keeps its limit exactly when it is disturbed by nothing', async () => {
      const ran = await ends('sleep 60', 1);
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.durationMs).toBeGreaterThanOrEqual(1000);
      expect(hinderedBy(ran)).toBeNull();
    });

    test.each([
      ['stops itself', 'kill -STOP $$'],
      ['stops all that it can, process 1 included', 'kill -STOP 1; sleep 60 & kill -STOP -1; kill -STOP $$'],
    ])('that %s meets its limit as ever, and no pause is seen', async (_, command) => {
      const ran = await ends(command, 3);
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.hindrance!.pausedMs).toBeLessThan(1000);
      expect(hinderedBy(ran)).toMatchObject({ by: 'stop' });
    });

    test('whose processes alone are stopped from outside is told from one that works', async () => {
      const ran = await ends('sleep 60', 6, ([, ...pids]) => pause(pids, 5000));
      expect(hinderedBy(ran)).toMatchObject({ by: 'stop' });
    });

    test('that gets hardly any processor is told from a slow one', async (context) => {
      const neighbours = burners(4 * cpus().length);
      try {
        const ran = await ends('while :; do :; done', 4);
        if (ran.hindrance!.load === null) context.skip('the kernel does not say who waits for a processor');
        expect(hinderedBy(ran)).toMatchObject({ by: 'load' });
      } finally {
        neighbours.end();
      }
    });

    test('that uses up its limit of processors with many processes feigns no pause', async () => {
      const command = 'for i in $(seq 20); do (while :; do :; done) & done; wait';
      const ran = await ends(command, 4, undefined, { limits: { cpus: 0.1 } });
      expect(ran).toMatchObject({ timedOut: true });
      expect(ran.hindrance!.pausedMs).toBeLessThan(1000);
      const { used, wanted } = ran.hindrance!.load ?? { used: 0, wanted: 0 };
      expect(wanted).toBeLessThan(0.1 * 4 * 1.5);
      expect(used).toBeLessThanOrEqual(wanted);
    });

    test('keeps its time while a control group freezes it', async (context) => {
      const freezer = freezerOf();
      if (freezer === null) context.skip('no control group can be frozen here');
      const ran = await ends('sleep 7.5; echo done', 7, async (pids) => {
        freezer!.take(pids);
        freezer!.freeze(true);
        await sleep(PAUSE);
        freezer!.freeze(false);
      });
      expect(ran).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
      expect(ran.hindrance!.pausedMs).toBeGreaterThan(PAUSE - 1000);
      freezer!.remove();
    });
  });
}

/** A group of its own in the freezer's hierarchy, or in that of version 2. */
function freezerOf() {
  const v1 = '/sys/fs/cgroup/freezer';
  const own = `swemake-freezer-${process.pid}-${count}`;
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
