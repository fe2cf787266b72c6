/** Services that programs in a sandbox reach, and programs that would do harm by them. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Workspace } from '../../executors/deployment.ts';
import { run } from './contract.ts';
import { hoard, type Service, startService, talk } from './reach-service.ts';
import { EMPTY, kinds, type MadeSandbox, makeSandbox, withWorkspace } from './sandbox-fixture.ts';

const NAME = 'print(rest(say("name")).decode())';
const MOST = 256;
/** Swemake's own processes below this one, and this one, with how many descriptors each has open. */
function descriptors(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended.
    }
  const isBelow = (pid: number): boolean =>
    pid === process.pid || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return new Map(
    [...parents.keys()].filter(isBelow).flatMap((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('swemake');
        if (pid !== process.pid && !isOurs) return [];
        return [[pid, readdirSync(`/proc/${pid}/fd`).length] as const];
      } catch {
        return [];
      }
    }),
  );
}

for (const kind of kinds) {
  describe(`reach of a sandbox ${kind.name}`, () => {
    let made: MadeSandbox;
    let service: Service;
    beforeAll(async () => {
      made = await makeSandbox(kind);
      service = await startService('first');
    });
    afterAll(async () => {
      await made.cleanup();
      await service.close();
    });
    const use = <T>(body: (workspace: Workspace, port: number) => Promise<T>, reach = [service.path]) =>
      withWorkspace(made.deployment, (workspace) => body(workspace, workspace.ports[0]!), { reach });
    const told = async (workspace: Workspace, program: string) =>
      (await run(workspace, talk(workspace.ports[0], program), { cwd: '/', timeout: 100 })).stdout.trim();

    it('leads to no other socket, and shows none', async () => {
      const other = await startService('other');
      await use(async (workspace, port) => {
        const ports =
          'for p in $(seq 3120 3140); do (: > /dev/tcp/127.0.0.1/$p) 2>/dev/null && echo $p; done';
        expect((await run(workspace, ports, { cwd: '/' })).stdout).toBe(`${port}\n`);
        for (const { path } of [service, other])
          expect((await run(workspace, `ls ${path}`, { cwd: '/' })).exitCode).not.toBe(0);
        expect((await run(workspace, 'cat /proc/net/unix', { cwd: '/' })).stdout).not.toContain(
          'service.sock',
        );
      });
      await withWorkspace(made.deployment, async (workspace) => {
        expect((await run(workspace, ': > /dev/tcp/127.0.0.1/3129', { cwd: '/' })).exitCode).not.toBe(0);
      });
      expect(other.most()).toBe(0);
      await other.close();
    });

    it('has sockets of its own in each workspace, also if their paths are long', async () => {
      const names = ['one', 'two', 'three'];
      const folder = mkdtempSync(join(tmpdir(), `swemake-${'long-'.repeat(20)}`));
      chmodSync(folder, 0o755);
      const services = await Promise.all(
        names.map((name) => {
          const own = join(folder, name);
          mkdirSync(own);
          return startService(name, own);
        }),
      );
      const answers = await Promise.all(
        services.map(({ path }) => use((workspace) => told(workspace, NAME), [path])),
      );
      expect(answers).toEqual(names);
      await Promise.all(services.map((each) => each.close()));
      rmSync(folder, { recursive: true });
    });

    it.each([
      ['never read', hoard('flood')],
      ['flood', hoard('deaf', 1 << 17)],
    ])(
      'bounds the connections of a program that opens them and lets them %s',
      async (_, program) => {
        const before = descriptors();
        await use(async (hostile, port) => {
          const attack = hostile.exec(talk(port, program), {
            ...{ cwd: '/', timeout: 600 },
          });
          await run(hostile, 'until [ -e /tmp/begun ]; do sleep 0.05; done', { cwd: '/' });
          await vi.waitFor(() => expect(service.open()).toBe(MOST), { timeout: 20_000 });
          // Its own commands, those of others, and new workspaces go on.
          await run(hostile, 'until [ -e /tmp/said ]; do sleep 0.05; done', { cwd: '/', timeout: 60 });
          for (let i = 0; i < 10; i++)
            await use(async (other) => expect(await told(other, NAME)).toBe('first'));
          expect(service.most()).toBeLessThanOrEqual(MOST + 1);
          const counted = [...descriptors()].map(([pid, count]) => count - (before.get(pid) ?? 0));
          // Process 1 has two of each.
          expect(Math.max(...counted)).toBeGreaterThan(2 * MOST);
          expect(Math.max(...counted)).toBeLessThan(3 * MOST);
          expect(await hostile.endProcesses()).toMatchObject({ ok: true });
          await attack;
          service.hear();
          await vi.waitFor(() => expect(service.open()).toBe(0), { timeout: 20_000 });
          expect(await told(hostile, NAME)).toBe('first');
        });
      },
      120_000,
    );

    it('leaves no descriptors open', async () => {
      await use(async (workspace) => {
        await told(workspace, NAME);
        await vi.waitFor(() => expect(service.open()).toBe(0));
        const before = descriptors();
        const many = 'for _ in range(500): assert rest(say("name")) == b"first\\n"';
        await told(workspace, many);
        await vi.waitFor(() => {
          const after = descriptors();
          for (const [pid, count] of before)
            expect(after.get(pid) ?? 0, `process ${pid}`).toBeLessThanOrEqual(count);
        });
      });
    });

    it('waits for a service that is busy, and nobody else does', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'swemake-busy-'));
      chmodSync(folder, 0o755);
      const path = join(folder, 'busy.sock');
      const program = [
        'import os, socket, sys',
        's = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1], 0o666); s.listen(0)',
        'print("up", flush=True); sys.stdin.readline()',
        'while True:',
        '    c, _ = s.accept(); c.sendall(b"late"); c.close()',
      ].join('\n');
      const busy = spawn('python3', ['-c', program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
      await new Promise((resolve) => createInterface(busy.stdout).once('line', resolve));
      await use(
        async (workspace, port) => {
          const ask =
            'all = [say("x") for _ in range(40)]; open("/tmp/begun", "w").close(); print({rest(s) for s in all})';
          const asking = run(workspace, talk(port, ask), { cwd: '/', timeout: 60 });
          await run(workspace, 'until [ -e /tmp/begun ]; do sleep 0.05; done', { cwd: '/' });
          for (let i = 0; i < 5; i++)
            await use(async (other) => expect(await told(other, NAME)).toBe('first'));
          busy.stdin.write('\n');
          expect((await asking).stdout).toBe("{b'late'}\n");
        },
        [path],
      );
      busy.kill();
      rmSync(folder, { recursive: true });
    });

    it('goes on when a service ends and comes back', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'swemake-again-'));
      chmodSync(folder, 0o755);
      const first = await startService('before', folder);
      await use(
        async (workspace) => {
          expect(await told(workspace, NAME)).toBe('before');
          await first.close();
          const gone = 'try: print(rest(say("name")))\nexcept ConnectionResetError: print("reset")';
          expect(await told(workspace, gone)).toBe('reset');
          const again = await startService('after', folder);
          expect(await told(workspace, NAME)).toBe('after');
          await again.close();
        },
        [first.path],
      );
      rmSync(folder, { recursive: true });
    });

    it('closes the ports of a workspace that could not be opened', async () => {
      const options = { limits: {}, network: 'host', storage: 'memory', reach: [service.path] } as const;
      const before = readdirSync('/proc/self/fd').length;
      const view = { ...EMPTY, layers: ['/nonexistent/layer'] };
      expect(await made.deployment.open(view, null, options)).toMatchObject({ ok: false });
      await vi.waitFor(() => expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before));
    });
  });
}
