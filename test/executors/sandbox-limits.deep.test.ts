/** Hostile loads: each is held, and the workspace or at least the deployment goes on. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './contract.ts';
import { kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const MIB = 1024 * 1024;
const hasPython = existsSync('/usr/bin/python3');

for (const kind of kinds) {
  describe(`limits of a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    beforeAll(async () => {
      made = await makeSandbox(kind);
    });
    afterAll(() => made.cleanup());
    const open = withWorkspace;

    it('a disk limit, which is equally soft on all machines, is no warning', async () => {
      const own = await makeSandbox(kind);
      await open(own.deployment, async () => undefined, { storage: 'disk', limits: { disk: 64 * MIB } });
      expect(own.deployment.warnings().filter((line) => line.includes('disk'))).toEqual([]);
      await own.cleanup();
    });

    it('a fork bomb ends with its timeout', async () => {
      await open(
        made.deployment,
        async (workspace) => {
          const bomb = 'f() { f | f & }; f; sleep 30';
          expect((await run(workspace, bomb, { timeout: 2, cwd: '/' })).timedOut).toBe(true);
          expect((await run(workspace, 'echo alive', { cwd: '/' })).stdout).toBe('alive\n');
        },
        { limits: { pids: 64, memory: 512 * MIB } },
      );
    });

    it('says so when no process can be started', async () => {
      await open(
        made.deployment,
        async (workspace) => {
          await run(workspace, 'for i in $(seq 18); do sleep 300 & done', { cwd: '/' });
          for (const _ of [1, 2]) void workspace.exec('exec sleep 300', { cwd: '/', timeout: 300 });
          const result = await run(workspace, 'true', { cwd: '/' });
          expect(result.stderr).toContain('limit of processes');
          expect(result.exitCode).not.toBe(0);
        },
        { limits: { pids: 20 } },
      );
    });

    it('what was left running is ended, however much it is, and commands start again', async () => {
      const limits = { pids: 20, memory: 512 * MIB };
      const loads = ['for i in $(seq 19); do sleep 300 & done', 'f() { f | f & }; f; sleep 1; exit'];
      for (const load of loads)
        await open(
          made.deployment,
          async (workspace) => {
            await run(workspace, load, { cwd: '/', timeout: 3 });
            const left = [1, 2].map(() => workspace.exec('exec sleep 300', { cwd: '/', timeout: 300 }));
            expect(await workspace.endProcesses()).toMatchObject({ ok: true });
            await Promise.all(left);
            expect((await run(workspace, '(echo one | cat)', { cwd: '/' })).stdout).toBe('one\n');
          },
          { limits },
        );
    });

    it.skipIf(!hasPython)('a memory bomb dies alone', async () => {
      const bomb = '/usr/bin/python3 -c "x=[]\nwhile True: x.append(bytearray(1<<24))"; echo "ended $?"';
      await open(
        made.deployment,
        async (workspace) => {
          expect((await run(workspace, bomb, { cwd: '/' })).stdout).toMatch(/ended (137|1)\n/);
          const whole = await run(workspace, `exec ${bomb.split('; echo')[0]}`, { cwd: '/' });
          // Where the interpreter is refused memory it says so itself.
          if (whole.exitCode !== 1) expect(whole.output).toContain('swemake: over the memory limit');
          const killed = await run(workspace, 'kill -9 $$', { cwd: '/' });
          expect(killed).toMatchObject({ exitSignal: 'SIGKILL', output: '' });
          expect((await run(workspace, 'echo alive', { cwd: '/' })).stdout).toBe('alive\n');
        },
        { limits: { memory: 256 * MIB, pids: 64 } },
      );
    });

    it.skipIf(!hasPython)('many processes together keep to the memory limit', async () => {
      const eater = '/usr/bin/python3 -c "import time; x=bytearray(100<<20); time.sleep(3)"';
      const command = `for i in 1 2 3 4 5 6; do (${eater}; echo "ended $?") & done; wait`;
      await open(
        made.deployment,
        async (workspace) => {
          const result = await run(workspace, command, { cwd: '/' });
          expect(result.output).toMatch(/ended 137/);
          expect((await run(workspace, 'echo alive', { cwd: '/' })).stdout).toBe('alive\n');
        },
        { limits: { memory: 256 * MIB, pids: 64 } },
      );
    });

    it('a filler of memory storage meets a full disk', async () => {
      await open(
        made.deployment,
        async (workspace) => {
          for (const folder of ['/testbed', '/tmp', '/dev/shm', '/root']) {
            const result = await run(
              workspace,
              `head -c 100M /dev/zero > ${folder}/fill; r=$?; rm ${folder}/fill; exit $r`,
            );
            expect(result.exitCode, folder).not.toBe(0);
          }
          await run(workspace, 'head -c 100M /dev/zero > /testbed/fill');
          expect(await workspace.write('/testbed/more', Buffer.alloc(1 << 20))).toMatchObject({
            fault: { status: 'refused', reason: 'full' },
          });
          await run(workspace, 'rm /testbed/fill');
          expect((await run(workspace, 'echo small > /testbed/file && cat /testbed/file')).stdout).toBe(
            'small\n',
          );
        },
        { limits: { disk: 32 * MIB } },
      );
    });

    it('a filler of disk storage is stopped', async () => {
      await open(
        made.deployment,
        async (workspace) => {
          const one = await run(workspace, 'head -c 100M /dev/zero > one; ls -l one');
          expect(Number(one.stdout.split(/ +/)[4])).toBeLessThanOrEqual(32 * MIB);
          await run(workspace, 'rm one');
          const fill = 'i=0; while :; do i=$((i+1)); head -c 4M /dev/urandom > f$i; done';
          const many = await run(workspace, fill, { timeout: 50 });
          expect(many).toMatchObject({ exitSignal: 'SIGKILL', timedOut: false });
          expect(many.stderr).toContain('disk limit');
        },
        { limits: { disk: 32 * MIB }, storage: 'disk' },
      );
    });

    it('keeps going after two gigabytes of output', async () => {
      await open(made.deployment, async (workspace) => {
        const result = await run(workspace, 'head -c 2G /dev/zero; echo end', { cwd: '/', timeout: 50 });
        expect(result).toMatchObject({ exitCode: 0, truncated: true });
        expect(result.output.endsWith('end\n')).toBe(true);
        const memory = await run(workspace, 'grep VmHWM /proc/1/status', { cwd: '/' });
        expect(Number(memory.stdout.replace(/\D/g, ''))).toBeLessThan(64 * 1024);
      });
    });

    it('a timeout spares what other commands run', async () => {
      await open(made.deployment, async (workspace) => {
        await run(workspace, '(setsid sleep 300 &) ; sleep 301 & true', { cwd: '/' });
        const beside = run(workspace, '(setsid sleep 302 &); sleep 1.5; pgrep -c sleep', { cwd: '/' });
        const late = await run(workspace, '(setsid sleep 303 &); trap "" TERM; sleep 304', {
          cwd: '/',
          timeout: 0.5,
        });
        expect(late.timedOut).toBe(true);
        expect((await beside).exitCode).toBe(0);
        const left = await run(workspace, 'pgrep -a sleep | cut -d" " -f3 | sort', { cwd: '/' });
        expect(left.stdout).toBe('300\n301\n302\n');
      });
    });

    it('also where what it ends takes long to be gone', async () => {
      await open(made.deployment, async (workspace) => {
        const beside = run(workspace, 'sleep 3; echo whole', { cwd: '/' });
        const full = `/usr/bin/python3 -c 'import time; x = b"x" * (700 << 20); time.sleep(300)'`;
        const late = await run(workspace, full, { cwd: '/', timeout: 2 });
        expect(late.timedOut).toBe(true);
        expect((await beside).stdout).toBe('whole\n');
      });
    });

    it('leaves no zombies', async () => {
      await open(made.deployment, async (workspace) => {
        await run(workspace, 'for i in $(seq 50); do (setsid sh -c "sleep 0.05 &" &); done; sleep 0.5', {
          cwd: '/',
        });
        expect((await run(workspace, 'ps -eo stat= | grep -c Z', { cwd: '/' })).stdout).toBe('0\n');
      });
    });

    it('what is left in the background may go on printing', async () => {
      await open(made.deployment, async (workspace) => {
        await run(
          workspace,
          '(for i in $(seq 20); do echo tick || exit; sleep 0.05; done; touch /tmp/whole) &',
          {
            cwd: '/',
          },
        );
        const waiting = 'for i in $(seq 100); do [ -e /tmp/whole ] && exit 0; sleep 0.05; done; exit 1';
        expect((await run(workspace, waiting, { cwd: '/' })).exitCode).toBe(0);
      });
    });
  });
}
