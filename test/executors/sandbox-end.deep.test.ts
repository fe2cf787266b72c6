/** What is left of workspaces that were closed, whatever ran in them: nothing. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findControlGroups } from '../../executors/sandbox/limits.ts';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

/** Command lines of the host's processes that start with `mark`. */
function marked(mark: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${Number(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return line.startsWith(mark) ? [line] : [];
    } catch {
      return [];
    }
  });
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let i = 0; i < 7500 && !condition(); i++) await sleep(20);
  return condition();
}

const descriptors = () => readdirSync('/proc/self/fd').length;

for (const [at, kind] of kinds.entries()) {
  describe(`after a workspace ${kind.name}`, () => {
    const label = `end${process.pid}-${at}`;
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind, { runId: label });
    });
    afterAll(() => made.cleanup());
    const groups = () =>
      Object.values(findControlGroups()).flatMap(({ path }) =>
        readdirSync(path).flatMap((name) =>
          name.startsWith(`swemake-${label}-`)
            ? readdirSync(`${path}/${name}`).filter((each) => /^w\d/.test(each))
            : [],
        ),
      );
    const workspaceFolders = () =>
      readdirSync(made.stateFolder).flatMap((name) =>
        readdirSync(`${made.stateFolder}/${name}`).filter((each) => /^w\d+$/.test(each)),
      );

    for (const storage of ['memory', 'disk'] as const)
      it(`with storage ${storage}, daemons that left their command end and nothing lies about`, async () => {
        const mark = `swemake-daemon-${process.pid}-${at}-${storage}`;
        const daemon = `exec -a ${mark} bash -c 'trap "" TERM HUP INT QUIT; while :; do sleep 1; done'`;
        await withWorkspace(
          made.deployment,
          async (workspace) => {
            // Double-forked: its parent is process 1, and it has a session of its own.
            const left = await run(
              workspace,
              `(setsid bash -c "(${daemon.replaceAll('"', '\\"')}) &" &) >/dev/null 2>&1`,
            );
            expect(left.exitCode).toBe(0);
            expect(await until(() => marked(mark).length > 0)).toBe(true);
            const mess = [
              'mkdir -p /testbed/locked/below; touch /testbed/locked/below/file; chmod 0 /testbed/locked/below /testbed/locked',
              'd=deep; mkdir $d; cd $d; for i in $(seq 300); do mkdir 0123456789012345678901234567890123456789; cd 0*; done',
              'mkfifo /tmp/pipe; ln -s / /tmp/root; touch "/testbed/$(printf "\\377\\n")"',
            ];
            await run(workspace, mess.join('\n'), { cwd: '/testbed' });
            expect((await run(workspace, 'echo alive', { cwd: '/' })).stdout).toBe('alive\n');
          },
          { storage, limits: { memory: 256 << 20, pids: 64 } },
        );
        expect(await until(() => marked(mark).length === 0)).toBe(true);
        expect(await until(() => groups().length === 0)).toBe(true);
        expect(await until(() => workspaceFolders().length === 0)).toBe(true);
        expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(made.stateFolder);
      });

    it('no descriptor stays open', async () => {
      await withWorkspace(made.deployment, async () => undefined);
      const before = descriptors();
      for (let i = 0; i < 30; i++) await withWorkspace(made.deployment, async () => undefined);
      expect(await until(() => descriptors() < before + 10)).toBe(true);
    });

    it('whose process 1 was killed from outside, the next one opens', async () => {
      const broken = withWorkspace(made.deployment, async (workspace) => {
        const running = workspace.exec('exec -a swemake-victim sleep 300', { cwd: '/', timeout: 300 });
        expect(await until(() => marked('swemake-victim').length > 0)).toBe(true);
        const pid = readdirSync('/proc').find(
          (each) => /^\d+$/.test(each) && parentOfMarked('swemake-victim') === each,
        )!;
        process.kill(Number(pid), 'SIGKILL');
        return running;
      });
      expect(await broken).toMatchObject({ ok: false, fault: { status: 'infra' } });
      const next = await withWorkspace(made.deployment, (workspace) =>
        run(workspace, 'echo next', { cwd: '/' }),
      );
      expect(next.stdout).toBe('next\n');
      expect(marked('swemake-victim')).toEqual([]);
    });
  });
}

/** The host's pid of the parent of the process that `mark` names. */
function parentOfMarked(mark: string): string | null {
  for (const pid of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(mark)) continue;
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return text.slice(text.lastIndexOf(')') + 2).split(' ')[1]!;
    } catch {
      // It ended while we looked.
    }
  }
  return null;
}
